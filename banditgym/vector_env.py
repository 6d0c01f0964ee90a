"""The base class of environments: seeds, episodes, horizons and Gymnasium's vector interface."""

import dataclasses
import importlib
import inspect
import math
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike

from banditgym.action_sets import AnyPoints, FiniteArms, Numbers
from banditgym.rounds import availability, kinds
from banditgym.rounds.availability import Availability, refuse_withdrawn
from banditgym.rounds.blocks import (
    MOST_AT_ONCE,
    Block,
    PlayedPoints,
    rounds_at_once,
    rounds_per_block,
    still_equivalent,
)
from banditgym.rounds.late_feedback import LateFeedback, LatenessRules, known_feedback
from banditgym.rounds.read_only import own_row
from banditgym.spaces import MaskedArms
from banditgym.specs import spec_with_horizon
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import ArmedTask
from banditgym.validation import brief, memory, nearest, whole

# Purposes of an environment's random numbers: two of them never share numbers.
THETA, ARMS, CONTEXTS, NOISE, CHANGES, DELAYS, MISSING, AVAILABLE = range(8)

DEFAULT_HORIZON = 1000
PLACES = np.arange(MOST_AT_ONCE)  # not to be written to

Played = tuple[float, dict[str, Any]]  # a reward and an info
MOST_ROUNDS = 2**63 - 1  # the counter is an int64


