"""check_env passes every environment of ours, and sees each promise of the protocol broken."""

import dataclasses
import random

import gymnasium
import numpy as np
import pytest

from banditgym.check import check_env
from banditgym.envs.armed import ArmedBandit
from banditgym.envs.labelled_data import MulticlassBandit
from banditgym.envs.linear import LinearBandit
from banditgym.envs.losses import OnlineConvex
from banditgym.envs.regression import OnlineRegression
from banditgym.envs.synthetic_text import SynSep
from banditgym.registration import ENVIRONMENTS
from banditgym.rounds.blocks import RowsBlock
from banditgym.tasks import ArmedTask, LinearTask

SETTINGS = {
    "ArmedBandit-v0": [
        {"n_arms": 2},
        {"n_arms": 1},
        {"means": [0.1, 0.9, 0.5]},
        {"means": [0.0, 1.0]},
        {"noise": "gaussian"},
        {"noise": "gaussian", "noise_std": 0.0, "means": [-3.0, 2.0]},
        {"n_arms": 3, "available": [[0, [0, 1]], [3, [1, 2]]]},
    ],
    "DriftingArmedBandit-v0": [{"n_arms": 3, "available": [[0, [0, 1]], [3, [1, 2]]]}],
    "KernelBandit-v0": [{"n_arms": 3, "available": [[0, [0, 1]], [3, [1, 2]]]}],
    "LinearBandit-v0": [
        {"n_arms": 1, "dim": 1},
        {"n_arms": 40, "dim": 2, "contexts": "gaussian", "noise": "student_t"},
        {"contexts": "ball", "feature_norm": 7.0, "noise": "uniform", "param_norm": 3.0},
        {"contexts": "cube", "noise": "rademacher", "theta": [1.0, -1.0], "dim": 2},
        {"contexts": np.arange(12.0).reshape(6, 2)},
        {"fixed_arms": True},
        {"arms": np.eye(3)},
        {"arms": np.eye(3), "theta": [1.0, 0.5, 0.0], "noise_std": 0.0},
        {"param_norm": 0.0, "noise_std": 0.0},
        {"n_arms": 3, "available": [[0, [0, 1]], [3, [1, 2]]]},
        {"n_arms": 3, "fixed_arms": True, "available": [[0, [0, 1]], [3, [1, 2]]]},
    ],
    "OnlineRegression-v0": [
        {"dim": 1, "bound": 0.5},
        {"contexts": "gaussian", "feature_norm": 7.0, "noise": "student_t", "param_norm": 3.0},
        {"contexts": np.arange(12.0).reshape(6, 2), "theta": [1.0, -1.0], "noise_std": 0.0},
        {"outcomes": "random", "outcome_bound": 2.0},
        {"outcomes": "adaptive", "dim": 2, "bound": 1.0},
    ],
    "OnlineConvex-v0": [
        {"dim": 1, "radius": 3.0, "curvature": 0.1},
        {"losses": "alternating", "curvature": 5.0, "project": True},
        {"losses": "sign", "dim": 3},
        {"losses": "sign", "dim": 1, "project": True, "radius": 0.2},
        {"losses": "random", "dim": 2},
        {"losses": "switch", "curved_rounds": 3},
        {"losses": "switch", "curvature": 0.01, "project": True},
        {"losses": "decaying", "decay": 1.0},
    ],
    "SphereBandit-v0": [
        {"dim": 1, "noise_std": 0.0},
        {"radius": 3.0, "noise": "student_t", "project": True},
        {"theta": [0.3, -0.4], "param_norm": 2.0},
    ],
    "BallBandit-v0": [{"dim": 3, "radius": 0.2, "project": True}, {"noise": "rademacher"}],
    "EllipsoidBandit-v0": [
        {"dim": 1},
        {"axes": [1e-3, 4.0], "noise": "uniform"},
        {"matrix": [[2.0, 0.9], [0.9, 0.5]], "project": True},
        {"dim": 6, "condition": 1e8, "orientation": "identity"},
    ],
    "LpBallBandit-v0": [{"p": 1.05, "radius": 7.0}, {"p": 2.0, "dim": 2, "project": True}],
    "SynSep-v0": [{"slots": 4, "label_noise": 0.5}, {"sparse": False, "slots": 1}],
    "MulticlassBandit-v0": [
        {"data": "iris", "order": "chronological"},
        {"data": "wine", "sparse": True, "slots": 3},
        {"data": "digits", "order": "chronological", "label_noise": 0.5},
    ],
}


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_every_registered_environment_passes(env_id):
    check_env(env_id)


