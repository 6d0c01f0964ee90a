"""Environments that play what is illegal, refuse it badly, or refuse what they sample are seen."""

import gymnasium
import numpy as np
import pytest

from banditgym.action_sets import Ball
from banditgym.check import check_env
from banditgym.envs.armed import ArmedBandit
from banditgym.envs.losses import OnlineConvex
from banditgym.envs.regression import OnlineRegression
from banditgym.envs.strongly_convex import ConvexSetBandit
from banditgym.envs.synthetic_text import SynSep

# Each of these breaks one promise, and says what check_env should say of it.


class Clips(ArmedBandit):
    says = "arm -1 must raise ValueError"

    def _play(self, actions, t):
        return super()._play(np.clip(actions, 0, self.task.n_arms - 1), t)


class RefusalChangesState(ArmedBandit):
    says = "arm -1 changes what follows"

    def step(self, actions):
        try:
            return super().step(actions)
        except ValueError:
            self._means = self._means[:, ::-1].copy()
            raise


class RefusesOnTheResetStep(ArmedBandit):
    says = "check illegal: ValueError"

    def step(self, actions):
        if self._over:
            self._set.read(actions, self.num_envs)
        return super().step(actions)


class WrongError(ArmedBandit):
    says = "must raise ValueError, but raises IndexError"

    def _play(self, actions, t):
        try:
            return super()._play(actions, t)
        except ValueError as error:
            raise IndexError("out of range") from error


class LongError(ArmedBandit):
    says = "longer than a line"

    def _play(self, actions, t):
        try:
            return super()._play(actions, t)
        except ValueError as error:
            raise ValueError(f"{error}\nsee the manual") from error


class SamplesIllegalArms(ArmedBandit):
    says = "ValueError: arm 10 of replicate"

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.single_action_space = gymnasium.spaces.Discrete(11)
        self.action_space = gymnasium.vector.utils.batch_space(
            self.single_action_space, self.num_envs
        )


class Projects(OnlineConvex):
    says = "a point 1.0000001 times as far as the boundary must raise ValueError"

    def _play(self, actions, t):
        try:
            return super()._play(actions, t)
        except ValueError:
            if np.shape(actions) != (self.num_envs, self.task.dim):
                raise
            return super()._play(self._set.project(np.asarray(actions, float)), t)


class PlaysInsideTheSphere(ConvexSetBandit):
    says = "a point 0.9999999 times as far as the boundary must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, action_set="sphere", **settings)

    def _play(self, actions, t):
        try:
            return super()._play(actions, t)
        except ValueError as error:
            if "inside" not in str(error):
                raise
            return super()._play(self._set.project(np.asarray(actions)), t)


class JudgesAnEllipsoidByItsLongestAxis(ConvexSetBandit):
    says = "a point 1.0000001 times as far as the boundary must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, action_set="ellipsoid", condition=1e4, **settings)

    def _play(self, actions, t):
        Ball(self.task.dim, self._set.longest).read(actions, self.num_envs)
        return super()._play(self._set.project(np.asarray(actions)), t)


class SumsCoordinatesUp(OnlineConvex):
    says = "a coordinate too many must raise ValueError"

    def _play(self, actions, t):
        actions = np.asarray(actions)
        if actions.dtype.kind == "f" and np.ndim(actions) == 2:
            actions = actions[:, : self.task.dim]
        return super()._play(actions, t)


class CountsTruthValues(OnlineConvex):
    says = "coordinates that are truth values must raise ValueError"

    def _play(self, actions, t):
        actions = np.asarray(actions)
        if actions.dtype == bool:
            actions = 0.1 * actions
        return super()._play(actions, t)


class SamplesCorners(OnlineConvex):
    says = "ValueError: point .* is not in the ball"

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (5,), np.float64)
        self.action_space = gymnasium.vector.utils.batch_space(
            self.single_action_space, self.num_envs
        )


class ClipsPredictions(OnlineRegression):
    says = "beyond the bound .* must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, bound=1.0, **settings)

    def _play(self, actions, t):
        actions = np.asarray(actions)
        if actions.dtype.kind == "f" and np.isfinite(actions).all():
            actions = np.clip(actions, -1.0, 1.0)
        return super()._play(actions, t)


class LabelsTwice(SynSep):
    says = "a label twice must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, slots=2, **settings)

    def _play(self, actions, t):
        actions = np.array(actions)
        if actions.dtype.kind in "iu" and actions.shape == (self.num_envs, 2):
            same = (actions[:, 0] == actions[:, 1]) & (actions[:, 1] >= 0) & (actions[:, 1] < 9)
            actions[same, 1] = (actions[same, 1] + 1) % 9
        return super()._play(actions, t)


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)
