"""Events in slots: features by their definition, from any row on, alike for every replicate."""

import numpy as np
import pytest

from banditgym.data.simulated_logs import MadeLog
from banditgym.data.slot_events import FEATURES, EventsInSlots, extent, in_slots

K = 5


def x_of(features, user, article, slot):
    if features == "outer":
        return [u * a for u in user for a in article]
    if features == "article":
        return article.tolist()
    return user.tolist() + ([float(slot == k) for k in range(K)] if features == "offset" else [])


@pytest.mark.parametrize(
    ("format", "features"), [("R6A", name) for name in FEATURES[True]]
    + [("R6B", name) for name in FEATURES[False]],
)  # fmt: skip
@pytest.mark.parametrize(("row", "rounds", "n"), [(0, 40, 1), (7, 12, 3)])
def test_features_are_those_of_the_definition(format, features, row, rounds, n):
    log = MadeLog(format=format, n_articles=4, lifetime=10)
    chunk = next(in_slots(log.events(40), K))
    events = chunk.events
    described = log.described
    dim, norm, (low, high) = extent(features, described, K, log.scan(40))
    # Whatever stood there before is written over.
    arms = np.full((rounds, n, dim, K), np.nan)
    mask, ids = np.full((rounds, n, K), 9, np.int8), np.full((rounds, n, K), 9)
    event = np.full((rounds, 2), 9)
    chunk.fill(row, features, arms, mask, ids, event)
    for s in range(rounds):
        t = row + s
        expected = np.zeros((dim, K))
        names = np.full(K, -1)
        for k, article in enumerate(events.ids[t]):
            if article >= 0:
                slot = chunk.slots[t, k]
                names[slot] = article
                expected[:, slot] = x_of(features, events.users[t], events.articles[t, k], slot)
        for i in range(n):
            np.testing.assert_array_equal(arms[s, i], expected)
            np.testing.assert_array_equal(ids[s, i], names)
            np.testing.assert_array_equal(mask[s, i], names >= 0)
        assert names[event[s, 0]] == events.ids[t, events.shown[t]]
        assert event[s, 1] == events.clicks[t]
    assert np.linalg.norm(arms, axis=2).max() <= norm
    assert low <= arms.min()
    assert arms.max() <= high


def test_chunks_go_on_with_the_slots_of_the_last():
    log = MadeLog(n_articles=4, lifetime=10)
    whole = list(in_slots(log.events(600), K))
    assert len(whole) > 1
    parts = [part.cut(j, j + 50) for part in log.events(600) for j in range(0, len(part), 50)]
    again = list(in_slots(iter(parts), K))
    slots = [np.concatenate([chunk.slots for chunk in chunks]) for chunks in (whole, again)]
    np.testing.assert_array_equal(*slots)
    assert sum(map(len, whole)) == 600


def test_more_articles_than_slots_are_reported():
    with pytest.raises(ValueError, match="an event has 4 articles, there are 3 slots"):
        list(in_slots(MadeLog(n_articles=4).events(600), 3))
    events = next(MadeLog(n_articles=2).events(5))
    assert len(EventsInSlots(events, np.zeros((5, 2), np.int64))) == 5
