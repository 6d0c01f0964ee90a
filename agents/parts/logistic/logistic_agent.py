"""The base class of agents that estimate the parameter of logistic rewards."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import norm_bound, reject
from agents.drivers.decisions import RuleAgent, learn_each
from agents.inputs.feature_limits import (
    LONGEST,
    check_lengths,
    first_refused,
    longest_square,
)
from agents.inputs.learning_inputs import check_rewards
from agents.numerics.ridge.factor_predictions import prediction_scratch
from agents.parts.estimators import Ridge
from agents.parts.estimators.ridge import FreshArms
from banditgym.compiled import compiled
from banditgym.elementary import each_exp
from banditgym.tasks import LogisticTask
from banditgym.validation import positive


@dataclass(kw_only=True, eq=False)
class LogisticAgent(RuleAgent):
    """An agent whose model has an estimate of theta, and a matrix V with a ridge.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The estimate ``theta`` (n, d), and V (n, d, d) as ``gram``.
    """

    accepts: ClassVar = (LogisticTask,)
    follows_masks: ClassVar = True

    ridge: float = 1.0

    def __post_init__(self):
        Ridge(ridge=self.ridge)

    def _start(self) -> None:
        n, task, ridge = self.n, self.task, self._first_ridge()
        check_lengths(task, ridge, LONGEST)
        self.model = FreshArms.initial(n, task.dim, task.n_arms, ridge)
        self._t = np.zeros(n, np.int64)  # rewards learned

    def _first_ridge(self) -> float:
        """The ridge of V."""
        return float(self.ridge)

    _propensities = RuleAgent.one_hot

    def _learn(self, contexts, actions, outcome, observed) -> None:
        check_rewards(outcome, observed, binary=False)
        check_features(contexts, actions, observed, self.model.ridge)
        learn_each(self._rule(1), contexts, actions, outcome, observed)

    _play_block = RuleAgent._play_block

    def _estimate(self, contexts, actions) -> np.ndarray:
        score = self.model.predict(contexts)[0][np.arange(self.n), actions]
        return 1.0 / (1.0 + each_exp(-score))


@dataclass(kw_only=True, eq=False)
class BoundedLogisticAgent(LogisticAgent):
    """A logistic agent that knows a bound S on the norm of theta."""

    from_task: ClassVar = {"param_norm": norm_bound}

    delta: float = 0.05
    param_norm: float | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.param_norm is not None:
            positive("param_norm", self.param_norm)

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        if reason is None and self.param_norm is None and not task.param_norm > 0:
            return "it needs param_norm > 0, and the task's is 0"
        return reason

    def _start(self) -> None:
        super()._start()
        self._radii = np.zeros(self.n)  # those of the last decisions

    def _choosing(self) -> tuple[np.ndarray, np.ndarray, Any]:
        """The radii, and scratch memory: the scores, and what ``predict_replicate`` takes."""
        features = np.empty((1, self.task.dim, self.task.n_arms))
        return self._radii, np.empty(self.task.n_arms), prediction_scratch(features)


def check_features(features, arms, observed, ridge: float) -> None:
    """Raise unless the features of observed arms (n,) are finite, and short enough for a ridge."""
    reject(_first_refused(features, arms, observed, ridge), "a feature")


@compiled
def _first_refused(features, arms, observed, ridge):
    return first_refused(features, arms, observed, longest_square(ridge))
