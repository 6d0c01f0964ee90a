"""A fixed dictionary against its definition, the exact posterior, and awkward arms."""

import gymnasium
import numpy as np
import pytest

from agents.parts.posteriors import FixedNystrom
from agents.parts.posteriors.fixed_nystrom import _whitening
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT, Stream
from banditgym.tasks import KernelTask

COVARIANCES = [
    RBF(length_scale=0.3, variance=2.5),
    Matern(nu=1.5, length_scale=0.4, variance=0.3),
    Linear(variance=1.7),
]


def task_of(arms, covariance):
    n_arms, dim = arms.shape
    return KernelTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, param_norm=1.0,
        covariance=covariance, arms=arms,
    )  # fmt: skip


def started(part, arms, covariance, ridge, n=3):
    task = task_of(arms, covariance)
    assert part.refusal(task, covariance) is None
    return part.reset(task, n=n, seeds=range(n), covariance=covariance, ridge=ridge)


def dictionary_of(state, arms, covariance, ridge, i):
    """The arms whose whole variance is explained: those in S, of arms that are all apart."""
    own = i if len(state.features) > 1 else 0
    explained = (state.features[own] ** 2).sum(axis=0)
    return np.flatnonzero(explained > (1 - 1e-9) * covariance.diagonal(arms))


def pulled(state, rounds, seed=0):
    """Play half of the rounds on three arms; arms (rounds, n) and their rewards."""
    n, n_arms = state.mean.shape
    rng = np.random.default_rng(seed)
    few, many = (
        rng.integers(min(3, n_arms), size=(rounds, n)),
        rng.integers(n_arms, size=(rounds, n)),
    )
    arms = np.where(rng.random((rounds, n)) < 0.5, few, many)
    reward = np.cos(arms) + 0.1 * rng.standard_normal((rounds, n))
    for a, r in zip(arms, reward, strict=True):
        state.update(None, a, r, np.ones(n, bool))
    return arms, reward


def definition(dictionary, arms, covariance, ridge, played, reward):
    """Mean, DTC's and SoR's variance of all arms: by the pseudo-inverse, without any features."""
    k_s = covariance(arms[dictionary], arms)
    inverse = np.linalg.pinv(k_s[:, dictionary], hermitian=True)
    nystrom = k_s.T @ inverse @ k_s  # z^T z
    weighted = nystrom[:, played] @ np.linalg.inv(
        nystrom[np.ix_(played, played)] + ridge * np.eye(len(played))
    )
    sor = (np.diag(nystrom) - (weighted * nystrom[:, played]).sum(axis=1)) / ridge
    left = np.maximum(covariance.diagonal(arms) - np.diag(nystrom), 0.0)
    return weighted @ reward, left / ridge + sor, sor


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(("dim", "size"), [(1, 4), (2, 1), (2, 9)])
def test_posterior_is_that_of_its_definition(covariance, dim, size):
    """40 pulls of 25 arms. The definition inverts t x t at condition 1e4: 1e-10 in all."""
    ridge, arms = 0.05, np.random.default_rng(dim).random((25, dim)) + 0.1
    if isinstance(covariance, Linear):
        size = min(size, dim)  # more arms than that explain every other, and S is not to be read
    for variance in ("dtc", "sor"):
        state = started(FixedNystrom(size=size, variance=variance), arms, covariance, ridge)
        chosen = [dictionary_of(state, arms, covariance, ridge, i) for i in range(3)]
        played, reward = pulled(state, 40)
        mean, got = state.predict(None)
        for i, dictionary in enumerate(chosen):
            if not (isinstance(covariance, Linear) and size == dim):
                assert len(dictionary) == size
            dictionary = dictionary[:size]
            expected, dtc, sor = definition(
                dictionary, arms, covariance, ridge, played[:, i], reward[:, i]
            )
            np.testing.assert_allclose(mean[i], expected, rtol=0, atol=1e-8)
            want = dtc if variance == "dtc" else sor
            np.testing.assert_allclose(got[i], want, rtol=1e-8, atol=1e-8)
            over_pulls = want[played[:, i]].sum()
            assert state.effective_dimension()[i] == pytest.approx(over_pulls, rel=1e-8)


@pytest.mark.parametrize("variance", ["dtc", "sor"])
@pytest.mark.parametrize("size", [60, 61, 1000])
def test_all_arms_in_the_dictionary_are_the_exact_posterior(variance, size):
    """3000 pulls of 60 arms, two of them twins and two within 1e-9; against the posterior from the
    unique arms and their counts, whose condition is 60 / (ridge / count) < 1e7: 1e-9.
    """
    covariance, ridge = RBF(length_scale=0.25, variance=1.5), 0.02
    arms = np.random.default_rng(1).random((60, 2))
    arms[1], arms[3] = arms[0], arms[2] + 1e-9
    state = started(FixedNystrom(size=size, variance=variance), arms, covariance, ridge)
    assert len(state.features) == 1
    played, reward = pulled(state, 3000)
    mean, got = state.predict(None)
    gram = covariance(arms, arms)
    for i in range(3):
        counts = np.bincount(played[:, i], minlength=60)
        average = np.bincount(played[:, i], reward[:, i], minlength=60) / counts
        weighted = np.linalg.solve(gram + np.diag(ridge / counts), gram).T
        exact = (np.diag(gram) - (weighted * gram).sum(axis=1)) / ridge
        np.testing.assert_allclose(mean[i], weighted @ average, rtol=0, atol=1e-8)
        np.testing.assert_allclose(got[i], exact, rtol=0, atol=1e-8)
        log_det = np.linalg.slogdet(np.eye(60) + gram * counts / ridge)[1]
        assert state.log_det[i] == pytest.approx(log_det, rel=1e-8)


