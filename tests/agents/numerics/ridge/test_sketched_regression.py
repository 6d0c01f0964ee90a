"""The sketch against its definition: a plain singular value decomposition of m rows a sample."""

import copy
import dataclasses

import numpy as np
import pytest

from agents.numerics.ridge.sketched_regression import absorb_sketched, predict_sketched
from agents.parts.estimators.frequent_directions import SketchedArms

RIDGE = 0.7


@dataclasses.dataclass
class Sketch:
    """The state of n replicates, as the kernels take it."""

    n: int
    dim: int
    size: int
    ridge: float = RIDGE

    def __post_init__(self):
        n, dim, rows = self.n, self.dim, min(self.size, self.dim)
        self.basis, self.energy = np.zeros((n, rows, dim)), np.zeros((n, rows))
        self.along, self.across = np.zeros((n, rows)), np.zeros((n, dim))
        self.theta, self.rank = np.zeros((n, dim)), np.zeros(n, np.int64)
        self.log_det, self.shrinkage = np.zeros(n), np.zeros(n)

    def absorb(self, features, arms, reward, observed):
        features = features.view()
        features.flags.writeable = False
        return absorb_sketched(self.model(), features, arms, reward, observed)

    def model(self, *, fixed=False):
        nothing = np.zeros((self.n, 0))
        return SketchedArms(
            self.size, self.ridge, fixed, self.basis, self.energy, self.along, self.across,
            self.rank, self.log_det, self.shrinkage, self.theta, nothing, nothing,
        )  # fmt: skip

    def predict(self, features, *, paired=True):
        features = features.view()
        features.flags.writeable = False
        mean, variance = np.full((2, self.n, features.shape[2]), np.nan)
        bad = predict_sketched(self.model(fixed=not paired), features, mean, variance)
        return mean, variance, bad

    def feed(self, rows, rewards):
        """One sample after another to replicate 0, the only one."""
        for x, r in zip(rows, rewards, strict=True):
            one = np.zeros(1, np.int64), np.array([r]), np.ones(1, bool)
            assert self.absorb(x[None, :, None].copy(), *one) == -1


def define(rows, rewards, size, ridge=RIDGE):
    """V of the sketch, its estimate, and the shrinkage."""
    dim = rows.shape[1]
    sketch, shrinkage = np.zeros((size, dim)), 0.0
    for x in rows:
        assert np.allclose(sketch[-1], 0, atol=1e-7 * (1 + abs(sketch).max()))
        sketch[-1] = x
        _, sigma, right = np.linalg.svd(sketch, full_matrices=False)
        smallest = sigma[size - 1] ** 2 if size <= dim else 0.0
        shrinkage += smallest
        shrunk = np.sqrt(np.maximum(sigma**2 - smallest, 0))
        sketch = np.zeros((size, dim))
        sketch[: len(shrunk)] = shrunk[:, None] * right
    gram = ridge * np.eye(dim) + sketch.T @ sketch
    return gram, np.linalg.solve(gram, rows.T @ rewards), shrinkage


def _rows(kind, rng, count, dim):
    rows = rng.standard_normal((count, dim)) / np.arange(1, dim + 1)
    if kind == "repeated":
        rows = rows[rng.integers(5, size=count)]
    elif kind == "near":
        rows = rows[rng.integers(3, size=count)] + 1e-9 * rows
    elif kind == "axes":  # orthogonal, equally long: equal singular values
        rows = 2.0 * np.eye(dim)[rng.integers(dim, size=count)]
    elif kind == "zero":
        rows[rng.random(count) < 0.5] = 0.0
    return rows


