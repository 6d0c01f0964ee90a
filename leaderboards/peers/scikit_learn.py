"""scikit-learn: a Gaussian process refitted in each round, and classifiers with exploration."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.linear_model import SGDClassifier

from banditgym.functions.covariances import RBF, Covariance, Matern
from banditgym.tasks import MulticlassTask
from banditgym.validation import nonnegative
from leaderboards.peers.gaussian_process_peer import GaussianProcess
from leaderboards.peers.peer import Peer, seed_of


@dataclass(kw_only=True, eq=False)
class SklearnGPUCB(GaussianProcess):
    """The largest mean plus ``width`` standard deviations of a ``GaussianProcessRegressor``.

    It is refitted in each round from all pulls, in O(t³ + K t²). Its kernel and noise are given: no
    hyperparameter is optimised, and rewards are not scaled. This adapter implements the rule.
    """

    library: ClassVar = "scikit-learn"
    paper: ClassVar = "Srinivas et al. 2010, Algorithm 1"

    width: float = 2.0

    def __post_init__(self):
        super().__post_init__()
        nonnegative("width", self.width)

    def begin(self, task, rng):
        super().begin(task, rng)
        settings: Any = {"alpha": self.noise_variance, "optimizer": None}
        self.process: Any = GaussianProcessRegressor(kernel(self.assumed), **settings)

    def scores(self, arms: np.ndarray) -> np.ndarray:
        self.process.fit(np.array(self.rows), np.array(self.rewards))
        with warnings.catch_warnings():
            # Its only warning is that it sets variances to 0 that rounding made negative.
            warnings.simplefilter("ignore", UserWarning)
            mean, deviation = self.process.predict(arms, return_std=True)
        return mean + self.width * deviation


@dataclass(kw_only=True, eq=False)
class SklearnEpsilonGreedy(Peer):
    """An ``SGDClassifier(loss="log_loss")`` for every label, and an exploration rate.

    Each label's classifier predicts whether that label is right, by ``partial_fit`` on the rounds
    in which it was played; before the first one it predicts neither. This adapter explores.
    """

    accepts: ClassVar = (MulticlassTask,)
    library: ClassVar = "scikit-learn"

    epsilon: float = 0.1

    def __post_init__(self):
        nonnegative("epsilon", self.epsilon)

    def begin(self, task, rng):
        self.rng = rng
        self.models = [
            SGDClassifier(loss="log_loss", random_state=seed_of(rng)) for _ in range(task.n_labels)
        ]

    def choose(self, contexts):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(self.models)))
        return int(np.argmax([_log_odds(model, contexts) for model in self.models]))

    def learn(self, contexts, arm, reward):
        self.models[arm].partial_fit(contexts[None], [int(reward)], classes=[0, 1])


def kernel(covariance: Covariance) -> Any:
    """The library's kernel for a covariance function of ``banditgym.functions.covariances``."""
    scale = kernels.ConstantKernel(covariance.variance)
    if isinstance(covariance, RBF):
        return scale * kernels.RBF(covariance.length_scale)
    if isinstance(covariance, Matern):
        return scale * kernels.Matern(covariance.length_scale, nu=covariance.nu)
    return scale * kernels.DotProduct(sigma_0=0.0, sigma_0_bounds="fixed")


def _log_odds(model: SGDClassifier, row: np.ndarray) -> float:
    return float(model.decision_function(row[None])[0]) if hasattr(model, "coef_") else 0.0
