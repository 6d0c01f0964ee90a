"""MABWiser's linear bandits, with a separate ridge regression for every arm."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from banditgym.tasks import LinearTask, MulticlassTask
from banditgym.validation import nonnegative, positive
from leaderboards.peers.peer import Peer, library, seed_of

mab = library("mabwiser.mab")


class MABWiser(Peer):
    """The library has a model per arm, and a round has one context for all arms.

    If each arm has its own features, the library scores all K contexts in one call, and arm k is
    scored in the k-th one. The arm with the largest score is played; ties go to the first arm, as
    in the library. Before the first reward the models are fitted to no data.
    """

    accepts: ClassVar = (LinearTask, MulticlassTask)
    library: ClassVar = "mabwiser"

    def policy(self) -> Any:
        """The library's learning policy."""
        raise NotImplementedError

    def begin(self, task, rng):
        self.mab = mab.MAB(list(range(task.n_arms)), self.policy(), seed=seed_of(rng))
        self.mab.fit(np.empty(0, np.int64), np.empty(0), np.empty((0, task.dim)))

    def choose(self, contexts):
        scores = self.mab.predict_expectations(np.atleast_2d(contexts))
        if contexts.ndim == 1 or len(contexts) == 1:
            return int(np.argmax(list(scores.values())))
        return int(np.argmax([own[arm] for arm, own in enumerate(scores)]))

    def learn(self, contexts, arm, reward):
        context = contexts if contexts.ndim == 1 else contexts[arm]
        self.mab.partial_fit([arm], [reward], context[None])


@dataclass(kw_only=True, eq=False)
class MABWiserLinUCB(MABWiser):
    """``LearningPolicy.LinUCB``: plays like ``DisjointLinUCB`` of this package.

    Until an arm has a reward, the library uses l2_lambda I in place of its inverse; at the default
    of 1 both are equal.
    """

    paper: ClassVar = "Li et al. 2010, Algorithm 1"

    alpha: float = 1.0
    l2_lambda: float = 1.0

    def __post_init__(self):
        nonnegative("alpha", self.alpha)
        positive("l2_lambda", self.l2_lambda)

    def policy(self) -> Any:
        return mab.LearningPolicy.LinUCB(alpha=self.alpha, l2_lambda=self.l2_lambda)


@dataclass(kw_only=True, eq=False)
class MABWiserLinTS(MABWiser):
    """``LearningPolicy.LinTS``: Thompson sampling, a Gaussian posterior for every arm."""

    paper: ClassVar = "Agrawal & Goyal 2013"

    alpha: float = 1.0
    l2_lambda: float = 1.0

    def __post_init__(self):
        positive("alpha", self.alpha)
        positive("l2_lambda", self.l2_lambda)

    def policy(self) -> Any:
        return mab.LearningPolicy.LinTS(alpha=self.alpha, l2_lambda=self.l2_lambda)
