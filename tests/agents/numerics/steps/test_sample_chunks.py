"""Samples in chunks against plain lists; products and means against numpy; what is drawn."""

import numpy as np
import pytest

from agents.numerics.steps import sample_chunks
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream


@compiled
def keep_all(chunks, table, count, longest, features, arms, outcomes, squares):
    for i in range(count.shape[0]):
        sample = sample_chunks.sample_at(chunks, i, count[i])
        sample_chunks.keep(sample, table, features, arms[i], outcomes[i], i)
        count[i] += 1
        longest[i] = max(longest[i], squares[i])


@compiled
def look(chunks, table, i, s, vector, out):
    """The product with ``vector``, and the outcome; ``out`` becomes out / 2 + 3 row."""
    sample = sample_chunks.sample_at(chunks, i, s)
    sample_chunks.add_row(3.0, sample, table, i, 0.5, out)
    product = sample_chunks.along(sample, table, i, vector)
    return product, sample[sample_chunks.outcome_at(table)]


@compiled
def dot(a, b):
    return sample_chunks.dot(a, b)


@compiled
def predict_within(theta, rows, bound, mean, predictions):
    return sample_chunks.predict_within(theta, rows, bound, mean, predictions)


@compiled
def draw(keys, count, i, index):
    return sample_chunks.drawn(keys, count, i, index)


def test_products_are_numpys():
    rng = np.random.default_rng(0)
    for dim in (1, 7, 8, 9, 16, 100, 1001):
        a, b = rng.standard_normal((2, dim))
        assert abs(dot(a, b) - a @ b) <= 2.2e-16 * dim * (abs(a) @ abs(b))


@pytest.mark.parametrize("tabled", [False, True])
def test_every_sample_is_found_again(tabled):
    n, dim, most = 2, 3, 500
    rng = np.random.default_rng(1)
    table = rng.standard_normal((n, 5, dim)) if tabled else np.zeros((1, 0, dim))
    chunks = sample_chunks.initial_chunks(n, 2 if tabled else dim + 1)
    count, longest, squares = np.zeros(n, np.int64), np.zeros(n), np.empty(n)
    kept = []
    for t in range(most):
        features = rng.standard_normal((n, dim, 4))
        arms, outcomes = rng.integers(4, size=n), rng.standard_normal(n)
        yes = np.ones(n, bool)
        assert sample_chunks.first_too_long(table, features, arms, yes, squares) == -1
        keep_all(
            tuple(chunks), table, count, longest, features, arms, outcomes, squares
        )  # fmt: skip
        sample_chunks.make_room(chunks, t + 1)
        rows = [table[i, arms[i]] if tabled else features[i, :, arms[i]] for i in range(n)]
        kept.append((rows, outcomes))
    assert list(count) == [most] * n
    vector = rng.standard_normal(dim)
    for s, (rows, outcomes) in enumerate(kept):
        for i in range(n):
            out = np.arange(3.0)
            product, outcome = look(tuple(chunks), table, i, s, vector, out)
            assert outcome == outcomes[i]
            np.testing.assert_allclose(out, np.arange(3.0) / 2 + 3 * rows[i], rtol=1e-14)
            assert abs(product - vector @ rows[i]) <= 1e-14
    if not tabled:
        squared = np.array([[row @ row for row in rows] for rows, _ in kept])
        np.testing.assert_allclose(longest, squared.max(axis=0), rtol=1e-14)


def test_a_table_may_have_one_row():
    """Of it the place and the outcome are kept, and no length, which is known."""
    table, chunks = np.array([[[2.0, -1.0, 0.5]]]), sample_chunks.initial_chunks(2, 2)
    count, longest, squares = np.zeros(2, np.int64), np.zeros(2), np.full(2, np.nan)
    features, arms = np.full((2, 3, 1), np.nan), np.zeros(2, int)
    yes, outcomes = np.ones(2, bool), np.array([0.3, 0.7])
    assert sample_chunks.first_too_long(table, features, arms, yes, squares) == -1
    assert squares.tolist() == [0.0, 0.0]
    keep_all(tuple(chunks), table, count, longest, features, arms, outcomes, squares)
    out = np.zeros(3)
    product, outcome = look(tuple(chunks), table, 1, 0, np.array([1.0, 0.0, -2.0]), out)
    assert (product, outcome) == (1.0, 0.7)
    assert list(out) == [6.0, -3.0, 1.5]
    assert chunks[0][:, 0].tolist() == [[0.0, 0.3], [0.0, 0.7]]