@pytest.mark.parametrize("kind", ["random", "repeated", "near", "axes", "zero"])
@pytest.mark.parametrize(
    ("dim", "size"),
    [(1, 1), (1, 3), (6, 1), (6, 2), (6, 5), (6, 6), (6, 7), (6, 20), (25, 4), (70, 4)],
)
def test_is_frequent_directions(kind, dim, size):
    """The decomposition of m rows errs by a few eps of its size each of 80 times, the solve by eps
    times a condition number of 1e3: 1e-10 of either, and no digit less."""
    rng = np.random.default_rng(dim + size)
    rows, rewards = _rows(kind, rng, 80, dim), rng.standard_normal(80)
    sketch = Sketch(1, dim, size)
    for t in (1, 2, 7, 80):
        if t > 1:
            sketch = Sketch(1, dim, size)
        sketch.feed(rows[:t], rewards[:t])
        gram, theta, shrinkage = define(rows[:t], rewards[:t], size)
        close = {"rtol": 1e-10, "atol": 1e-10}
        np.testing.assert_allclose(sketch.shrinkage[0], shrinkage, **close)
        np.testing.assert_allclose(sketch.theta[0], theta, **close)
        np.testing.assert_allclose(sketch.log_det[0], np.linalg.slogdet(gram / RIDGE)[1], **close)
        x = np.concatenate([rng.standard_normal((5, dim)), rows[:5], np.zeros((1, dim))]).T
        for paired in (True, False):
            mean, variance, bad = sketch.predict(x[None].copy(), paired=paired)
            assert bad == -1
            np.testing.assert_allclose(mean[0], x.T @ theta, **close)
            plain = np.einsum("dk,dk->k", x, np.linalg.solve(gram, x))
            np.testing.assert_allclose(variance[0], plain, rtol=1e-10)


