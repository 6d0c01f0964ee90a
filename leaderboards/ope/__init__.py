"""Off-policy evaluation: what another policy would have earned on the rounds of a log.

It takes and returns numpy arrays, and needs nothing else of this project. :class:`Log` holds the
arrays, :func:`evaluate` estimates a policy's value, with an interval and with the reasons why the
log may not suffice, and :func:`predicted_rewards` fits the reward models that some estimators need.
"""

from leaderboards.ope.evaluation import Evaluation as Evaluation
from leaderboards.ope.evaluation import evaluate as evaluate
from leaderboards.ope.logged_rounds import Log as Log
from leaderboards.ope.reward_models import predicted_rewards as predicted_rewards

__all__ = ["Evaluation", "Log", "evaluate", "predicted_rewards"]