class BanditVectorEnv(VectorEnv):
    """n replicates of a bandit in lockstep.

    A concrete environment calls ``__init__`` with its task and the spaces of one replicate, and
    defines a round:

    - ``_begin()``: an episode begins. ``self.seeds`` and ``self.episode`` are set. What an episode
      draws is drawn here.
    - ``_rounds(t, rounds)`` -> a ``Block`` with what does not depend on actions in rounds t, t + 1,
      .., at most ``rounds`` of them and at least one. It changes nothing that a round depends on,
      and may be called again for the same rounds.
    - ``_reward(block, places, actions)`` -> rewards (c, n), and a mapping of infos: each value is
      an array (c, n, ..) or a mapping of such arrays. ``actions`` (c, n, ..) are legal. Row j holds
      those of the n replicates in the round at place ``places[j]``, int64 (c,), of the block. Where
      a reward depends on earlier actions, the environment keeps what it needs of them here: if
      ``places`` has more than one, they are in the order of the rounds. A ValueError refuses the
      actions, before anything changes.

    ``step``, blocks for agents and the single environment's ``step`` follow from these, and so do
    the masks of infos. Round ``horizon`` is shown after the last step, and never played.

    A single environment looks rewards up in a table of every action, made by one call of
    ``_reward``, if a block is a ``MeansBlock`` or a ``PairsBlock`` of at most 512 actions; then
    ``_reward`` must depend on nothing but its arguments. For other blocks, an environment may
    define what is faster than a call of ``_reward`` in each step:

    - ``_reward_one(block)`` -> a function of a place s and an action, which it checks itself. It
      returns the reward and the info of the only replicate, as Python's scalars. The default
      returns None. A subclass that overrides ``_rounds`` or ``_reward`` alone is played by
      ``_reward``.

    What ``reset`` and ``step`` return is the caller's own, in observations, rewards, flags and
    infos: it may be written to, and never changes later. The arrays that ``_reward`` returns and
    those that a block shows are handed to callers, so they must be no buffers of the environment's.
    A block's own arrays become read-only.

    An episode is truncated at ``task.horizon`` and never terminates; the step after that only
    resets (``AutoresetMode.NEXT_STEP``): its actions are ignored, even illegal ones, its rewards
    are 0 and its info is empty. ``make_vec(.., autoreset_mode=)`` takes Gymnasium's other two
    modes. With ``SAME_STEP`` the last step of an episode resets and returns the first observation
    of the next episode; the last observation is ``info["final_obs"]`` (n,) and the last info
    ``info["final_info"]``. With ``DISABLED`` a step after the last one raises ``ResetNeeded``.

    Parameters
    ----------
    num_envs : int
        Number of independent replicates, n >= 1.
    task : dataclass of ``banditgym.tasks``
        The facts that an agent may know.
    observation_space, action_space : gymnasium.Space
        The spaces of one replicate.
    action_set : optional
        Reads and checks actions: one of ``banditgym.action_sets``. By default it follows from the
        space of actions, which is then ``Discrete(K)`` from 0, a ``Box`` of shape () within -b ..
        b, a ``Box`` of shape (d,) without bounds, or one of ``banditgym.spaces``.

    Attributes
    ----------
    seeds : list of int
        One seed per replicate; empty before the first reset.
    episode : int
        The number of resets since seeding, before the current one.
    autoreset_mode : gymnasium.vector.AutoresetMode
        How the next episode begins; ``metadata`` has it too.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium's own form)
    spec = spec_with_horizon
    _settings: dict[str, Any] | None = None  # as given to the constructor
    _reads_files: bool = False  # even if no setting names one

    def __init__(
        self,
        num_envs: int,
        task: Any,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        action_set: Any = None,
    ):
        self.num_envs = whole("num_envs", num_envs)
        self.task = task
        self._set_spaces(observation_space, action_space)
        self.seeds: list[int] = []
        self.episode = 0
        self._set = _reader_of(action_space) if action_set is None else action_set
        self._t = 0
        self._block: Block | None = None  # if there is one, the coming round is often among its
        self._shown: Any = None  # what that block shows
        self._late: LateFeedback | None = None
        self._available: Availability | None = None
        self.autoreset_mode = AutoresetMode.NEXT_STEP
        self._yes, self._no = np.ones(self.num_envs, bool), np.zeros(self.num_envs, bool)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode: a new instance unless the settings fix it.

        Parameters
        ----------
        seed : int, sequence of n ints, or None
            ``s`` means seeds s, s+1, .. Replicate i is bit for bit the single environment with its
            seed. None begins the next episode of the current seeds; at the first reset it draws
            seeds from the system's entropy.
        options : dict or None
            Only Gymnasium's ``reset_mask`` (n,). It must be all true, because all replicates are in
            the same round.
        """
        if options is not None and not isinstance(options, dict):
            raise ValueError(f"reset options must be a mapping or None, got {brief(options)}")
        if options:
            _check_options(options, self.num_envs)
        if seed is not None:
            self.seeds, self.episode = seeds_of(seed, self.num_envs), 0
            super().reset(seed=self.seeds[0])  # Gymnasium requires it: np_random is never used
        elif not self.seeds:
            entropy = np.random.SeedSequence().generate_state(self.num_envs, np.uint64)
            self.seeds = [int(s) for s in entropy]
        else:
            self.episode += 1
        self._t, self._block = 0, None
        self._begin()
        if self._available is not None:
            self._available.begin(self._stream(AVAILABLE))
        if self._late is None:
            return self._observation(), {}
        self._late.begin(self._stream(DELAYS), self._stream(MISSING))
        return self._observation(), {"arrivals": self._late.arrivals()}

    def step(self, actions: ArrayLike):
        """Play one round: (observation, rewards (n,), terminated (n,), truncated (n,), info)."""
        n, no = self.num_envs, self._no.copy
        if self._over:
            if self.autoreset_mode is AutoresetMode.DISABLED:
                raise ResetNeeded("the episode is over: call reset()")
            observation, info = self.reset()
            return observation, np.zeros(n), no(), no(), info
        if not self.seeds:
            raise ResetNeeded("call reset() before the first step()")
        block, s = self._coming()
        read = self._set.read(actions, n)
        if self._available is not None:
            refuse_withdrawn(self._shown["action_mask"][s], read)
        [rewards], infos = self._reward(block, PLACES[s : s + 1], read[None])
        info = self._masked(infos)
        if self._late is not None:
            rewards = self._late.step(self._t, read, rewards, info)
        self._t += 1
        observation, truncated = self._observation(), no()
        if self._over:
            truncated = self._yes.copy()
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final, of_final = _each_one(observation, n), info
                observation, info = self.reset()
                info["final_obs"], info["_final_obs"] = final, self._yes.copy()
                info["final_info"], info["_final_info"] = of_final, self._yes.copy()
        return observation, rewards, no(), truncated, info

    def block(self, rounds: int) -> Block | None:
        """The next rounds at once, at most ``rounds`` and to the horizon; None if not offered.

        ``banditgym.rounds.blocks.rounds_per_block`` says how many, and when rounds are too large
        for a block to be faster. A block contains hidden values, and only ``Agent.play_block`` may
        use it. Making a block changes nothing; ``step_block`` plays it.
        """
        if not self.seeds:
            raise ResetNeeded("call reset() before the first block()")
        t, rounds = self._t, whole("rounds", rounds)
        round_bytes = self.block_bytes()
        if round_bytes is None:
            return None
        if self.task.horizon is not None:
            rounds = min(rounds, self.task.horizon - t)
        rounds = rounds_per_block(rounds, round_bytes)
        block = self._rounds(t, rounds) if rounds else None
        return block.sealed() if block is not None and block.playable else None

    def block_bytes(self) -> int | None:
        """The bytes of a round in a block, approximately; None if no blocks are made."""
        if not (self.seeds and self._unchanged):
            return None
        block = self._coming()[0] if self._block is None else self._block  # an earlier one will do
        return self._round_bytes if block.playable else None

    def step_block(
        self, block: Block, actions: ArrayLike | PlayedPoints, shows: bool = True
    ) -> tuple[Any, np.ndarray, dict[str, Any]]:
        """Play the rounds of a block: (observation after the last one, rewards (m, n), info).

        The next ``step`` continues as if each of these rounds had been a step.

        Parameters
        ----------
        block : Block
            The last block that ``block`` returned.
        actions : array (m, n), or (m, n, d) of points, or ``banditgym.rounds.blocks.PlayedPoints``
        shows : bool
            False saves the time of the observation if a block follows. Then it is None, except
            after a reset, and masks of the action space stay those of an earlier round.

        Raises
        ------
        ValueError
            For actions that ``step`` would refuse, and for a block that is not of the next rounds.
        """
        if block.start != self._t:
            raise ValueError(
                f"the block begins at round {block.start}, the environment is at {self._t}"
            )
        places = np.arange(len(block))
        rewards, infos = self._reward(block, places, self._read_rounds(actions, len(block)))
        self._t += len(block)
        if self._over and self.autoreset_mode is AutoresetMode.SAME_STEP:
            return self.reset()[0], rewards, infos
        return self._observation() if shows else None, rewards, infos

    def resized(self, num_envs: int) -> Self | None:
        """A new environment of ``num_envs`` replicates, with the settings that this one was given.

        None for an environment that reads files, because it would read them again, and for one
        whose constructor ``banditgym.settings`` did not make.
        """
        if (
            self._settings is None
            or self._reads_files
            or any(map(_is_file, self._settings.values()))
        ):
            return None
        return type(self)(num_envs, **self._settings)

    def __getstate__(self) -> dict[str, Any]:
        # Copied arrays can be written to, so rounds are made again.
        return vars(self) | {"_block": None, "_shown": None}

    def __repr__(self) -> str:
        return described(self, self.task, num_envs=self.num_envs)

    @property
    def _over(self) -> bool:
        return self._t == self.task.horizon

    def _stream(self, purpose: int) -> Stream:
        """The random numbers for one purpose, such as the noise, in this episode."""
        return Stream(self.seeds, ENVIRONMENT, purpose, self.episode)

    @property
    def _unchanged(self) -> bool:
        """Whether ``_rounds`` still says all of a round.

        It does not if rewards are late or arms come and go, or if a subclass changes them.
        """
        steps = ("step", "_reward", "_over")
        if self._late is not None or self._available is not None:
            return False
        return "step" not in vars(self) and still_equivalent(type(self), "_rounds", steps)

    @cached_property
    def _round_bytes(self) -> int:
        """The bytes of a round in a block, approximately."""
        shown, task = _bytes_of(self.single_observation_space), self.task
        if getattr(task, "fixed_arms", False):
            return 24 * self.num_envs  # the means of arms are those of all rounds
        has_means = task.observes in (kinds.ARMS, kinds.CONTEXT) or isinstance(task, ArmedTask)
        means = 8 * task.n_arms if has_means else 0
        return self.num_envs * (shown + means + 24)

    def _set_spaces(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:
        self.single_observation_space = observation_space
        self.single_action_space = action_space
        self.observation_space = batch_space(observation_space, self.num_envs)
        self.action_space = batch_space(action_space, self.num_envs)

    def _let_arms_come_and_go(self, law: availability.Law) -> None:
        """Let arms come and go by this law from the next episode on; blocks are ``MeansBlock``s."""
        self._available, n_arms = Availability(law, self.task, self.num_envs), self.task.n_arms
        shown = self.single_observation_space
        observes = self.task.observes
        if isinstance(shown, spaces.Dict):
            parts = dict(shown.spaces)
        else:
            parts = {} if observes is kinds.NOTHING else {observes.name: shown}
        parts["action_mask"] = spaces.MultiBinary(n_arms)
        self._set_spaces(spaces.Dict(parts), MaskedArms(n_arms))
        self.task = dataclasses.replace(self.task, arms_vary=True)

    def _let_rewards_be_late(self, rules: LatenessRules, law_known: bool) -> None:
        """Let rewards arrive by these rules from the next episode on."""
        fault = rules.fault(self.task)
        if fault is not None:
            raise ValueError(fault)
        self.task = dataclasses.replace(self.task, feedback=known_feedback(rules, law_known))
        self._late = LateFeedback(rules, self.task, self.num_envs)

    def _coming(self) -> tuple[Block, int]:
        """The block that holds the coming round, and the round's place in it."""
        block, t = self._block, self._t
        if block is None or not block.start <= t < block.start + len(block):
            self._block = None  # also if the next rounds cannot be read
            masks = 0 if self._available is None else self._available.round_bytes
            rounds = rounds_at_once(self._round_bytes + masks)
            if self.task.horizon is not None:
                rounds = min(rounds, self.task.horizon + 1 - t)
            block = self._rounds(t, rounds)
            shown = block.shown
            if self._available is not None:
                block, shown = self._available.applied(block)
            self._block, self._shown = block, shown
            block.sealed()
        return block, t - block.start

    def _observation(self) -> Any:
        """The observation of the coming round, in the caller's own memory."""
        s, shown = self._coming()[1], self._shown
        if shown is None:
            return np.zeros(self.num_envs, np.int64)
        if not isinstance(shown, dict):
            return own_row(shown, s)
        if "action_mask" in shown:
            masks = shown["action_mask"]
            self._show_mask(masks[min(s, len(masks) - 1)])
        return {name: own_row(rows, s) for name, rows in shown.items()}

    def _masked(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Infos (1, n, ..) of a round as Gymnasium has those of a vector: with their masks."""
        info = {}
        for name, rows in infos.items():
            info[name] = self._masked(rows) if isinstance(rows, dict) else rows[0]
            info[f"_{name}"] = self._yes.copy()
        return info

    def _show_mask(self, mask: np.ndarray) -> None:
        """Let the spaces of actions sample what the read-only mask (n, K) of the round allows."""
        self.single_action_space.mask = mask[0]  # type: ignore[attr-defined]
        self.action_space.mask = mask  # type: ignore[attr-defined]

    def _read_rounds(self, actions: Any, rounds: int) -> Any:
        """The actions (m, n, ..) of a block, checked as those of a step."""
        return read_rounds(self._set, actions, rounds, self.num_envs)

    def _begin(self) -> None:
        raise NotImplementedError

    def _rounds(self, t: int, rounds: int) -> Block:
        raise NotImplementedError

    def _reward(self, block: Any, places: np.ndarray, actions: Any) -> tuple[Any, dict[str, Any]]:
        raise NotImplementedError

    def _reward_one(self, block: Any) -> Callable[[int, Any], Played] | None:
        return None


# Sizes of a task, in the order in which they are shown.
_SIZES = ("n_arms", "n_labels", "slots", "dim", "horizon")


def described(env: gymnasium.Env | VectorEnv, task: Any, **more: Any) -> str:
    """An environment in a line: ``<LinearBandit-v0: n_arms=20, dim=5, horizon=1000, seed=3>``.

    Parameters
    ----------
    env : gymnasium.Env or gymnasium.vector.VectorEnv
        Its ``spec`` has its id and its settings; without one its class is shown. Settings that are
        numbers or strings are shown, unless the id fixes them.
    task : dataclass of ``banditgym.tasks``
        Its sizes are shown.
    **more
        Further values, shown last.
    """
    name, given, meant = type(env).__name__, {}, {}
    if env.spec is not None:
        name, given = env.spec.id, env.spec.kwargs
        meant = gymnasium.registry[name].kwargs if name in gymnasium.registry else {}
    fields = vars(task)
    shown = {size: fields[size] for size in _SIZES if fields.get(size) is not None}
    for setting, value in given.items():
        plain = isinstance(value, bool | int | float | str)
        if plain and setting not in _OF_MAKING and value != meant.get(setting):
            shown.setdefault(setting, value)
    texts = [f"{key}={brief(value, 40)}" for key, value in (shown | more).items()]
    return f"<{name}: {', '.join(texts)}>"


# Keywords of Gymnasium among the settings of a vector environment.
_OF_MAKING = ("num_envs", "vectorization_mode", "max_episode_steps")


class UnknownSettingError(TypeError, ValueError):
    """A setting that an environment does not have.

    It is a ``ValueError``, as for every other bad setting, and a ``TypeError``, as Python raises
    for an unknown keyword, with Python's words: libraries pass keywords of other environments, such
    as stable-baselines3 ``render_mode`` and TorchRL ``frameskip``, and drop them only if they read
    these words.
    """

    @classmethod
    def of(cls, name: str, setting: str, hint: str = "") -> Self:
        """The error for a setting that the environment ``name`` does not have."""
        reason = f"{name} has no setting {setting!r}{hint}"
        return cls(f"got an unexpected keyword argument {setting!r}: {reason}")


def make_env(
    num_envs: int = 1,
    *,
    entry: str | type[BanditVectorEnv],
    autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    render_mode: None = None,
    **settings: Any,
) -> BanditVectorEnv:
    """Make the batched environment, or the one named ``"module:Class"``; ``gymnasium.make_vec``
    calls it.

    Raises
    ------
    UnknownSettingError
        For a setting that the environment does not have, with the nearest name; and for a
        ``render_mode``, because there are no pictures.
    """
    if not isinstance(autoreset_mode, AutoresetMode):
        raise ValueError(
            "autoreset_mode must be one of gymnasium.vector.AutoresetMode, got "
            f"{brief(autoreset_mode)}"
        )
    cls = load_env(entry) if isinstance(entry, str) else entry
    name, known = cls.__name__, settings_of(cls)
    if render_mode is not None:
        raise UnknownSettingError.of(name, "render_mode", ": nothing is drawn")
    for setting in settings:
        if setting not in known:
            raise UnknownSettingError.of(name, setting, nearest(setting, known))
    _check_memory(name, num_envs, known | settings)
    try:
        made = cls(num_envs, **settings)
    except MemoryError as error:
        raise ValueError(f"{name} needs more memory than there is: {error}") from error
    if autoreset_mode is not AutoresetMode.NEXT_STEP:
        made.metadata = made.metadata | {"autoreset_mode": autoreset_mode}
        made.autoreset_mode = autoreset_mode
    return made


def load_env(path: str) -> type[BanditVectorEnv]:
    """The batched environment named ``"module:Class"``, which is imported."""
    module, name = path.split(":")
    return getattr(importlib.import_module(module), name)


def settings_of(cls: type[BanditVectorEnv]) -> dict[str, Any]:
    """The settings of an environment's constructor except ``num_envs``: name -> default.

    If it takes ``**keywords``, they are also those of the next class's constructor, and so on.
    """
    known: dict[str, Any] = {}
    for base in cls.__mro__[: cls.__mro__.index(BanditVectorEnv)]:
        taken = inspect.signature(base.__init__).parameters.values()
        for parameter in taken:
            if parameter.kind is parameter.KEYWORD_ONLY:
                known.setdefault(parameter.name, parameter.default)
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken):
            break
    return known


def seeds_of(seed: Any, n: int) -> list[int]:
    """One seed per replicate from an int (s, s+1, ..) or a sequence of n ints of any size."""
    if isinstance(seed, Integral) and not isinstance(seed, bool):
        seed = [int(seed) + i for i in range(n)]
    flat = seed.ndim == 1 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    if not flat or isinstance(seed, str | bytes):
        raise ValueError(
            f"seed must be an integer or a sequence of {n} integers, got {brief(seed)}"
        )
    if len(seed) != n:
        raise ValueError(f"expected one seed per replicate, {n}, got {len(seed)}")
    for s in seed:
        if not isinstance(s, Integral) or isinstance(s, bool) or s < 0:
            raise ValueError(f"a seed must be an integer >= 0, got {brief(s)}")
    return [int(s) for s in seed]


def horizon_of(horizon: int | None, max_episode_steps: int | None) -> int:
    """The horizon from the setting and from Gymnasium's name for it."""
    if max_episode_steps is not None:
        whole("horizon", max_episode_steps)
    if horizon is None:
        horizon = DEFAULT_HORIZON if max_episode_steps is None else max_episode_steps
    horizon = whole("horizon", horizon)
    if max_episode_steps is not None and max_episode_steps != horizon:
        raise ValueError(
            "horizon and max_episode_steps are two names of one setting, got "
            f"{horizon} and {max_episode_steps}"
        )
    if horizon > MOST_ROUNDS:
        raise ValueError(f"horizon must be at most {MOST_ROUNDS}, got {horizon}")
    return horizon


def _check_memory(name: str, n: object, settings: dict[str, Any]) -> None:
    """Refuse sizes whose features take more memory than the machine has.

    Four arrays of features of all replicates are kept: two for the bounds, two for rounds.
    """
    sizes = {"num_envs": n, "n_arms": settings.get("n_arms"), "dim": settings.get("dim")}
    sizes = {
        key: int(size)
        for key, size in sizes.items()
        if isinstance(size, int | np.integer) and not isinstance(size, bool) and size > 1
    }
    needed, there = 4 * 8 * math.prod(sizes.values()), memory()
    shape = settings.get("action_set")
    if isinstance(shape, str) and shape == "ellipsoid":
        needed *= sizes.get("dim", 1)
    if needed > there:
        given = ", ".join(f"{key}={size}" for key, size in sizes.items())
        needed = min(needed, 10**300)  # a float
        raise ValueError(
            f"{name} with {given} would take about {needed / 1e9:.3g} GB of memory, and this "
            f"machine has {there / 1e9:.3g} GB"
        )


def _is_file(value: object) -> bool:
    if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[1], str):
        value = value[0]  # a table and the name of its target
    return isinstance(value, str | os.PathLike) and os.path.exists(value)


def _check_options(options: dict[str, Any], n: int) -> None:
    mask = options.get("reset_mask")
    if mask is None or len(options) > 1:
        raise ValueError(f"environments take no reset options but reset_mask, got {list(options)}")
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != (n,) or not mask.all():
        raise ValueError(
            f"reset_mask must be of shape ({n},) and all true: replicates share their round; "
            f"got {brief(mask)}"
        )


def _each_one(batch: np.ndarray | dict[str, np.ndarray], n: int) -> np.ndarray:
    """The observations of each replicate, (n,), as Gymnasium keeps final ones: copies or ints."""
    each = np.empty(n, dtype=object)
    for i in range(n):
        if isinstance(batch, dict):
            each[i] = {key: np.copy(part[i]) for key, part in batch.items()}
        else:
            each[i] = batch.item(i) if batch.ndim == 1 else np.copy(batch[i])
    return each


def read_rounds(action_set: Any, actions: ArrayLike, rounds: int, n: int) -> np.ndarray:
    """The actions (m, n, ..) of m rounds, read by a set.

    Raises
    ------
    ValueError
        That of the first round with an action that the set refuses.
    """
    given = np.asarray(actions)
    if given.shape[:2] != (rounds, n):
        raise ValueError(f"expected actions of shape ({rounds}, {n}, ..), got {given.shape}")
    try:
        read = action_set.read(given.reshape(rounds * n, *given.shape[2:]), rounds * n)
    except ValueError:
        for of_round in given:
            action_set.read(of_round, n)
        raise
    return read.reshape(rounds, n, *read.shape[1:])


def _bytes_of(space: Any) -> int:
    """The bytes of an observation of a space."""
    if isinstance(space, spaces.Dict):
        return sum(map(_bytes_of, space.values()))
    discrete = isinstance(space, spaces.Discrete)
    return 0 if discrete else math.prod(space.shape) * space.dtype.itemsize


def _reader_of(space: spaces.Space) -> Any:
    """What reads the actions of a space."""
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return FiniteArms(int(space.n))
    if isinstance(space, spaces.Box):
        if space.shape == () and space.low == -space.high:
            return Numbers(float(space.high))
        if len(space.shape) == 1 and not (space.bounded_below | space.bounded_above).any():
            return AnyPoints(*space.shape)
    action_set = getattr(space, "action_set", None)
    if action_set is None:
        raise ValueError(
            "actions are read by default as those of Discrete(K), which starts at 0, of a Box of "
            "shape () within -b .. b, or of a Box of shape (d,) without bounds, not of "
            f"{space}: give an action_set"
        )
    return action_set
