"""Regressions of long features against exact rational arithmetic, or refused.

‖x‖ is given beside a ridge of 1/2; nothing here is rounded but by the estimators.
"""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import agents
from agents.parts.estimators import Discounted, ForwardRidge, Ridge, Window
from banditgym.tasks import LinearTask

RIDGE, ROUNDS, EPS = 0.5, 24, 2.0**-52
LENGTHS = [1.0, 1e3, 1e6, 1e8, 1e12]
TOO_LONG = "too long for (the ridge|a ridge of 0.5)"
SHAPES = {"fresh": (3, 4, False), "fresh, wide": (24, 2, False), "one row": (3, 1, False)}
SHAPES |= {"fixed": (3, 5, True), "few fixed": (5, 3, True)}


def _task(dim, n_arms, fixed, feature_norm=None):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1,
        feature_norm=feature_norm, param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


def _solve(matrix, right):
    """Gauss-Jordan on fractions."""
    rows = [[*left, *more] for left, more in zip(matrix, right, strict=True)]
    for j, _ in enumerate(rows):
        rows[j] = [value / rows[j][j] for value in rows[j]]
        for r, row in enumerate(rows):
            if r != j and row[j]:
                rows[r] = [a - row[j] * b for a, b in zip(row, rows[j], strict=True)]
    return [row[len(rows) :] for row in rows]


def _gram(rows, weights, ridge):
    dim = range(len(rows[0]))
    return [
        [sum(w * r[a] * r[b] for w, r in zip(weights, rows, strict=True)) + ridge * (a == b)
         for b in dim] for a in dim
    ]  # fmt: skip


def _exact(rows, rewards, x, weights):
    """Mean, variance and the root of the sum of squared rewards; arms are the columns of x."""
    rows = [[Fraction(float(v)) for v in row] for row in rows]
    x = [[Fraction(float(v)) for v in row] for row in x]
    paid = [w * Fraction(float(r)) for w, r in zip(weights, rewards, strict=True)]
    ridge = Fraction(RIDGE)
    moment = [sum(p * r[a] for p, r in zip(paid, rows, strict=True)) for a in range(len(x))]
    gram, squared = (_gram(rows, w, ridge) for w in (weights, [w * w for w in weights]))
    solved = _solve(gram, [[m, *row] for m, row in zip(moment, x, strict=True)])
    theta, columns = (
        [row[0] for row in solved],
        list(zip(*(row[1:] for row in solved), strict=True)),
    )
    mean = [sum(a * b for a, b in zip(arm, theta, strict=True)) for arm in zip(*x, strict=True)]
    forms = [
        sum(u[a] * squared[a][b] * u[b] for a in range(len(u)) for b in range(len(u)))
        for u in columns
    ]
    return np.array(mean, float), np.array(forms, float), np.linalg.norm(rewards)


def _arms(kind, rng, length, dim, n_arms):
    """Of the length: anywhere; in one plane, at angles; or some of them of length 1."""
    x = rng.standard_normal((dim, n_arms))
    if kind == "plane":
        x = np.arange(1.0, 2 * dim + 1).reshape(2, dim).T @ rng.standard_normal((2, n_arms))
    x *= length / np.linalg.norm(x, axis=0)
    if kind == "mixed":
        x /= np.where(rng.random(n_arms) < 0.5, length, 1.0)
    x = x[None].copy()
    x.flags.writeable = False
    return x


def _play(model, kind, length, dim, n_arms, fixed, window=None):
    """The largest errors of variances, relative, and of means, after some rounds.

    Means by the root of their variance times that of the squared rewards, which they are at most.
    """
    rng, rows, rewards = np.random.default_rng(int(np.log10(length))), [], []
    x = _arms(kind, rng, length, dim, n_arms)
    for _ in range(ROUNDS):
        x = x if fixed else _arms(kind, rng, length, dim, n_arms)
        arm, reward = rng.integers(n_arms, size=1), rng.standard_normal(1)
        model.update(x, arm, reward, np.ones(1, bool))
        rows.append(x[0, :, arm[0]])
        rewards.append(reward[0])
    x = x if fixed else _arms(kind, rng, length, dim, n_arms)
    mean, variance = model.predict(x)
    rows, rewards = rows[-window:] if window else rows, rewards[-window:] if window else rewards
    discount = Fraction(getattr(model, "discount", 1.0))
    weights = [discount**age for age in reversed(range(len(rows)))]
    m, w, size = _exact(rows, rewards, x[0], weights)
    return np.max(abs(variance[0] / w - 1)), np.max(abs(mean[0] - m) / np.sqrt(w)) / size


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("kind", ["anywhere", "plane", "mixed"])
@pytest.mark.parametrize("shape", SHAPES)
def test_ridge_regression_of_long_features(shape, kind, length):
    """A rotation rounds each entry of a row, which is as if the features had been others by some
    eps: variances err by few eps and, where that is a direction of its own, by eps² ‖x‖² / ridge a
    round; means by eps ‖x‖ / sqrt(ridge) times what a reward is off. Shifted means and variances
    keep 64 times the rounding of one."""
    dim, n_arms, fixed = SHAPES[shape]
    model = Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), 1)
    off, off_mean = _play(model, kind, length, dim, n_arms, fixed)
    ratio = (4 * EPS * length) ** 2 / RIDGE * ROUNDS
    assert off <= 64 * 8 * EPS + ratio
    assert off_mean <= 64 * 8 * EPS + np.sqrt(ratio)
    if kind == "anywhere" and length <= 1e8:  # no direction is left to the ridge but at first
        assert off_mean <= 64 * 8 * EPS


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("kind", ["anywhere", "plane", "mixed"])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize(
    "part", [Discounted(ridge=RIDGE, discount=0.875), Discounted(ridge=RIDGE, discount=1.0),
             Window(ridge=RIDGE, window=10)], ids=["discounted", "not discounted", "window"],
)  # fmt: skip
def test_sums_of_long_features(part, fixed, kind, length):
    """V is summed, so eps ‖x‖² of it is rounding beside the ridge: 4e-10 at a length of 1e3, and
    refused above 1e5, where it would be 1e-6."""
    model = part.reset(_task(3, 5, fixed), 1)
    if length**2 / RIDGE > 1e10:
        with pytest.raises(ValueError, match=TOO_LONG):
            _play(model, kind, length, 3, 5, fixed, getattr(part, "window", None))
    else:
        errors = _play(model, kind, length, 3, 5, fixed, getattr(part, "window", None))
        assert max(errors) <= (100 + 4 * ROUNDS * length**2 / RIDGE) * EPS


