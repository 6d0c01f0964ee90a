"""The measures of an episode: their sums while it is played, and its trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled

if TYPE_CHECKING:
    from agents.recommendations import Recommendations

_NOT_MEASURES = ("feedback", "label", "observed", "arrival", "arrivals", "open")


@dataclass(eq=False)
class Trace:
    """The measures of n replicates over one episode.

    Where the best arm is to be found (``task.objective``), there are also the measures
    ``simple_regret``, the mean that is lost by the recommendation after a round, and ``error``, 1
    if the recommended arm is not a best one and else 0. With a ``task.delta`` there is
    ``stopping_time``, the number of rounds that a replicate has played before it finished. These
    three are no sums. After a replicate has finished, nothing of it counts any more: its sums and
    its ``pulls`` stay as they were after its last round, although it goes on acting until the
    others have finished too. So a mean of a curve over replicates mixes those that still play with
    the last values of those that have finished, and no replicate's curve depends on the others.

    Attributes
    ----------
    agent, env : str
        Label of the agent, id of the environment.
    seeds : list of int
        The environment's seed of each replicate.
    rounds : ndarray of shape (c,)
        The rounds, from 1, after which measures are kept.
    measures : mapping of str to ndarray of shape (n, c)
        Cumulative measures at those rounds: ``reward``, the measures of the environment, and
        ratios of these (``banditgym.measures``).
    pulls : ndarray of shape (n, K) or None
        How often each arm was played, for finite arms.
    recommended : ndarray of shape (n,) or None
        The arm that was recommended at the end, where the best arm is to be found.
    stopped : ndarray of shape (n,) or None
        The round, from 1, after which each replicate had finished, where the best arm is to be
        found; the last round for those that had not.
    seconds : (float, float)
        CPU seconds of the environment and of the agent, all replicates together: the process's CPU
        time, divided in proportion to wall-clock time. In blocks of rounds, the time in which the
        agent looks up its rewards is the agent's. In tiles they are sums over the tiles of the CPU
        time of the thread that plays a tile, divided in the same way.
    state_bytes : int or None
        Bytes of the state after the last round, all replicates together, if copies of the agent
        played tiles. What replicates share counts once for each tile. None if the agent itself
        played; then ``agent.state_bytes()`` gives the bytes.
    """

    agent: str
    env: str
    seeds: list[int]
    rounds: np.ndarray
    measures: Mapping[str, np.ndarray]
    pulls: np.ndarray | None
    seconds: tuple[float, float]
    state_bytes: int | None = None
    recommended: np.ndarray | None = None
    stopped: np.ndarray | None = None

    @property
    def regret(self) -> np.ndarray | None:
        """Cumulative regret (n, c); None if the environment has none."""
        return self.measures.get("regret")

    @property
    def reward(self) -> np.ndarray:
        """Cumulative reward (n, c)."""
        return self.measures["reward"]

    def to_frame(self):
        """A pandas DataFrame with a row per seed and round, and a column per measure."""
        import pandas as pd

        n, c = len(self.seeds), len(self.rounds)
        columns = {
            "agent": self.agent,
            "env": self.env,
            "seed": np.repeat(np.array(self.seeds, dtype=object), c),
            "round": np.tile(self.rounds, n),
        }
        return pd.DataFrame(
            columns | {name: values.reshape(-1) for name, values in self.measures.items()}
        )

    def __repr__(self) -> str:
        final = ", ".join(f"{k} {v[:, -1].mean():.4g}" for k, v in self.measures.items())
        return (
            f"Trace({self.agent} on {self.env}, {len(self.seeds)} seeds, "
            f"{self.rounds[-1]} rounds: mean {final})"
        )


class Sums:
    """The measures of n replicates, summed over rounds.

    Attributes
    ----------
    kept : ndarray of shape (c,)
        The rounds, from 1, after which sums are kept; the last one ends the play.
    reached : int
        How many of these rounds were played.
    curves : dict of str to ndarray of shape (n, c)
        The sums at those rounds.
    pulls : ndarray of shape (n, K) or None
        How often each arm was played; None without arms.
    running : bool ndarray of shape (n,) or None
        Which replicates still count; None if all do.
    recommended, stopped : ndarray of shape (n,) or None
        As in ``Trace``.
    recommendations : Recommendations or None
        What computes them and their measures.
    """

    def __init__(self, n: int, n_arms: int | None, kept: np.ndarray):
        self.kept, self.n = kept, n
        self.running: np.ndarray | None = None
        self.recommended: np.ndarray | None = None
        self.stopped: np.ndarray | None = None
        self.recommendations: Recommendations | None = None
        self.curves: dict[str, np.ndarray] = {}
        self.pulls = None if n_arms is None else np.zeros((n, n_arms), np.int64)
        self._totals: dict[str, Any] = {}
        self.reached = 0

    def add(self, t: int, action: Any, reward: ArrayLike, info: Mapping[str, Any]) -> None:
        """Add round t of a batch or of a single environment."""
        totals, running = self._totals, self.running
        # The reward of the round, which is not what arrives in it where rewards are late.
        for name, value in {"reward": reward, **info}.items():
            measured = name[0] != "_" and name not in _NOT_MEASURES
            if measured and not isinstance(value, dict):
                counted = value if running is None else np.where(running, value, 0.0)
                totals[name] = totals.get(name, 0.0) + counted
        if self.pulls is not None:
            if running is not None:
                self.pulls[running, np.atleast_1d(action)[running]] += 1
            elif isinstance(action, np.ndarray) and action.ndim:
                _count(self.pulls, action[None])
            else:
                self.pulls[0, action] += 1
        if t == self.kept[self.reached]:
            for name, total in totals.items():
                self.curve(name)[:, self.reached] = total
            self.reached += 1

    def end(self) -> None:
        """Fill the rounds that are not played, because all replicates have finished."""
        for name, total in self._totals.items():
            self.curve(name)[:, self.reached :] = np.reshape(total, (-1, 1))
        self.reached = len(self.kept)

    def add_block(self, t: int, actions: Any, measures: Mapping[str, np.ndarray]) -> None:
        """Add the rounds after round t, whose actions and measures are (m, n)."""
        first = self.reached
        self.reached = int(np.searchsorted(self.kept, t + len(actions), side="right"))
        for name, value in measures.items():
            if name in _NOT_MEASURES:
                continue
            if name not in self._totals:
                self._totals[name] = np.zeros(self.n)
            after, curve = self.kept[first : self.reached] - t, self.curve(name)
            _sum_rounds(
                np.asarray(value, np.float64),
                after,
                self._totals[name],
                curve[:, first : self.reached],
            )
        if self.pulls is not None:
            _count(self.pulls, actions)

    @classmethod
    def joined(cls, parts: Sequence["Sums"]) -> "Sums":
        """The sums of all replicates of several batches, in their order."""
        first = parts[0]
        whole = cls(sum(part.n for part in parts), None, first.kept)
        for name in first.curves:
            whole.curves[name] = np.concatenate([part.curves[name] for part in parts])
        for name in ("pulls", "recommended", "stopped"):
            if getattr(first, name) is not None:
                setattr(whole, name, np.concatenate([getattr(part, name) for part in parts]))
        return whole

    @property
    def next_kept(self) -> int:
        """The next round after which sums are kept."""
        return int(self.kept[self.reached])

    def curve(self, name: str) -> np.ndarray:
        """The values (n, c) of a measure at the rounds kept; NaN until they are written."""
        if name not in self.curves:
            self.curves[name] = np.full((self.n, len(self.kept)), np.nan)
        return self.curves[name]


def default_rounds(horizon: int) -> np.ndarray:
    """A 1-2-5 grid with each interval cut in four, and the last round.

    >>> default_rounds(30)
    array([ 1,  2,  3,  4,  5,  6,  7,  8, 10, 12, 15, 17, 20, 27, 30])
    """
    grid = [1.0, 1.25, 1.5, 1.75, 2.0, 2.75, 3.5, 4.25, 5.0, 6.25, 7.5, 8.75]
    decades = range(len(str(horizon)) + 1)
    rounds = {int(x * 10**e) for e in decades for x in grid}
    return np.array(sorted({t for t in rounds if t < horizon} | {horizon}))


@compiled
def _sum_rounds(values, after, totals, curve):
    """Add the values (m, n) of m rounds to totals (n,), in the order of the rounds.

    Column j of the curve (n, c) gets the totals after the first ``after[j]`` of these rounds.
    """
    column = 0
    for t in range(values.shape[0]):
        for i in range(totals.shape[0]):
            totals[i] += values[t, i]
        if column < after.shape[0] and after[column] == t + 1:
            for i in range(totals.shape[0]):
                curve[i, column] = totals[i]
            column += 1


@compiled
def _count(pulls, arms):
    """Add the arms (m, n) of m rounds to pulls (n, K)."""
    for t in range(arms.shape[0]):
        for i in range(arms.shape[1]):
            pulls[i, arms[t, i]] += 1