def test_a_table_may_be_shared():
    table, row = np.arange(6.0).reshape(1, 2, 3), np.zeros(3)
    chunks = sample_chunks.initial_chunks(2, 2)
    chunks[0][1, 0] = [1.0, 7.0]
    assert look(tuple(chunks), table, 1, 0, np.array([1.0, 0.0, -2.0]), row) == (3 - 10.0, 7.0)
    assert list(row) == [9.0, 12.0, 15.0]


def test_room_is_made_before_it_is_needed_and_what_is_there_stays():
    chunks = sample_chunks.initial_chunks(2, 3)
    first = chunks[0]
    for most, sizes in ((0, 64), (63, 64), (64, 192), (191, 192), (192, 448), (1000, 1984)):
        sample_chunks.make_room(chunks, most)
        assert sum(chunk.shape[1] for chunk in chunks) == sizes
        assert chunks[0] is first
    held = sample_chunks.FIRST * (2**sample_chunks.CHUNKS - 1)
    tiny = [np.zeros((0, 1, 1))] * sample_chunks.CHUNKS
    sample_chunks.make_room(tiny, held - 1)
    with pytest.raises(ValueError, match=f"fewer than {held} a replicate, got {held}"):
        sample_chunks.make_room(tiny, held)


@pytest.mark.parametrize("dim", [1, 4, 5])
@pytest.mark.parametrize("n_arms", [1, 2, 3])
def test_rows_too_long_are_found_where_they_are_observed(dim, n_arms):
    x, nothing = np.ones((3, dim, n_arms)), np.zeros((1, 0, dim))
    x[1, dim - 1, n_arms - 1] = np.nan
    x[2, dim - 1, n_arms - 1] = 1e200
    arms, squares = np.full(3, n_arms - 1), np.empty(3)

    def first(*observed):
        return sample_chunks.first_too_long(nothing, x, arms, np.array(observed), squares)

    assert first(True, True, True) == 1
    assert first(True, False, True) == 2
    assert first(True, False, False) == -1
    assert squares[0] == dim


@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_means_are_numpys_and_bad_features_are_found(n_arms):
    rng = np.random.default_rng(2)
    theta, x, mean = (rng.standard_normal(s) for s in ((3, 9), (3, 9, n_arms), (3, n_arms)))
    assert sample_chunks.predict_linear(theta, x, mean) == -1
    np.testing.assert_allclose(mean, np.einsum("ndk,nd->nk", x, theta), rtol=0, atol=1e-14)
    x[1, 4, n_arms - 1] = np.inf
    assert sample_chunks.predict_linear(0.0 * theta, x, mean) == 1


def test_predictions_are_within_their_bound():
    theta, rows = np.array([[2.0], [2.0], [-2.0], [1.0]]), np.array([0.2, 3.0, 3.0, 0.0])
    mean, predictions = np.empty((4, 1)), np.full(4, np.nan)
    assert predict_within(theta, rows[:, None, None], 0.5, mean, predictions) == -1
    assert mean[:, 0].tolist() == [0.4, 6.0, -6.0, 0.0]
    assert predictions.tolist() == [0.4, 0.5, -0.5, 0.0]
    for first in (0, 2):
        rows[first] = np.nan
        kept = predictions.copy()
        assert predict_within(theta, rows[:, None, None], 0.5, mean, predictions) == first
        np.testing.assert_array_equal(predictions, kept)
        rows[first] = 0.1


def test_draws_are_uniform_and_those_of_the_stream():
    """Chi-squared of 20,000 draws among 7 has 6 degrees of freedom: above 41 once in 3e6."""
    stream = Stream([3, 4], AGENT, 9, 0)
    counts = np.zeros(7)
    for index in range(20_000):
        counts[draw(stream.keys, np.array([7, 7]), 1, index)] += 1
    assert ((counts - 20_000 / 7) ** 2).sum() / (20_000 / 7) < 41
    for n in (1, 2, 1000):
        uniform = stream.uniform(n, (4,))[1]
        for index in range(4):
            assert draw(stream.keys, np.array([5, n]), 1, index) == int(uniform[index] * n)
