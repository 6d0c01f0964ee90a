"""coba's learners: two with one model for all arms, and two for arms without features."""

import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from banditgym.tasks import ArmedTask, LinearTask
from banditgym.validation import nonnegative
from leaderboards.peers.peer import ALONE, UNSAVED, Peer, library, seed_of

learners = library("coba.learners")

# Only the arms' features: no intercept and no separate context.
_FEATURES = ("a",)


class Coba(Peer):
    """The arms are the learner's actions: tuples of features, or numbers if there are none.

    The library breaks ties at random.
    """

    library: ClassVar = "coba"

    def learner(self, seed: int) -> Any:
        """The library's learner."""
        raise NotImplementedError

    def begin(self, task, rng):
        self.kept = Learner(self.learner(seed_of(rng)))
        self.arms = list(range(task.n_arms))

    def choose(self, contexts):
        actions = self._actions(contexts)
        action, _ = self.kept.learner.predict(None, actions)
        return actions.index(action)  # the first of equal actions

    def learn(self, contexts, arm, reward):
        # None of these learners uses the probability.
        self.kept.learner.learn(None, self._actions(contexts)[arm], reward, 1.0)

    def _actions(self, contexts: np.ndarray | None) -> list[Any]:
        return self.arms if contexts is None else [tuple(row) for row in contexts.tolist()]


@dataclass(kw_only=True, eq=False)
class CobaLinUCB(Coba):
    """``LinUCBLearner`` on the arms' features: ``LinUCB`` of this package, ridge 1."""

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Chu et al. 2011, Algorithm 1"

    alpha: float = 1.0

    def __post_init__(self):
        nonnegative("alpha", self.alpha)

    def learner(self, seed: int) -> Any:
        return learners.LinUCBLearner(alpha=self.alpha, features=list(_FEATURES), seed=seed)


@dataclass(kw_only=True, eq=False)
class CobaLinTS(Coba):
    """``LinTSLearner`` on the arms' features: Thompson sampling of variance ``v``, ridge 1."""

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Agrawal & Goyal 2013"
    limits: ClassVar = (
        ALONE,
        UNSAVED,
        "cannot be seeded: its samples come from seed 1, in every replicate",
    )

    v: float = 1.0

    def __post_init__(self):
        nonnegative("v", self.v)

    def learner(self, seed: int) -> Any:
        return learners.LinTSLearner(v=self.v, features=list(_FEATURES), seed=seed)


@dataclass(kw_only=True, eq=False)
class CobaUCB(Coba):
    """``BanditUCBLearner``: UCB1-Tuned, for rewards within 0 and 1.

    The library's mean of an arm leaves out the arm's first reward, once it has another.
    """

    accepts: ClassVar = (ArmedTask,)
    paper: ClassVar = "Auer et al. 2002, UCB1-Tuned"

    def learner(self, seed: int) -> Any:
        return learners.BanditUCBLearner(seed=seed)


@dataclass(kw_only=True, eq=False)
class CobaEpsilonGreedy(Coba):
    """``BanditEpsilonLearner``: the arm with the largest mean; with ``epsilon``, a random arm."""

    accepts: ClassVar = (ArmedTask,)

    epsilon: float = 0.05

    def __post_init__(self):
        nonnegative("epsilon", self.epsilon)

    def learner(self, seed: int) -> Any:
        return learners.BanditEpsilonLearner(epsilon=self.epsilon, seed=seed)


class Learner:
    """Makes the library's learners copyable: some store the module numpy, which is not."""

    def __init__(self, learner: Any):
        self.learner = learner

    def __deepcopy__(self, memo: dict[int, Any]) -> "Learner":
        memo[id(np)] = np
        return Learner(copy.deepcopy(self.learner, memo))
