"""Made logs: clicks follow the model, articles come and go, files say what the arrays do."""

import numpy as np
import pytest
from scipy import stats

from banditgym.data.simulated_logs import MadeLog
from banditgym.data.yahoo import REASONS, Events, YahooLog


def whole(log, rows, **kinds):
    """All events of a log at once; articles of chunks with less room are padded."""
    chunks = list(log.events(rows, **kinds))
    room = max(chunk.ids.shape[1] for chunk in chunks)
    arrays = {}
    for name in vars(chunks[0]):
        parts = [getattr(chunk, name) for chunk in chunks]
        if name in ("ids", "articles"):
            empty = -1 if name == "ids" else 0.0
            parts = [
                np.pad(
                    part,
                    [(0, 0), (0, room - part.shape[1]), *[(0, 0)] * (part.ndim - 2)],
                    constant_values=empty,
                )
                for part in parts
            ]
        arrays[name] = np.concatenate(parts)
    return Events(**arrays)


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_clicks_follow_the_model_and_shown_articles_are_uniform(format):
    log = MadeLog(format=format, seed=3, n_articles=7, lifetime=100)
    events = whole(log, 20_000)
    chances = log.probabilities(events)
    there = events.ids >= 0
    number = there.sum(axis=1)
    rows = np.arange(len(events))
    assert ((events.shown >= 0) & (events.shown < number)).all()
    p = chances[rows, events.shown]
    # Sums of independent variables of known mean and variance; five deviations are 6e-7.
    assert abs(events.clicks.sum() - p.sum()) < 5 * np.sqrt((p * (1 - p)).sum())
    weights = p - p.mean()  # clicks go with their probabilities, not with their mean alone
    spread = np.sqrt((weights**2 * p * (1 - p)).sum())
    assert abs((weights * (events.clicks - p)).sum()) < 5 * spread
    assert (weights * events.clicks).sum() > 5 * spread
    place = (events.shown + 0.5) / number
    centred = place - 0.5
    assert abs(centred.sum()) < 5 * np.sqrt((centred**2).sum())
    for size in np.unique(number)[-2:]:
        counts = np.bincount(events.shown[number == size], minlength=size)
        assert stats.chisquare(counts).pvalue > 1e-4


def test_the_model_is_the_one_described():
    log = MadeLog(seed=5, n_articles=6)
    events = whole(log, 3000)
    there = events.ids >= 0
    products = np.einsum("mj,mkl->mkjl", events.users, events.articles)[there].reshape(-1, 36)
    chances = log.probabilities(events)[there]
    # Linear in the 36 products, of which 26 weights are not 0 and within their limits.
    assert chances.min() >= 0.01 - 1e-6
    assert chances.max() <= 0.15 + 1e-6
    theta = np.linalg.lstsq(products, chances, rcond=1e-9)[0]
    np.testing.assert_allclose(products @ theta, chances, atol=1e-9)
    features = np.concatenate([events.users, events.articles[there]])
    assert (features[:, 0] == 1).all()
    assert (features >= 0).all()
    np.testing.assert_allclose(features[:, 1:].sum(axis=1), 1, atol=5e-6)

    log = MadeLog(format="R6B", seed=5, n_articles=6)
    events = whole(log, 3000)
    there = events.ids >= 0
    chances = log.probabilities(events)
    assert (chances[~there] == 0).all()
    assert (events.users[:, 0] == 1).all()
    often = events.users[:, 1:].mean(axis=0)
    # Uniform on [0, 0.2] each, measured on 3000 users to a deviation of at most 0.0073.
    assert often.max() < 0.24
    assert abs(often.mean() - 0.1) < 5 * 0.2 / np.sqrt(12 * 135)
    # The log-odds of an article are linear in the user's features, with ten weights.
    article = np.bincount(events.ids[there]).argmax()
    row, place = np.nonzero(events.ids == article)
    odds = np.log(chances[row, place] / (1 - chances[row, place]))
    varies = events.users[row].any(axis=0)
    theta = np.linalg.lstsq(events.users[row][:, varies], odds)[0]
    np.testing.assert_allclose(events.users[row][:, varies] @ theta, odds, atol=1e-9)
    assert (np.abs(theta[1:]) > 1e-9).sum() <= 10


def test_articles_come_and_go():
    events = whole(MadeLog(n_articles=4, lifetime=50), 1000)
    there = events.ids >= 0
    # At the end of a row there may be nobody, at its start there always is.
    assert (np.diff(there.astype(int), axis=1) <= 0).all()
    assert there[:, 0].all()
    numbers = set(there.sum(axis=1).tolist())
    assert {3, 4} <= numbers <= {1, 2, 3, 4}
    for row in events.ids:
        assert len(set(row[row >= 0])) == (row >= 0).sum()
    articles = np.unique(events.ids[there])
    # Twenty generations and one begun in each of four places.
    assert 80 <= len(articles) <= 84
    for article in articles:
        rows = np.flatnonzero((events.ids == article).any(axis=1))
        assert np.array_equal(rows, np.arange(rows[0], rows[-1] + 1))
        assert len(rows) <= 50
        features = events.articles[events.ids == article]
        assert (features == features[0]).all()


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_events_depend_on_seed_and_number_alone(format):
    log = MadeLog(format=format, seed=1, n_articles=3, lifetime=20)
    events, more = whole(log, 70), whole(log, 600)
    for name, array in vars(events).items():
        np.testing.assert_array_equal(array, getattr(more, name)[:70])
        others = getattr(whole(MadeLog(format=format, seed=2, n_articles=3), 70), name)
        if name != "timestamps" and array.size:
            assert not np.array_equal(array, others)
    endless = log.events()
    assert sum(len(next(endless)) for _ in range(5)) > 1000


@pytest.mark.parametrize("format", ["R6A", "R6B"])
@pytest.mark.parametrize("name", ["made.log", "made.gz"])
def test_files_say_what_the_arrays_do(format, name, tmp_path):
    log = MadeLog(format=format, seed=8, n_articles=5, lifetime=40)
    log.write(tmp_path / name, 300)
    read = YahooLog(tmp_path / name)
    assert read.described == log.described
    events, theirs = whole(read, None), whole(log, 300)
    there = theirs.ids >= 0
    np.testing.assert_array_equal(events.ids[:, :5], theirs.ids)
    assert (events.ids[:, 5:] == -1).all()
    np.testing.assert_array_equal(events.articles[:, :5][there], theirs.articles[there])
    for part in ("timestamps", "users", "shown", "clicks"):
        np.testing.assert_array_equal(getattr(events, part), getattr(theirs, part))
    np.testing.assert_array_equal(log.probabilities(events)[:, :5], log.probabilities(theirs))
    told, summary = log.scan(300), read.scan()
    assert told.dropped == summary.dropped == dict.fromkeys(REASONS, 0)
    assert (told.n_rows, told.most_articles) == (300, summary.most_articles)
    assert told.user_norm >= summary.user_norm
    assert told.article_norm >= summary.article_norm
    assert told.user_limits == summary.user_limits == (0.0, 1.0)


def test_bad_settings_are_refused():
    for settings, message in [
        ({"format": "R6C"}, "R6C"),
        ({"seed": -1}, "seed must be"),
        ({"n_articles": 0}, "n_articles must be"),
        ({"lifetime": 5}, "lifetime must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            MadeLog(**settings)
    with pytest.raises(ValueError, match="no end"):
        MadeLog().scan()
