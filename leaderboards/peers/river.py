"""river: its disjoint LinUCB, and its online models for labels and for regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banditgym.tasks import MulticlassTask, RegressionTask
from banditgym.validation import nonnegative, positive, word
from leaderboards.peers.peer import Peer, library, seed_of

bandit = library("river.bandit")
linear_model = library("river.linear_model")


def _row(row: np.ndarray) -> dict[int, float]:
    """A feature vector in the library's format, without zeros."""
    return {j: value for j, value in enumerate(row.tolist()) if value}


@dataclass(kw_only=True, eq=False)
class RiverLinUCB(Peer):
    r"""``bandit.LinUCBDisjoint``: a Bayesian linear regression for every label.

    This is not exactly the paper's rule: the bonus of a label is the standard deviation of its next
    reward, :math:`\sqrt{1/\beta + x^\top S x}`, which includes the noise; its width is fixed to 1.
    The library has one context per round for all arms, so it does not play arms with features.

    Parameters
    ----------
    alpha, beta : float
        The prior's parameter, by which the covariance is divided, and the precision of the noise.
    """

    accepts: ClassVar = (MulticlassTask,)
    library: ClassVar = "river"
    paper: ClassVar = "Li et al. 2010, Algorithm 1, another bonus"

    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self):
        positive("alpha", self.alpha)
        positive("beta", self.beta)

    def begin(self, task, rng):
        self.arms = list(range(task.n_arms))
        self.policy = bandit.LinUCBDisjoint(alpha=self.alpha, beta=self.beta, seed=seed_of(rng))

    def choose(self, contexts):
        return int(self.policy.pull(self.arms, context=_row(contexts)))

    def learn(self, contexts, arm, reward):
        self.policy.update(arm, _row(contexts), reward)


@dataclass(kw_only=True, eq=False)
class RiverEpsilonGreedy(Peer):
    """A ``linear_model.LogisticRegression`` for every label, and an exploration rate.

    The library has no multiclass model that learns from the reward of a single label, so each
    label's model predicts whether that label is right. This adapter explores, at a rate for
    which the library has no default; the models are its defaults, SGD with rate 0.01.
    """

    accepts: ClassVar = (MulticlassTask,)
    library: ClassVar = "river"

    epsilon: float = 0.1

    def __post_init__(self):
        nonnegative("epsilon", self.epsilon)

    def begin(self, task, rng):
        self.rng = rng
        self.models = [linear_model.LogisticRegression() for _ in range(task.n_labels)]

    def choose(self, contexts):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(self.models)))
        row = _row(contexts)
        return int(np.argmax([model.predict_proba_one(row)[True] for model in self.models]))

    def learn(self, contexts, arm, reward):
        self.models[arm].learn_one(_row(contexts), bool(reward))


_REGRESSORS = ("BayesianLinearRegression", "LinearRegression")


@dataclass(kw_only=True, eq=False)
class RiverRegression(Peer):
    """One of the library's online linear regressions, with its defaults.

    Parameters
    ----------
    model : str
        The class of ``river.linear_model``.
    """

    accepts: ClassVar = (RegressionTask,)
    library: ClassVar = "river"

    model: str = "BayesianLinearRegression"

    def __post_init__(self):
        word("model", self.model, _REGRESSORS)

    def begin(self, task, rng):
        self.regression = getattr(linear_model, self.model)()

    def choose(self, contexts):
        return float(self.regression.predict_one(_row(contexts)))

    def learn(self, contexts, prediction, outcome):
        self.regression.learn_one(_row(contexts), outcome)
