"""Functions on the unit cube against plain recomputations, and the laws of what is drawn."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

from banditgym.functions.box_functions import ALLOWANCE, N_FREQUENCIES, box_function
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.functions.gaussian_process import spectral_frequencies
from banditgym.functions.standard_functions import OBJECTIVES
from banditgym.streams import ENVIRONMENT, Stream

SEEDS = [3, 2**70, 0, 11]


def hidden(seeds=SEEDS, episode=0):
    return Stream(seeds, ENVIRONMENT, 2, episode)


def drawn(function, covariance, dim, norm=1.0, seeds=SEEDS):
    made = box_function(function, covariance, dim, norm)
    made.draw(hidden(seeds))
    return made


def plain(function, covariance, dim, norm, seed):
    """One replicate's f on points (m, d), by numpy."""
    draws = hidden([seed])
    if function in OBJECTIVES:
        over = OBJECTIVES[function](qmc.Sobol(dim, scramble=False).random_base2(14))
        return lambda x: (OBJECTIVES[function](x) - over.mean()) / over.std()
    if function == "rkhs":
        alpha, centres = draws.normal(0, (50,))[0], draws.uniform(1, (50, dim))[0]
        alpha *= norm / math.sqrt(alpha @ covariance(centres, centres) @ alpha)
        return lambda x: covariance(x, centres) @ alpha
    if isinstance(covariance, Linear):
        return lambda x: math.sqrt(covariance.variance) * x @ draws.normal(0, (dim,))[0]
    degrees = round(2 * covariance.nu) if isinstance(covariance, Matern) else 0
    omega = spectral_frequencies(covariance, draws.normal(1, (512, dim + degrees))[0])
    weights = draws.normal(0, (512, 2))[0] * math.sqrt(covariance.variance / 512)
    return lambda x: np.cos(x @ omega.T) @ weights[:, 0] + np.sin(x @ omega.T) @ weights[:, 1]


CASES = {
    "gp": ("gp", RBF(length_scale=0.3, variance=2.0), 2, 1.0),
    "gp in one dimension": ("gp", RBF(length_scale=0.01), 1, 1.0),
    "gp of Matern 3/2": ("gp", Matern(nu=1.5, length_scale=0.2), 2, 1.0),
    "gp of Matern 5/2": ("gp", Matern(nu=2.5, length_scale=0.4), 3, 1.0),
    "gp linear": ("gp", Linear(variance=3.0), 5, 1.0),
    "rkhs": ("rkhs", RBF(length_scale=0.15, variance=0.5), 2, 2.5),
    "rkhs of Matern 3/2": ("rkhs", Matern(nu=1.5, length_scale=0.3), 3, 1.0),
    "rkhs of Matern 5/2": ("rkhs", Matern(nu=2.5, length_scale=0.05, variance=4.0), 1, 0.5),
    "rkhs linear": ("rkhs", Linear(variance=2.0), 4, 3.0),
    "branin": ("branin", Matern(nu=0.5), 2, 1.0),
    "hartmann3": ("hartmann3", RBF(), 3, 1.0),
    "hartmann6": ("hartmann6", RBF(), 6, 1.0),
    "ackley": ("ackley", RBF(), 5, 1.0),
    "michalewicz": ("michalewicz", RBF(), 4, 1.0),
    "eggholder": ("eggholder", RBF(), 2, 1.0),
}


