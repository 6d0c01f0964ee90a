"""Wrappers: points played through a Box; rewards that come late, and replay buffers for them."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from banditgym.rounds.late_feedback import NEVER, LateFeedback, each_of_one
from banditgym.settings import Settings
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import ArmedTask
from banditgym.vector_env import DELAYS, MISSING, seeds_of


def box_of(points: Any) -> gymnasium.spaces.Box:
    """The smallest Box, of float32, that contains a set of ``banditgym.action_sets``."""
    low = points.argmax(-np.eye(points.dim)).diagonal()
    return gymnasium.spaces.Box(
        low.astype(np.float32), points.extent.astype(np.float32), dtype=np.float32
    )


class BoxActions(gymnasium.ActionWrapper):
    """A set of points played through a Box: an action is the nearest point of the set.

    It is for libraries whose policies support no other continuous action space, such as
    stable-baselines3. The Box, of float32, is the smallest that contains the set.

    Parameters
    ----------
    env : gymnasium.Env
        An environment whose actions are points of a set, such as ``BallBandit-v0``.

    Examples
    --------
    >>> import banditgym, gymnasium
    >>> env = banditgym.BoxActions(gymnasium.make("BallBandit-v0", dim=2))
    >>> env.action_space
    Box(-1.0, 1.0, (2,), float32)
    """

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        points: Any = getattr(env.action_space, "action_set", None)
        if not hasattr(points, "project"):
            raise ValueError(f"BoxActions needs an environment of points, got {env.action_space}")
        self._points = points
        self.action_space = box_of(points)

    def action(self, action: Any) -> np.ndarray:
        """The nearest point (d,) of the set."""
        point = np.asarray(action, dtype=np.float64).reshape(1, -1)
        return self._points.project(point)[0]


class LateReward(gymnasium.Wrapper):
    """An environment of finitely many actions whose rewards come late, in batches, or never.

    ``step`` returns the sum of the rewards that arrive, and ``info["arrivals"]`` lists them, as in
    the environments of this package with the same settings; the how-to "Feedback that comes late"
    describes the other keys of the info. With the same seed, they have the same delays as here. An
    episode's open rewards are lost when it ends, unless ``at_end`` is ``"delivered"``.

    Parameters
    ----------
    env : gymnasium.Env
        An environment whose space of actions is ``Discrete``; an arm is an action, counted from 0.
    delay, missing, window, update_every, at_end
        As in ``ArmedBandit-v0``; at least one of the first four is given.

    Raises
    ------
    ValueError
        For other spaces of actions, and for bad settings.

    Examples
    --------
    >>> import gymnasium
    >>> from banditgym.wrappers import LateReward
    >>> env = LateReward(gymnasium.make("FrozenLake-v1"), delay={"kind": "geometric", "mean": 5})
    >>> _, info = env.reset(seed=0)
    >>> info["arrivals"]
    {'round': [], 'action': [], 'reward': []}
    """

    def __init__(
        self,
        env: gymnasium.Env,
        *,
        delay: Any = None,
        missing: Any = None,
        window: int | None = None,
        update_every: int | None = None,
        at_end: str | None = None,
    ):
        super().__init__(env)
        given = {"delay": delay, "missing": missing, "window": window}
        rules = Settings(**given, update_every=update_every, at_end=at_end).lateness
        if rules is None:
            raise ValueError(f"LateReward needs one of {', '.join(given)}, update_every")
        space = self.action_space
        if not isinstance(space, Discrete):
            raise ValueError(f"LateReward needs an environment of Discrete actions, got {space}")
        task = ArmedTask(
            n_arms=int(space.n),
            horizon=None if env.spec is None else env.spec.max_episode_steps,
            noise_std=None,
            subgaussian=None,
            bernoulli=False,
        )
        fault = rules.fault(task)
        if fault is not None:
            raise ValueError(fault)
        self._late, self._start = LateFeedback(rules, task, 1), int(space.start)
        self._seeds, self._episode, self._t = list[int](), 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode, with new delays."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._t, self._episode = 0, self._episode + 1
        if seed is not None or not self._seeds:
            drawn = np.random.SeedSequence().entropy if seed is None else seed
            self._seeds, self._episode = seeds_of([drawn], 1), 0
        of_delays, of_missing = (
            Stream(self._seeds, ENVIRONMENT, purpose, self._episode)
            for purpose in (DELAYS, MISSING)
        )
        self._late.begin(of_delays, of_missing)
        return observation, info | {"arrivals": each_of_one(self._late.arrivals())}

    def step(self, action: Any):
        """Play one round: (observation, sum of arrived rewards, terminated, truncated, info)."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        t, self._t = self._t, self._t + 1
        arms, rewards = np.array([int(action) - self._start]), np.array([float(reward)])
        late: dict[str, Any] = {}
        [total] = self._late.step(t, arms, rewards, late, last=bool(terminated or truncated))
        arrivals = each_of_one(late.pop("arrivals"))
        arrivals["action"] = [self._start + arm for arm in arrivals["action"]]
        info = info | {name: of_one.item() for name, of_one in late.items() if name[0] != "_"}
        info["arrivals"] = arrivals
        return observation, float(total), terminated, truncated, info


