"""The ridge regression as a part: plain solving, early updates, masks, bad input."""

import copy
import subprocess
import sys
from fractions import Fraction

import gymnasium
import numpy as np
import pytest

from agents.parts.estimators import Ridge
from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.estimators.row_regression import Rows
from banditgym.tasks import LinearTask

RIDGE = 0.3


def _task(dim, n_arms, fixed):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


def _contexts(rng, n, dim, n_arms):
    x = rng.standard_normal((n, dim, n_arms))
    x.flags.writeable = False
    return x


def _stored(model):
    members = model._asdict() if isinstance(model, tuple) else vars(model)
    return {k: v.copy() for k, v in members.items() if isinstance(v, np.ndarray)}


SHAPES = [(3, 5, False), (5, 3, True), (3, 5, True), (4, 4, True)]


@pytest.mark.parametrize("rounds", [0, 1, 60])
@pytest.mark.parametrize(("dim", "n_arms", "fixed"), SHAPES)
def test_predicts_what_solving_afresh_predicts(dim, n_arms, fixed, rounds):
    """Updates come before the first prediction too: data may be older than the first decision."""
    n, rng = 4, np.random.default_rng(0)
    model = Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), n)
    gram = np.tile(RIDGE * np.eye(dim), (n, 1, 1))
    moment = np.zeros((n, dim))
    contexts = _contexts(rng, n, dim, n_arms)
    for _ in range(rounds):
        if not fixed:
            contexts = _contexts(rng, n, dim, n_arms)
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        observed = rng.random(n) < 0.7
        model.update(contexts, arms, reward, observed)
        for i in np.flatnonzero(observed):
            x = contexts[i, :, arms[i]]
            gram[i] += np.outer(x, x)
            moment[i] += reward[i] * x
    mean, variance = model.predict(contexts)
    for i in range(n):
        x = contexts[i]
        # 60 updates at condition 1e3: 1e-11 at worst
        near = {"rtol": 1e-10, "atol": 1e-10}
        np.testing.assert_allclose(mean[i], x.T @ np.linalg.solve(gram[i], moment[i]), **near)
        plain = np.diag(x.T @ np.linalg.solve(gram[i], x))
        np.testing.assert_allclose(variance[i], plain, **near)
        log_det = np.linalg.slogdet(gram[i] / RIDGE)[1]
        np.testing.assert_allclose(model.log_det[i], log_det, **near)


@pytest.mark.parametrize(("dim", "n_arms", "fixed"), SHAPES)
def test_a_hidden_reward_leaves_its_replicate_bit_for_bit(dim, n_arms, fixed):
    rng = np.random.default_rng(1)
    model = Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), 3)
    contexts = _contexts(rng, 3, dim, n_arms)
    model.predict(contexts)
    model.update(contexts, np.array([0, 1, 2]), np.ones(3), np.ones(3, bool))
    before = _stored(model)
    hidden = np.array([np.nan, 1.0, np.inf])
    model.update(contexts, np.array([2, 0, 1]), hidden, np.array([False, True, False]))
    after = _stored(model)
    for name, values in before.items():
        if values.size:
            assert values[[0, 2]].tobytes() == after[name][[0, 2]].tobytes(), name
    changed = {
        name for name, values in before.items() if values[1].tobytes() != after[name][1].tobytes()
    }
    assert len(changed) >= 2


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("fixed", [False, True])
def test_features_that_are_not_finite_raise_and_change_nothing(bad, fixed):
    rng = np.random.default_rng(2)
    model = Ridge().reset(_task(3, 5, fixed), 3)
    good = _contexts(rng, 3, 3, 5)
    if not fixed:
        model.update(good, np.zeros(3, int), np.ones(3), np.ones(3, bool))
    before = _stored(model)
    wrong = good.copy()
    wrong[1, 2, 4] = bad
    wrong.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.update(wrong, np.full(3, 4), np.ones(3), np.ones(3, bool))
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.predict(wrong)
    for name in {"upper", "pivots", "moment", "features"} & set(before):
        np.testing.assert_array_equal(before[name], getattr(model, name))


