"""Rounds in which each replicate plays an arm or a label, by a rule."""

from typing import Any

import numpy as np

from agents.agent import Agent, reject
from agents.drivers.rule import choose, learn
from agents.inputs.feature_limits import cause
from banditgym.compiled import borrowing, compiled
from banditgym.rounds.blocks import ArmsBlock, MeansBlock, PairsBlock, SlotsBlock
from banditgym.rounds.read_only import read_only


class RuleAgent(Agent):
    """An agent that plays arms or labels, replicate by replicate, by the rule of ``_rule``.

    A subclass that overrides ``_choose`` or ``_learn`` plays round by round, unless it declares by
    ``_play_block = RuleAgent._play_block`` that blocks give the same.
    """

    def _rule(self, rounds: int) -> Any:
        """A new rule with the agent's state, for at most ``rounds`` rounds."""
        raise NotImplementedError

    def _check(self, outcome: Any, observed: np.ndarray) -> None:
        """Raise a ValueError if an outcome that is observed, bool (n,), cannot be learned."""

    def _choose(self, contexts) -> np.ndarray:
        return choose_each(self._rule(1), self.n, contexts, self.mask)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        self._check(outcome, observed)
        learn_each(self._rule(1), contexts, actions, outcome, observed)

    def _impute(self, contexts, actions, values, observed) -> None:
        learn_each(self._rule(1), contexts, actions, values, observed)

    def _play_block(self, block: MeansBlock | PairsBlock) -> np.ndarray:
        rule = self._rule(len(block))
        if isinstance(block, PairsBlock):
            return play_labels(rule, block, self.full_information)
        return play_arms(rule, block, self.n)


def choose_each(rule: Any, n: int, contexts: Any, mask: np.ndarray | None) -> np.ndarray:
    """What the n replicates of a rule play in a round, (n,)."""
    actions = np.empty(n, np.int64)
    reject(_choose_each(rule, contexts, mask, actions), "a feature")
    return actions


@compiled
def _choose_each(rule, contexts, mask, actions):
    """Returns the first replicate whose features are refused, or -1."""
    for i in range(actions.shape[0]):
        actions[i] = choose(rule, i, 0, contexts, mask)
        if actions[i] < 0:
            return i
    return -1


@compiled
def learn_each(rule, contexts, actions, outcome, observed):
    """Let replicates learn the outcomes (n,) of their actions (n,) where observed (n,)."""
    for i in range(actions.shape[0]):
        if observed[i]:
            learn(rule, i, contexts, actions[i], outcome[i])


def play_labels(rule: Any, block: PairsBlock, labelled: bool) -> np.ndarray:
    """Play and learn in each round of a block; the labels (m, n) played.

    ``labelled``: the rule learns the true labels, not the rewards.
    """
    actions = np.empty(block.labels.shape, np.int64)
    _play_labels(rule, block.indices, block.values, block.labels, labelled, actions)
    return actions


@compiled
def _play_labels(rule, indices, values, labels, labelled, actions):
    _each_label(rule, indices, values, labels, labelled, actions)


@borrowing
def _each_label(rule, indices, values, labels, labelled, actions):
    rounds, n = labels.shape
    for i in range(n):  # all rounds of a replicate, whose weights then stay in a cache
        for t in range(rounds):
            contexts, label = (indices[t], values[t]), labels[t, i]
            played = choose(rule, i, t, contexts, None)
            learn(rule, i, contexts, played, label if labelled else played == label)
            actions[t, i] = played


def play_arms(rule: Any, block: MeansBlock | SlotsBlock, together: int) -> np.ndarray:
    """Play and learn in each round of a block; the arms (m, n) played.

    Groups of ``together`` replicates play all rounds, one group after the other. Slots are played
    by all replicates, round by round.
    """
    features = block.features if isinstance(block, ArmsBlock | SlotsBlock) else None
    if isinstance(block, SlotsBlock):
        arms, mask = np.empty(block.kept.shape, np.int64), block.mask.view(bool)
        bad = _play_slots(rule, features, mask, block.events, block.kept, arms)
    else:
        means, noise, law = block.means, block.noise, (block.bernoulli, together)
        if block.rewards is not None:
            means, law = block.rewards, (False, together)
            noise = read_only(np.zeros(noise.shape))  # as others' is: no further compilation
        arms = np.empty(noise.shape, np.int64)
        bad = _play_arms(rule, features, means, noise, law, arms)
    if bad >= 0 and features is not None:
        t, i = divmod(bad, len(arms[0]))
        reject(cause(features[min(t, len(features) - 1)], i), "a feature")
    return arms


@compiled
def _play_arms(rule, features, means, noise, law, arms):
    """Returns t n + i for the first features refused, of replicate i in round t, or -1."""
    return _each_arm(rule, features, means, noise, law, arms)


@borrowing
def _each_arm(rule, features, means, noise, law, arms):
    bernoulli, together = law
    rounds, n = arms.shape
    for first in range(0, n, together):
        for t in range(rounds):
            at = min(t, means.shape[0] - 1)  # one row of means may serve all rounds
            if features is None:
                contexts = None
            else:
                contexts = features[min(t, features.shape[0] - 1)]  # and one of features
            for i in range(first, min(first + together, n)):
                arm = choose(rule, i, t, contexts, None)
                if arm < 0:
                    return t * n + i
                reward = means[at, i, arm]
                if bernoulli:
                    reward = 1.0 if noise[t, i] < reward else 0.0
                else:
                    reward += noise[t, i]
                if not learn(rule, i, contexts, arm, reward):
                    return t * n + i
                arms[t, i] = arm
    return -1


@compiled
def _play_slots(rule, features, mask, events, kept, slots):
    """As ``_play_arms``; a replicate learns only from a kept event that shows its slot."""
    return _each_slot(rule, features, mask, events, kept, slots)


@borrowing
def _each_slot(rule, features, mask, events, kept, slots):
    rounds, n = slots.shape
    for t in range(rounds):
        for i in range(n):
            slot = choose(rule, i, t, features[t], mask[t])
            if slot < 0:
                return t * n + i
            learns = kept[t, i] and slot == events[t, 0]
            if learns and not learn(rule, i, features[t], slot, float(events[t, 1])):
                return t * n + i
            slots[t, i] = slot
    return -1
