"""Detectors: their alarms beside plain references, false alarms, and changes that they see."""

import numpy as np
import pytest

from agents.parts.detectors import CUSUM, GLR, PageHinkley
from agents.parts.detectors import glr as glr_module
from agents.parts.detectors.glr import Splits
from agents.storage.states import rows_of
from banditgym.tasks import ArmedTask, LinearTask
from tests.agents.definitions.general.restarting import cusum, glr, page_hinkley


def task(horizon=1000, noise_std=None):
    bernoulli = noise_std is None
    known = {"noise_std": noise_std, "subgaussian": 0.5 if bernoulli else noise_std}
    return ArmedTask(n_arms=2, horizon=horizon, bernoulli=bernoulli, **known)


def first_alarm(alarm, values, **given):
    """The number of the first value that raises an alarm; None if there is none."""
    return next((n for n in range(1, len(values) + 1) if alarm(values[:n], **given)), None)


def alarms_of(detector, given, values):
    """The number of each sequence's first alarm; ``values`` (n, T) are sequence 1 of n replicates,
    and sequence 0 of them gets other values between."""
    n = len(values)
    state, first, rng = detector.reset(given, n, 2), [None] * n, np.random.default_rng(5)
    one, zero = np.ones(n, np.int64), np.zeros(n, np.int64)
    for t in range(values.shape[1]):
        for i in np.flatnonzero(state.add(one, values[:, t].copy(), np.ones(n, bool))):
            first[i] = first[i] or t + 1
        state.add(zero, rng.random(n), rng.random(n) < 0.5)
    return first