def test_memory_is_what_the_docstring_says():
    """Few fixed arms take the least, whatever their dimension."""
    n, dim, n_arms = 5, 7, 4

    def numbers(model):
        return sum(v.size for v in _stored(model).values())

    fresh = Ridge().reset(_task(dim, n_arms, False), n)
    assert numbers(fresh) == n * (dim**2 + 3 * dim + 2 * n_arms)
    rng = np.random.default_rng(0)
    few, many = (Ridge().reset(_task(*shape, True), n) for shape in [(7, 4), (4, 7)])
    few.predict(_contexts(rng, n, 7, 4))
    many.predict(_contexts(rng, n, 4, 7))
    assert numbers(few) == n * (2 * 4**2 + 5 * 4 + 2)
    assert numbers(many) == n * (4**2 + 3 * 4 + 7 * 4 + 3 * 7)


@pytest.mark.parametrize("kind", ["rotated", "aligned"])
@pytest.mark.parametrize(
    ("dim", "n_arms", "span", "fixed"),
    [
        (5, 1, 5, False),
        (6, 3, 4, False),
        (3, 10, 3, True),
        (5, 10, 3, True),
        (8, 5, 5, True),
        (8, 5, 3, True),
    ],
)
def test_long_runs_at_small_ridge(dim, n_arms, span, fixed, kind):
    """1e5 rounds at ridge 1e-6 on features of length 200: mean, variance and log-determinant agree
    with a fresh solve to 1e-6, also where the features span less than the space.

    The solve is done in the coordinates of the span: there V's condition number is below 1e3, so
    that it errs by 1e-12.
    """
    ridge, rounds, ones = 1e-6, 100_000, np.ones(1, bool)
    rng = np.random.default_rng(dim + span)
    model = Ridge(ridge=ridge).reset(_task(dim, n_arms, fixed), 1)
    whole = np.eye(dim) if kind == "aligned" else np.linalg.qr(rng.standard_normal((dim, dim)))[0]
    basis = whole[:, :span]
    inner = rng.standard_normal((200 if not fixed else 1, span, n_arms))  # features come again
    inner *= 200 / np.linalg.norm(inner, axis=1, keepdims=True)
    shown = [np.ascontiguousarray((basis @ z)[None]) for z in inner]
    for x in shown:
        x.flags.writeable = False
    arms = rng.integers(n_arms, size=rounds)
    rewards = rng.standard_normal((rounds, 1))
    for t in range(rounds):
        model.update(shown[t % len(shown)], arms[t : t + 1], rewards[t], ones)
    mean, variance = model.predict(shown[0])
    played = inner[np.arange(rounds) % len(inner), :, arms]
    gram = ridge * np.eye(span) + played.T @ played
    theta = np.linalg.solve(gram, played.T @ rewards[:, 0])
    expected = inner[0].T @ theta
    assert np.max(abs(mean[0] - expected)) <= 1e-6 * np.max(abs(expected))
    form = np.einsum("dk,dk->k", inner[0], np.linalg.solve(gram, inner[0]))
    np.testing.assert_allclose(variance[0], form, rtol=1e-6)
    assert model.log_det[0] == pytest.approx(np.linalg.slogdet(gram / ridge)[1], rel=1e-6)
    if hasattr(model, "theta"):
        off = basis.T @ model.theta[0] - theta
        assert np.linalg.norm(off) <= 1e-6 * np.linalg.norm(theta)
        # Outside of the span theta is 0 but for the last bits of features, which 1 / ridge takes to
        # their own size: here x^T theta is to be small beside sqrt(x^T V^-1 x).
        outside = np.linalg.norm(model.theta[0] - basis @ (basis.T @ model.theta[0]))
        assert outside * np.sqrt(ridge) <= 1e-6


