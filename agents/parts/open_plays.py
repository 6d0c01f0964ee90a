"""What was played and shown in the decisions that have no reward so far."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.storage.loadable import LARGEST, Loadable
from banditgym.rounds.kinds import ARM, NOTHING

_NONE = LARGEST  # the number of no decision


class OpenPlay(NamedTuple):
    """An open decision of each replicate: its number, what was played and shown, if there is one.

    ``contexts`` are None if all rounds show the same.
    """

    number: np.ndarray  # (n,)
    actions: np.ndarray  # (n,) or (n, d)
    contexts: np.ndarray | None  # (n, d, K)
    exists: np.ndarray  # bool (n,); arbitrary numbers where false


@dataclass(eq=False)
class OpenPlays:
    """The open decisions of n replicates, in memory that doubles where a replicate has no room.

    Attributes
    ----------
    largest : float
        The largest arm; infinity where points are played.
    number : ndarray of shape (n, capacity), int64
        The open decisions in any order, and 2^53 where there is none.
    actions : ndarray of shape (n, capacity, 1) or (n, capacity, d)
        The arms or points that were played.
    contexts : ndarray of shape (n, capacity, d, K), or None
        The features that were shown; None if all rounds show the same.
    """

    loadable: ClassVar = {
        "number": Loadable("_ capacity"),
        "actions": Loadable("_ capacity _", most=lambda self: self.largest),
        "contexts": Loadable("_ capacity _ _"),
    }

    largest: float
    number: np.ndarray
    actions: np.ndarray
    contexts: np.ndarray | None

    @classmethod
    def initial(cls, task: Any, n: int) -> "OpenPlays":
        """No open decisions, in n replicates of a task."""
        arms, contexts = task.plays is ARM, None
        if task.observes is not NOTHING and not task.fixed_arms:
            contexts = np.zeros((n, 1, task.dim, task.n_arms))
        actions = np.zeros((n, 1, 1 if arms else task.dim), task.plays.dtype)
        largest = task.n_arms - 1.0 if arms else np.inf
        return cls(largest, np.full((n, 1), _NONE), actions, contexts)

    def any(self) -> bool:
        """Whether some decision is open."""
        return bool((self.number != _NONE).any())

    def open(self, decisions: np.ndarray, actions: np.ndarray, contexts: Any) -> None:
        """Keep what was played and shown in decisions (n,)."""
        if (self.number != _NONE).all(axis=1).any():
            self.number = np.hstack([self.number, np.full(self.number.shape, _NONE)])
            self.actions = np.hstack([self.actions, np.zeros_like(self.actions)])
            if self.contexts is not None:
                self.contexts = np.hstack([self.contexts, np.zeros_like(self.contexts)])
        each, place = np.arange(len(decisions)), np.argmax(self.number == _NONE, axis=1)
        self.number[each, place] = decisions
        self.actions[each, place] = actions.reshape(len(decisions), -1)
        if self.contexts is not None:
            self.contexts[each, place] = contexts

    def close(self, decisions: np.ndarray, where: np.ndarray) -> None:
        """Forget the decisions (n,) that are open, where a reward has come, bool (n,)."""
        self.number[(self.number == decisions[:, None]) & where[:, None]] = _NONE

    def drop(self, before: np.ndarray) -> bool:
        """Forget the decisions below ``before`` (n,); returns whether there were any."""
        old = self.number < before[:, None]
        self.number[old] = _NONE
        return bool(old.any())

    def since(self, first: np.ndarray) -> Iterator[OpenPlay]:
        """The open decisions from ``first`` (n,) on, those of a replicate in ascending order."""
        number = np.where(self.number >= first[:, None], self.number, _NONE)
        each, longest = np.arange(len(number)), int((number != _NONE).sum(axis=1).max())
        for place in np.argsort(number, axis=1, kind="stable")[:, :longest].T:
            actions, contexts = self.actions[each, place], None
            if self.contexts is not None:
                contexts = self.contexts[each, place]
                contexts.flags.writeable = False  # kernels are compiled for one mutability
            if np.isfinite(self.largest):
                actions = actions[:, 0]
            chosen = number[each, place]
            yield OpenPlay(chosen, actions, contexts, chosen != _NONE)