@pytest.mark.parametrize(
    ("env_id", "settings"), [(env_id, s) for env_id, rows in SETTINGS.items() for s in rows]
)
def test_environments_pass_off_their_defaults(env_id, settings):
    check_env(env_id, **settings)


def test_the_horizon_is_the_checks_own():
    for name in ("horizon", "max_episode_steps"):
        with pytest.raises(ValueError, match="leave it out"):
            check_env("ArmedBandit-v0", **{name: 3})


@pytest.mark.parametrize("late", [{"delay": 3}, {"missing": 0.5}, {"window": 5}])
def test_late_rewards_are_left_out(late):
    with pytest.raises(ValueError, match=f"leave out {next(iter(late))}, which wrap") as caught:
        check_env("ArmedBandit-v0", **late)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_made_is_named():
    with pytest.raises(AssertionError, match="n_arms=0: check task: ValueError: n_arms must be"):
        check_env("ArmedBandit-v0", n_arms=0)


# Each of these breaks one promise, and says what check_env should say of it.


class NoiseFollowsActions(LinearBandit):
    says = "outcome of one action in round . depends on earlier ones"

    def _begin(self):
        self._sum = np.zeros(self.num_envs)
        super()._begin()

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        reward, self._sum = reward + 1e-9 * self._sum, self._sum + actions[-1]
        return reward, info


class ContextsFollowActions(LinearBandit):
    says = "observations depend on the actions"

    def step(self, actions):
        observation, *rest = super().step(actions)
        if self._t == 0:  # it has begun another episode
            return observation, *rest
        return np.clip(observation + 1e-9 * np.asarray(actions)[:, None, None], -1, 1), *rest


class ShowsItsOwnMemory(LinearBandit):
    says = "observation must be the caller's own, to write to"

    def step(self, actions):
        observation, *rest = super().step(actions)
        observation.flags.writeable = False
        return observation, *rest


class ShowsItsBuffer(LinearBandit):
    says = "observation is overwritten later"

    def step(self, actions):
        observation, *rest = super().step(actions)
        if not hasattr(self, "_buffer"):
            self._buffer = observation.copy()
        self._buffer[:] = observation
        return self._buffer, *rest


class ShowsItsFixedArms(LinearBandit):
    says = "writing to what reset and step return changes what follows"

    def __init__(self, *args, **settings):
        super().__init__(*args, fixed_arms=True, **settings)

    def step(self, actions):
        _, *rest = super().step(actions)
        self._fixed.flags.writeable = True
        return self._fixed[0].transpose(0, 2, 1), *rest


class ReturnsItsFlags(ArmedBandit):
    says = "terminated must be the caller's own, to write to"

    def step(self, actions):
        observation, reward, terminated, truncated, info = super().step(actions)
        terminated.flags.writeable = False
        return observation, reward, terminated, truncated, info


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SharedRows(RowsBlock):
    """What is shown is also what is paid for."""

    drawn: np.ndarray

    @property
    def shown(self):
        return self.features[..., 0]


class ShowsWhatItPaysFor(OnlineRegression):
    says = "writing to what reset and step return changes what follows"

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        drawn, self._plain = block.features.copy(), block
        given = {"features": block.features, "outcomes": block.outcomes, "drawn": drawn}
        return SharedRows(start=t, playable=False, **given)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(self._plain, places, actions)
        return reward + (block.features - block.drawn)[places, :, :, 0].sum(axis=2), info


