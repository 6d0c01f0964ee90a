"""What a picture needs of an episode, kept round by round, and its form as text."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from banditgym.rounds.kinds import ARM, NUMBER, RANKING

_TOTALS = ("regret", "clicks")  # of an info; the first that it has
_KINDS = {"multiclass": "label", "news": "slot"}
MOST_KEPT = 2000  # points, and rounds of the curve
MOST_SHOWN = 10  # arms in a text
_BAR = 24  # signs of the longest bar in a text


class EpisodeRecord:
    """The rounds of an episode, as far as they are shown; its memory does not grow with them.

    Parameters
    ----------
    task : dataclass of ``banditgym.tasks``

    Attributes
    ----------
    plays : ndarray of shape (K,), int64
        How often each arm or label was played; of a ranking, each of its labels counts.
    rewards, observed : ndarray of shape (K,)
        The sum and the number of the observed rewards of each arm; those of rankings are left out.
    rounds : int
        How many were played.
    points : deque
        Of the last rounds: the point, its first two coordinates (1 or 2,); or the prediction and
        the outcome. Empty where arms are played.
    total : float
        The cumulative regret, clicks or reward.
    total_name : str
        Which of them.
    curve : list of (int, float)
        The total after some of the rounds, at equal distances, from 0 on.
    kind : str
        What is played: ``"arm"``, ``"slot"``, ``"label"``, ..
    """

    def __init__(self, task: Any):
        self.task = task
        self.arms = task.plays in (ARM, RANKING)
        self.kind = _KINDS.get(task.family, "arm") if self.arms else task.plays.name
        size = (getattr(task, "n_arms", None) or getattr(task, "n_labels", 0)) if self.arms else 0
        self.plays = np.zeros(size, np.int64)
        self.rewards, self.observed = np.zeros(size), np.zeros(size, np.int64)
        self.points: deque[tuple[float, ...]] = deque(maxlen=MOST_KEPT)
        self.rounds, self.total, self.total_name = 0, 0.0, "reward"
        self.curve = [(0, 0.0)]
        self._every = 1  # rounds between those of the curve
        self.last: tuple[Any, float] | None = None

    def add(self, action: Any, reward: float, info: Mapping[str, Any]) -> None:
        """Keep a round: what was played, and what ``step`` returned."""
        task = self.task
        if self.arms:
            np.add.at(self.plays, action, 1)
        elif task.plays is NUMBER:
            self.points.append((float(action), float(info.get("feedback", np.nan))))
        else:
            self.points.append(tuple(map(float, np.asarray(action)[:2])))
        if task.plays is ARM:
            self._learn(action, reward, info)
        self.total_name = next((name for name in _TOTALS if name in info), "reward")
        self.rounds += 1
        self.total += float(info.get(self.total_name, reward))
        if self.rounds % self._every == 0:
            self.curve.append((self.rounds, self.total))
            if len(self.curve) > MOST_KEPT:
                self.curve, self._every = self.curve[::2], 2 * self._every
        self.last = action, float(reward)

    def _learn(self, action: Any, reward: float, info: Mapping[str, Any]) -> None:
        arrivals = info.get("arrivals")  # where rewards may come late
        if arrivals is not None:
            np.add.at(self.rewards, arrivals["action"], arrivals["reward"])
            np.add.at(self.observed, arrivals["action"], 1)
        elif info.get("observed", True):
            self.rewards[action] += reward
            self.observed[action] += 1

    @property
    def means(self) -> np.ndarray:
        """The mean of the observed rewards of each arm (K,); NaN where there are none."""
        with np.errstate(invalid="ignore"):
            return np.where(self.observed > 0, self.rewards / np.maximum(self.observed, 1), np.nan)

    def text(self, name: str) -> str:
        """The episode so far in a few lines."""
        horizon = "" if self.task.horizon is None else f" of {self.task.horizon:,}"
        lines = [f"{name}: {self.rounds:,}{horizon} rounds"]
        if self.last is not None:
            action, reward = self.last
            lines[0] += f", {self.total_name} so far {self.total:.4g}"
            lines.append(f"last: {self.kind} {_as_text(action)}, reward {reward:.4g}")
        if self.arms:
            lines += self._table()
        return "\n".join(lines) + "\n"

    def _table(self) -> list[str]:
        """A line for each of the arms that were played most."""
        order = np.argsort(-self.plays, kind="stable")[:MOST_SHOWN]
        most = max(1, int(self.plays.max(initial=0)))
        lines = [f"{self.kind:>5}    plays  mean reward"]
        for arm, plays, mean in zip(order, self.plays[order], self.means[order], strict=True):
            shown = "" if np.isnan(mean) else f"{mean:.4g}"
            bar = "█" * round(_BAR * int(plays) / most)
            lines.append(f"{arm:5d}  {plays:7,d}  {shown:>11}  {bar}".rstrip())
        if len(self.plays) > MOST_SHOWN:
            lines.append(f"  and {len(self.plays) - MOST_SHOWN:,} more {self.kind}s")
        return lines


def _as_text(action: Any) -> str:
    shown = np.asarray(action)
    if shown.ndim == 0:
        return f"{shown.item():.4g}"
    parts = [f"{one:.4g}" for one in shown[:MOST_SHOWN]]
    return f"({', '.join(parts)}{', ..' if len(shown) > MOST_SHOWN else ''})"
