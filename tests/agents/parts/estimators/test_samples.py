"""What is kept of samples: memory, chunks, blocks of rows."""

import dataclasses

import gymnasium
import numpy as np
import pytest

from agents.drivers.rows import play_rows
from agents.parts.estimators import SAG, SVRG, GradientDescent, PolyakAveraging
from agents.parts.estimators.samples import Samples, check_rate
from banditgym.rounds.blocks import RowsBlock
from banditgym.streams import AGENT, Stream

PARTS = [
    GradientDescent(step=9.0, ridge=0.3),
    PolyakAveraging(ridge=0.3),
    SVRG(ridge=0.3),
    SAG(ridge=0.3),
]


def rows_block(rng, rounds, n, dim, start=0):
    features = rng.standard_normal((rounds, n, dim, 1))
    return RowsBlock(start=start, features=features, outcomes=rng.standard_normal((rounds, n)))


def flat(value):
    if isinstance(value, np.ndarray):
        return (value.shape, value.tobytes())
    if isinstance(value, list | tuple):
        return [flat(item) for item in value]
    return {k: flat(v) for k, v in vars(value).items()} if hasattr(value, "__dict__") else value


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("bound", [None, 0.3])
def test_a_block_is_its_rounds(task, part, bound):
    """Bit for bit, the memory that is reserved included."""
    rng = np.random.default_rng(0)
    whole, single = (part.reset(task(9), 3, [1, 2, 3]) for _ in range(2))
    everyone, clipped = np.ones(3, bool), 0
    for rounds in (1, 62, 1, 1, 127, 40):  # the chunks end after 64 and 192
        block = rows_block(rng, rounds, 3, 9)
        predictions = play_rows(whole, block, bound)
        for t in range(rounds):
            mean, _ = single.predict(block.features[t])
            expected = mean[:, 0] if bound is None else np.clip(mean[:, 0], -bound, bound)
            clipped += (expected != mean[:, 0]).sum()
            np.testing.assert_array_equal(predictions[t], expected)
            single.update(block.features[t], np.zeros(3, int), block.outcomes[t].copy(), everyone)
        assert flat(whole) == flat(single)
    assert (clipped > 0) == (bound is not None)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("bad", [0, 1])
@pytest.mark.parametrize("feature", [1e200, np.nan])
def test_a_block_with_a_bad_row_is_refused(task, part, bad, feature):
    rng = np.random.default_rng(0)
    features = rng.standard_normal((4, 2, 3, 1))
    features[0, bad, 0] = feature
    block = RowsBlock(start=0, features=features, outcomes=np.ones((4, 2)))
    with pytest.raises(ValueError, match=f"replicate {bad}"):
        play_rows(part.reset(task(3), 2, [0, 1]), block, None)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("bad", [0, 1])
def test_a_row_that_is_too_long_is_refused_and_nothing_is_learned(task, part, bad):
    model = part.reset(task(3), 2, [0, 1])
    rows = np.ones((2, 3))
    rows[bad, 1] = 1e200
    with pytest.raises(ValueError, match=f"replicate {bad}"):
        model.learn(rows, np.ones(2), np.ones(2, bool))
    assert not model.count.any()
    assert not model.theta.any()


def test_the_parts_have_the_defaults_of_their_docstrings():
    given = [dataclasses.astuple(part()) for part in (GradientDescent, PolyakAveraging, SVRG, SAG)]
    assert given == [(None, 4 / 3, 0.0), (1.0, 0.75, 0.0), (0.1, 1.0), (1 / 16, 1.0)]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_memory_grows_by_chunks_and_samples_stay_where_they_are(task, part):
    rng = np.random.default_rng(0)
    model = part.reset(task(2), 1, [0])
    first = model.samples.chunks[0]
    rows, y = rng.standard_normal((400, 1, 2)), rng.standard_normal((400, 1))
    for t in range(400):
        model.learn(rows[t], y[t], np.ones(1, bool))
    chunks = model.samples.chunks
    assert chunks[0] is first
    assert [chunk.shape[1] for chunk in chunks[:4]] == [64, 128, 256, 0]
    kept = np.concatenate([chunk[0] for chunk in chunks])[:400]
    np.testing.assert_array_equal(kept[:, :2], rows[:, 0])
    np.testing.assert_array_equal(kept[:, 2], y[:, 0])


def test_rows_that_repeat_are_kept_once(task):
    model = GradientDescent().reset(task(50, 3, True), 2, [0, 1])
    x = np.random.default_rng(0).standard_normal((2, 50, 3))
    x.flags.writeable = False
    arms = np.array([2, 0])
    model.update(x, arms, np.array([0.5, 0.7]), np.ones(2, bool))
    np.testing.assert_array_equal(model.samples.table, x.transpose(0, 2, 1))
    np.testing.assert_array_equal(model.samples.chunks[0][:, 0], [[2.0, 0.5], [0.0, 0.7]])


@pytest.mark.parametrize("number", [-1, 4])
def test_a_number_without_a_row_is_refused(task, number):
    model = SVRG().reset(task(2), 2, [3, 4], rows=np.ones((4, 2)))
    model.learn(np.array([3, number]), np.ones(2), np.array([True, False]))
    with pytest.raises(ValueError, match=f"must lie within 0 .. 3, got {number}$"):
        model.learn(np.array([3, number]), np.ones(2), np.array([True, True]))
    assert list(model.count) == [1, 0]