class LosesItsParameter(LinearBandit):
    says = "a copy of the environment continues differently"

    def __setstate__(self, state):
        vars(self).update(state)
        self._theta = self._theta + 1e-9


class DependsOnNumber(ArmedBandit):
    says = "another one among 7 than among 100"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward + 1e-9 * self.num_envs, info


class DependsOnPlace(ArmedBandit):
    says = "another one among 7 than among 100"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward + 1e-9 * np.arange(self.num_envs), info


class SeedsIgnored(ArmedBandit):
    says = "seeds make no difference"

    def _begin(self):
        self.seeds = [0] * self.num_envs
        super()._begin()


class SameEpisode(ArmedBandit):
    says = "a new episode repeats the last's rewards"

    def _begin(self):
        self.episode = 0
        super()._begin()


class SameInstance(ArmedBandit):
    says = "a new episode repeats the last's regrets"

    def _begin(self):
        episode, self.episode = self.episode, 0
        super()._begin()
        self.episode = episode
        means, best = self._means, self._best
        super()._begin()
        self._means, self._best = means, best


class ResetSkipsAnEpisode(ArmedBandit):
    says = "begins another episode than the end of one"

    def reset(self, *, seed=None, options=None):
        if seed is None and 0 < self._t < self.task.horizon:
            super().reset()
        return super().reset(seed=seed, options=options)


class Terminates(ArmedBandit):
    says = "must not terminate|terminated differs from SyncVectorEnv's"

    def step(self, actions):
        observation, reward, _, truncated, info = super().step(actions)
        return observation, reward, truncated, truncated, info


class EndsEarly(ArmedBandit):
    says = "truncated must be true at the horizon alone"

    @property
    def _over(self):
        return self._t >= self.task.horizon - 1


class ResetStepPays(ArmedBandit):
    says = "reward differs from SyncVectorEnv's"

    def step(self, actions):
        observation, reward, *rest = super().step(actions)
        return observation, reward + (self._t == 0), *rest


class NoMask(ArmedBandit):
    says = "info differs from SyncVectorEnv's"

    def step(self, actions):
        *others, info = super().step(actions)
        return *others, {name: info[name] for name in info if name != "_regret"}


class NoAlias(ArmedBandit):
    says = "max_episode_steps=5 makes the horizon 1000"

    def __init__(self, num_envs=1, *, max_episode_steps=None, **settings):
        super().__init__(num_envs, **settings)


class NumpysGlobalRandomness(ArmedBandit):
    says = "global random generator"
    drawn = False

    def _begin(self):
        if not NumpysGlobalRandomness.drawn:  # a single draw is seen
            NumpysGlobalRandomness.drawn = True
            np.random.random()  # noqa: NPY002
        super()._begin()


class PythonsGlobalRandomness(ArmedBandit):
    says = "global random generator"
    drawn = False

    def _begin(self):
        if not PythonsGlobalRandomness.drawn:
            PythonsGlobalRandomness.drawn = True
            random.random()
        super()._begin()


class ImportsThatDraw(ArmedBandit):
    """As of data whose library draws while it is imported."""

    imported = False

    def __init__(self, *args, **settings):
        if not ImportsThatDraw.imported:
            ImportsThatDraw.imported = True
            random.random()
        super().__init__(*args, **settings)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class TellingTask(LinearTask):
    theta: np.ndarray


class TellsTheta(LinearBandit):
    says = "task.theta shows agents what is hidden"

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.task = TellingTask(theta=np.ones(5), **vars(self.task))


class WritableArms(LinearBandit):
    says = "task.arms can be written to"

    def __init__(self, num_envs=1, **settings):
        super().__init__(num_envs, arms=np.eye(3), **settings)
        self.task = dataclasses.replace(self.task, arms=np.eye(3))


class NoFeedbackMask(OnlineConvex):
    says = "info differs from SyncVectorEnv's"

    def step(self, actions):
        *others, info = super().step(actions)
        info.pop("_feedback", None)
        return *others, info


