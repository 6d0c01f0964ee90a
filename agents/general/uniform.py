"""Uniform play: the baseline of every family with arms or points."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.random_choice import uniform_slots
from banditgym.compiled import compiled
from banditgym.rounds.blocks import MeansBlock, PairsBlock, SlotsBlock
from banditgym.rounds.kinds import POINT, RANKING
from banditgym.streams import AGENT, Stream, uniform_at, uniform_pair
from banditgym.tasks import (
    ArmedTask,
    ConvexSetTask,
    KernelTask,
    LinearTask,
    LossTask,
    MulticlassTask,
    NewsTask,
)


@dataclass(kw_only=True, eq=False)
class UniformRandom(Agent):
    """Play a uniformly random arm, label, ranking of r labels, or point of the set.

    It learns nothing. Where the set of arms changes, it plays one of the available arms.

    ``task.action_set.draw`` draws points: uniform in a ball, an ellipsoid or an l_p ball, or on a
    sphere. A round costs O(1) per replicate for arms and labels, O(r²) for rankings, O(d) for
    points, and O(d²) for points of an ellipsoid whose semi-axes are not coordinate axes.

    Its definition is ``tests/agents/definitions/general/uniform.py``.
    """

    accepts: ClassVar = (
        ArmedTask,
        LinearTask,
        ConvexSetTask,
        KernelTask,
        LossTask,
        MulticlassTask,
        NewsTask,
    )
    paper: ClassVar = "baseline"
    follows_masks: ClassVar = True
    models_arms: ClassVar = True  # it looks at no features, so that they may be the cheapest
    search: ClassVar = None

    def _start(self) -> None:
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys

    def _choose(self, contexts) -> np.ndarray:
        if self.task.plays is POINT:
            return self.task.action_set.draw(self._keys, self.decisions)
        if self.task.plays is RANKING:
            labels = np.empty((self.n, self.task.slots), np.int64)
            _uniform_rankings(self._keys, self.decisions, self.task.n_labels, labels)
            return labels
        arms = np.empty((1, self.n), np.int64)
        if self.mask is None:
            _uniform_arms(self._keys, self.decisions, self.task.n_arms, arms)
        else:
            uniform_slots(self._keys, self.decisions, 0, self.mask, arms[0])
        return arms[0]

    def _learn(self, contexts, actions, outcome, observed) -> None:
        pass

    @property
    def plays_blocks(self) -> bool:
        plays = self.task.plays if hasattr(self, "task") else None
        return super().plays_blocks and plays not in (POINT, RANKING)

    def _play_block(self, block: MeansBlock | PairsBlock | SlotsBlock) -> np.ndarray:
        arms = np.empty((len(block), self.n), np.int64)
        if isinstance(block, SlotsBlock):
            for s, mask in enumerate(block.mask.view(bool)):
                uniform_slots(self._keys, self.decisions + s, 0, mask, arms[s])
        else:
            _uniform_arms(self._keys, self.decisions, self.task.n_arms, arms)
        return arms


@compiled
def _uniform_arms(keys, t, n_arms, arms):
    for s in range(arms.shape[0]):
        for i in range(arms.shape[1]):
            u, _ = uniform_pair(keys[i, 0], keys[i, 1], t[i] + s, 0)
            arms[s, i] = int(u * n_arms)


@compiled
def _uniform_rankings(keys, t, n_labels, labels):
    n, slots = labels.shape
    taken = np.empty(slots, np.int64)  # in ascending order
    for i in range(n):
        for slot in range(slots):
            label = int(uniform_at(keys[i, 0], keys[i, 1], t[i], slot) * (n_labels - slot))
            place = 0
            while place < slot and taken[place] <= label:
                label += 1
                place += 1
            for other in range(slot, place, -1):
                taken[other] = taken[other - 1]
            taken[place] = label
            labels[i, slot] = label