@pytest.mark.parametrize("case", CASES)
def test_values_are_the_definitions_and_no_point_is_better_than_the_maximum(case):
    function, covariance, dim, norm = CASES[case]
    made = drawn(*CASES[case])
    rng = np.random.default_rng(0)
    scale = 1.0 if function in OBJECTIVES else math.sqrt(covariance.variance)
    scale *= norm if function == "rkhs" else math.sqrt(dim) if isinstance(covariance, Linear) else 1
    for i, seed in enumerate(SEEDS):
        f = plain(function, covariance, dim, norm, seed)
        points = rng.random((4, dim))
        np.testing.assert_allclose(made.values(points)[i], f(points)[i], rtol=0, atol=1e-10)
        # A dense search, then finer ones around what was best: what they find is not better, and
        # nearly as good. (A term of a process is a cosine, 512 of them a point.)
        many = 4_000 if function == "gp" else 100_000
        dense = rng.random((many, dim))
        dense[::2] = np.round(dense[::2] * 40) / 40
        dense[1::4] = np.round(dense[1::4])  # corners
        found, reach = -math.inf, 0.1
        for _ in range(12):
            values = f(dense)
            best = dense[values.argmax()]
            found = max(found, float(values.max()))
            dense = np.clip(best + reach * rng.standard_normal((many // 5, dim)), 0, 1)
            reach *= 0.4
        assert found <= made.best[i]
        if dim <= 2 or isinstance(covariance, Linear):  # else the search may miss the best hill
            assert made.best[i] <= found + 2e-3 * scale


@pytest.mark.parametrize("case", ["gp", "gp linear", "rkhs", "rkhs linear", "branin"])
def test_a_function_is_a_replicates_own_whatever_stands_beside_it(case):
    made = drawn(*CASES[case])
    point = np.full((1, CASES[case][2]), 0.3)
    values = made.values(np.repeat(point, 4, axis=0))
    for i, seed in enumerate(SEEDS):
        alone = drawn(*CASES[case], seeds=[seed])
        assert alone.values(point)[0] == values[i]
        assert alone.best[0] == made.best[i]
    if case != "branin":
        assert len(set(values)) == 4


@pytest.mark.parametrize("function", ["branin", "hartmann3", "hartmann6", "eggholder"])
def test_the_published_best_point_has_no_more_regret_than_the_allowance(function):
    covariance, objective = RBF(), OBJECTIVES[function]
    made = drawn(function, covariance, objective.dim, seeds=[0])
    for point in objective.maximisers(objective.dim):
        regret = made.best - made.values(np.clip(point[None], 0, 1))
        assert 0 <= regret[0] <= 2 * ALLOWANCE


@pytest.mark.parametrize(
    "covariance", [RBF(length_scale=0.3, variance=2.0), Matern(nu=1.5, length_scale=0.5)]
)
def test_a_process_has_its_variances_and_covariances_over_replicates(covariance):
    n = 3000  # the maxima of as many would take long: weights and frequencies are drawn alone
    draws = hidden(range(n))
    weights = draws.normal(0, (N_FREQUENCIES, 2)) * math.sqrt(covariance.variance / N_FREQUENCIES)
    degrees = 3 if isinstance(covariance, Matern) else 0
    omega = spectral_frequencies(
        covariance, draws.normal(1, (N_FREQUENCIES, 1 + degrees)).reshape(-1, 1 + degrees)
    ).reshape(n, N_FREQUENCIES)
    x = np.array([0.1, 0.2, 0.7])
    values = np.einsum("nj,njp->np", weights[:, :, 0], np.cos(omega[:, :, None] * x))
    values += np.einsum("nj,njp->np", weights[:, :, 1], np.sin(omega[:, :, None] * x))
    some = drawn("gp", covariance, 1, seeds=range(5))
    for k in range(3):
        np.testing.assert_allclose(
            some.values(np.full((5, 1), x[k])), values[:5, k], rtol=0, atol=1e-10
        )
        law = stats.norm(scale=math.sqrt(covariance.variance))  # exact at every point
        assert stats.kstest(values[:, k], law.cdf).pvalue > 1e-4
    expected = covariance(x[:, None], x[:, None])
    # An entry of the mean of f f^T has a variance of 2 s² / n at most, and a little more for the
    # law's kurtosis, 1 / 512.
    error = np.abs(values.T @ values / n - expected).max()
    assert error < 5 * covariance.variance * math.sqrt(2.01 / n)


def test_the_norm_is_exactly_the_stated_one():
    covariance = Matern(nu=2.5, length_scale=0.5, variance=2.0)
    made = drawn("rkhs", covariance, 2, norm=3.0)
    centres = hidden().uniform(1, (50, 2))
    for i in range(4):
        gram = covariance(centres[i], centres[i])
        values = np.array([made.values(np.repeat(c[None], 4, axis=0))[i] for c in centres[i]])
        norm = math.sqrt(values @ np.linalg.solve(gram, values))
        assert norm == pytest.approx(3.0, rel=1e-6)


def test_a_function_of_no_norm_is_0():
    made = drawn("rkhs", RBF(), 2, norm=0.0)
    np.testing.assert_array_equal(made.best, 0.0)
    np.testing.assert_array_equal(made.values(np.full((4, 2), 0.5)), 0.0)


@pytest.mark.parametrize(
    ("function", "covariance", "dim", "message"),
    [
        ("gp", Matern(nu=0.5), 1, "with nu 0.5 it has no derivative"),
        ("rkhs", Matern(nu=0.5), 2, "with nu 0.5 it has no derivative"),
        ("gp", RBF(), 4, r"needs dim <= 3 and length_scale >= 2000\^\(-1/dim\)"),
        ("rkhs", RBF(length_scale=0.02), 2, "got dim 2 and length_scale 0.02"),
        ("gp", RBF(length_scale=0.05), 3, "for its maximum to be certain"),
    ],
)
def test_functions_whose_maximum_is_unknown_are_refused_in_a_line(
    function, covariance, dim, message
):
    with pytest.raises(ValueError, match=message) as caught:
        box_function(function, covariance, dim, 1.0)
    assert "\n" not in str(caught.value)