def test_which_sample_is_drawn_depends_on_the_seed_alone(task):
    """Not on the replicates beside it, nor on rounds that were not observed."""
    rng = np.random.default_rng(0)
    rows, y = rng.standard_normal((50, 4)), rng.standard_normal(50)
    alone = GradientDescent(step=9.0).reset(task(4), 1, [6])
    beside = GradientDescent(step=9.0).reset(task(4), 3, [2, 6, 7])
    for t in range(50):
        alone.learn(rows[t : t + 1], y[t : t + 1], np.ones(1, bool))
        noise = rng.standard_normal((3, 4))
        beside.learn(noise, np.full(3, np.nan), np.zeros(3, bool))
        noise[1] = rows[t]
        beside.learn(noise, np.array([1.0, y[t], -1.0]), np.array([t % 2 == 0, True, True]))
    np.testing.assert_array_equal(alone.theta[0], beside.theta[1])


def test_a_constant_rate_is_at_most_one():
    check_rate("rate", 1)
    with pytest.raises(ValueError, match="rate must be at most 1 for steps to contract, got 1.5"):
        check_rate("rate", 1.5)
    with pytest.raises(ValueError, match="rho must be finite"):
        GradientDescent(rho=np.inf)


def test_no_samples_are_kept_at_first_and_draws_have_a_stream_of_their_own(task):
    samples = Samples.initial(task(3), 2, [7, 8], None)
    assert (samples.table.shape, samples.repeated, samples.count.tolist()) == (
        (1, 0, 3),
        False,
        [0, 0],
    )
    np.testing.assert_array_equal(samples.keys, Stream([7, 8], AGENT, 9, 0).keys)
    assert Samples.initial(task(50, 3, True), 2, [7, 8], None).repeated


def test_features_whose_squares_are_infinite_are_refused(task):
    fits = dataclasses.replace(task(2), feature_norm=1e150)
    Samples.initial(fits, 1, [0], None)
    long = dataclasses.replace(task(2), feature_norm=1e200)
    with pytest.raises(ValueError, match=r"as long as 1e\+200, which is too long"):
        Samples.initial(long, 1, [0], None)


@pytest.mark.parametrize("bad", [0, 1])
def test_a_table_has_finite_rows_and_the_longest_square_of_each_replicate(task, bad):
    samples = Samples.initial(task(50, 3, True), 2, [7, 8], None)
    features = np.random.default_rng(0).standard_normal((2, 50, 3))
    samples.set_table(features)
    longest = (features**2).sum(axis=1).max(axis=1)
    np.testing.assert_allclose(samples.longest, longest, rtol=1e-15)
    features[bad, 3, 1] = 1e200
    with pytest.raises(ValueError, match=f"the features of replicate {bad} are not finite, or too"):
        samples.set_table(features)


def learned(task, repeated, n=2, rounds=70):
    """Samples after some rounds, of rows of a table of 4 if they repeat."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((4, 3)) if repeated else None
    model = SVRG().reset(task(3), n, [3, 4], rows=rows)
    for t in range(rounds):
        given = np.full(n, t % 4) if repeated else rng.standard_normal((n, 3))
        model.learn(given, rng.standard_normal(n), np.ones(n, bool))
    return model.samples


@pytest.mark.parametrize("repeated", [False, True])
def test_samples_are_consistent_with_their_chunks(task, repeated):
    for rounds in (0, 1, 63, 70, 200):
        samples = learned(task, repeated, rounds=rounds)
        assert samples.consistent()
        for wrong in (
            [chunk[:, :-1] for chunk in samples.chunks],
            [samples.chunks[0][:, :0], *samples.chunks[1:]],
            samples.chunks[1:],
        ):
            assert not dataclasses.replace(samples, chunks=wrong).consistent()


def test_without_a_table_rows_do_not_repeat(task):
    own, numbers = learned(task, repeated=False), learned(task, repeated=True)
    for given in (numbers.table, numbers.table[:0], np.zeros((2, 0, 3))):
        assert not dataclasses.replace(own, table=given).consistent()
    empty = np.zeros((1, 0, 3))
    assert not dataclasses.replace(numbers, table=empty).consistent()
    first = learned(task, repeated=True, rounds=0)
    assert dataclasses.replace(first, table=empty).consistent()
    assert not dataclasses.replace(own, table=np.zeros((1, 1, 3))).consistent()


@pytest.mark.parametrize("place", [0, 69])
@pytest.mark.parametrize("number", [-1.0, 0.5, 4.0, np.nan])
def test_a_kept_number_is_that_of_a_row(task, place, number):
    samples = learned(task, repeated=True)
    assert {0.0, 3.0} < set(samples.chunks[0][0, :, 0].tolist())
    chunk = samples.chunks[place // 64]
    chunk[1, place % 64, 0] = number
    assert not samples.consistent()
    samples.count[1] = place  # what lies behind the last sample is not read
    assert samples.consistent()


def test_a_table_may_have_one_row(task):
    model = SVRG().reset(task(3), 2, [3, 4], rows=np.ones((1, 3)))
    model.learn(np.zeros(2, int), np.ones(2), np.ones(2, bool))
    assert model.samples.consistent()


def test_rows_of_regression_do_not_repeat():
    given = gymnasium.make("OnlineRegression-v0", dim=3).unwrapped.task
    assert not Samples.initial(given, 2, [3, 4], None).repeated


def test_a_table_is_of_one_replicate_or_of_all(task):
    samples = learned(task, repeated=True)
    for n, fits in [(1, True), (2, True), (3, False)]:
        table = np.repeat(samples.table[:1], n, axis=0)
        assert dataclasses.replace(samples, table=table).consistent() == fits