def test_subset_of_regressors_starves_away_from_its_dictionary():
    """Arms six length scales from all of S: SoR is all but certain of them before any data."""
    covariance, ridge = RBF(length_scale=0.05), 0.01
    arms = np.linspace(0, 1, 100)[:, None]
    sor, dtc = (
        started(FixedNystrom(size=3, variance=name), arms, covariance, ridge, n=20)
        for name in ("sor", "dtc")
    )
    found = 0
    for i in range(20):
        dictionary = dictionary_of(sor, arms, covariance, ridge, i)
        far = abs(arms - arms[dictionary].T).min(axis=1) > 0.3
        found += far.sum()
        assert (sor.variance[i, far] <= 1e-9 / ridge).all()
        assert (dtc.variance[i, far] == 1 / ridge).all()
    assert found > 100
    pulled(dtc, 30)
    # No pull tells DTC anything of an arm that S does not see.
    for i in range(20):
        far = abs(arms - arms[dictionary_of(sor, arms, covariance, ridge, i)].T).min(axis=1) > 0.5
        np.testing.assert_allclose(dtc.variance[i, far], 1 / ridge, rtol=1e-12)


def test_dictionaries_are_drawn_uniformly_and_by_replicate():
    """Of 2000 replicates each of 10 arms is in 3 / 10 of the dictionaries: 600, deviation 20.5;
    each pair in 3 / 45: 133, deviation 11.2. 55 numbers within five deviations.
    """
    arms = np.arange(10.0)[:, None]
    covariance = RBF(length_scale=0.1)
    state = started(FixedNystrom(size=3), arms, covariance, 0.1, n=2000)
    within = np.zeros((2000, 10))
    for i in range(2000):
        within[i, dictionary_of(state, arms, covariance, 0.1, i)] = 1
    assert (within.sum(axis=1) == 3).all()
    together = within.T @ within
    assert np.max(abs(np.diag(together) - 600)) < 5 * 20.5
    assert np.max(abs(together - 2000 * 3 / 45)[~np.eye(10, dtype=bool)]) < 5 * 11.2
    one = FixedNystrom(size=3).reset(
        task_of(arms, covariance), n=1, seeds=[1234], covariance=covariance, ridge=0.1
    )
    assert one.features[0].tobytes() == state.features[1234].tobytes()


def test_dictionary_arms_tie_before_any_data():
    """Rounding decides no first choice: what S explains is the prior variance to the last bit."""
    arms = np.random.default_rng(3).random((30, 2))
    for name, size, tied in (("dtc", 5, 30), ("sor", 5, 5), ("dtc", 99, 30), ("sor", 99, 30)):
        state = started(FixedNystrom(size=size, variance=name), arms, RBF(variance=0.7), 0.3)
        assert ((state.variance == 0.7 / 0.3).sum(axis=1) == tied).all()


def test_only_the_gaussian_process_of_the_two_is_sampled():
    arms = np.random.default_rng(0).random((10, 2))
    keys, t = Stream(range(3), AGENT, 0, 0).keys, np.zeros(3, np.int64)
    sor, dtc = (
        started(FixedNystrom(size=4, variance=name), arms, RBF(), 0.1) for name in ("sor", "dtc")
    )
    assert sor.sample(keys, t, np.ones(3)).shape == (3, 10)
    with pytest.raises(ValueError, match="no Gaussian process"):
        dtc.sample(keys, t, np.ones(3))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"size": 0}, "size.*>= 1.*0"), ({"size": 2.0}, "size"), ({"variance": "fitc"}, "dtc.*fitc")],
)
def test_bad_settings_raise(settings, message):
    with pytest.raises(ValueError, match=message):
        FixedNystrom(**settings)


def test_the_dictionaries_are_those_of_published_rows():
    """The stream of purpose 6 chooses them."""
    assert FixedNystrom().size == 100
    arms, covariance = np.arange(10.0)[:, None], RBF(length_scale=0.1)
    state = started(FixedNystrom(size=3), arms, covariance, 0.1)
    order = Stream(range(3), AGENT, 6, 0).uniform(0, (10,))
    for i in range(3):
        expected = np.sort(np.argsort(order[i])[:3])
        np.testing.assert_array_equal(dictionary_of(state, arms, covariance, 0.1, i), expected)


@pytest.mark.parametrize("name", ["dtc", "sor"])
def test_on_a_box_the_dictionary_is_drawn_in_it(name):
    covariance = RBF(length_scale=0.05, variance=2.0)
    settings = {"arms": "box", "dim": 2, "function": "rkhs", "param_norm": 1.0}
    task = gymnasium.make("KernelBandit-v0", **settings).unwrapped.task
    part = FixedNystrom(size=4, variance=name)
    state = part.reset(task, n=3, seeds=range(3), covariance=covariance, ridge=0.1)
    points = Stream(range(3), AGENT, 6, 0).uniform(0, (4, 2))
    for k in range(4):
        _, variance = state.predict(np.ascontiguousarray(points[:, k, :, None]))
        np.testing.assert_allclose(variance, 2.0 / 0.1, rtol=1e-9)
    _, away = state.predict(np.full((3, 2, 1), 9.0))
    np.testing.assert_allclose(away, 2.0 / 0.1 if name == "dtc" else 0.0, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_eigenvalues_within_rounding_of_the_largest_count_as_none(scale):
    """In a matrix of three rows those up to 3 eps times the largest, 6.7e-16, are dropped."""
    whitening = _whitening(scale * np.diag([4e-16, 9e-16, 1.0]))
    gram = whitening.T @ whitening
    np.testing.assert_allclose(np.diag(gram), np.array([0.0, 1 / 9e-16, 1.0]) / scale, rtol=1e-6)
    assert not _whitening(np.zeros((3, 3))).any()
