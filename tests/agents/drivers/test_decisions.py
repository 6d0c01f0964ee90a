"""Rounds of a rule: whose turn it is, what it learns, and which features it refuses."""

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.caching import NullCache

from agents.drivers.decisions import choose_each, learn_each, play_arms, play_labels
from agents.drivers.rule import choose, learn
from banditgym.compiled import cache
from banditgym.rounds.blocks import ArmsBlock, MeansBlock, PairsBlock, SlotsBlock

N, ROUNDS = 5, 4


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_saved():
    """Machine code for ``Noted``, which a process without the tests cannot load, is not saved."""
    caches = {kernel: kernel._cache for kernel in cache._kept}
    for kernel in caches:
        kernel._cache = NullCache()
    yield
    for kernel, own in caches.items():
        kernel._cache = own


class Noted(NamedTuple):
    """A rule that plays as it is told, and notes what it is given; ``at`` (1,) counts calls."""

    actions: np.ndarray
    refused: np.ndarray
    log: np.ndarray
    at: np.ndarray


@choose.of(Noted)
def _choose(rule, i, t, contexts, mask):
    return rule.actions[t, i]


@learn.of(Noted)
def _learn(rule, i, contexts, action, outcome):
    if rule.refused[i]:
        return False
    log, at = rule.log, rule.at[0]
    log[at, 0] = i
    log[at, 1] = action
    log[at, 2] = outcome
    rule.at[0] += 1
    return True


def noted(actions, refused=()):
    actions = np.array(actions)
    return Noted(
        actions, np.isin(np.arange(N), refused), np.zeros((actions.size, 3)), np.zeros(1, np.int64)
    )


def drawn(high, seed=0):
    return np.random.default_rng(seed).integers(high, size=(ROUNDS, N))


def test_a_round_is_played_and_learned_by_every_replicate():
    rule = noted(drawn(3)[:1])
    actions = choose_each(rule, N, None, None)
    np.testing.assert_array_equal(actions, rule.actions[0])
    reward, observed = np.arange(N) / 4.0, np.array([True, False, True, True, False])
    learn_each(rule, None, actions, reward, observed)
    expected = np.column_stack([np.arange(N), actions, reward])[observed]
    np.testing.assert_array_equal(rule.log[: rule.at[0]], expected)


def test_a_refusal_to_choose_names_the_replicate():
    with pytest.raises(ValueError, match="^a feature of replicate 2 is not finite$"):
        choose_each(noted([[0, 1, -1, 0, -1]]), N, None, None)


@pytest.mark.parametrize("bernoulli", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("together", [1, 2, N])
def test_groups_of_replicates_play_all_rounds_before_the_next(bernoulli, fixed, together):
    rng, rule = np.random.default_rng(1), noted(drawn(3))
    means, noise = rng.random((1 if fixed else ROUNDS, N, 3)), rng.random((ROUNDS, N))
    block = MeansBlock(
        start=0, bernoulli=bernoulli, means=means, best=means.max(axis=2), noise=noise
    )
    np.testing.assert_array_equal(play_arms(rule, block, together), rule.actions)
    expected = []
    for first in range(0, N, together):
        for t in range(ROUNDS):
            for i in range(first, min(first + together, N)):
                mean = means[0 if fixed else t, i, rule.actions[t, i]]
                reward = float(noise[t, i] < mean) if bernoulli else mean + noise[t, i]
                expected.append((i, rule.actions[t, i], reward))
    np.testing.assert_array_equal(rule.log, expected)


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("replicate", [0, 3])
@pytest.mark.parametrize("value", [np.nan, 1.0])
def test_features_that_are_refused_name_the_first_replicate(value, replicate, slots):
    """A rule that refuses finite features finds them too long."""
    rounds = ROUNDS if slots else 1
    features = np.ones((rounds, N, 2, 3))
    features[-1, replicate, 1, 2] = value
    if slots:
        block = _slots(features)
    else:
        means = np.zeros((1, N, 3))
        block = ArmsBlock(
            start=0, features=features, means=means, best=means[..., 0], noise=np.zeros((ROUNDS, N))
        )
    long = f"of replicate {replicate} are too"
    what = f"a feature of replicate {replicate} is not finite" if np.isnan(value) else long
    # Of slots it is an earlier round that cannot be learned, whose features are finite.
    with pytest.raises(ValueError, match=long if slots else what):
        play_arms(noted(drawn(3), refused=(replicate, 4)), block, N)
    actions = drawn(3)
    actions[-1, replicate] = -1
    with pytest.raises(ValueError, match=what):
        play_arms(noted(actions), block, N)


@pytest.mark.parametrize("labelled", [False, True])
def test_labels_are_learned_or_whether_they_were_right(labelled):
    rule, labels = noted(drawn(3)), drawn(3, seed=2)
    pairs = np.zeros((ROUNDS, N, 1), np.int32), np.ones((ROUNDS, N, 1))
    block = PairsBlock(start=0, indices=pairs[0], values=pairs[1], labels=labels)
    np.testing.assert_array_equal(play_labels(rule, block, labelled), rule.actions)
    outcome = labels if labelled else rule.actions == labels
    replicate = np.tile(np.arange(N), (ROUNDS, 1))
    expected = np.stack([replicate, rule.actions, outcome], axis=-1).swapaxes(0, 1).reshape(-1, 3)
    np.testing.assert_array_equal(rule.log, expected)  # all rounds of a replicate, then the next


EVENTS = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])
KEPT = drawn(4, seed=3) > 0


def _slots(features):
    return SlotsBlock(
        start=0,
        features=features,
        mask=np.ones((ROUNDS, N, 3), np.int8),
        ids=np.zeros((ROUNDS, N, 3), np.int64),
        events=EVENTS,
        kept=KEPT,
    )


def test_a_slot_is_learned_where_a_kept_event_shows_it():
    rule = noted(drawn(2))
    block = _slots(np.ones((ROUNDS, N, 2, 3)))
    np.testing.assert_array_equal(play_arms(rule, block, N), rule.actions)
    expected = [
        (i, rule.actions[t, i], EVENTS[t, 1])
        for t in range(ROUNDS)
        for i in range(N)
        if KEPT[t, i] and rule.actions[t, i] == EVENTS[t, 0]
    ]
    np.testing.assert_array_equal(rule.log[: rule.at[0]], expected)
    assert 3 < len(expected) < 15
