"""Many rounds of an environment at once: what they show, and what every action would bring.

Where rounds do not depend on actions, an environment can lay out several of them and an agent play
them in one compiled loop, its state in the processor's cache. A block holds what is hidden round by
round, since the loop has to pay itself: an agent may look up what the action that it played brings,
and no more.

In every array the round comes first, then the replicate: m rounds of n replicates. The arrays are
read-only. Rounds are counted from 0; ``start`` is the first one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

BLOCK_BYTES = 1 << 20  # that a block takes about: it is read soon after it was written


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """What blocks have in common."""

    start: int

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


@dataclass(frozen=True, kw_only=True, eq=False)
class PairsBlock(Block):
    """Rounds of multiclass prediction.

    Parameters
    ----------
    indices : int32 ndarray of shape (m, n, w)
    values : ndarray of shape (m, n, w)
        The rows in pairs, as ``_choose`` of an agent gets them; dense rows have every index.
    labels : int64 ndarray of shape (m, n)
        The true labels: the reward is 1 for these, else 0.
    """

    indices: np.ndarray
    values: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmsBlock(Block):
    """Rounds of a linear bandit.

    Parameters
    ----------
    features : ndarray of shape (m, n, d, K)
        Of the arms; (1, n, d, K) where they are fixed.
    means : ndarray of shape (m, n, K)
        Expected rewards of the arms; (1, n, K) where arms are fixed.
    noise : ndarray of shape (m, n)
        What the round adds to the expected reward of whichever arm is played.
    """

    features: np.ndarray
    means: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsBlock(Block):
    """Rounds of regression.

    Parameters
    ----------
    features : ndarray of shape (m, n, d, 1)
        The rows.
    outcomes : ndarray of shape (m, n)
        The numbers that are to be predicted.
    """

    features: np.ndarray
    outcomes: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class SlotsBlock(Block):
    """Rounds of arms that come and go, of which a log shows one.

    What slot a brings in a round of a replicate is its click, if it is kept and a the slot shown;
    else nothing, and the round is not observed.

    Parameters
    ----------
    features : ndarray of shape (m, n, d, K)
        Of the slots; 0 where one is empty.
    mask : int8 ndarray of shape (m, n, K)
        1 where a slot has an arm, 0 where it is empty and may not be played.
    ids : int64 ndarray of shape (m, n, K)
        Which arm stands in a slot; -1 where none does.
    shown : int64 ndarray of shape (m, n)
        The slot that the log shows.
    clicks : ndarray of shape (m, n)
        The reward of that slot.
    kept : bool ndarray of shape (m, n)
        Whether the replicate keeps the event.
    """

    features: np.ndarray
    mask: np.ndarray
    ids: np.ndarray
    shown: np.ndarray
    clicks: np.ndarray
    kept: np.ndarray


def fitting(rounds: int, held: int) -> int:
    """How many of ``rounds`` a block takes, at ``held`` bytes each."""
    return min(rounds, max(1, BLOCK_BYTES // held))


def speaks_for(cls: type, whole: str, parts: Iterable[str]) -> bool:
    """Whether the method ``whole`` of a class still stands for several calls of ``parts``.

    It does not where a subclass overrides one of these: then rounds are not what it says they are.
    """

    def first(name: str) -> int:
        return next((i for i, base in enumerate(cls.__mro__) if name in vars(base)), 1 << 30)

    return all(first(whole) <= first(part) for part in parts)