class NoMaskWithinFeedback(OnlineConvex):
    says = "info differs from SyncVectorEnv's"

    def step(self, actions):
        *others, info = super().step(actions)
        if info:
            del info["feedback"]["_gradient"]
        return *others, info


class OneGradientBuffer(OnlineConvex):
    says = "info is overwritten later"

    def step(self, actions):
        *others, info = super().step(actions)
        if "feedback" in info:
            gradient = info["feedback"]["gradient"]
            if not hasattr(self, "_buffer"):
                self._buffer = gradient
            self._buffer[:] = gradient
            info["feedback"]["gradient"] = self._buffer
        return *others, info


class SilentAdversary(OnlineConvex):
    says = "the outcome of one action in round . depends on earlier ones"

    def __init__(self, *args, **settings):
        super().__init__(*args, losses="switch", curved_rounds=2, **settings)
        self.task = dataclasses.replace(self.task, adaptive=False)


class SharedAdversary(OnlineConvex):
    says = "the outcome of equal actions in round . is another one after other actions elsewhere"

    def __init__(self, *args, **settings):
        super().__init__(*args, losses="sign", **settings)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        if self.num_envs == 20:
            reward = reward + 1e-9 * np.sum(actions)
        return reward, info


class AdversaryRemembersEpisodes(OnlineConvex):
    says = "the outcome of equal actions in round . is another one after other actions elsewhere"

    def __init__(self, *args, **settings):
        super().__init__(*args, losses="sign", **settings)
        self._past = np.zeros(self.num_envs)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._past = np.zeros(self.num_envs)
        return super().reset(seed=seed, options=options)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        before = self._past if self.episode else 0.0
        if not self.episode:
            self._past = self._past + np.sum(actions, axis=(0, 2))
        return reward, info | {"regret": info["regret"] + 1e-9 * before}


class ShowsItsPairs(SynSep):
    says = "observation must be the caller's own, to write to"

    def step(self, actions):
        observation, *rest = super().step(actions)
        observation["values"].flags.writeable = False
        return observation, *rest


class IgnoresSeeds(MulticlassBandit):
    says = "seeds make no difference"

    def __init__(self, *args, **settings):
        super().__init__(*args, order="chronological", **settings)
        self.determined = False


class Coin(gymnasium.Env):
    """A plain environment of Gymnasium, as docs/environments.md has it."""

    observation_space, action_space = gymnasium.spaces.Discrete(1), gymnasium.spaces.Discrete(2)

    def __init__(self, horizon=1000):
        self.task = ArmedTask(
            n_arms=2, horizon=horizon, noise_std=None, subgaussian=0.5, bernoulli=True
        )


@pytest.mark.parametrize("name", ["Coin-v0", f"{__name__}:Coin-v0"])
def test_a_plain_environment_is_refused_in_one_sentence(name):
    gymnasium.register("Coin-v0", entry_point=Coin)
    try:
        with pytest.raises(ValueError, match="Coin-v0 is a plain gymnasium.Env, which") as caught:
            check_env(name)
    finally:
        del gymnasium.registry["Coin-v0"]
    assert "\n" not in str(caught.value)


def test_a_vector_environment_without_a_task_is_seen():
    gymnasium.register(
        "Taskless-v0", entry_point=Coin, vector_entry_point=lambda **settings: _taskless()
    )
    try:
        with pytest.raises(AssertionError, match="task must be a frozen dataclass"):
            check_env("Taskless-v0")
    finally:
        del gymnasium.registry["Taskless-v0"]


def _taskless():
    return gymnasium.vector.SyncVectorEnv([Coin] * 2)


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)


def test_what_draws_while_it_is_imported_passes():
    gymnasium.register(
        "ImportsThatDraw-v0",
        entry_point="banditgym.single:SingleBandit",
        vector_entry_point="banditgym.vector_env:make_env",
        kwargs={"entry": f"{__name__}:ImportsThatDraw"},
    )
    try:
        check_env("ImportsThatDraw-v0")
    finally:
        del gymnasium.registry["ImportsThatDraw-v0"]
