"""The forward estimate against its definition: direct minimisation, in every form of the arms."""

import numpy as np
import pytest

from agents.parts.estimators import ForwardRidge
from agents.parts.estimators.forward_ridge import count_as_played
from banditgym.tasks import LinearTask

RIDGE = 0.3


def _task(dim, n_arms, fixed):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


def _history(kind, rng, dim, n_arms, fixed, rounds, n=3):
    """Rounds of features (n, d, K), arms and rewards (n,)."""
    scale = {"large": 1e6, "small": 1e-6}.get(kind, 1.0)
    first = None
    for _ in range(rounds):
        x = scale * rng.standard_normal((n, dim, n_arms))
        if kind == "deficient":  # a line, the same in all rounds
            x = np.outer(np.arange(1.0, dim + 1), rng.standard_normal(n_arms)) * np.ones((n, 1, 1))
        if kind == "repeated":
            x[:] = np.arange(1.0, dim + 1)[:, None]
        if fixed:
            first = x if first is None else first
            x = first
        x = np.ascontiguousarray(x)
        x.flags.writeable = False
        yield x, rng.integers(n_arms, size=n), rng.standard_normal(n)


@pytest.mark.parametrize("kind", ["random", "repeated", "deficient", "large", "small"])
@pytest.mark.parametrize(
    ("dim", "n_arms", "fixed"), [(3, 5, False), (1, 1, False), (5, 3, True), (3, 5, True)]
)
def test_is_the_minimiser_with_the_arm_counted_as_played(kind, dim, n_arms, fixed):
    """theta(x) by least squares on the rows [played; x; sqrt(ridge) I] with targets [r; 0; 0].

    Rank-one forms err by 40 rounds' eps times the Gram matrix's condition number: on the span of
    the samples, or the whole where the arms' K x K matrix is kept. A hundredfold is allowed,
    relative to the sum of the terms' absolute values.
    """
    rng = np.random.default_rng(dim)
    model = ForwardRidge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), 3)
    rows, paid = [[] for _ in range(3)], [[] for _ in range(3)]
    for x, arms, reward in _history(kind, rng, dim, n_arms, fixed, 40):
        mean, variance = model.predict(x)
        for i in range(3):
            for k in range(n_arms):
                stacked = np.array([*rows[i], x[i, :, k]])
                full = np.vstack([stacked, np.sqrt(RIDGE) * np.eye(dim)])
                target = np.r_[paid[i], np.zeros(1 + dim)]
                theta = np.linalg.lstsq(full, target, rcond=None)[0]
                if kind == "small":  # least squares errs by eps times the residual
                    theta = np.linalg.solve(full.T @ full, full.T @ target)
                singular = np.linalg.svd(stacked, compute_uv=False)
                least = singular[singular > 1e-12 * singular[0]][-1]
                condition = (RIDGE + singular[0] ** 2) / (RIDGE + least**2)
                if fixed and n_arms <= dim:
                    condition = 1 + singular[0] ** 2 / RIDGE
                room = 4000 * 2.2e-16 * condition
                lengths = np.linalg.norm(stacked, axis=1)
                terms = lengths[-1] * (lengths[:-1] @ np.abs(paid[i])) / (RIDGE + least**2)
                assert abs(mean[i, k] - x[i, :, k] @ theta) <= room * terms
                q = np.linalg.qr(full, mode="r")
                width = np.linalg.solve(q.T, x[i, :, k])
                assert abs(variance[i, k] - width @ width) <= room * (width @ width)
        model.update(x, arms, reward, np.ones(3, bool))
        for i in range(3):
            rows[i].append(x[i, :, arms[i]])
            paid[i].append(reward[i])


def test_before_any_data_it_predicts_nothing():
    """m = 0; w = ‖x‖²/ridge = 4/2: variance 2/3."""
    x = np.zeros((1, 2, 1))
    x[0, 1, 0] = 2.0
    x.flags.writeable = False
    mean, variance = ForwardRidge(ridge=2.0).reset(_task(2, 1, False), 1).predict(x)
    assert mean[0, 0] == 0.0
    assert variance[0, 0] == pytest.approx(2 / 3, rel=1e-15)


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan")])
def test_ridge_is_positive(ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        ForwardRidge(ridge=ridge)


def test_a_new_direction_without_a_ridge_has_variance_one():
    assert ForwardRidge().ridge == 1.0
    mean, variance = np.empty((2, 1, 2))
    count_as_played(np.array([[5.0, 2.0]]), np.array([[np.inf, 3.0]]), mean, variance)
    assert mean.tolist() == [[0.0, 0.5]]
    assert variance.tolist() == [[1.0, 0.75]]
