"""The kept factor against numpy: random and awkward data, long runs, batches, samples."""

import numpy as np
import pytest

from agents.inputs.feature_limits import LONGEST
from agents.numerics.ridge import factor as kernels
from agents.numerics.ridge.factor_contents import log_determinant, multiply, solve
from agents.numerics.ridge.factor_predictions import predict
from agents.parts.posterior_sampling import sample_parameters
from banditgym.streams import AGENT, Stream

ALL = np.ones(1, bool)


class Regression:
    """n regressions by the kernels, and what numpy needs to know of them."""

    def __init__(self, n, dim, n_arms, ridge):
        self.upper, self.pivots, self.moment = kernels.initial(n, dim, ridge)
        self.gram = np.tile(ridge * np.eye(dim), (n, 1, 1))
        self.total = np.zeros((n, dim))
        self.ridge = ridge
        self.shape = (n, n_arms)

    @property
    def arrays(self):
        return self.upper, self.pivots, self.moment

    def absorb(self, features, arms, reward, observed, bad=-1):
        features.flags.writeable = False
        assert bad == kernels.absorb(*self.arrays, self.ridge, features, arms, reward, observed)
        for i in np.flatnonzero(observed & (bad == -1)):
            x = features[i, :, arms[i]]
            self.gram[i] += np.outer(x, x)
            self.total[i] += reward[i] * x

    def predict(self, features, bad=-1):
        shape = (len(features), features.shape[2])
        mean, variance = np.full(shape, np.nan), np.full(shape, np.nan)
        features.flags.writeable = False
        assert predict(*self.arrays, features, mean, variance) == bad
        return mean, variance

    def state(self):
        return [array.copy() for array in self.arrays]

    def solved(self):
        """theta, V and the log-determinant."""
        return (
            solve(self.upper, self.moment),
            multiply(self.upper, self.pivots),
            log_determinant(self.pivots, self.ridge),
        )


def features_of(kind, rng, n, dim, n_arms):
    x = rng.standard_normal((n, dim, n_arms))
    if kind == "collinear":  # all arms of all rounds on one line
        x = np.ones((n, dim, 1)) * rng.standard_normal((n, 1, n_arms))
    elif kind == "zeros":
        x[rng.random(x.shape) < 0.7] = 0.0
        x[:, :, 0] = 0.0
    elif kind == "long":
        x *= 1e3
    elif kind == "short":
        x *= 1e-8
    elif kind == "scales":  # features on units from 1e-3 to 1e3
        x *= np.logspace(-3, 3, dim)[:, None]
    elif kind == "subnormal":
        x *= 1e-310
    return x


