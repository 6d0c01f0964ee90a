"""Who takes which slot."""

import numpy as np

from banditgym.data.article_slots import place


def in_slots(events, n_slots):
    """The slots of lists of articles, and who holds them last."""
    most = max(map(len, events))
    ids = np.array([[*event, *[-1] * (most - len(event))] for event in events])
    held, slots = np.full(n_slots, -1), np.empty(ids.shape, np.int64)
    return place(ids, held, slots), slots.tolist(), held.tolist()


def test_an_article_keeps_its_slot_while_no_other_needs_it():
    bad, slots, held = in_slots([[7, 8, 9], [9, 8], [8, 9, 7], [9, 4, 8], [7, 4]], 4)
    assert bad == -1
    assert slots == [
        [0, 1, 2],
        [2, 1, -1],
        [1, 2, 0],  # 7 finds its slot again,
        [2, 0, 1],  # until another one took it,
        [1, 0, -1],  # and then takes that of another one.
    ]
    assert held == [4, 7, 9, -1]


def test_slots_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    events = [rng.choice(12, size=rng.integers(1, 7), replace=False).tolist() for _ in range(300)]
    events = [event for event in events for _ in range(rng.integers(1, 3))]
    holders = [-1] * 6
    expected = []
    for event in events:
        free = [slot for slot in range(6) if holders[slot] not in event]
        for article in event:
            if article not in holders:
                holders[free.pop(0)] = article
        expected.append([holders.index(article) for article in event])
    bad, slots, held = in_slots(events, 6)
    assert bad == -1
    assert [[slot for slot in row if slot >= 0] for row in slots] == expected
    assert held == holders
    # In two goes, the second one knowing who holds what.
    ids = np.array([[*event, *[-1] * (6 - len(event))] for event in events])
    holding, again = np.full(6, -1), np.empty(ids.shape, np.int64)
    for part in (slice(100), slice(100, None)):
        assert place(ids[part], holding, again[part]) == -1
    assert again[:, : len(slots[0])].tolist() == slots


def test_more_articles_than_slots_are_reported():
    assert in_slots([[1, 2], [3, 2], [1, 2, 3]], 2)[0] == 2
