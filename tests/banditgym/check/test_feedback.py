"""Feedback that is missing, or that contradicts the reward or itself, is seen."""

import dataclasses

import numpy as np
import pytest

from banditgym.check import check_env
from banditgym.envs.losses import OnlineConvex
from banditgym.envs.regression import OnlineRegression
from banditgym.tasks import LossTask

# Each of these breaks one promise, and says what check_env should say of it.


def told(info, **changes):
    """The info with other feedback."""
    return info | {"feedback": info["feedback"] | changes}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class NoRegretTask(LossTask):
    """Of a comparator that check_env does not know, so that feedback is looked at alone."""

    regret = "anybody"


class NoComparator(OnlineConvex):
    """With a regret that is as good as any."""

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.task = NoRegretTask(**vars(self.task))

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": -reward}


class NoCurvature(NoComparator):
    says = r"info\['feedback'\] must have curvature, gradient, loss"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        del info["feedback"]["curvature"]
        return reward, info


class WrongGradient(NoComparator):
    says = "lies below the bound that loss, gradient and curvature at another point give"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, told(info, gradient=0.9 * info["feedback"]["gradient"])


class TooMuchCurvature(NoComparator):
    says = "lies below the bound that loss, gradient and curvature at another point give"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, told(info, curvature=1.001 * info["feedback"]["curvature"])


class GradientsTooSteep(OnlineConvex):
    says = "a gradient has norm .*, above task.gradient_norm 0.99"

    def __init__(self, *args, **settings):
        super().__init__(*args, losses="random", **settings)
        self.task = dataclasses.replace(self.task, gradient_norm=0.99)


class RewardIsTheLoss(NoComparator):
    says = "the reward must be -loss"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return -reward, info | {"regret": reward}


class AbsoluteLoss(OnlineRegression):
    says = "reward must be -.prediction - y.²"

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.task = dataclasses.replace(self.task, regret="anybody", adaptive=True)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        del info["regret_batch"]
        return -np.sqrt(-reward), info


class SilentOpponent(OnlineRegression):
    says = "depends on the prediction, but task.adaptive is false|depends on"

    def __init__(self, *args, **settings):
        super().__init__(*args, outcomes="adaptive", **settings)
        self.task = dataclasses.replace(self.task, adaptive=False)


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)
