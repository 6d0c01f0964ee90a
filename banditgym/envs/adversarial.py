"""K-armed bandits whose rewards an adversary chooses, or a table of yours."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces

from banditgym.data.regression_data import load_csv
from banditgym.data.target_tables import numbers_of, read_table
from banditgym.envs.changes import read_changes
from banditgym.envs.contexts import read_rows
from banditgym.envs.noise import Noise, rewards_of
from banditgym.rounds.blocks import MeansBlock
from banditgym.settings import Settings, configured, least, one_of, setting, within
from banditgym.tasks import AdversarialTask
from banditgym.vector_env import ARMS, CHANGES, NOISE, BanditVectorEnv

_GROWTH = 1.6  # of the constrained adversary's phases


def _table(name: str, data: Any) -> np.ndarray:
    """The rewards (T, K) of an array, a .npy, csv or Parquet file, or a DataFrame."""
    is_path = isinstance(data, str | Path)
    if is_path and Path(data).suffix == ".csv":
        rewards = np.column_stack(load_csv(data))
    elif (is_path and Path(data).suffix == ".parquet") or hasattr(data, "columns"):
        source, frame = read_table(data, "")
        columns: Any = [
            numbers_of(f"{source}: {arm}", frame.iloc[:, k]) for k, arm in enumerate(frame.columns)
        ]
        rewards = read_rows(name, np.column_stack(columns))
    else:
        rewards = read_rows(name, data)
    outside = (rewards < 0) | (rewards > 1)
    if outside.any():
        raise ValueError(f"{name} must have rewards in [0, 1], got {rewards[outside][0]}")
    return rewards


class AdversarialSettings(Settings):
    """The settings of ``AdversarialBandit``."""

    adversary: Annotated[
        str | None,
        '{"constrained", "switching"}, default "constrained"',
        "What chooses the means of Bernoulli rewards; not a setting where ``data`` is given.",
    ] = setting(one_of(("constrained", "switching")), otherwise="constrained")
    data: Annotated[
        Any,
        "array (T, K), path or DataFrame, optional",
        "The rewards of all arms in all rounds, in [0, 1]: an array, a .npy, csv or Parquet file, "
        "or a DataFrame with a column for each arm. They are the same for all replicates. The "
        "horizon is T unless it is given.",
    ] = setting(_table)
    n_arms: Annotated[int | None, "Number of arms K, >= 2."] = setting(least(2), otherwise=10)
    gap: Annotated[
        float | None, "Difference of the means of the best arm and the others, in (0, 1]."
    ] = setting(within(1e-9, 1.0, "lie in (0, 1]"), otherwise=0.1)
    changes: Annotated[
        int | Sequence[int] | np.ndarray | None,
        "int or sequence of ints, optional",
        "Of ``switching``: the rounds after which the best arm changes, or their number; 1 if not "
        "given.",
    ] = setting()

    @property
    def rounds(self) -> int:
        """Rounds per episode, T."""
        if self.data is None:
            return super().rounds
        if not self.has_horizon:
            return len(self.data)
        if super().rounds > len(self.data):
            raise ValueError(
                f"horizon must be at most the {len(self.data)} rounds of data, got {super().rounds}"
            )
        return super().rounds


@configured(AdversarialSettings)
class AdversarialBandit(BanditVectorEnv):
    r"""K arms whose rewards follow no law: those of a table, or of an adversary.

    With ``data``, arm :math:`a` has in round :math:`t` the reward :math:`x_{t,a}` of the table.
    Otherwise rewards are Bernoulli, and an adversary chooses their means :math:`\mu_{t,a}`:

    - ``constrained``: the stochastically constrained adversary. One arm, drawn for each instance,
      is the best in every round, by a difference :math:`\Delta` = ``gap``, and all means move: the
      losses :math:`1 - \mu` of the best arm and the others are :math:`(0, \Delta)` and
      :math:`(1 - \Delta, 1)` in turn. Phase i = 0, 1, .. lasts :math:`\lfloor 1.6^i \rfloor`
      rounds.
    - ``switching``: the best arm has the mean :math:`(1 + \Delta) / 2`, the others
      :math:`(1 - \Delta) / 2`, and after each of ``changes`` another arm, drawn, is the best.

    Actions are arm indices (n,), observations zeros (n,). The sum of ``info["regret"]`` (n,) is the
    regret against the best fixed arm of the rounds so far,

    .. math:: R_t = \max_a \sum_{s \le t} x_{s,a} - \sum_{s \le t} x_{s,a_s},

    with :math:`\mu` in place of x where the adversary has means. A single round's regret may be
    negative, where it is an increment of :math:`R_t`.

    Notes
    -----
    Hidden: the rewards of other arms, the means, and which arm is the best.

    References
    ----------
    J. Zimmert, Y. Seldin. Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial Bandits.
    Journal of Machine Learning Research 22, 2021: the stochastically constrained adversary.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> rewards = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> envs = gymnasium.make_vec("AdversarialBandit-v0", num_envs=2, data=rewards)
    >>> _ = envs.reset(seed=0)
    >>> [envs.step([0, 1])[4]["regret"].tolist() for _ in range(3)]
    [[0.0, 1.0], [0.0, -1.0], [1.0, 0.0]]
    """

    def _set_up(self, num_envs: int, given: AdversarialSettings) -> None:
        horizon, n_arms = given.rounds, given.filled("n_arms")
        self._rewards, self._gap = given.data, given.filled("gap")
        self._adversary = given.filled("adversary")
        if self._adversary != "switching" or self._rewards is not None:
            given.refuse_given(("changes",), "is a setting of the switching adversary")
        if self._rewards is not None:
            given.refuse_given(("adversary", "n_arms", "gap"), "does not go with data")
            n_arms = self._rewards.shape[1]
            totals = np.cumsum(self._rewards[:horizon], axis=0).max(axis=1)
            # The round after the last one is never played.
            self._rewards = np.concatenate([self._rewards[:horizon], np.zeros((1, n_arms))])
            self._gains = np.diff(totals, prepend=0.0, append=totals[-1])
        elif self._adversary == "switching":
            self._changes = read_changes(given.changes, horizon, "", None, False)
        else:
            self._phases = _phases(horizon)
        bernoulli = self._rewards is None or bool(np.isin(self._rewards, (0.0, 1.0)).all())
        task = AdversarialTask(
            n_arms=n_arms,
            horizon=horizon,
            noise_std=None,
            subgaussian=0.5,
            bernoulli=bernoulli,
            bounds=None if bernoulli else (0.0, 1.0),
        )
        super().__init__(num_envs, task, spaces.Discrete(1), spaces.Discrete(n_arms))

    def _begin(self) -> None:
        self._noise_keys = self._stream(NOISE).keys
        if self._adversary == "switching":
            self._starts = self._changes.starts(self._stream(CHANGES))
        segments = self._starts.shape[1] if self._adversary == "switching" else 1
        draws = self._stream(ARMS).uniform(0, (segments,))
        n_arms = self.task.n_arms
        steps = 1 + (draws * (n_arms - 1)).astype(np.int64)  # to another arm
        steps[:, 0] = draws[:, 0] * n_arms
        self._best_arms = np.cumsum(steps, axis=1) % n_arms  # (n, S + 1)

    def _rounds(self, t: int, rounds: int) -> MeansBlock:
        if self._rewards is not None:
            means = np.repeat(self._rewards[t : t + rounds, None], self.num_envs, axis=1)
            best = np.repeat(self._gains[t : t + rounds, None], self.num_envs, axis=1)
            noise = np.zeros(best.shape)
        else:
            if self._adversary == "switching":
                means, best = self._switching(t, rounds)
            else:
                means, best = self._constrained(t, rounds)
            noise = Noise("bernoulli").draw_rounds(self._noise_keys, t, rounds)
        return MeansBlock(
            start=t,
            playable=True,
            bernoulli=self._rewards is None,
            means=means,
            best=best,
            noise=noise,
        )

    def _constrained(self, t: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """The means (m, n, K) of rounds t, t + 1, .., and those of the best arm (m, n)."""
        kinds = (np.searchsorted(self._phases, np.arange(t, t + rounds), side="right") - 1) % 2
        high = np.array([1.0, self._gap])[kinds]
        low = np.array([1.0 - self._gap, 0.0])[kinds]
        is_best = np.arange(self.task.n_arms) == self._best_arms
        means = np.where(is_best, high[:, None, None], low[:, None, None])
        return means, np.repeat(high[:, None], self.num_envs, axis=1)

    def _switching(self, t: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """The same, and what each round adds to the largest sum of an arm's means (m, n)."""
        low, high = 0.5 - 0.5 * self._gap, 0.5 + 0.5 * self._gap
        arms, last = np.arange(self.task.n_arms), np.full((self.num_envs, 1), t)
        ends = np.minimum(np.concatenate([self._starts[:, 1:], last], axis=1), t)
        lengths = np.maximum(ends - self._starts, 0)  # of the segments before round t
        before = (lengths[..., None] * (self._best_arms[..., None] == arms)).sum(axis=1)
        at = np.arange(t, t + rounds)[:, None, None]
        segment = (self._starts <= at).sum(axis=2) - 1  # (m, n)
        is_best = self._best_arms[np.arange(self.num_envs), segment][..., None] == arms
        most = (before + np.cumsum(is_best, axis=0)).max(axis=2)
        grows = np.diff(most, axis=0, prepend=before.max(axis=1)[None]) > 0
        return np.where(is_best, high, low), np.where(grows, high, low)

    @cached_property
    def _round_bytes(self) -> int:
        return 8 * self.num_envs * (self.task.n_arms + 3)

    def _reward(self, block: MeansBlock, places: np.ndarray, actions: np.ndarray):
        return rewards_of(block, places, actions)


def _phases(horizon: int) -> np.ndarray:
    """The first round of each phase, from 0."""
    starts, length = [0], 1.0
    while starts[-1] <= horizon:
        starts.append(starts[-1] + int(length))
        length *= _GROWTH
    return np.array(starts)
