"""Uniform play: the baseline of every family with arms or points."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.compiled import compiled
from banditgym.streams import LEARNER, Stream, fill_normal, uniform_at
from banditgym.tasks import ArmedTask, LinearTask, LossTask, MulticlassTask


@dataclass(kw_only=True, eq=False)
class UniformRandom(Agent):
    """Play an arm, a label, r labels or a point of the ball uniformly, whatever happened before.

    A point is the first d coordinates of one uniform on the sphere of d + 2 dimensions. A round
    costs O(1) per replicate for arms and labels, O(r²) for rankings, O(d) for points.
    """

    accepts: ClassVar = (ArmedTask, LinearTask, LossTask, MulticlassTask)
    paper: ClassVar = "baseline"

    def _start(self) -> None:
        self._keys = Stream(self.seeds, LEARNER, 0, 0).keys
        self._t = np.zeros(self.n, np.int64)

    def _choose(self, contexts) -> np.ndarray:
        if self.task.plays == "point":
            points = np.empty((self.n, self.task.dim))
            _uniform_points(self._keys, self._t, float(self.task.action_set.radius), points)
            return points
        if self.task.plays == "ranking":
            labels = np.empty((self.n, self.task.slots), np.int64)
            _uniform_rankings(self._keys, self._t, self.task.n_labels, labels)
            return labels
        arms = np.empty(self.n, np.int64)
        _uniform_arms(self._keys, self._t, self.task.n_arms, arms)
        return arms

    def _learn(self, contexts, actions, outcome, observed) -> None:
        self._t += observed


@compiled
def _uniform_arms(keys, t, n_arms, arms):
    for i in range(arms.shape[0]):
        arms[i] = int(uniform_at(keys[i, 0], keys[i, 1], t[i], 0) * n_arms)


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


@compiled
def _uniform_points(keys, t, radius, points):
    n, dim = points.shape
    normals = np.empty(dim + 2)
    for i in range(n):
        fill_normal(keys[i, 0], keys[i, 1], t[i], normals)
        total = 0.0
        for normal in normals:
            total += normal * normal
        scale = radius / math.sqrt(total)
        for j in range(dim):
            points[i, j] = scale * normals[j]
