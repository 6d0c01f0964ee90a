"""bayesianbandits: Thompson sampling and upper bounds from Bayesian linear regressions."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from banditgym.tasks import LinearTask, MulticlassTask
from banditgym.validation import positive
from leaderboards.peers.peer import Peer, library

bayesianbandits = library("bayesianbandits")


class OwnFeatures(bayesianbandits.ArmFeaturizer):
    """Uses each arm's own features: X is (1, K, d)."""

    def transform(self, X: np.ndarray, *, action_tokens: Any) -> np.ndarray:
        """The features (a, d) of a arms."""
        return X[0][list(action_tokens)]


@dataclass(kw_only=True, eq=False)
class BayesianBandits(Peer):
    """A policy on ``NormalRegressor``: linear regression with a known precision of the noise.

    Arms with features share one regression, in the library's ``LipschitzContextualAgent``; each
    label has its own, in a ``ContextualAgent``. There is no intercept.

    Parameters
    ----------
    alpha, beta : float
        Precision of the prior and of the noise. The library has no defaults; these values are from
        its documentation.
    """

    accepts: ClassVar = (LinearTask, MulticlassTask)
    library: ClassVar = "bayesianbandits"

    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self):
        positive("alpha", self.alpha)
        positive("beta", self.beta)

    def policy(self) -> Any:
        """The library's policy."""
        raise NotImplementedError

    def begin(self, task, rng):
        if isinstance(task, LinearTask):
            arms = [bayesianbandits.Arm(arm, learner=None) for arm in range(task.n_arms)]
            self.agent = bayesianbandits.LipschitzContextualAgent(
                arms, self.policy(), OwnFeatures(), self._regression(), random_seed=rng
            )
        else:
            arms = [
                bayesianbandits.Arm(arm, learner=self._regression()) for arm in range(task.n_arms)
            ]
            self.agent = bayesianbandits.ContextualAgent(arms, self.policy(), random_seed=rng)

    def choose(self, contexts):
        return int(self.agent.pull(contexts[None])[0])

    def learn(self, contexts, arm, reward):
        self.agent.select_for_update(arm).update(contexts[None], np.array([reward]))

    def _regression(self) -> Any:
        return bayesianbandits.NormalRegressor(alpha=self.alpha, beta=self.beta)


@dataclass(kw_only=True, eq=False)
class BayesianBanditsThompson(BayesianBandits):
    """``ThompsonSampling``: the arm that is best in a draw from the posterior."""

    paper: ClassVar = "Agrawal & Goyal 2013"

    def policy(self) -> Any:
        return bayesianbandits.ThompsonSampling()


@dataclass(kw_only=True, eq=False)
class BayesianBanditsUCB(BayesianBandits):
    """``UpperConfidenceBound``: the largest quantile of 1000 draws, the library's defaults.

    Parameters
    ----------
    quantile : float
        Quantile of the posterior at an arm; the library's default.
    """

    paper: ClassVar = "Kaufmann et al. 2012"

    quantile: float = 0.68

    def policy(self) -> Any:
        return bayesianbandits.UpperConfidenceBound(self.quantile)
