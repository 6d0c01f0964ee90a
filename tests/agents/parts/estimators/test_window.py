"""Regression on a window against solving the window afresh, over several windows."""

import numpy as np
import pytest

from agents.parts.estimators import Window
from agents.parts.estimators import window as window_module
from banditgym.tasks import LinearTask

RIDGE = 0.3


def _task(dim, n_arms):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0,
    )  # fmt: skip


def _scale(kind, t):
    if kind == "shrinking":  # long features leave the window, short ones stay
        return 3e3 if t < 30 else 1e-6
    return {"large": 3e3, "small": 1e-6}.get(kind, 1.0)


@pytest.mark.parametrize(
    "kind", ["random", "repeated", "deficient", "large", "small", "shrinking", "paid-less"]
)
@pytest.mark.parametrize(("dim", "n_arms", "window"), [(1, 2, 1), (2, 5, 7), (5, 3, 20)])
def test_is_the_solution_of_the_last_observations(kind, dim, n_arms, window):
    """V errs by 4 W eps of its size, a solve by a few d eps times the condition number."""
    n, rng = 3, np.random.default_rng(dim)
    model = Window(window=window, ridge=RIDGE).reset(_task(dim, n_arms), n)
    past = [[] for _ in range(n)]
    for t in range(120):
        x = _scale(kind, t) * rng.standard_normal((n, dim, n_arms))
        if kind == "deficient":
            x = np.outer(np.arange(1.0, dim + 1), rng.standard_normal(n_arms)) * np.ones((n, 1, 1))
        elif kind == "repeated":
            x[:] = np.arange(1.0, dim + 1)[:, None]
        x.flags.writeable = False
        mean, variance = model.predict(x)
        for i in range(n):
            kept = past[i][-window:]
            rows = np.array([row for row, _ in kept]).reshape(-1, dim)
            paid = np.array([r for _, r in kept])
            gram = RIDGE * np.eye(dim) + rows.T @ rows
            theta, u = np.linalg.solve(gram, rows.T @ paid), np.linalg.solve(gram, x[i])
            room = (10 * dim + 8 * window) * 2.2e-16 * np.linalg.cond(gram)
            norms = np.linalg.norm(x[i], axis=0)
            size = abs(paid) @ np.linalg.norm(rows, axis=1) / np.linalg.eigvalsh(gram)[0]
            # sums are never worse than those of the samples in the window
            assert np.all(abs(mean[i] - theta @ x[i]) <= room * norms * (size + 1e-300))
            form = np.einsum("dk,dk->k", x[i], u)
            assert np.all(abs(variance[i] - form) <= room * form)
        arms = rng.integers(n_arms, size=n)
        reward = rng.standard_normal(n) * (1e9 if kind == "paid-less" and t < 30 else 1.0)
        observed = rng.random(n) < 0.8
        model.update(x, arms, np.where(observed, reward, np.nan), observed)
        for i in np.flatnonzero(observed):
            past[i].append((x[i, :, arms[i]], reward[i]))


def test_sums_afresh_seldom_where_features_are_of_one_length():
    """Every round moves two sizes, so 4 W sizes are full after 2 W rounds, and not before."""
    model = Window(window=10).reset(_task(2, 1), 1)
    x = np.zeros((1, 2, 1))
    x[0, 0, 0] = 1.0
    x.flags.writeable = False
    moved = []
    for _ in range(100):
        model.update(x, np.zeros(1, int), np.ones(1), np.ones(1, bool))
        moved.append(model.moved[0, 0])
    fresh = np.flatnonzero(np.array(moved) == 0)
    assert fresh.size <= 5
    assert np.all(np.diff(fresh) >= 19)


def test_a_hidden_reward_leaves_its_replicate_bit_for_bit():
    rng = np.random.default_rng(1)
    model = Window(window=3).reset(_task(3, 4), 2)
    for _ in range(5):
        x = rng.standard_normal((2, 3, 4))
        x.flags.writeable = False
        model.update(x, np.array([0, 1]), rng.standard_normal(2), np.ones(2, bool))
    before = {k: v.copy() for k, v in model._asdict().items() if isinstance(v, np.ndarray)}
    model.update(x, np.array([2, 2]), np.array([np.nan, 1.0]), np.array([False, True]))
    for name in ("gram", "moment", "samples", "paid", "count", "size", "moved"):
        assert before[name][0].tobytes() == getattr(model, name)[0].tobytes(), name
    assert model.count.tolist() == [5, 6]


def test_features_that_are_not_finite_raise_and_change_nothing():
    model = Window().reset(_task(2, 2), 2)
    x = np.ones((2, 2, 2))
    x[1, 0, 0] = np.nan
    x.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.predict(x)
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.update(x, np.zeros(2, int), np.ones(2), np.ones(2, bool))
    assert model.count.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("given", "named"),
    [({"window": 0}, "window"), ({"window": 2.5}, "window"), ({"ridge": 0.0}, "ridge")],
)
def test_bad_settings_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        Window(**given)


def test_features_whose_squares_overflow_raise_and_change_nothing():
    model = Window().reset(_task(2, 1), 2)
    x = np.ones((2, 2, 1))
    x[1] = 1e200
    x.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 .*too long"):
        model.update(x, np.zeros(2, int), np.ones(2), np.ones(2, bool))
    np.testing.assert_array_equal(model.gram, np.tile(np.eye(2), (2, 1, 1)))


def test_a_window_has_200_rounds_and_may_take_the_whole_memory(monkeypatch):
    assert Window().window == 200
    monkeypatch.setattr(window_module, "memory", lambda: 3 * 7 * 5 * 8)
    state = Window(window=7).reset(_task(5, 2), 3)
    assert (state.size.shape, state.moved.shape) == ((3, 2), (3, 2))
    monkeypatch.setattr(window_module, "memory", lambda: 3 * 7 * 5 * 8 - 1)
    with pytest.raises(MemoryError, match="of a window of 7 rounds"):
        Window(window=7).reset(_task(5, 2), 3)