DIMS = [1, 2, 3, 4, 5, 7, 8, 9, 16, 23, 26, 33]
KINDS = ["gaussian", "collinear", "zeros", "long", "short", "scales", "subnormal"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", DIMS)
def test_it_is_numpys_regression(dim, kind):
    """40 rounds. Each rotation errs by some units in the last place of the row that it changes, so
    V by 40 d eps of its size, eps = 2.2e-16; what is solved by it, by that times the condition
    number. D is V's Schur complement and never below the ridge."""
    n, n_arms, ridge = 3, 1 + dim % 6, 0.5
    rng = np.random.default_rng(dim)
    one = Regression(n, dim, n_arms, ridge)
    for _ in range(40):
        features = features_of(kind, rng, n, dim, n_arms)
        one.absorb(
            features,
            rng.integers(n_arms, size=n),
            rng.standard_normal(n),
            rng.random(n) < 0.8,
        )
    features = features_of(kind, rng, n, dim, n_arms)
    mean, variance = one.predict(features)
    theta, gram, log_det = one.solved()
    np.testing.assert_array_equal(one.pivots[:, 1], 1 / one.pivots[:, 0])
    np.testing.assert_array_equal(gram, gram.transpose(0, 2, 1))
    assert one.pivots[:, 0].min() >= ridge
    few = 40 * dim * 2.2e-16
    for i in range(n):
        exact, x = one.gram[i], features[i]
        np.testing.assert_allclose(gram[i], exact, rtol=0, atol=few * abs(exact).max())
        error = few * np.linalg.cond(exact)
        np.testing.assert_allclose(log_det[i], np.linalg.slogdet(exact / ridge)[1], atol=error)
        expected = np.linalg.solve(exact, one.total[i])
        room = error * (1 + abs(expected).max())
        np.testing.assert_allclose(theta[i], expected, rtol=0, atol=room)
        form = np.einsum("dk,dk->k", x, np.linalg.solve(exact, x))
        np.testing.assert_allclose(variance[i], form, rtol=error, atol=1e-300)
        lengths = np.sqrt((x * x).sum(axis=0))
        assert np.all(abs(mean[i] - x.T @ expected) <= room * dim * lengths)


@pytest.mark.parametrize(("dim", "ridge"), [(10, 1e-3), (30, 1.0)])
def test_does_not_drift(dim, ridge):
    """10 000 updates on unit features, relative to solving afresh: errors do not add up, as a row
    is a mean of itself and what comes. Measured: 4e-15. If they did: 10 000 d eps = 2e-11."""
    bound = 1e-12
    rounds, rng = 10_000, np.random.default_rng(0)
    one = Regression(1, dim, 1, ridge)
    x = rng.standard_normal((rounds, 1, dim, 1))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    reward = rng.standard_normal((rounds, 1))
    x.flags.writeable = False
    arm = np.zeros(1, int)
    for t in range(rounds):
        kernels.absorb(*one.arrays, ridge, x[t], arm, reward[t], ALL)
    rows = x[:, 0, :, 0]
    exact = ridge * np.eye(dim) + rows.T @ rows
    theta, gram, log_det = one.solved()
    assert np.linalg.norm(gram[0] - exact) <= bound * np.linalg.norm(exact)
    expected = np.linalg.solve(exact, rows.T @ reward[:, 0])
    assert np.linalg.norm(theta[0] - expected) <= bound * (1 + np.linalg.norm(expected))
    assert log_det[0] == pytest.approx(np.linalg.slogdet(exact / ridge)[1], rel=1e-12)


@pytest.mark.parametrize("dim", [1, 5, 8, 26])
def test_a_hidden_reward_leaves_its_replicate_bit_for_bit(dim):
    rng = np.random.default_rng(4)
    one = Regression(4, dim, 3, 0.5)
    for t in range(6):
        before = one.state()
        observed = np.array([True, False, t % 2 == 0, False])
        reward = np.where(observed, rng.standard_normal(4), np.nan)
        features = rng.standard_normal((4, dim, 3))
        features[3] = np.inf  # never learned from, so never looked at
        one.absorb(features, rng.integers(3, size=4), reward, observed)
        for kept, now in zip(before, one.state(), strict=True):
            assert kept[~observed].tobytes() == now[~observed].tobytes()
            if kept.size > 4:  # of a single row U is 1
                assert kept[observed].tobytes() != now[observed].tobytes()


@pytest.mark.parametrize("dim", [1, 5, 8, 26])
def test_a_replicate_does_not_depend_on_its_neighbours(dim):
    n, n_arms, rng = 7, 5, np.random.default_rng(5)
    together = Regression(n, dim, n_arms, 0.5)
    alone = [Regression(1, dim, n_arms, 0.5) for _ in range(n)]
    for _ in range(30):
        features = rng.standard_normal((n, dim, n_arms))
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        together.absorb(features, arms, reward, np.ones(n, bool))
        predicted = together.predict(features)
        for i in range(n):
            one = slice(i, i + 1)
            alone[i].absorb(features[one].copy(), arms[one], reward[one], ALL)
            for whole, part in zip(together.state(), alone[i].state(), strict=True):
                assert whole[one].tobytes() == part.tobytes()
            for whole, part in zip(predicted, alone[i].predict(features[one].copy()), strict=True):
                assert whole[one].tobytes() == part.tobytes()


@pytest.mark.parametrize("dim", [1, 5, 26])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_replicate_with_bad_features_is_returned_and_nothing_written(dim, bad):
    rng = np.random.default_rng(6)
    one = Regression(4, dim, 3, 0.5)
    features = rng.standard_normal((4, dim, 3))
    one.absorb(features, np.zeros(4, int), np.ones(4), np.ones(4, bool))
    before = one.state()
    wrong = rng.standard_normal((4, dim, 3))
    wrong[2, dim // 2, 1] = wrong[3, 0, 1] = bad
    one.predict(wrong, bad=2)
    arms, reward = np.full(4, 1), np.ones(4)
    one.absorb(wrong, arms, reward, np.ones(4, bool), bad=2)
    for kept, now in zip(before, one.state(), strict=True):
        assert kept.tobytes() == now.tobytes()
    # what is not observed, or not chosen, is not looked at
    one.absorb(wrong, arms, reward, np.array([True, True, False, True]), bad=3)
    one.absorb(wrong, np.zeros(4, int), reward, np.ones(4, bool))


@pytest.mark.parametrize("ridge", [1e-6, 0.5, 1e290])
def test_features_too_long_for_the_ridge_are_reported(ridge):
    one, features = Regression(3, 2, 1, ridge), np.ones((3, 2, 1))
    features[1] = min(1.01 * np.sqrt(LONGEST / 2) * np.sqrt(ridge), 1e150)
    before, arms, reward = one.state(), np.zeros(3, np.int64), np.ones(3)
    one.absorb(features, arms, reward, np.ones(3, bool), bad=-2 - 1)
    for kept, now in zip(before, one.state(), strict=True):
        assert kept.tobytes() == now.tobytes()
    one.absorb(features, arms, reward, np.array([True, False, True]))
    far = np.ones((3, 2, 1))
    far[2] = 1e200
    if ridge < 1:
        one.predict(far, bad=-2 - 2)  # a variance that overflows


@pytest.mark.parametrize("ridge", [0.25, 1e290])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_one_replicate_is_checked_and_learned_as_all_are(dim, ridge):
    """The last of its features is the long one, and their number is not that of the arms. Of those
    that are too long, or not finite, nothing is learned."""
    rng = np.random.default_rng(dim)
    one, other = (Regression(2, dim, 3, ridge) for _ in range(2))
    scratch, longest = (np.empty(dim), np.empty(dim)), kernels.longest_square(ridge)
    long = np.sqrt(longest)
    for last, learned in (
        (1.0, True),
        (0.999 * long, True),
        (1.001 * long, False),
        (np.nan, False),
    ):
        features = rng.standard_normal((2, dim, 3))
        features[1, -1, 2] = last
        before = one.state()
        told = features, 1, 2, 0.7, scratch
        assert kernels.absorb_checked(one.arrays, ridge, *told) == learned
        if learned:
            other.absorb(features, np.full(2, 2), np.full(2, 0.7), np.array([False, True]))
        for kept, now, all_ in zip(before, one.state(), other.state(), strict=True):
            assert now.tobytes() == all_.tobytes()
            assert learned or kept.tobytes() == now.tobytes()


def test_the_longest_sample_is_learned():
    ridge = 8.1e-24  # of which ‖x‖² may be 81
    one, features = Regression(1, 1, 1, ridge), np.full((1, 1, 1), 9.0)
    assert kernels.longest_square(ridge) == 81.0
    one.absorb(features, np.zeros(1, int), np.ones(1), ALL)
    assert kernels.absorb_checked(
        one.arrays, ridge, features, 0, 0, 1.0, (np.empty(1), np.empty(1))
    )


def test_a_row_that_agrees_with_a_sample_keeps_every_bit():
    """At a weight of which more than half is kept; the reward agrees with g too."""
    rng = np.random.default_rng(0)
    one = Regression(1, 9, 1, 4.0)
    one.upper[0, 0, 1:], one.moment[0, 0] = rng.standard_normal(8), 0.3
    before, features = one.upper[0, 0].copy(), np.append(1.0, one.upper[0, 0, 1:])[None, :, None]
    one.absorb(features, np.zeros(1, int), np.array([0.3]), ALL)
    assert one.upper[0, 0].tobytes() == before.tobytes()
    assert one.moment[0, 0] == 0.3
    assert one.pivots[0, 0].tolist() == [5.0] + [4.0] * 8


def test_a_sample_that_replaces_a_row_leaves_nothing_of_its_size():
    """keep is 1e-12 and the row 1e12 times as long as the new one: what remained of its rounding
    would be 1e-4 of V's entry, which is 2."""
    one = Regression(1, 2, 1, 1e-8)
    for sample in ((1e-3, 1e3), (1e3, 1e-3)):
        one.absorb(np.array(sample)[None, :, None], np.zeros(1, int), np.ones(1), ALL)
    np.testing.assert_allclose(one.solved()[1][0, 0, 1], 2.0, rtol=1e-14)


@pytest.mark.parametrize("dim", [1, 2, 4, 5, 8, 26])
def test_samples_are_of_the_streams_own_round(dim):
    """theta + width U^-1 D^-1/2 z, V = U^T D U by numpy's Cholesky factor."""
    n, n_arms, rng = 4, 3, np.random.default_rng(8)
    one = Regression(n, dim, n_arms, 0.5)
    for _ in range(9):
        features = rng.standard_normal((n, dim, n_arms))
        one.absorb(features, rng.integers(n_arms, size=n), rng.standard_normal(n), np.ones(n, bool))
    stream = Stream([3, 9, 2**70, 0], AGENT, 0, 0)
    t, width = np.array([0, 7, 2**40, 3]), np.array([0.5, 0.0, 2.0, 1.0])
    parameters = np.empty((n, dim))
    sample_parameters(*one.arrays, width, stream.keys, t, parameters)
    z = stream.normal(t, (dim,))
    for i in range(n):
        theta = np.linalg.solve(one.gram[i], one.total[i])
        plain = theta + width[i] * np.linalg.solve(np.linalg.cholesky(one.gram[i]).T, z[i])
        np.testing.assert_allclose(parameters[i], plain, rtol=1e-11, atol=1e-11)
        # alone, the same bits
        own = slice(i, i + 1)
        state, of_own = [array[own].copy() for array in one.arrays], np.empty((1, dim))
        sample_parameters(*state, width[own], stream.keys[own].copy(), t[own], of_own)
        assert of_own[0].tobytes() == parameters[i].tobytes()
