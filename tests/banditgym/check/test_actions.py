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


class SetWith:
    """Reads actions by a function of the action set, the actions, and their number."""

    def __init__(self, action_set, read):
        self.action_set, self._read = action_set, read

    def __getattr__(self, name):
        return getattr(self.action_set, name)

    def read(self, actions, n):
        return self._read(self.action_set, actions, n)

    def read_one(self, action):
        read = self.read([action], 1)
        return read.item() if read.ndim == 1 else read


class Reader:
    """An environment that reads its actions in a way of its own."""

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self._set = SetWith(self._set, self.reads)


class Clips(Reader, ArmedBandit):
    says = "arm -1 must raise ValueError"

    @staticmethod
    def reads(arms, actions, n):
        return arms.read(np.clip(actions, 0, arms.n_arms - 1), n)


class RefusalChangesState(ArmedBandit):
    says = "arm -1 changes what follows"

    def step(self, actions):
        try:
            return super().step(actions)
        except ValueError:
            self._means, self._block = self._means[:, ::-1].copy(), None
            raise


class RefusesOnTheResetStep(ArmedBandit):
    says = "check illegal: ValueError"

    def step(self, actions):
        if self._over:
            self._set.read(actions, self.num_envs)
        return super().step(actions)


class WrongError(Reader, ArmedBandit):
    says = "must raise ValueError, but raises IndexError"

    @staticmethod
    def reads(arms, actions, n):
        try:
            return arms.read(actions, n)
        except ValueError as error:
            raise IndexError("out of range") from error


class LongError(Reader, ArmedBandit):
    says = "longer than a line"

    @staticmethod
    def reads(arms, actions, n):
        try:
            return arms.read(actions, n)
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


class Projects(Reader, OnlineConvex):
    says = "a point 1.0000001 times as far as the boundary must raise ValueError"

    @staticmethod
    def reads(points, actions, n):
        try:
            return points.read(actions, n)
        except ValueError:
            if np.shape(actions) != (n, points.dim):
                raise
            return points.read(points.project(np.asarray(actions, float)), n)


class PlaysInsideTheSphere(Reader, ConvexSetBandit):
    says = "a point 0.9999999 times as far as the boundary must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, action_set="sphere", **settings)

    @staticmethod
    def reads(points, actions, n):
        try:
            return points.read(actions, n)
        except ValueError as error:
            if "inside" not in str(error):
                raise
            return points.read(points.project(np.asarray(actions)), n)


class JudgesAnEllipsoidByItsLongestAxis(Reader, ConvexSetBandit):
    says = "a point 1.0000001 times as far as the boundary must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, action_set="ellipsoid", condition=1e4, **settings)

    @staticmethod
    def reads(points, actions, n):
        Ball(points.dim, points.longest).read(actions, n)
        return points.read(points.project(np.asarray(actions)), n)


class SumsCoordinatesUp(Reader, OnlineConvex):
    says = "a coordinate too many must raise ValueError"

    @staticmethod
    def reads(points, actions, n):
        actions = np.asarray(actions)
        if actions.dtype.kind == "f" and np.ndim(actions) == 2:
            actions = actions[:, : points.dim]
        return points.read(actions, n)


class CountsTruthValues(Reader, OnlineConvex):
    says = "coordinates that are truth values must raise ValueError"

    @staticmethod
    def reads(points, actions, n):
        actions = np.asarray(actions)
        return points.read(0.1 * actions if actions.dtype == bool else actions, n)


class SamplesCorners(OnlineConvex):
    says = "ValueError: point .* is not in the ball"

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (5,), np.float64)
        self.action_space = gymnasium.vector.utils.batch_space(
            self.single_action_space, self.num_envs
        )


class ClipsPredictions(Reader, OnlineRegression):
    says = "beyond the bound .* must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, bound=1.0, **settings)

    @staticmethod
    def reads(numbers, actions, n):
        actions = np.asarray(actions)
        if actions.dtype.kind == "f" and np.isfinite(actions).all():
            actions = np.clip(actions, -1.0, 1.0)
        return numbers.read(actions, n)


class LabelsTwice(Reader, SynSep):
    says = "a label twice must raise ValueError"

    def __init__(self, *args, **settings):
        super().__init__(*args, slots=2, **settings)

    @staticmethod
    def reads(rankings, actions, n):
        actions = np.array(actions)
        if actions.dtype.kind in "iu" and actions.shape == (n, 2):
            same = (actions[:, 0] == actions[:, 1]) & (actions[:, 1] >= 0) & (actions[:, 1] < 9)
            actions[same, 1] = (actions[same, 1] + 1) % 9
        return rankings.read(actions, n)


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)
