"""Rewards that come late, in batches, or never."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.rounds.delays import Law, PerArm, Table
from banditgym.rounds.kinds import ARM, LOSS, OUTCOME, RANKING, REWARD
from banditgym.rounds.open_rows import OpenRows
from banditgym.streams import Stream
from banditgym.tasks import Feedback

NEVER = -1  # in place of the round in which a reward arrives


@dataclass(frozen=True, kw_only=True)
class LatenessRules:
    """The rules by which a reward becomes late; they apply in the order of the parameters.

    Parameters
    ----------
    missing : float or ndarray of shape (K,)
        The probability that it never arrives, or one for each arm.
    law : Law
        Its delay.
    window : int or None
        A positive reward whose delay is at most this arrives; every other decision is closed, this
        number of rounds after its own, by a reward of 0.
    update_every : int
        Rewards arrive at the end of each so many rounds.
    delivered : bool
        Whether the last round of an episode has the rewards that are still open.
    """

    missing: float | np.ndarray
    law: Law
    window: int | None
    update_every: int
    delivered: bool

    def fault(self, task: Any) -> str | None:
        """Why these rules do not fit a task; None if they do."""
        law, arms = self.law, task.plays is ARM
        of_arms = {
            "missing": self.missing.size if isinstance(self.missing, np.ndarray) else None,
            "delay": len(law.delays)
            if isinstance(law, PerArm)
            else (law.values.shape[1] if isinstance(law, Table) and law.values.ndim == 2 else None),
        }
        n_arms = getattr(task, "n_arms", None) or getattr(task, "n_labels", None)
        for name, length in of_arms.items():
            if length is not None and not arms:
                return f"{name} of each arm needs actions that are arms or labels"
            if length not in (None, n_arms):
                return f"{name} has {length} arms, but there are {n_arms}"
        if isinstance(law, Table) and (task.horizon is None or len(law.values) < task.horizon):
            return (
                f"delay has {len(law.values)} rounds, but an episode has {task.horizon or 'no end'}"
            )
        if self.window is not None and task.reveals is not REWARD:
            return f"window needs rewards that are the only feedback, not {task.family} tasks"
        return None

    def dues(
        self, t: int, actions: np.ndarray, rewards: np.ndarray, draws: Callable[[int], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rounds (n,) in which rewards (n,) of round t arrive, or ``NEVER``, and what arrives.

        ``draws(j)`` are uniforms (n,), the first for delays and the second for missing rewards.
        """
        missing: Any = self.missing
        lost = draws(1) < (missing[actions] if isinstance(missing, np.ndarray) else missing)
        due = t + self.law.draw(draws(0), t, actions)
        if self.window is not None:
            closed = lost | ~(rewards > 0) | (due > t + self.window)
            due = np.where(closed, t + self.window, due)
            rewards = np.where(closed, 0.0, rewards)
        else:
            due = np.where(lost, NEVER, due)
        if self.update_every > 1:
            ends = due // self.update_every * self.update_every + self.update_every - 1
            due = np.where(due == NEVER, NEVER, ends)
        return due, rewards


