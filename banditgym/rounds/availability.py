r"""Arms that come and go: which of the K arms may be played in a round.

A law is a frozen dataclass of plain data. ``law.there(before, t, draw)`` -> which arms there are in
round t, bool (n, K), given those of the round before, and ``draw()``, the round's uniforms u (n, K)
on [0, 1). They depend on the seed, the round and the arm, and never on what is played.

============= ================================================================================
``Schedule``  given: from some rounds on exactly some arms, the same for all replicates
``Drawn``     each arm's presence is a two-state chain with lives of one mean
============= ================================================================================
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditgym.rounds.blocks import Block
from banditgym.rounds.kinds import ARM
from banditgym.rounds.read_only import read_only
from banditgym.streams import Stream
from banditgym.validation import Checked, brief, checked, of_kind, ruled, whole


@dataclass(frozen=True)
class Schedule:
    """From some rounds on, exactly these arms may be played.

    Parameters
    ----------
    changes : sequence of pairs
        A round, counted from 0, and the arms from that round on. The first round is 0, and rounds
        increase.
    """

    changes: Sequence[tuple[int, Sequence[int]]]

    def __post_init__(self):
        changes = tuple(_change(pair) for pair in self.changes)
        rounds = [t for t, _ in changes]
        if not rounds or rounds[0] != 0:
            raise ValueError(f"available must say which arms there are in round 0, got {rounds}")
        if any(one >= two for one, two in itertools.pairwise(rounds)):
            raise ValueError(f"the rounds of available must increase, got {rounds}")
        object.__setattr__(self, "changes", changes)

    def fault(self, n_arms: int) -> str | None:
        """Why it does not fit so many arms; None if it does."""
        for t, arms in self.changes:
            if max(arms) >= n_arms:
                return f"available has arm {max(arms)} from round {t} on, not one of {n_arms} arms"
        return None

    def there(self, before: np.ndarray, t: int, draw: Callable[[], np.ndarray]) -> np.ndarray:
        arms = dict(self.changes).get(t)
        if arms is None:
            return before
        there = np.zeros_like(before)
        there[:, list(arms)] = True
        return there


@dataclass(frozen=True, kw_only=True)
class Drawn(Checked):
    r"""Each arm's presence is a two-state chain, whose lives are geometric with one mean.

    With the uniforms :math:`u_{t,k}` of a replicate, m ``at_least`` and L ``mean_life``:

    - in round 0 arm k is there if :math:`u_{0,k} < 1/2`, or if this is one of the m smallest;
    - from then on arm k changes if :math:`u_{t,k} < 1/L`. All absent arms that change come. Of the
      present ones that change, those with the smallest :math:`u_{t,k}` leave first, and when only m
      arms are left, counting those that come, the others stay.

    So an arm is absent for a geometric number of rounds with mean L. It is present for such a
    number too, or for longer where it may not leave.

    Parameters
    ----------
    mean_life : float
        L in rounds, >= 1.
    at_least : int
        m >= 1, at most the number of arms.
    """

    mean_life: float = checked(
        ruled(lambda x: 1 <= x < np.inf, "must be finite and at least 1 round")
    )
    at_least: int = checked(whole, 1)

    def fault(self, n_arms: int) -> str | None:
        """Why it does not fit so many arms; None if it does."""
        if self.at_least > n_arms:
            return f"at_least is {self.at_least}, but there are {n_arms} arms"
        return None

    def there(self, before: np.ndarray, t: int, draw: Callable[[], np.ndarray]) -> np.ndarray:
        u = draw()
        if t == 0:
            return (u < 0.5) | (_ranks(u) < self.at_least)
        changes = u < 1.0 / self.mean_life
        leaving = before & changes
        spare = (before | changes).sum(axis=1, keepdims=True) - self.at_least
        leaves = leaving & (_ranks(np.where(leaving, u, 1.0)) < spare)
        return (before | changes) & ~leaves


Law = Schedule | Drawn
_FORMS = (
    "a schedule such as [[0, [0, 1, 2]], [500, [1, 2, 3]]], or a mapping such as "
    "{'kind': 'drawn', 'mean_life': 100, 'at_least': 2}"
)


def read_availability(name: str, value: object) -> Law:
    """A law from itself or from plain data: a schedule, or {"kind": "drawn", "mean_life": 50}.

    Raises
    ------
    ValueError
        For anything else, in one line.
    """
    if isinstance(value, Law):
        return value
    if isinstance(value, list | tuple):
        return Schedule(value)
    return of_kind(name, {"drawn": Drawn}, value, _FORMS)


class Availability:
    """The arms that n replicates may play in each round of an episode.

    Parameters
    ----------
    law : Schedule or Drawn
    task : dataclass of ``banditgym.tasks``
    n : int
        Number of replicates.

    Raises
    ------
    ValueError
        If the law does not fit the task's arms.
    """

    def __init__(self, law: Law, task: Any, n: int):
        if task.plays is not ARM:
            raise ValueError("available needs finitely many arms, and actions are points")
        fault = law.fault(task.n_arms)
        if fault is not None:
            raise ValueError(fault)
        self.law, self._none = law, np.zeros((n, task.n_arms), bool)
        self._shown_as = task.observes.name
        self.round_bytes = 9 * self._none.size  # of a mask and of means

    def begin(self, draws: Stream) -> None:
        """Begin an episode with random numbers of its own."""
        self._draws = draws
        self._before = -1, self._none  # the last round before those made last, and its arms

    def applied(self, block: Any) -> tuple[Block, dict[str, np.ndarray]]:
        """A ``MeansBlock`` in which the best arm is an available one, and what its rounds show.

        An arm that may not be played has the mean -inf there. Rounds must be given in order; those
        of the last block may be given again.
        """
        masks = self._masks(block.start, len(block))
        means = np.where(masks, block.means, -np.inf)
        shown = block.shown
        if not isinstance(shown, dict):
            shown = {} if shown is None else {self._shown_as: shown}
        shown = shown | {"action_mask": read_only(masks)}
        return replace(block, means=means, best=means.max(axis=2)), shown

    def _masks(self, t: int, rounds: int) -> np.ndarray:
        """Masks (m, n, K), int8, of rounds t, t + 1, .."""
        masks = np.empty((rounds, *self._none.shape), np.int8)
        last, there = self._before
        for s in range(last + 1, t + rounds):
            if s == t:
                self._before = t - 1, there
            there = self.law.there(there, s, functools.partial(self._draw, s))
            if s >= t:
                masks[s - t] = there
        return masks

    def _draw(self, t: int) -> np.ndarray:
        return self._draws.uniform(t, self._none.shape[1:])


def refuse_withdrawn(mask: np.ndarray, arms: np.ndarray) -> None:
    """Refuse arms (n,) that a mask (n, K) does not have."""
    bad = mask[np.arange(len(arms)), arms] == 0
    if bad.any():
        i = int(np.argmax(bad))
        there = brief(np.flatnonzero(mask[i]).tolist())
        raise ValueError(
            f"arm {arms[i]} of replicate {i} is not available in this round; those that are: "
            f"{there}"
        )


def _ranks(u: np.ndarray) -> np.ndarray:
    """The rank of each number (n, K) in its row, from 0; equal ones in their order."""
    return np.argsort(np.argsort(u, axis=1, kind="stable"), axis=1, kind="stable")


def _change(pair: object) -> tuple[int, tuple[int, ...]]:
    """A round and its arms, from a pair in a schedule."""
    if (
        not isinstance(pair, list | tuple)
        or len(pair) != 2
        or not isinstance(pair[1], list | tuple)
    ):
        raise ValueError(f"available must have pairs of a round and its arms, got {brief(pair)}")
    arms = tuple(whole("an arm of available", arm, 0) for arm in pair[1])
    if not arms or len(set(arms)) < len(arms):
        raise ValueError(
            f"available must name at least one arm for every round, each once: got {brief(pair)}"
        )
    return whole("a round of available", pair[0], 0), arms