PARTS = [
    Ridge(ridge=RIDGE),
    ForwardRidge(ridge=RIDGE),
    Discounted(ridge=RIDGE),
    Window(ridge=RIDGE),
]
PARTS += [
    agents.LinTS(ridge=RIDGE),
    agents.DisjointLinUCB(ridge=RIDGE),
    agents.HybridLinUCB(ridge=RIDGE),
    agents.OFUL(ridge=RIDGE),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_bound_that_allows_what_is_refused_is_refused_at_reset(part, shape):
    """And a reset that is not refused allows features as long as the bound, fixed or fresh."""
    longest = 1e5 if isinstance(part, Discounted | Window) else np.sqrt(1e25)
    longest *= np.sqrt(RIDGE)
    if shape == "one row" and isinstance(part, Ridge | ForwardRidge | agents.OFUL):
        longest = 1e140  # which no ridge changes
    more = 1.01 * longest
    with pytest.raises(ValueError, match=f"{re.escape(f'{more:g}')}.* too long"):
        part.reset(_task(*SHAPES[shape], feature_norm=more), n=2)
    model: Any = part.reset(_task(*SHAPES[shape], feature_norm=0.99 * longest), n=2)
    dim, n_arms, _ = SHAPES[shape]
    x = np.zeros((2, dim, n_arms))
    x[:, 0] = 0.99 * longest
    if hasattr(model, "observe"):
        model.observe(x.transpose(0, 2, 1), [0, 0], [1.0, 1.0])
    else:
        x.flags.writeable = False
        model.update(x, np.zeros(2, np.int64), np.ones(2), np.ones(2, bool))


@pytest.mark.parametrize("ridge", [0.5, 4.0])
def test_a_sketch_refuses_at_reset_too(ridge):
    longest = 1e125 * min(np.sqrt(ridge), 1.0)
    agent = agents.SOFUL(size=2, ridge=ridge)
    with pytest.raises(ValueError, match="too long for a ridge"):
        agent.reset(_task(3, 4, False, feature_norm=1.01 * longest))
    agent.reset(_task(3, 4, False, feature_norm=0.99 * longest))
    x = np.zeros((4, 3))
    x[:, 0] = 0.99 * longest
    agent.observe(x, agent.act(x), 1.0)


@pytest.mark.parametrize("fixed", [False, True])
def test_a_projection_that_lengthens_refuses_at_reset(fixed):
    """Features as long as the bound, in the direction that the projection lengthens most."""
    longest, refused = 0.99 * np.sqrt(1e25 * RIDGE), 0
    for seed in range(20):
        agent = agents.CBRAP(size=2, ridge=RIDGE)
        try:
            agent.reset(_task(2, 2, fixed, feature_norm=longest), seed=seed)
        except ValueError:
            refused += 1
            continue
        x = np.tile(np.linalg.svd(agent.projection[0])[2][0] * longest, (2, 1))
        agent.observe(x, agent.act(x), 1.0)
    assert 0 < refused < 20


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("length", [1e4, 1e7, 1e10])
def test_long_arms_that_nearly_agree(length, fixed):
    """They differ by about 1, all that samples tell of one direction: so variances err by d eps
    times the length, fixed arms' by up to two digits more. Measured: 1 and 14 times that."""
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(8):
        arms = length * rng.standard_normal(2) + rng.standard_normal((3, 2))  # K x d
        x = np.ascontiguousarray(arms.T)[None]
        x.flags.writeable = False
        model = Ridge(ridge=RIDGE).reset(_task(2, 3, fixed), 1)
        model.predict(x)
        for t in range(ROUNDS):
            model.update(x, np.array([t % 3]), np.ones(1), np.ones(1, bool))
        exact = [[Fraction(float(v)) for v in row] for row in arms]
        gram = _gram([exact[t % 3] for t in range(ROUNDS)], [1] * ROUNDS, Fraction(RIDGE))
        for k, v in enumerate(model.predict(x)[1][0]):
            solved = _solve(gram, [[value] for value in exact[k]])
            variance = sum(a * s[0] for a, s in zip(exact[k], solved, strict=True))
            worst = max(worst, abs(float(Fraction(float(v)) / variance - 1)))
    assert worst <= (100.0 if fixed else 5.0) * 2 * EPS * length