class LateFeedback:
    """The open rewards of n replicates, and what arrives of them in each round.

    Parameters
    ----------
    rules : LatenessRules
    task : dataclass of ``banditgym.tasks``
    n : int
        Number of replicates.

    Attributes
    ----------
    open : ndarray of shape (n,), int64
        How many rewards will arrive in a later round.
    """

    def __init__(self, rules: LatenessRules, task: Any, n: int):
        self.rules, self.task, self.n = rules, task, n
        self._layout = _layout(task)
        self._revealed = [name for name in ("feedback", "label") if _has(self._layout, name)]

    def begin(self, delays: Stream, missing: Stream) -> None:
        """Begin an episode with the random numbers of its delays and of its missing rewards."""
        self._draws = delays.uniform, missing.uniform
        self.open = np.zeros(self.n, np.int64)
        self._rows = OpenRows(self._layout)
        self._due: dict[int, list[int]] = {}  # round -> places of the rows that arrive in it

    def arrivals(self) -> dict[str, Any]:
        """``info["arrivals"]`` of a reset: none."""
        return _nested({name: rows.copy() for name, rows in self._layout.items()})

    def step(
        self,
        t: int,
        actions: np.ndarray,
        rewards: np.ndarray,
        info: dict[str, Any],
        last: bool = False,
    ) -> Any:
        """Replace what round t reveals, in its info, by what arrives in it; returns its sums (n,).

        Parameters
        ----------
        t : int
            The round, from 0. Every round is played once, in order.
        actions, rewards : ndarray of shape (n, ..) and (n,)
            What is played in it, and its rewards.
        info : dict
            The info of the round, of all replicates.
        last : bool
            Whether the episode ends with this round although the task's horizon does not say so.
        """
        due, learned = self.rules.dues(t, actions, rewards, lambda j: self._draws[j](t))
        seen = info.pop("observed", None)
        if seen is not None:
            due = np.where(seen, due, NEVER)
        horizon = self.task.horizon
        if self.rules.delivered and (last or horizon is not None):
            due = np.minimum(due, t if last else horizon - 1)
        rows = {"replicate": np.arange(self.n), "round": np.full(self.n, t)}
        rows |= {"action": actions, "reward": learned}
        for name in self._revealed:
            rows |= _flat(name, info.pop(name))
            del info[f"_{name}"]
        if self.task.plays is RANKING and self.rules.window is not None:
            rows["feedback"] = np.where(learned > 0, rows["feedback"], -1)
        comes = due != NEVER
        which = np.flatnonzero(comes if horizon is None else comes & (due < horizon))
        for round_, place in zip(due[which].tolist(), self._rows.put(rows, which), strict=True):
            self._due.setdefault(round_, []).append(place)
        places = self._due.pop(t, [])
        if last and self.rules.delivered:
            places += [place for later in self._due.values() for place in later]
            self._due = {}
        arrived = self._rows.take(places)
        order = np.lexsort((arrived["round"], arrived["replicate"]))
        arrived = {name: values[order] for name, values in arrived.items()}
        sums, numbers = np.zeros(self.n), np.bincount(arrived["replicate"], minlength=self.n)
        np.add.at(sums, arrived["replicate"], arrived["reward"])
        self.open += comes - numbers
        of_round = {"reward": rewards, "arrival": due, "open": self.open.copy()}
        of_round["observed"] = (due == t) & (numbers == 1)
        for name, values in of_round.items():
            info[name], info[f"_{name}"] = values, np.ones(self.n, bool)
        info["arrivals"] = _nested(arrived)
        return sums


def known_feedback(rules: LatenessRules, law_known: bool) -> Feedback:
    """What agents may know of the rules."""
    law = rules.law if law_known else None
    return Feedback(window=rules.window, update_every=rules.update_every, law=law)


def each_of_one(arrivals: dict[str, Any]) -> dict[str, list[Any]]:
    """The arrivals of the only replicate as lists, as single environments show them."""
    return {name: _listed(rows) for name, rows in arrivals.items() if name != "replicate"}


def _listed(rows: Any) -> list[Any]:
    """The rows of an array; of a mapping of arrays, one mapping for each row."""
    if isinstance(rows, dict):
        columns = map(_listed, rows.values())
        return [dict(zip(rows, row, strict=True)) for row in zip(*columns, strict=True)]
    return rows.tolist() if rows.ndim == 1 else list(rows)


def _layout(task: Any) -> dict[str, np.ndarray]:
    """No rows of what is kept of a decision with an open reward."""
    whole, real = np.empty(0, np.int64), np.empty(0)
    plays = np.empty((0, *task.plays.shape(task)), task.plays.dtype)
    layout = {"replicate": whole, "round": whole, "action": plays, "reward": real}
    if task.reveals is OUTCOME:
        layout["feedback"] = real
    elif task.reveals is LOSS:
        shapes = {"loss": real, "gradient": np.empty((0, task.dim)), "curvature": real}
        layout |= _flat("feedback", shapes)
    elif task.plays is RANKING:
        layout["feedback"] = whole
    if task.family == "multiclass":
        layout["label"] = whole
    return layout


def _has(layout: dict[str, np.ndarray], name: str) -> bool:
    return any(key.split(".")[0] == name for key in layout)


def _flat(name: str, values: Any) -> dict[str, np.ndarray]:
    """A value, or the values of a mapping, by names such as ``feedback.loss``."""
    if not isinstance(values, dict):
        return {name: values}
    return {f"{name}.{key}": rows for key, rows in values.items() if key[0] != "_"}


def _nested(rows: dict[str, np.ndarray]) -> dict[str, Any]:
    """The inverse of :func:`_flat`, for all names."""
    nested: dict[str, Any] = {}
    for name, values in rows.items():
        outer, _, inner = name.partition(".")
        if inner:
            nested.setdefault(outer, {})[inner] = values
        else:
            nested[outer] = values
    return nested
