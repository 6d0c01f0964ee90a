"""The kept inverse against numpy on random and awkward data, over long runs and in batches."""

import numpy as np
import pytest

from banditgym.linalg import inverse as kernels

ALL = np.ones(1, bool)


class Regression:
    """n regressions by the kernels, and what numpy needs to know of them."""

    def __init__(self, n, dim, n_arms, ridge):
        self.inverse = np.tile(np.eye(dim) / ridge, (n, 1, 1))
        self.theta = np.zeros((n, dim))
        self.log_det = np.zeros(n)
        self.gram = np.tile(ridge * np.eye(dim), (n, 1, 1))
        self.moment = np.zeros((n, dim))
        self.ridge = ridge
        self.shape = (n, n_arms)

    def absorb(self, features, arms, reward, observed):
        features.flags.writeable = False
        bad = kernels.absorb(
            self.inverse, self.theta, self.log_det, features, arms, reward, observed
        )
        assert bad == -1
        for i in np.flatnonzero(observed):
            x = features[i, :, arms[i]]
            self.gram[i] += np.outer(x, x)
            self.moment[i] += reward[i] * x

    def predict(self, features):
        mean, variance = np.full(self.shape, np.nan), np.full(self.shape, np.nan)
        features.flags.writeable = False
        assert kernels.predict(self.inverse, self.theta, features, mean, variance) == -1
        return mean, variance

    def state(self):
        return self.inverse.copy(), self.theta.copy(), self.log_det.copy()


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
def test_kept_inverse_is_numpys(dim, kind):
    """40 rounds. Each update errs by about d units in the last place of the inverse as it was then,
    whose entries reach 1 / ridge: 40 d eps / ridge in all, eps = 2.2e-16. Relative to what is left,
    at least 1 / (largest eigenvalue), that is 40 d eps (largest eigenvalue) / ridge. Symmetry is
    exact."""
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
    np.testing.assert_array_equal(one.inverse, one.inverse.transpose(0, 2, 1))
    features = features_of(kind, rng, n, dim, n_arms)
    mean, variance = one.predict(features)
    for i in range(n):
        gram, x = one.gram[i], features[i]
        error = 40 * dim * 2.2e-16 * np.linalg.eigvalsh(gram)[-1] / ridge
        exact = np.linalg.inv(gram)
        scale = abs(exact).max()
        np.testing.assert_allclose(one.inverse[i], exact, rtol=0, atol=error * scale)
        log_det = np.linalg.slogdet(gram / ridge)[1]
        np.testing.assert_allclose(one.log_det[i], log_det, rtol=1e-12, atol=error)
        theta = np.linalg.solve(gram, one.moment[i])
        room = error * (1 + abs(theta).max())
        np.testing.assert_allclose(one.theta[i], theta, rtol=0, atol=room)
        # predictions against numpy on the kept state itself: rounding of one product alone
        length = np.einsum("dk,dk->k", x, x).max() + 1e-300
        few = 4 * dim * 2.2e-16
        size = few * np.sqrt(length) * (np.linalg.norm(one.theta[i]) + 1e-300)
        np.testing.assert_allclose(mean[i], x.T @ one.theta[i], atol=size, rtol=0)
        quadratic = np.einsum("dk,de,ek->k", x, one.inverse[i], x)
        np.testing.assert_allclose(variance[i], quadratic, atol=few * dim * length * scale, rtol=0)


@pytest.mark.parametrize(("dim", "ridge"), [(10, 1e-3), (20, 1.0)])
def test_does_not_drift(dim, ridge):
    """10 000 updates on unit features, relative to solving afresh.

    An update contracts earlier errors as it contracts the inverse itself, so they do not add up:
    what is left is the rounding of the last updates, a few d eps. Measured: 3e-15, 1e-14 in theta.
    Without contraction it would be 10 000 times d eps = 2e-11 and more.
    """
    bound = 1e-12
    rounds, rng = 10_000, np.random.default_rng(0)
    one = Regression(1, dim, 1, ridge)
    x = rng.standard_normal((rounds, 1, dim, 1))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    reward = rng.standard_normal((rounds, 1))
    x.flags.writeable = False
    arm = np.zeros(1, int)
    for t in range(rounds):
        kernels.absorb(one.inverse, one.theta, one.log_det, x[t], arm, reward[t], ALL)
    rows = x[:, 0, :, 0]
    gram = ridge * np.eye(dim) + rows.T @ rows
    exact = np.linalg.inv(gram)
    assert np.linalg.norm(one.inverse[0] - exact) <= bound * np.linalg.norm(exact)
    theta = np.linalg.solve(gram, rows.T @ reward[:, 0])
    assert np.linalg.norm(one.theta[0] - theta) <= bound * (1 + np.linalg.norm(theta))
    assert one.log_det[0] == pytest.approx(np.linalg.slogdet(gram / ridge)[1], rel=1e-12)
    np.testing.assert_array_equal(one.inverse[0], one.inverse[0].T)


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
    wrong.flags.writeable = False
    mean, variance = np.zeros((4, 3)), np.zeros((4, 3))
    assert kernels.predict(one.inverse, one.theta, wrong, mean, variance) == 2
    arms, reward = np.full(4, 1), np.ones(4)
    state = (one.inverse, one.theta, one.log_det)
    assert kernels.absorb(*state, wrong, arms, reward, np.ones(4, bool)) == 2
    for kept, now in zip(before, one.state(), strict=True):
        assert kept.tobytes() == now.tobytes()
    # what is not chosen, or not observed, is not looked at
    assert kernels.absorb(*state, wrong, np.zeros(4, int), reward, np.ones(4, bool)) == -1
    observed = np.array([True, True, False, True])
    assert kernels.absorb(*state, wrong, arms, reward, observed) == 3


@pytest.mark.parametrize("dim", [1, 4, 7, 26])
def test_products_with_symmetric_matrices(dim):
    rng = np.random.default_rng(7)
    matrix = rng.standard_normal((dim, dim))
    matrix += matrix.T
    x, out = rng.standard_normal(dim), np.empty(dim)
    kernels.symmetric_product(matrix, x, out)
    np.testing.assert_allclose(out, matrix @ x, rtol=1e-13, atol=1e-13)
    expected = matrix - np.outer(x, x)
    kernels.subtract_outer(matrix, x)
    np.testing.assert_allclose(matrix, expected, rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(matrix, matrix.T)
