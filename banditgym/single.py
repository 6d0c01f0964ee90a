"""One replicate of an environment as a ``gymnasium.Env``: the only scalar environment code."""

import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike

from banditgym.action_sets import FiniteArms
from banditgym.pictures.episode_record import EpisodeRecord
from banditgym.pictures.frames import Frames
from banditgym.rounds.blocks import Block, MeansBlock, PairsBlock, still_equivalent
from banditgym.rounds.late_feedback import each_of_one
from banditgym.rounds.read_only import own_row
from banditgym.specs import spec_with_horizon, with_length
from banditgym.validation import word
from banditgym.vector_env import (
    PLACES,
    BanditVectorEnv,
    Played,
    UnknownSettingError,
    described,
    load_env,
    make_env,
    seeds_of,
    settings_of,
)

# Arms: a table of more takes longer than the steps that it saves.
MOST_IN_TABLE = 512


class SingleBandit(gymnasium.Env):
    """An environment of one replicate with the leading axis taken off.

    Rewards, flags and info values are Python floats and bools where they are scalars. Arrays are
    the caller's own: they may be written to, and never change later.

    Parameters
    ----------
    entry : str or type
        ``"module:Class"`` of the batched environment, or the class.
    render_mode : "ansi" or "rgb_array", optional
        What ``render`` returns of the episode so far: a text, or a picture (256, 640, 3).
    **settings
        The environment's settings.
    """

    # Gymnasium's own form
    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 20}  # noqa: RUF012
    spec = spec_with_horizon

    def __new__(cls, *_: Any, render_mode: str | None = None, **settings: Any) -> Any:
        # Rounds are recorded by another class, so that a step without pictures costs no more.
        kind: Any = DrawnBandit if render_mode and cls is SingleBandit else cls
        return super().__new__(kind)

    def __init__(
        self,
        entry: str | type[BanditVectorEnv],
        *,
        render_mode: str | None = None,
        **settings: Any,
    ):
        if render_mode is not None:
            word("render_mode", render_mode, tuple(self.metadata["render_modes"]))
        self.render_mode = render_mode
        if "autoreset_mode" in settings:
            raise UnknownSettingError(
                "got an unexpected keyword argument 'autoreset_mode': "
                "it is a setting of make_vec alone"
            )
        cls = load_env(entry) if isinstance(entry, str) else entry
        if "max_episode_steps" in settings_of(cls):
            settings = with_length(settings, sys._getframe(1))
        self._batched: BanditVectorEnv = make_env(1, entry=cls, **settings)
        self.observation_space = self._batched.single_observation_space
        self.action_space = self._batched.single_action_space
        self._over = True
        self._rounds: _Rounds | None = None  # if there are some, the coming one is among them

    @property
    def task(self) -> Any:
        """The facts that an agent may know of the environment."""
        return self._batched.task

    @property
    def batched(self) -> BanditVectorEnv:
        """The environment of one replicate, in the state of the coming round."""
        self._rounds = None  # it may be played without this one
        return self._batched

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_rounds": None}

    def regret_of(self, action: ArrayLike) -> float:
        """That of the batched environment; an AttributeError if it has none."""
        return self._batched.regret_of([action]).item()  # type: ignore[attr-defined]

    def expected_rewards(self) -> np.ndarray | None:
        """Those of the batched environment, (K,)."""
        found = self._batched.expected_rewards()
        return None if found is None else found[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode; the arguments are those of ``BanditVectorEnv.reset`` for one seed."""
        if seed is not None:
            [seed] = seeds_of(seed, 1)
        super().reset(seed=seed)  # Gymnasium requires it: np_random is never used
        observation, info = self.batched.reset(seed=seed, options=options)
        self._over = False
        return _first(observation), _first(info)

    def step(self, action: Any):
        """Play one round: (observation, reward, terminated, truncated, info)."""
        if self._over:
            raise ResetNeeded("the episode is over, or none has begun: call reset()")
        batched, rounds = self._batched, self._rounds
        if rounds is None:
            cls, base = type(batched), BanditVectorEnv
            changed = cls.step is not base.step or cls._over is not base._over
            if batched._late or batched._available or changed:
                observation, reward, _, truncated, info = batched.step([action])
                self._over = over = truncated.item()
                return _first(observation), reward.item(), False, over, _first(info)
            rounds = self._rounds = _Rounds(batched)
        t = batched._t
        s = t - rounds.start
        reward, info = rounds.play(s, action)
        batched._t = t = t + 1
        self._over = over = t == rounds.horizon
        if s == rounds.last:
            self._rounds = None  # also if the next rounds cannot be read
            rounds = self._rounds = _Rounds(batched)
            s = -1
        return rounds.show(s + 1), reward, False, over, info

    def block(self, rounds: int) -> Block | None:
        """The next rounds at once, with a replicate axis of length 1; None after the last."""
        if self._over or not still_equivalent(type(self), "block", ("step",)):
            return None
        return self.batched.block(rounds)

    def step_block(
        self, block: Block, actions: ArrayLike, shows: bool = True
    ) -> tuple[Any, Any, dict[str, Any]]:
        """Play the rounds of a block; actions, rewards and info (m, 1) keep the axis."""
        observation, reward, info = self.batched.step_block(block, actions, shows)
        self._over = block.start + len(reward) == self.task.horizon
        return _first(observation) if shows else None, reward, info

    def __str__(self) -> str:
        return described(self, self.batched.task)

    __repr__ = __str__

    def render(self) -> Any:
        """The episode so far, as ``render_mode`` says; it needs one."""
        raise ValueError("nothing is drawn: make the environment with render_mode='rgb_array'")

    def action_masks(self) -> np.ndarray:
        """Which actions may be played now, bool (K,), for MaskablePPO of sb3-contrib.

        All of them, except where arms come and go: then it is the observation's ``action_mask``.

        Raises
        ------
        ValueError
            If actions are not arms or labels.
        """
        if not isinstance(self.action_space, gymnasium.spaces.Discrete):
            raise ValueError(f"only arms and labels have masks, and {self.action_space} has none")
        if self._batched.seeds:
            self._batched._observation()  # which a block may not have shown
        mask = getattr(self.action_space, "mask", None)
        return np.ones(int(self.action_space.n), bool) if mask is None else mask.astype(bool)


class DrawnBandit(SingleBandit):
    """One that records its episode, and draws it."""

    _record: EpisodeRecord | None = None
    _frames: Frames | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_frames": None}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        shown = super().reset(seed=seed, options=options)
        self._record, self._frames = EpisodeRecord(self.task), None
        return shown

    def step(self, action: Any):
        shown = _, reward, *_, info = super().step(action)
        assert self._record is not None  # reset() made it
        self._record.add(action, reward, info)
        return shown

    def render(self) -> Any:
        if self._record is None:
            raise ResetNeeded("call reset() before render()")
        name = type(self._batched).__name__ if self.spec is None else self.spec.id
        if self.render_mode == "ansi":
            return self._record.text(name)
        if self._frames is None:
            self._frames = Frames(self._record, name)
        return self._frames.picture()


class _Rounds:
    """Successive rounds of one replicate, looked up one by one.

    Attributes
    ----------
    start, last : int
        The first of them, counted from 0 in the episode, and the place of the last one.
    horizon : int or None
        Rounds of the episode.
    show : callable
        ``show(s)`` -> the observation of the round at place s, the caller's own.
    play : callable
        ``play(s, action)`` -> the reward and the info of an action there.
    """

    def __init__(self, batched: BanditVectorEnv):
        block, _ = batched._coming()
        self.start, self.last, self.horizon = block.start, len(block) - 1, batched.task.horizon
        self.play, shown = _player(batched, block), batched._shown
        self.show: Callable[[int], Any]
        if shown is None:
            self.show = ([0] * len(block)).__getitem__
        elif isinstance(shown, dict):
            self.show = _mappings(shown, len(block), batched.single_action_space)
        elif shown.ndim == 2 or shown.flags.writeable:
            self.show = _each_row(shown, len(block)).__getitem__
        else:
            self.show = lambda s: own_row(shown, s)[0]


def _player(batched: BanditVectorEnv, block: Block) -> Callable[[int, Any], Played]:
    """``play`` of a block: the environment's own, from a table, or a call of ``_reward``."""
    cls, arms = type(batched), batched._set
    offers = cls._reward_one is not BanditVectorEnv._reward_one
    same = not offers or still_equivalent(cls, "_reward_one", ("_reward", "_rounds"))
    found = batched._reward_one(block) if same else None
    tabled = isinstance(block, MeansBlock | PairsBlock) and type(arms) is FiniteArms
    # Where it is not the same, ``_reward`` may depend on earlier actions, as no table does.
    if found is None and same and tabled and arms.n_arms <= MOST_IN_TABLE and batched._unchanged:
        found = _from_table(batched, block, arms.n_arms)
    if found is not None:
        return found

    def play(s: int, action: Any) -> Played:
        read = batched._set.read([action], 1)[None]
        rewards, infos = batched._reward(block, PLACES[s : s + 1], read)
        return rewards.item(), _scalars(infos)

    return play


def _from_table(
    batched: BanditVectorEnv, block: Block, arms: int
) -> Callable[[int, Any], Played] | None:
    """``play`` where rewards and infos of every arm are looked up; None if not all are numbers."""
    places = np.repeat(np.arange(len(block)), arms)
    every = np.tile(np.arange(arms), len(block))[:, None]
    try:
        rewards, infos = batched._reward(block, places, every)
    except ValueError:  # an arm may not be played in some round
        return None
    if any(isinstance(of_arms, dict) or of_arms.ndim > 2 for of_arms in infos.values()):
        return None
    reward, read_one = rewards.reshape(-1, arms).item, batched._set.read_one
    if not infos:
        return lambda s, action: (reward(s, read_one(action)), {})
    (name, first), *others = (
        (name, of_arms.reshape(-1, arms).item) for name, of_arms in infos.items()
    )

    def play(s: int, action: Any) -> Played:
        if type(action) is not int or not 0 <= action < arms:
            action = read_one(action)
        info = {name: first(s, action)}  # a loop over all of them would take a tenth of a step
        for other, value in others:
            info[other] = value(s, action)
        return reward(s, action), info

    return play


def _each_row(rows: np.ndarray, rounds: int) -> list[Any]:
    """What an array shows in each round: rows for the caller to keep, or Python's scalars."""
    if not rows.flags.writeable:
        rows = np.repeat(rows, rounds // len(rows), axis=0)  # a copy, also where it has every round
    return rows[:, 0].tolist() if rows.ndim == 2 else list(rows[:, 0])


def _mappings(
    shown: dict[str, np.ndarray], rounds: int, space: Any
) -> Callable[[int], dict[str, Any]]:
    """``show`` of mappings; the space of actions gets the mask of the round that is shown."""
    each = [(name, _each_row(rows, rounds)) for name, rows in shown.items()]
    if "action_mask" in shown:
        masks = shown["action_mask"]
        masks = np.broadcast_to(masks, (rounds, *masks.shape[1:]))[:, 0]

        def show(s: int) -> dict[str, Any]:
            space.mask = masks[s]
            return {name: rows[s] for name, rows in each}

        return show
    (first, rows_of_first), *others = each
    if len(others) == 1:  # at half the time
        [(second, rows_of_second)] = others
        return lambda s: {first: rows_of_first[s], second: rows_of_second[s]}
    return lambda s: {name: rows[s] for name, rows in each}


def _scalars(infos: dict[str, Any]) -> dict[str, Any]:
    """The infos of one round of one replicate, (1, 1, ..)."""
    return {
        name: _scalars(rows)
        if isinstance(rows, dict)
        else (rows.item() if rows.ndim == 2 else rows[0, 0])
        for name, rows in infos.items()
    }


def _first(batch: Any) -> Any:
    """Replicate 0 of a batch: a copy of an array, a Python scalar, or a mapping of these."""
    if isinstance(batch, dict):
        single = {}  # of a round: a comprehension is a call more
        for key, value in batch.items():
            if key == "arrivals":
                single[key] = each_of_one(value)
            elif key[0] != "_":
                plain = type(value) is np.ndarray and value.ndim == 1
                single[key] = value.item() if plain else _first(value)
        return single
    if batch.ndim == 1:
        return batch.item()
    # order="K" keeps the memory layout of features, which saves the agent a copy.
    return batch[0].copy(order="K")