def test_what_is_lost_is_at_most_the_shrinkage():
    """0 <= X^T X - S^T S <= rho I: what every bound rests on."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((200, 12)) / np.arange(1, 13)
    sketch = Sketch(1, 12, 5)
    sketch.feed(rows, np.zeros(200))
    count = sketch.rank[0]
    assert count == 4
    basis, energy = sketch.basis[0, :count], sketch.energy[0, :count]
    lost = np.linalg.eigvalsh(rows.T @ rows - basis.T * energy @ basis)
    assert lost[0] >= -1e-12
    assert lost[-1] <= sketch.shrinkage[0] * (1 + 1e-12)
    assert lost[-1] >= 0.2 * sketch.shrinkage[0]  # found: 0.55


@pytest.mark.parametrize("size", [6, 12])
@pytest.mark.parametrize("near", [False, True])
def test_the_basis_stays_orthonormal(size, near):
    """Nothing but rotations and new directions: 1e-14 after 5000 samples, or after 50 that are long
    and 1e-7 apart, so that of a length of 1e9 a hundred is left, seven digits fewer."""
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((50 if near else 5000, 9))
    if near:
        rows = 1e9 * (rows[0] + 1e-7 * rows)
    sketch = Sketch(1, 9, size)
    sketch.feed(rows, rng.standard_normal(len(rows)))
    basis = sketch.basis[0, : sketch.rank[0]]
    np.testing.assert_allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-13)


@pytest.mark.parametrize("length", [1e-20, 1e-3, 1e3, 1e30])
@pytest.mark.parametrize("size", [3, 8])
def test_long_and_short_features(length, size):
    """Scaling features by c and the ridge by c² leaves variances as they are; the sketch too."""
    rng = np.random.default_rng(3)
    rows, rewards = rng.standard_normal((60, 7)), rng.standard_normal(60)
    x = rng.standard_normal((1, 7, 5))
    one, scaled = Sketch(1, 7, size), Sketch(1, 7, size, RIDGE * length**2)
    one.feed(rows, rewards)
    scaled.feed(rows * length, rewards)
    for first, second in zip(one.predict(x)[:2], scaled.predict(x * length)[:2], strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-9)


@pytest.mark.parametrize("size", [1, 3, 8, 20])
def test_variances_are_never_negative(size):
    """Nearly parallel features of lengths from 1e-3 to 1e6, ridge 1e-6: ‖x‖²/ridge up to 1e18."""
    rng = np.random.default_rng(4)
    dim = 7
    sketch = Sketch(1, dim, size, 1e-6)
    direction = rng.standard_normal(dim)
    for _ in range(300):
        noise = rng.standard_normal((dim, 6)) * 10.0 ** rng.uniform(-14, 0)
        x = (direction[:, None] + noise) * 10.0 ** rng.uniform(-3, 6, 6)
        mean, variance, bad = sketch.predict(x[None])
        assert bad == -1
        assert np.isfinite(mean).all()
        prior = (x * x).sum(axis=0) / 1e-6
        assert np.all(variance[0] >= 0)
        assert np.all(variance[0] <= prior * (1 + 1e-12))
        sketch.feed(x.T[:1], rng.standard_normal(1))


@pytest.mark.parametrize("ridge", [1e-12, 1e-20])
def test_a_seen_direction_keeps_the_digits_of_its_variance(ridge):
    """At ridge 1e-12 a sample of length 1 has a variance of 1 / (1 + ridge), while the prior is
    1e12: as a difference from that it would have four digits."""
    sketch = Sketch(1, 5, 6, ridge)
    axes = np.linalg.qr(np.random.default_rng(7).standard_normal((5, 3)))[0].T
    sketch.feed(axes[:2], np.zeros(2))
    _, variance, _ = sketch.predict(axes.T[None].copy())
    np.testing.assert_allclose(variance[0], [1 / (1 + ridge)] * 2 + [1 / ridge], rtol=1e-9)


def test_replicates_do_not_depend_on_each_other():
    """Bit for bit: one alone, and among others, some of whose rewards are hidden."""
    rng = np.random.default_rng(5)
    n, dim, size, n_arms = 4, 6, 4, 3
    together, alone = Sketch(n, dim, size), [Sketch(1, dim, size) for _ in range(n)]
    for _ in range(70):
        x = rng.standard_normal((n, dim, n_arms))
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        observed = rng.random(n) < 0.7
        before = copy.deepcopy(together)
        assert together.absorb(x, arms, reward, observed) == -1
        for i, one in enumerate(alone):
            one.absorb(x[i : i + 1], arms[i : i + 1], reward[i : i + 1], observed[i : i + 1])
            for name, value in vars(together).items():
                if isinstance(value, np.ndarray):
                    assert np.array_equal(value[i], vars(one)[name][0]), name
                    if not observed[i]:
                        assert np.array_equal(value[i], vars(before)[name][i]), name
    x = rng.standard_normal((n, dim, n_arms))
    mean, variance, _ = together.predict(x)
    for i, one in enumerate(alone):
        first, second, _ = one.predict(x[i : i + 1])
        np.testing.assert_array_equal(mean[i], first[0])
        np.testing.assert_array_equal(variance[i], second[0])


@pytest.mark.parametrize(("wrong", "code"), [(np.nan, 1), (np.inf, 1), (1e200, -3)])
def test_bad_features_are_named_and_change_nothing(wrong, code):
    sketch = Sketch(3, 4, 3)
    x = np.random.default_rng(6).standard_normal((3, 4, 2))
    arms, reward = np.array([0, 1, 0]), np.ones(3)
    sketch.absorb(x, arms, reward, np.ones(3, bool))
    before = copy.deepcopy(vars(sketch))
    x[1, 2, 1] = wrong
    assert sketch.predict(x)[2] == code
    assert sketch.absorb(x, arms, reward, np.ones(3, bool)) == code
    for name, value in before.items():
        np.testing.assert_array_equal(value, vars(sketch)[name])
    assert sketch.absorb(x, arms, reward, np.array([True, False, True])) == -1


def test_a_feature_that_is_not_finite_is_that_of_the_chosen_arm():
    """The chosen arm is too long; the feature that is not finite is another arm's."""
    sketch, x = Sketch(1, 2, 2), np.ones((1, 2, 3))
    x[0, :, 1], x[0, :, 2] = 1e200, np.nan
    assert sketch.absorb(x, np.array([1]), np.ones(1), np.ones(1, bool)) == -2


@pytest.mark.parametrize(
    ("ridge", "length", "taken"),
    [
        (1e-100, 1e74, True), (1e-100, 1e80, False), (1e100, 1e124, True), (1e100, 1e130, False),
        (1.0, 1.2e125, False), (1.0, 0.8e125, True),
    ],
)  # fmt: skip
def test_squares_are_bounded_themselves_and_over_the_ridge(ridge, length, taken):
    """Either may be 1e250."""
    sketch, x = Sketch(1, 1, 2, ridge), np.full((1, 1, 1), length)
    code = -1 if taken else -2
    assert sketch.predict(x)[2] == code
    assert sketch.absorb(x, np.zeros(1, np.int64), np.ones(1), np.ones(1, bool)) == code
