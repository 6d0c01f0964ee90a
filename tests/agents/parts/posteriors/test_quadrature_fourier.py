"""Quadrature features: the kernel's error, halved nodes, the posterior on them, refusals."""

from itertools import product

import gymnasium
import numpy as np
import pytest

from agents.parts.posteriors import QuadratureFourier
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.tasks import KernelTask


def task_of(arms, covariance):
    n_arms, dim = arms.shape
    return KernelTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, param_norm=1.0,
        covariance=covariance, arms=arms,
    )  # fmt: skip


def started(part, arms, covariance, ridge=0.1, n=1):
    task = task_of(arms, covariance)
    assert part.refusal(task, covariance) is None
    return part.reset(task, n=n, seeds=range(n), covariance=covariance, ridge=ridge)


@pytest.mark.parametrize(
    ("length_scale", "nodes", "error"),
    [(0.3, 4, 0.71), (0.3, 8, 0.032), (0.3, 12, 1.9e-4), (0.3, 16, 2.9e-7), (0.2, 16, 0.0042)],
)
def test_kernel_errors_are_those_stated(length_scale, nodes, error):
    """The largest over lags in [-1, 1]^2, here those of a grid of 31 x 31 arms, in two digits."""
    axis = np.linspace(0, 1, 31)
    arms = np.array(list(product(axis, axis)))
    covariance = RBF(length_scale=length_scale, variance=1.9)
    state = started(QuadratureFourier(nodes=nodes), arms, covariance)
    assert state.features.shape == (1, nodes**2, 961)
    corners = state.features[0][:, [0, 30]].T @ state.features[0]  # lags in both quadrants
    largest = np.max(abs(corners / 1.9 - covariance(arms[[0, 30]], arms) / 1.9))
    assert largest == pytest.approx(error, rel=0.03)


@pytest.mark.parametrize(("dim", "nodes"), [(1, 1), (1, 6), (1, 7), (2, 4), (2, 5), (3, 3), (4, 2)])
def test_features_give_the_products_of_the_whole_grid(dim, nodes):
    """Half of the nodes, twice the weight: sum over all of s v_j cos(omega_j (x - y))."""
    arms = np.random.default_rng(dim).random((nodes**dim + 3, dim))
    covariance = RBF(length_scale=0.6, variance=1.7)
    state = started(QuadratureFourier(nodes=nodes), arms, covariance)
    assert state.features.shape == (1, nodes**dim, nodes**dim + 3)
    h, w = np.polynomial.hermite.hermgauss(nodes)
    expected = np.zeros((len(arms), len(arms)))
    for index in product(range(nodes), repeat=dim):
        omega = np.sqrt(2) / 0.6 * h[list(index)]
        weight = np.prod(w[list(index)] / np.sqrt(np.pi))
        expected += 1.7 * weight * np.cos((arms[:, None] - arms) @ omega)
    np.testing.assert_allclose(state.features[0].T @ state.features[0], expected, atol=1e-12)


@pytest.mark.parametrize(("dim", "nodes"), [(1, 9), (2, 4), (2, 7)])
def test_posterior_is_that_of_the_kernel_of_its_grid(dim, nodes):
    """400 pulls of 30 arms, fewer and more features than arms; one copy serves all replicates."""
    n, ridge, arms = 3, 0.05, np.random.default_rng(nodes).random((30, dim))
    covariance = RBF(length_scale=0.4, variance=1.7)
    state = started(QuadratureFourier(nodes=nodes), arms, covariance, ridge, n=n)
    assert state.features.shape == (1, min(nodes**dim, 30), 30)
    rng = np.random.default_rng(0)
    played = rng.integers(30, size=(400, n))
    reward = np.cos(played) + 0.1 * rng.standard_normal((400, n))
    for a, r in zip(played, reward, strict=True):
        state.update(None, a, r, np.ones(n, bool))
    mean, got = state.predict(None)
    h, w = np.polynomial.hermite.hermgauss(nodes)
    one = np.tensordot(  # the kernel is a product over dimensions
        w / np.sqrt(np.pi), np.cos(np.multiply.outer(np.sqrt(2) / 0.4 * h, arms[:, None] - arms)), 1
    )
    gram = 1.7 * one.prod(axis=2)
    for i in range(n):
        of = gram[:, played[:, i]]
        inverse = np.linalg.inv(of[played[:, i]] + ridge * np.eye(400))
        np.testing.assert_allclose(mean[i], of @ (inverse @ reward[:, i]), rtol=0, atol=1e-8)
        plain = (np.diag(gram) - ((of @ inverse) * of).sum(axis=1)) / ridge
        np.testing.assert_allclose(got[i], plain, rtol=0, atol=1e-8)
        log_det = np.linalg.slogdet(np.eye(400) + of[played[:, i]] / ridge)[1]
        assert state.log_det[i] == pytest.approx(log_det, rel=1e-8)


