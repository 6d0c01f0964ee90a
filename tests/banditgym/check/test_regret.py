"""Regret of another reward, or against another comparator than the task says, is seen."""

import dataclasses

import numpy as np
import pytest

from banditgym.check import check_env
from banditgym.envs.armed import ArmedBandit
from banditgym.envs.kernelized import KernelBandit
from banditgym.envs.linear import LinearBandit
from banditgym.envs.losses import OnlineConvex
from banditgym.envs.regression import OnlineRegression
from banditgym.envs.strongly_convex import ConvexSetBandit
from banditgym.envs.synthetic_text import SynSep

# Each of these breaks one promise, and says what check_env should say of it.


class NoisePerArm(LinearBandit):
    says = "depends on the arm"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward + 1e-3 * np.asarray(actions), info


class RegretAgainstAMiddlingArm(LinearBandit):
    says = "least regret of the arms"

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        return dataclasses.replace(block, best=np.median(block.means, axis=2))


class RegretOfAnotherReward(LinearBandit):
    says = "regret is not that of the reward"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": 2.0 * info["regret"]}


class ClickPerArm(ArmedBandit):
    says = "an arm of more regret has the larger reward"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return np.where(np.asarray(actions) % 2, reward, 1.0 - reward), info


class SimpleRegretOfTheRound(KernelBandit):
    says = "simple_regret must be increments"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"simple_regret": info["regret"]}


class RegretAgainstAPointThatIsNotBest(KernelBandit):
    says = "a point has a regret of -.* none may be below 0"

    def __init__(self, *args, **settings):
        super().__init__(*args, arms="box", function="branin", **settings)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": info["regret"] - 0.5}


class NoRegret(ArmedBandit):
    says = r"the infos are \[\]"

    def _reward(self, block, places, actions):
        reward, _ = super()._reward(block, places, actions)
        return reward, {}


class RegretAgainstABetterPoint(ConvexSetBandit):
    says = "regrets of step 1 are not those of one linear reward against the best point of the set"

    def _begin(self):
        super()._begin()
        self._best = self._best + 1e-6


class RegretAgainstTheBestOfTheBall(ConvexSetBandit):
    says = "regrets of step 1 are not those of one linear reward against the best point of the set"

    def __init__(self, *args, **settings):
        super().__init__(*args, action_set="ellipsoid", **settings)

    def _begin(self):
        super()._begin()
        self._best = np.full(self.num_envs, self.task.param_norm)


class RewardsAreCapped(ConvexSetBandit):
    says = "regrets of step 1 are not those of one linear reward against the best point of the set"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        regret = np.maximum(info["regret"], 0.3)
        return reward + info["regret"] - regret, info | {"regret": regret}


class RegretOfNoiseToo(ConvexSetBandit):
    says = "reward . regret of round 1 depends on the action"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": info["regret"] - 1e-6 * reward}


class WrongBestPoint(OnlineConvex):
    says = "a fixed point does better than the comparator"

    def _reward(self, block, places, actions):
        # Against the point 0, which is a legal comparator but not the best.
        reward, info = super()._reward(block, places, actions)
        centres = actions - info["feedback"]["gradient"]
        regret = -reward - 0.5 * (centres**2).sum(axis=2)
        return reward, info | {"regret": regret}


class BestPointOfAnotherRadius(OnlineConvex):
    says = "is more by .* than gradients and curvatures allow"

    def __init__(self, *args, **settings):
        super().__init__(*args, losses="alternating", **settings)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": info["regret"] + 1e-6}


class AdversarysBestPoint(OnlineConvex):
    says = "a fixed point does better than the comparator"

    def __init__(self, *args, **settings):
        super().__init__(*args, losses="sign", **settings)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": reward}


class RegretOfAnotherLoss(OnlineConvex):
    says = "reward . regret of round 1 depends on the action"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": info["regret"] - 1e-6 * reward}


class FitOfTheLastRow(OnlineRegression):
    says = "regret_batch after round . is .*: it must be against the best linear fit"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret_batch": -reward}


class WrongFitOfAnAdversary(OnlineRegression):
    says = "regret after round . is .*: it must be against the best linear fit"

    def __init__(self, *args, **settings):
        super().__init__(*args, outcomes="adaptive", **settings)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": 1e-4 + info["regret"]}


class RegretOfExpectations(OnlineRegression):
    says = "reward . regret of round 1 depends on the action"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"regret": 1.01 * info["regret"]}


class TellsAnotherLabel(SynSep):
    says = "round 1 must give reward 1 where the true label was played"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"label": (info["label"] + 1) % 9}


class TellsNoLabel(SynSep):
    says = "info.'label'. must be the true labels"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, {k: v for k, v in info.items() if "label" not in k}


class LabelsFromOne(SynSep):
    says = r"labels must be in 0\.\.8, got"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, info | {"label": info["label"] + 1}


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)
