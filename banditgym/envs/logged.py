"""Logs of bandits, replayed round by round."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces

from banditgym.data.chunks import Chunks
from banditgym.logs import BanditLog, LogChunk, LogColumns, made_log, open_log
from banditgym.logs.log_tasks import features_shown, shape_shown, task_of_log
from banditgym.rounds.availability import refuse_withdrawn
from banditgym.rounds.blocks import Block
from banditgym.settings import Settings, configured, flag, least, setting
from banditgym.spaces import MaskedArms
from banditgym.validation import brief, positive
from banditgym.vector_env import NOISE, BanditVectorEnv

MADE = "made"


class LoggedSettings(Settings):
    """The settings of ``LoggedBandit``."""

    data: Annotated[
        Any,
        "str, path, DataFrame or table",
        "A Parquet or CSV file (also .gz or .bz2), a pandas DataFrame, or any table with Arrow's "
        'stream interface; "made" is a log of ``banditgym.logs.made_log``, which needs no file.',
    ] = setting(default=MADE)
    columns: Annotated[
        Any,
        "mapping, optional",
        "Which columns hold what, by the names of ``banditgym.logs.LogColumns``, such as "
        "``{'context': ['age', 'income'], 'action': 'shown', 'reward': 'clicked'}``.",
    ] = setting()
    horizon: Annotated[
        int | None,
        "Rows per episode, T, at most those of the log; by default all. ``max_episode_steps`` is "
        "Gymnasium's name for it.",
    ] = setting()
    n_arms: Annotated[int | None, "Number of arms K, where it is more than the log shows."] = (
        setting()
    )
    replicate: Annotated[int | None, "The replicate to replay, of a log that has several."] = (
        setting(least(0))
    )
    adaptive: Annotated[
        bool | None,
        "bool, optional",
        "Whether the policy that was logged learned as it went; such a log is refused. By default "
        "as the log's metadata say, and for logs that show nothing, whether propensities change.",
    ] = setting(flag)
    param_norm: Annotated[
        float,
        "The bound on theta that agents are to assume; the true bound is unknown.",
    ] = setting(positive, 1.0)


@configured(LoggedSettings)
class LoggedBandit(BanditVectorEnv):
    r"""Replay of a log: every row is a round, and its reward is observed by whoever plays its arm.

    In round t a log has the context x_t, the action a_t, its propensity :math:`p_t = P(a_t \mid
    x_t)` and the reward. Let p be the least propensity of all arms that could be played in any row.
    If an agent plays a_t, the reward is observed with probability :math:`p / p_t`, decided by a
    uniform number of the replicate's seed and t. Otherwise the reward is 0, ``info["observed"]`` is
    false, and the round does not count. So whatever an agent plays is observed with probability p,
    independently of the context and the arm, and the mean reward of observed rounds is an unbiased
    estimate of the mean reward of its choices, if the log's contexts are independent (Li, Chu,
    Langford and Wang, WSDM 2011, where p = 1 / K). This rate is ``acceptance``: of T rounds about
    p T count. Where a log has the propensities of the actions alone, p is the least of these.

    All replicates go through the log together, and each keeps other rounds of it. Where the log's
    choices were uniform, every round in which the agent plays a_t is observed, and all seeds are
    the same.

    Observations are the features of arms (n, K, d) or a context (n, d) that all arms share, and
    nothing if the log has none. A position is part of the context: its unit vector comes after the
    features. With ``action_mask`` they are mappings of ``arms`` or ``context``, and ``action_mask``
    (n, K). Two measures of shape (n,) are increments: ``info["matched"]``, 1 where the round was
    observed, and ``info["earned"]``, which is the reward. A trace also has ``reward_per_match``,
    their ratio, which is 0 until a round matches. There is no regret.

    The log is read once with all checks when the environment is made, and then streamed in bounded
    memory, once per episode. ``banditgym.logs.open_log`` says what is refused. A reward whose
    ``arrival`` is null is never observed. An observation after the last row has features 0.

    Attributes
    ----------
    acceptance : float
        The probability p with which a round is observed.
    log : banditgym.logs.BanditLog
    determined : bool
        Whether the episode is the same for all seeds: no round is left out at random.

    Raises
    ------
    ValueError
        If the log cannot be replayed: it has no propensities, gives an arm that could be played the
        probability 0, has rows of several replicates, shows the features of the arm played alone,
        or is one of an agent that learned. Which rows of such a log are kept depends on p, and p on
        what the agent learned from the rewards.

    Notes
    -----
    Hidden: the action that the log has, until the agent has chosen, and the rewards of others.

    References
    ----------
    L. Li, W. Chu, J. Langford, X. Wang. Unbiased Offline Evaluation of Contextual-bandit-based News
    Article Recommendation Algorithms. WSDM 2011, Algorithm 2: the log as a stream, of uniform
    choices. The rejection by p / p_t is von Neumann's.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("LoggedBandit-v0", num_envs=3)
    >>> envs.reset(seed=0)[0].shape, envs.unwrapped.acceptance
    ((3, 3), 0.15)
    """

    def _set_up(self, num_envs: int, given: LoggedSettings) -> None:
        data = made_log() if isinstance(given.data, str) and given.data == MADE else given.data
        self._reads_files = True  # a table of several gigabytes is not read for every tile
        self.log = log = open_log(data, LogColumns.of(given.columns), n_arms=given.n_arms)
        self._replicate = given.replicate
        self._rows_there = _rows_of(log, given.replicate)
        _refuse(log, given.adaptive)
        horizon = given.rounds if given.has_horizon else self._rows_there
        if horizon > self._rows_there:
            raise ValueError(f"horizon {horizon} is above the number of rows, {self._rows_there}")
        self.acceptance = log.least_propensity
        task = task_of_log(log, horizon=horizon, param_norm=given.param_norm)
        shape = shape_shown(log)
        self._shows = ("", "context", "arms")[len(shape)]
        shown: spaces.Space = spaces.Discrete(1)
        if shape:
            shown = spaces.Box(-task.feature_norm, task.feature_norm, shape, np.float64)
        actions: spaces.Space = spaces.Discrete(log.n_arms)
        if task.arms_vary:
            parts: dict[str, Any] = {"action_mask": spaces.MultiBinary(log.n_arms)}
            if shape:
                parts[self._shows] = shown
            shown, actions = spaces.Dict(parts), MaskedArms(log.n_arms)
        super().__init__(num_envs, task, shown, actions)
        self.determined = log.largest_propensity == self.acceptance
        self._chunks: Any = Chunks(log, self._read)  # type: ignore[arg-type]  # any rows will do

    def _read(self) -> Iterator[LogChunk]:
        for chunk in self.log.chunks():
            if self._replicate is None:
                yield chunk
            elif len(some := chunk[chunk.replicate == self._replicate]):  # type: ignore[index]
                yield some

    def _begin(self) -> None:
        self._draws = self._stream(NOISE).uniform

    def _rounds(self, t: int, rounds: int) -> "LoggedBlock":
        n, over = self.num_envs, t == self._rows_there
        chunk, row = self._chunks.at(t - over)
        rounds = 1 if over else min(rounds, len(chunk) - row)
        some = chunk[row : row + rounds]
        chance = self.acceptance / some.propensity
        kept = np.stack([self._draws(t + s) for s in range(rounds)]) < chance[:, None]
        kept &= some.arrived[:, None]
        parts = {}
        features = features_shown(self.log, some)
        if features is not None:
            parts[self._shows] = features
        if some.action_mask is not None:
            parts["action_mask"] = some.action_mask.astype(np.int8)
        for name, part in parts.items():
            part = np.zeros_like(part) if over else part
            parts[name] = np.broadcast_to(part[:, None], (rounds, n, *part.shape[1:]))
        return LoggedBlock(
            start=t, parts=parts, actions=some.action, rewards=some.reward, kept=kept,
            masked="action_mask" in parts,
        )  # fmt: skip

    def _reward(self, block: "LoggedBlock", places: np.ndarray, actions: np.ndarray):
        if block.masked:
            for s, arms in zip(places, actions, strict=True):
                refuse_withdrawn(block.parts["action_mask"][s], arms)
        observed = block.kept[places] & (actions == block.actions[places][:, None])
        reward = np.where(observed, block.rewards[places][:, None], 0.0)
        matched = observed.astype(float)
        return reward, {"observed": observed, "matched": matched, "earned": reward.copy()}


@dataclass(frozen=True, kw_only=True, eq=False)
class LoggedBlock(Block):
    """Rows of a log.

    Parameters
    ----------
    parts : dict of str to ndarray
        What rounds show, (m, n, ..), read-only.
    actions, rewards : ndarray of shape (m,)
    kept : bool ndarray of shape (m, n)
        Whether a replicate observes the reward of the action.
    masked : bool
        Whether rounds show masks, and so a mapping.
    """

    parts: dict[str, np.ndarray]
    actions: np.ndarray
    rewards: np.ndarray
    kept: np.ndarray
    masked: bool

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def shown(self) -> Any:
        if self.masked or not self.parts:
            return self.parts or None
        [features] = self.parts.values()
        return features


def _rows_of(log: BanditLog, replicate: int | None) -> int:
    """The number of rows of a replicate, which must be the only one."""
    chosen = {key: rows for key, rows in log.replicates.items() if replicate in (None, key[2])}
    if not chosen:
        known = sorted({key[2] for key in log.replicates if key[2] is not None})
        there = brief(known) if known else "it does not say which"
        raise ValueError(f"{log.name} has no replicate {replicate}: {there}")
    if len(chosen) > 1:
        remedy = "choose one by replicate="
        for place, name in enumerate(("agent", "seed")):
            if len({key[place] for key in chosen}) > 1 and len({key[2] for key in chosen}) == 1:
                remedy = f"keep the rows of one {name}"
        raise ValueError(
            f"{log.name} has rows of {len(chosen)} replicates, which are episodes of their own: "
            f"{remedy}"
        )
    return sum(chosen.values())


def _refuse(log: BanditLog, adaptive: bool | None) -> None:
    """Refuse what cannot be replayed."""
    if not log.least_propensity >= 0.0:
        raise ValueError(
            f"{log.name} has no propensities: name their column, which is 1 / K if the policy was "
            "uniform"
        )
    learned = [play["agent"] for play in log.metadata.get("agents", ()) if play["learns"]]
    reason = f"{brief(learned[0])} learned as it went" if learned else ""
    if not reason and log.policy_varies:
        reason = "its propensities change although it shows nothing"
    if adaptive or (adaptive is None and reason):
        raise ValueError(
            f"{log.name} cannot be replayed, because {reason or 'its policy learned as it went'}: "
            "which rows are kept would depend on its rewards; evaluate it, or say adaptive=False"
        )
    if log.least_propensity == 0.0:
        raise ValueError(
            f"{log.name} gives probability 0 to an arm that could be played, so that a policy that "
            "plays it is never observed: leave the arm out by action_mask"
        )