def sequences(n, length, change, noise_std, seed):
    """Means that jump from 0.3 to 0.7 or back in half of the replicates."""
    rng = np.random.default_rng(seed)
    means = np.where(np.arange(length) < change, 0.3, 0.7) * np.ones((n, 1))
    means[n // 2 :] = means[n // 2 :, ::-1]
    if noise_std is None:
        return (rng.random((n, length)) < means).astype(float)
    return means + noise_std * rng.standard_normal((n, length))


THINNED = {"delta": 0.9, "test_every": 1, "split_every": 2, "splits": 6}
CASES = [  # a detector, and its reference with what is off its defaults
    (GLR(delta=0.05), glr, {"delta": 0.05}),
    (GLR(), glr, {"delta": 1000**-0.5}),
    (GLR(**THINNED), glr, THINNED),
    (PageHinkley(threshold=4.0), page_hinkley, {"threshold": 4.0}),
    (PageHinkley(threshold=1.1, drift=0.31), page_hinkley, {"threshold": 1.1, "drift": 0.31}),
    (PageHinkley(), page_hinkley, {}),
    (CUSUM(threshold=4.02, samples=40), cusum, {"threshold": 4.02, "samples": 40}),
    (CUSUM(threshold=1.3, drift=0.3, samples=1), cusum, {"threshold": 1.3, "drift": 0.3,
                                                         "samples": 1}),
    (CUSUM(), cusum, {"samples": 100}),
]  # fmt: skip


@pytest.mark.parametrize("noise_std", [None, 0.4])
@pytest.mark.parametrize(("detector", "reference", "given"), CASES, ids=[str(c[0]) for c in CASES])
def test_alarms_are_those_of_the_reference(detector, reference, given, noise_std):
    values = sequences(6, 300, 130, noise_std, 1)
    if reference is glr:
        given = {"noise_std": noise_std, **given}
    else:
        usual = (noise_std or 0.5) ** 2 * np.log(1000) / 0.1
        given = {"threshold": usual, "drift": 0.1, **given}
    expected = [first_alarm(reference, each, **given) for each in values]
    assert alarms_of(detector, task(noise_std=noise_std), values) == expected
    assert any(expected)


@pytest.mark.parametrize("noise_std", [None, 0.5])
@pytest.mark.parametrize("detector", [GLR(), PageHinkley(), CUSUM()], ids=str)
def test_by_default_false_alarms_are_rare_and_jumps_are_seen(detector, noise_std):
    """T = 1,000, 200 seeds. Without a change at most 8 of 200 raise an alarm; of a CUSUM, whose
    mean of 100 values has an error of its own, 24. Measured: 0, 0, 11. After a jump of 0.4 at 300
    at least 97 of 100 raise their first alarm within 250 values. Measured: 99, within 150."""
    given = task(noise_std=noise_std)
    flat = sequences(200, 1000, 1000, noise_std, 2)
    false = sum(first is not None for first in alarms_of(detector, given, flat))
    assert false <= (24 if isinstance(detector, CUSUM) else 8)
    jumps = sequences(100, 600, 300, noise_std, 3)
    first = [alarm or 9999 for alarm in alarms_of(detector, given, jumps)]
    assert np.mean([300 < alarm <= 550 for alarm in first]) >= 0.97


@pytest.mark.parametrize("detector", [GLR(delta=0.05), PageHinkley(), CUSUM(samples=20)], ids=str)
def test_a_forgotten_replicate_begins_anew_and_others_go_on(detector):
    given, values = task(), sequences(3, 400, 150, None, 4)
    state, others = detector.reset(given, 3, 2), detector.reset(given, 3, 2)
    only, every, zero = np.array([False, True, False]), np.ones(3, bool), np.zeros(3, np.int64)
    for t in range(400):
        if t == 170:
            state.forget(only)
            fresh = detector.reset(given, 3, 2)
        got = state.add(zero, values[:, t].copy(), every)
        expected = others.add(zero, values[:, t].copy(), every)
        if t >= 170:
            expected[1] = fresh.add(zero, values[:, t].copy(), every)[1]
        np.testing.assert_array_equal(got, expected)
        for name in set(state._fields) - {"kept"} if t == 170 else ():
            assert np.array_equal(
                rows_of(state._asdict(), 1)[name], rows_of(fresh._asdict(), 1)[name]
            )


def test_the_values_of_the_mean_of_a_cusum_are_not_in_its_sums():
    state = CUSUM(threshold=0.85, drift=0.05, samples=2).reset(task(), 1, 1)
    one = np.zeros(1, np.int64), np.ones(1, bool)
    alarms = [state.add(one[0], np.array([v]), one[1])[0] for v in (0.0, 1.0, 1.0, 1.0)]
    assert alarms == [False, False, False, True]


def test_what_needs_a_horizon_or_noise_is_refused():
    for detector, named in ((GLR(), "delta"), (PageHinkley(), "threshold"), (CUSUM(), "threshold")):
        assert detector.refusal(task()) is None
        reason = f"{type(detector).__name__} needs {named}, because this task has no horizon"
        assert detector.refusal(task(None)) == reason
    assert GLR(delta=0.1).refusal(task(None)) is None
    assert PageHinkley(threshold=3.0).refusal(task(None)) is None
    assert "needs noise_std" in GLR().refusal(task(noise_std=0.0))
    assert GLR(noise_std=0.1).refusal(task(noise_std=0.0)) is None
    assert CUSUM().refusal(task(noise_std=0.0)).endswith("this task has no noise")


def test_too_many_splits_are_refused():
    with pytest.raises(MemoryError, match="splits of an arm"):
        GLR(delta=0.1, splits=2**60).reset(task(None), 2, 3)


def linear(noise_std):
    """A task that does not say whether its rewards are Bernoulli."""
    return LinearTask(
        n_arms=2, dim=2, horizon=100, noise_std=noise_std, subgaussian=noise_std, feature_norm=1.0,
        param_norm=1.0,
    )  # fmt: skip


def test_rewards_are_bernoulli_only_where_the_task_says_so():
    assert "needs noise_std" in GLR().refusal(linear(0.0))
    assert GLR().refusal(linear(0.3)) is None
    assert GLR().reset(linear(0.3), 1, 1).noise_std == 0.3
    assert GLR().reset(task(), 1, 1).noise_std == 0.0


@pytest.mark.parametrize(
    ("horizon", "splits", "kept"),
    [(1000, 4000, 200), (1001, 4000, 202), (10**6, 4000, 4000), (10**6, 7, 8), (None, 2, 2)],
)
def test_no_more_splits_are_kept_than_a_horizon_has(horizon, splits, kept):
    assert GLR().splits == 4000
    state = GLR(delta=0.1, splits=splits).reset(task(horizon), 2, 3)
    assert state.kept.shape == (2, 3, kept)


def test_splits_may_take_the_whole_memory(monkeypatch):
    monkeypatch.setattr(glr_module, "memory", lambda: 2 * 3 * 6 * 8)
    GLR(splits=6).reset(task(), 2, 3)
    monkeypatch.setattr(glr_module, "memory", lambda: 2 * 3 * 6 * 8 - 1)
    with pytest.raises(MemoryError, match="of 6 splits of an arm"):
        GLR(splits=6).reset(task(), 2, 3)


def test_loaded_counts_are_those_that_splits_can_have():
    state, most = GLR(split_every=2, splits=4).reset(task(), 1, 1), Splits.loadable["count"].most
    reached = set()
    for _ in range(70):
        state.add(np.zeros(1, np.int64), np.zeros(1), np.ones(1, bool))
        assert state.count[0, 0] <= most(state)[0, 0]
        if state.count[0, 0] == most(state)[0, 0]:
            reached.add(int(state.count[0, 0]))
    assert reached == {8, 16, 32, 64}
    assert (Splits.loadable["gap"].least, Splits.loadable["gap"].most) == (1, 2**30)


def test_the_threshold_of_one_round_is_that_of_two():
    for horizon in (1, 2):
        state = PageHinkley().reset(task(horizon), 1, 1)
        np.testing.assert_allclose(state.threshold, 0.25 * np.log(2) / 0.1, rtol=1e-15)


@pytest.mark.parametrize(("threshold", "alarm"), [(0.75, True), (0.7500001, False)])
def test_a_sum_at_the_threshold_raises_an_alarm(threshold, alarm):
    state = CUSUM(threshold=threshold, drift=0.25, samples=1).reset(task(), 1, 1)
    one = np.zeros(1, np.int64), np.ones(1, bool)
    assert not state.add(one[0], np.array([0.0]), one[1])[0]
    assert state.add(one[0], np.array([1.0]), one[1])[0] == alarm


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        *[(GLR, "delta", value) for value in (0.0, 1.0, float("nan"))],
        *[(GLR, "noise_std", value) for value in (0.0, float("nan"))],
        *[(GLR, "test_every", 0), (GLR, "split_every", 0), (GLR, "splits", 1)],
        *[(PageHinkley, "threshold", value) for value in (0.0, float("nan"))],
        *[(CUSUM, "drift", value) for value in (-0.1, float("nan"))],
        (CUSUM, "samples", 0),
    ],
)
def test_bad_settings_are_named_with_their_value(kind, name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        kind(**{name: value})