class LateReplay:
    """A mixin for replay buffers: a transition enters when its own reward has arrived.

    It comes before the buffer's class, and works with any buffer that has the method ``add`` of
    stable-baselines3. Rewards that ``step`` returns are not used. The transition of a reward that
    never arrives does not enter, nor does one whose reward is lost at the end of an episode. If
    there are several environments, buffers hold as many transitions of each, so a transition waits
    until every environment has one. Other than in the buffer, only open transitions are kept.

    Examples
    --------
    >>> from stable_baselines3.common.buffers import ReplayBuffer
    >>> from banditgym.wrappers import LateReplay
    >>> class LateReplayBuffer(LateReplay, ReplayBuffer):
    ...     pass
    """

    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self._open: list[_OpenTransitions] = []

    def add(
        self,
        obs: Any,
        next_obs: Any,
        action: np.ndarray,
        reward: np.ndarray,
        done: np.ndarray,
        infos: Sequence[Mapping[str, Any]],
    ) -> None:
        """Keep a transition of each environment, and store those whose rewards have arrived.

        Raises
        ------
        ValueError
            If an info has no ``arrivals``.
        """
        self._open = self._open or [_OpenTransitions() for _ in infos]
        for i, (transitions, info) in enumerate(zip(self._open, infos, strict=True)):
            if "arrivals" not in info:
                raise ValueError(
                    "LateReplay needs info['arrivals']: wrap the environment in LateReward, or "
                    "give it the setting delay"
                )
            parts = [_row_of(part, i) for part in (obs, next_obs, action, done)]
            transitions.play((*parts, info), info, bool(done[i]))
        while all(transitions.ready for transitions in self._open):
            rows, rewards = zip(*(each.ready.popleft() for each in self._open), strict=True)
            *parts, dones, of_each = zip(*rows, strict=True)
            stacked = [_stacked_rows(part) for part in parts]
            super().add(*stacked, np.array(rewards), np.array(dones), list(of_each))  # type: ignore[misc]

    def sample(self, *arguments: Any, **named: Any) -> Any:
        """Sample stored transitions, as the buffer does.

        Raises
        ------
        ValueError
            If none has been stored.
        """
        if not self.size():  # type: ignore[attr-defined]
            raise ValueError(
                "no reward has arrived so far: give the algorithm more learning_starts"
            )
        return super().sample(*arguments, **named)  # type: ignore[misc]


class _OpenTransitions:
    """The transitions of one environment that a buffer does not hold so far."""

    def __init__(self):
        self.ready: deque[tuple[Any, float]] = deque()  # with the rewards that have arrived
        self._waiting: dict[int, Any] = {}
        self._t = 0

    def play(self, transition: Any, info: Mapping[str, Any], done: bool) -> None:
        """Count a transition of the episode, and answer those whose rewards are in its info."""
        if info.get("arrival") != NEVER:
            self._waiting[self._t] = transition
        self._t += 1
        come = info["arrivals"]
        for t, reward in zip(come["round"], come["reward"], strict=True):
            self.ready.append((self._waiting.pop(t), reward))
        if done:
            self._waiting, self._t = {}, 0


def _row_of(values: Any, i: int) -> Any:
    """A copy of row i of an array, or of each array of a mapping."""
    if isinstance(values, Mapping):
        return {name: _row_of(rows, i) for name, rows in values.items()}
    return np.array(values[i])


def _stacked_rows(rows: Sequence[Any]) -> Any:
    if isinstance(rows[0], Mapping):
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    return np.stack(rows)
