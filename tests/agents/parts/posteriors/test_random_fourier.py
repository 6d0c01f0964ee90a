"""Random frequencies: the law of their errors, the posterior on their features, awkward tasks."""

import numpy as np
import pytest

from agents.parts.posteriors import RandomFourier
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT, Stream
from banditgym.tasks import KernelTask

COVARIANCES = [
    RBF(length_scale=0.3, variance=2.5),
    Matern(nu=0.5, length_scale=0.5, variance=0.4),
    Matern(nu=1.5, length_scale=0.4, variance=3.0),
    Matern(nu=2.5, length_scale=0.4, variance=0.3),
]


def task_of(arms, covariance):
    n_arms, dim = arms.shape
    return KernelTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, param_norm=1.0,
        covariance=covariance, arms=arms,
    )  # fmt: skip


def started(part, arms, covariance, ridge=0.1, n=3, seeds=None):
    task = task_of(arms, covariance)
    assert part.refusal(task, covariance) is None
    seeds = range(n) if seeds is None else seeds
    return part.reset(task, n=n, seeds=seeds, covariance=covariance, ridge=ridge)


@pytest.mark.parametrize("covariance", COVARIANCES, ids=str)
@pytest.mark.parametrize("dim", [1, 3])
def test_kernel_values_have_the_kernel_as_mean_and_the_variance_of_their_cosines(dim, covariance):
    """2000 replicates of D = 20 features. A value is s times a mean of D / 2 cosines, of variance
    (1 + k(2 r) - 2 k(r)²) / 2 each for k of variance 1; its mean over the replicates is off by
    that over 2000 D / 2. From lags of a length scale on values are nearly normal, and their sample
    variance is off by sqrt(2 / 2000) = 0.032 of itself; all within five deviations.
    """
    n, size = 2000, 20
    lags = np.array([0.05, 0.2, 0.5, 1.0, 2.0])
    direction = np.arange(1.0, dim + 1) / np.linalg.norm(np.arange(1.0, dim + 1))
    arms = np.concatenate([[0.0], lags])[:, None] * direction
    arms = np.tile(arms, (4, 1)) + 0.7  # more arms than features, which are then as drawn
    state = started(RandomFourier(size=size), arms, covariance, n=n)
    assert state.features.shape == (n, size, 24)
    s = covariance.variance
    values = np.einsum("nm,nmk->nk", state.features[:, :, 0], state.features[:, :, 1:6]) / s
    k = covariance(arms[:1], arms[1:6])[0] / s
    twice = covariance(np.zeros((1, dim)), 2 * lags[:, None] * direction)[0] / s
    variance = (1 + twice - 2 * k * k) / size
    assert (variance <= 1 / size).all()
    assert np.max(abs(values.mean(axis=0) - k) / np.sqrt(variance / n)) < 5
    assert np.max(abs(values.var(axis=0) / variance - 1)[2:]) < 5 * 0.032
    np.testing.assert_allclose((state.features**2).sum(axis=1), s, rtol=1e-12)


@pytest.mark.parametrize("covariance", COVARIANCES, ids=str)
@pytest.mark.parametrize("size", [2, 12, 90])
def test_posterior_is_that_of_the_kernel_of_its_frequencies(size, covariance):
    """300 pulls of 30 arms, fewer and more features than arms: as a Gaussian process of kernel
    s (2 / D) sum cos(omega (x - y)), by its definition, with frequencies drawn as they are told.
    """
    ridge, arms = 0.05, np.random.default_rng(size).random((30, 2))
    part = RandomFourier(size=size)
    state = started(part, arms, covariance, ridge)
    freedom = int(2 * covariance.nu) if isinstance(covariance, Matern) else 0
    normals = Stream(range(3), AGENT, 7, 0).normal(0, (size // 2, 2 + freedom))
    rng = np.random.default_rng(0)
    played = rng.integers(30, size=(300, 3))
    reward = np.cos(played) + 0.1 * rng.standard_normal((300, 3))
    for a, r in zip(played, reward, strict=True):
        state.update(None, a, r, np.ones(3, bool))
    mean, got = state.predict(None)
    for i in range(3):
        omega = normals[i, :, :2] / covariance.length_scale
        if freedom:
            omega *= np.sqrt(freedom / (normals[i, :, 2:] ** 2).sum(axis=1))[:, None]
        phase = (arms[:, None] - arms) @ omega.T
        gram = covariance.variance * np.cos(phase).mean(axis=2)
        of = gram[:, played[:, i]]
        inverse = np.linalg.inv(of[played[:, i]] + ridge * np.eye(300))
        np.testing.assert_allclose(mean[i], of @ (inverse @ reward[:, i]), rtol=0, atol=1e-8)
        plain = (np.diag(gram) - ((of @ inverse) * of).sum(axis=1)) / ridge
        np.testing.assert_allclose(got[i], plain, rtol=0, atol=1e-8)
        log_det = np.linalg.slogdet(np.eye(300) + of[played[:, i]] / ridge)[1]
        assert state.log_det[i] == pytest.approx(log_det, rel=1e-8)
        assert state.effective_dimension()[i] == pytest.approx(plain[played[:, i]].sum(), rel=1e-8)


def test_frequencies_are_a_replicate_s_own():
    arms = np.random.default_rng(0).random((40, 2))
    part, covariance = RandomFourier(size=6), Matern(nu=1.5)
    together = started(part, arms, covariance, seeds=[5, 17, 2])
    assert len({z.tobytes() for z in together.features}) == 3
    alone = started(part, arms, covariance, n=1, seeds=[17])
    assert alone.features[0].tobytes() == together.features[1].tobytes()


def test_arms_tie_before_any_data():
    state = started(RandomFourier(), np.random.default_rng(0).random((40, 2)), RBF(variance=0.7))
    assert (state.variance == 0.7 / 0.1).all()


def test_what_has_no_spectral_law_is_refused():
    task = task_of(np.zeros((4, 2)), Linear())
    assert "differences" in str(RandomFourier().refusal(task, Linear()))


@pytest.mark.parametrize("size", [0, 1, 7, -2, 10.0, True])
def test_bad_numbers_of_features_raise(size):
    with pytest.raises(ValueError, match=f"size.*{size}"):
        RandomFourier(size=size)