@pytest.mark.parametrize(("dim", "n_arms", "fixed"), [(4, 3, False), (4, 3, True), (3, 5, True)])
def test_replicates_of_different_rank_do_not_touch(dim, n_arms, fixed):
    """One replicate's features span the space, one's a line: each has the bits it has alone."""
    rng, n = np.random.default_rng(5), 2

    def features():
        x = rng.standard_normal((n, dim, n_arms))
        x[1] = np.outer(np.arange(1.0, dim + 1), rng.standard_normal(n_arms))
        x.flags.writeable = False
        return x

    together = Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), n)
    alone = [Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), 1) for _ in range(n)]
    x = features()
    for t in range(30):
        x = x if fixed else features()
        arms, reward = np.array([t % n_arms, t % n_arms]), rng.standard_normal(n)
        together.update(x, arms, reward, np.ones(n, bool))
        whole = together.predict(x)
        for i in range(n):
            one = slice(i, i + 1)
            own = x[one].copy()
            own.flags.writeable = False
            alone[i].update(own, arms[one], reward[one], np.ones(1, bool))
            for of_all, of_one in zip(whole, alone[i].predict(own), strict=True):
                assert of_all[i].tobytes() == of_one[0].tobytes()


def test_no_round_after_the_first_two_waits_for_a_kernel():
    code = """
import agents, banditgym, gymnasium
from agents.numerics.ridge.factor import absorb
from agents.numerics.ridge.fixed_arms_updates import absorb_fixed, absorb_kernel
from banditgym.rounds import blocks

blocks.LEAST_ROUNDS = 10**9  # rounds are played singly
for fixed, dim, kernel in ((False, 3, absorb), (True, 3, absorb_fixed), (True, 4, absorb_kernel)):
    settings = {"num_envs": 2, "n_arms": 4, "dim": dim, "horizon": 20, "fixed_arms": fixed}
    agents.play(gymnasium.make_vec("LinearBandit-v0", **settings), agents.LinUCB(), horizon=2)
    ready = list(kernel.signatures)
    agents.play(gymnasium.make_vec("LinearBandit-v0", **settings), agents.LinUCB())
    assert len(ready) == 1, (fixed, ready)
    assert kernel.signatures == ready, (fixed, kernel.signatures)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_part_is_frozen_plain_data_and_holds_no_state():
    part = Ridge(ridge=2.0)
    kept = copy.deepcopy(part)
    one, other = (part.reset(_task(2, 2, False), 2) for _ in range(2))
    rng = np.random.default_rng(3)
    one.update(_contexts(rng, 2, 2, 2), np.zeros(2, int), np.ones(2), np.ones(2, bool))
    assert part == kept
    np.testing.assert_array_equal(other.gram, np.tile(2 * np.eye(2), (2, 1, 1)))
    with pytest.raises(AttributeError):
        part.ridge = 1.0  # type: ignore[misc]


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan"), float("inf")])
def test_ridge_is_positive(ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        Ridge(ridge=ridge)


def test_features_too_long_for_the_ridge_raise_and_change_nothing():
    """At 1e13 beside a ridge of 1 rounding is 1e-3 of what the ridge is."""
    model = Ridge().reset(_task(2, 2, False), 1)
    x = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    x.flags.writeable = False
    model.update(x, np.zeros(1, int), np.ones(1), np.ones(1, bool))
    before = _stored(model)
    long = 1e13 * x
    long.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 0 .*too long"):
        model.update(long, np.zeros(1, int), np.ones(1), np.ones(1, bool))
    for name, values in before.items():
        np.testing.assert_array_equal(values, getattr(model, name))


def test_a_row_of_any_length_leaves_what_was_seen_exact():
    """One row a round keeps no inverse: lengths of 1e9 beside 1 cost no digit."""
    model = Ridge(ridge=0.5).reset(_task(2, 1, False), 1)
    rows = [np.array([1.0, 0.0]), np.array([1e9, 0.0]), np.array([1.0, 2.0])]
    for x, outcome in zip(rows, [1.0, 3.0, -1.0], strict=True):
        shown = _row(x)
        model.update(shown, np.zeros(1, int), np.array([outcome]), np.ones(1, bool))
    # V = [[0.5 + 1 + 1e18 + 1, 2], [2, 0.5 + 4]], b = [1 + 3e9 - 1, -2], by Cramer's rule
    v, b = [[Fraction(5, 2) + 10**18, 2], [2, Fraction(9, 2)]], [3 * 10**9, -2]
    det = v[0][0] * v[1][1] - 4
    theta = [(b[0] * v[1][1] - 2 * b[1]) / det, (v[0][0] * b[1] - 2 * b[0]) / det]
    for x in ([1, 0], [0, 1], [3, -1]):
        mean, variance = model.predict(_row(np.array(x, float)))
        expected = x[0] * theta[0] + x[1] * theta[1]
        form = (x[0] ** 2 * v[1][1] - 4 * x[0] * x[1] + x[1] ** 2 * v[0][0]) / det
        assert mean[0, 0] == pytest.approx(float(expected), rel=1e-13)
        assert variance[0, 0] == pytest.approx(float(form), rel=1e-13)
    log_det = np.log(float(det)) - 2 * np.log(0.5)
    assert model.log_det[0] == pytest.approx(log_det, rel=1e-14)


def test_rows_whose_squares_overflow_raise():
    model = Ridge().reset(_task(2, 1, False), 2)
    long = np.concatenate([_row(np.array([1.0, 0.0])), _row(np.array([1e141, 0.0]))])
    long.flags.writeable = False
    before = _stored(model)
    with pytest.raises(ValueError, match="replicate 1 are too long"):
        model.update(long, np.zeros(2, int), np.ones(2), np.ones(2, bool))
    with pytest.raises(ValueError, match="replicate 1 are too long"):
        model.predict(long)
    for name, values in before.items():
        np.testing.assert_array_equal(values, getattr(model, name))


def _row(x):
    shown = x[None, :, None]
    shown.flags.writeable = False
    return shown


@pytest.mark.parametrize(("dim", "n_arms"), [(27, 27), (26, 30)])
def test_the_determinant_is_known_beyond_the_largest_number(dim, n_arms):
    """Each of 26 directions multiplies it by 1e12; 1e-9 of the logarithm is far above rounding."""
    rng, ridge = np.random.default_rng(0), 1e-12
    model = Ridge(ridge=ridge).reset(_task(dim, n_arms, True), 2)
    x, gram = _contexts(rng, 2, dim, n_arms), np.zeros((2, dim, dim))
    model.predict(x)
    logs = np.zeros(2)
    for t in range(80):
        arms = np.array([t % n_arms, (t + 1) % n_arms])
        model.update(x, arms, rng.standard_normal(2), np.ones(2, bool))
        rows = x[[0, 1], :, arms]
        gram += rows[:, :, None] * rows[:, None, :]
    logs = [np.linalg.slogdet(np.eye(dim) + g / ridge)[1] for g in gram]
    assert min(logs) > np.log(1e300)
    np.testing.assert_allclose(model.log_det, logs, rtol=1e-9)


def test_how_arms_are_kept_depends_on_their_number():
    assert Ridge().ridge == 1.0
    kinds = [type(Ridge().reset(_task(3, k, True), 1)) for k in (2, 3, 4)]
    assert kinds == [FewFixedArms, FewFixedArms, FixedArms]


def test_with_a_ridge_no_row_counts_as_dependent():
    given = gymnasium.make("OnlineRegression-v0", dim=3).unwrapped.task
    state = Ridge().reset(given, 1)
    assert (type(state), state.tolerance) == (Rows, 0.0)
