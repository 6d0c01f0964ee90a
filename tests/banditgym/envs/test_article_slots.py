"""Slots: samples have an arm, batched as Gymnasium wants it; and who takes which."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space, iterate

from banditgym.envs.article_slots import EachSlots, Slots, place

MASK = np.array([0, 1, 0, 1, 1], np.int8)


def test_samples_are_uniform_among_slots_with_an_arm():
    space = Slots(5, seed=0)
    space.mask = MASK
    counts = np.bincount([space.sample() for _ in range(3000)], minlength=5)
    assert not counts[MASK == 0].any()
    # 1000 each, of standard deviation 26.
    assert np.abs(counts[MASK == 1] - 1000).max() < 120
    # A mask of the caller's own takes its place, and so do probabilities.
    assert space.sample(mask=np.array([1, 0, 0, 0, 0], np.int8)) == 0
    assert space.sample(probability=np.array([0.0, 0, 1, 0, 0])) == 2
    # Nothing is left of choice before the first round and after the last.
    for mask in (None, np.zeros(5, np.int8)):
        space.mask = mask
        assert {int(space.sample()) for _ in range(100)} == set(range(5))


@pytest.mark.parametrize("slot", [1, 3, np.int64(4), np.int32(1)])
def test_slots_with_an_arm_are_of_the_space(slot):
    space = Slots(5)
    space.mask = MASK
    assert slot in space
    assert np.int64(slot) in space


@pytest.mark.parametrize("slot", [0, 2, -1, 5, 1.5, "1", None])
def test_others_are_not(slot):
    space = Slots(5)
    space.mask = MASK
    assert slot not in space


def test_a_batch_has_a_mask_a_replicate():
    space = batch_space(Slots(5, seed=1), 3)
    assert isinstance(space, EachSlots)
    assert (space.shape, space.dtype) == ((3,), np.int64)
    assert {int(slot) for _ in range(50) for slot in space.sample()} == set(range(5))
    space.mask = np.array([MASK, 1 - MASK, 0 * MASK])
    samples = np.array([space.sample() for _ in range(200)])
    assert set(samples[:, 0].tolist()) == {1, 3, 4}
    assert set(samples[:, 1].tolist()) == {0, 2}
    assert set(samples[:, 2].tolist()) == set(range(5))
    assert all(sample in space for sample in samples)
    assert np.array([0, 0, 0]) not in space
    assert np.array([1, 0, 5]) not in space
    assert list(iterate(space, samples[0])) == samples[0].tolist()
    chosen = space.sample(mask=tuple(np.eye(5, dtype=np.int8)[j] for j in (2, 0, 4)))
    assert chosen.tolist() == [2, 0, 4]


def test_spaces_are_equal_if_their_slots_are():
    space = Slots(5)
    space.mask = MASK
    assert space == Slots(5) == copy.deepcopy(space)
    assert space != Slots(4)
    assert space != gymnasium.spaces.Discrete(5)
    batched = batch_space(space, 2)
    assert batched == EachSlots(5, 2)
    assert batched != EachSlots(5, 3)
    assert batched != gymnasium.spaces.MultiDiscrete([5, 5])
    assert (repr(space), repr(batched)) == ("Slots(5)", "EachSlots(5, n=2)")
    np.testing.assert_array_equal(copy.deepcopy(space).mask, MASK)


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