def test_enough_nodes_give_the_exact_posterior():
    """24 nodes at l = 0.5: kernel values err by rounding, and so means and variances by 1e-12."""
    ridge, covariance = 0.01, RBF(length_scale=0.5)
    arms = np.random.default_rng(0).random((40, 2))
    state = started(QuadratureFourier(nodes=24), arms, covariance, ridge)
    rng = np.random.default_rng(1)
    played = rng.integers(40, size=200)
    reward = rng.standard_normal(200)
    for a, r in zip(played, reward, strict=True):
        state.update(None, np.array([a]), np.array([r]), np.ones(1, bool))
    of = covariance(arms, arms[played])
    inverse = np.linalg.inv(covariance(arms[played], arms[played]) + ridge * np.eye(200))
    np.testing.assert_allclose(state.mean[0], of @ (inverse @ reward), rtol=0, atol=1e-8)
    plain = (1 - ((of @ inverse) * of).sum(axis=1)) / ridge
    np.testing.assert_allclose(state.variance[0], plain, rtol=0, atol=1e-8)


def test_arms_tie_before_any_data():
    state = started(QuadratureFourier(nodes=5), np.random.default_rng(0).random((40, 2)), RBF())
    assert (state.variance == 1 / 0.1).all()


def test_what_the_grid_does_not_serve_is_refused():
    part = QuadratureFourier(nodes=4)
    two = task_of(np.zeros((4, 2)), RBF())
    for other in (Matern(), Linear()):
        assert type(other).__name__ in str(part.refusal(two, other))
    wide = task_of(np.zeros((4, 20)), RBF())
    assert "4 nodes in each of 20 dimensions" in str(part.refusal(wide, RBF()))
    six = task_of(np.zeros((4, 6)), RBF())
    assert part.refusal(six, RBF()) is None  # 4096 features
    assert QuadratureFourier(nodes=5).refusal(six, RBF()) is not None
    assert QuadratureFourier(nodes=1).refusal(wide, RBF()) is None


@pytest.mark.parametrize("nodes", [0, -1, 4.0])
def test_bad_numbers_of_nodes_raise(nodes):
    with pytest.raises(ValueError, match=f"nodes.*{nodes}"):
        QuadratureFourier(nodes=nodes)


@pytest.mark.parametrize(
    ("nodes", "dim", "box", "fits"),
    [
        (5000, 1, False, True),
        (5001, 1, False, False),
        (1024, 1, True, True),
        (1025, 1, True, False),
        (32, 2, True, True),
        (33, 2, True, False),
        (33, 2, False, True),
    ],
)
def test_how_many_features_arms_and_a_box_may_have(nodes, dim, box, fits):
    assert QuadratureFourier().nodes == 16
    task = task_of(np.zeros((4, dim)), RBF())
    if box:
        settings = {"arms": "box", "dim": dim, "function": "rkhs", "param_norm": 1.0}
        task = gymnasium.make("KernelBandit-v0", **settings).unwrapped.task
    reason = QuadratureFourier(nodes=nodes).refusal(task, RBF())
    assert (reason is None) == fits
    assert fits or f"more than {1024 if box else 5000} features" in str(reason)
