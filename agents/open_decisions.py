"""Numbers that an agent keeps for decisions without a reward so far."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.storage.loadable import Loadable
from banditgym.compiled import compiled

MOST = 10_000  # open decisions that a replicate keeps


@dataclass(eq=False)
class OpenDecisions:
    """Numbers kept for every open decision: one that was made and has no reward yet.

    A replicate keeps its last ``MOST`` open decisions, so decisions that are never answered cost at
    most 8 (r + 1) ``MOST`` bytes. If there is no room, the oldest decision is forgotten: if its
    reward comes after all, it is not learned, but counted in ``dropped``. So is a reward that
    answers such an old decision twice, because it looks the same.

    Attributes
    ----------
    values : int
        The numbers lie within 0 .. values - 1; probabilities are kept with ``values=2``.
    number : ndarray of shape (n, capacity), int64
        The open decisions in ascending order, and -1 beyond.
    kept : ndarray of shape (n, capacity, r), int64 or float64
        The numbers kept for each, and -1 beyond.
    count : ndarray of shape (n,), int64
        How many are open.
    kept_from : ndarray of shape (n,), int64
        Open decisions below this number have been forgotten.
    dropped : ndarray of shape (n,), int64
        Rewards that were not learned, because their decisions had been forgotten.
    """

    loadable: ClassVar = {
        "number": Loadable("_ capacity"),
        "kept": Loadable("_ capacity _", most=lambda self: self.values - 1),
        "count": Loadable(most=lambda self: self.number.shape[1]),
        "kept_from dropped": Loadable(added=True),
    }

    values: int
    number: np.ndarray
    kept: np.ndarray
    count: np.ndarray
    kept_from: np.ndarray
    dropped: np.ndarray

    @classmethod
    def initial(cls, n: int, values: int, r: int = 1, kind: type = np.int64) -> "OpenDecisions":
        """An empty memory for n replicates; a decision has r numbers of a kind below ``values``."""
        counts = (np.zeros(n, np.int64) for _ in range(3))
        return cls(values, np.full((n, 1), -1), np.full((n, 1, r), -1, kind), *counts)

    def consistent(self) -> bool:
        """Whether the open decisions ascend and keep numbers, with nothing beyond them."""
        return all(
            (np.diff(number[:count], prepend=-1) > 0).all()
            and (kept[:count] >= 0).all()
            and (number[count:] == -1).all()
            and (kept[count:] == -1).all()
            for number, kept, count in zip(self.number, self.kept, self.count, strict=True)
        )

    def open(self, decisions: np.ndarray, kept: np.ndarray) -> None:
        """Keep the numbers ``kept`` (n, r) for decisions (n,), which must ascend."""
        if (self.count == self.number.shape[1]).any() and self.number.shape[1] < MOST:
            capacity = min(2 * self.number.shape[1], MOST)
            self.number, self.kept = _longer(self.number, capacity), _longer(self.kept, capacity)
        _open(self.number, self.kept, self.count, self.kept_from, decisions, kept)

    def of(
        self, decisions: np.ndarray, answered: np.ndarray | None, observed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The numbers kept (n, r) for the decisions ``answered`` (n,), by default the last ones.

        They are arbitrary where the second result, bool (n,), is false: there no reward is
        observed, or its decision has been forgotten.

        Raises
        ------
        ValueError
            If a decision that is observed is neither open nor forgotten.
        """
        if answered is None:
            answered = decisions - 1
        kept = np.empty((len(answered), self.kept.shape[2]), self.kept.dtype)
        known = observed.copy()
        places = self.number, self.kept, self.count, self.kept_from
        bad = _look_up(*places, answered, known, kept)
        if bad >= 0:
            raise ValueError(
                f"replicate {bad} has no open decision {max(answered[bad], 0)}: a reward must "
                "answer an act, and only once, because it is weighted by the act's guess; only "
                f"the last {MOST} acts without a reward are kept"
            )
        return kept, known

    def close(
        self, decisions: np.ndarray, answered: np.ndarray | None, observed: np.ndarray
    ) -> None:
        """Forget the decisions ``answered`` (n,), by default the last ones, where observed (n,).

        Those that have been forgotten before are counted as ``dropped``.
        """
        answered = decisions - 1 if answered is None else answered
        _close(self.number, self.kept, self.count, self.dropped, answered, observed)


def _longer(array: np.ndarray, capacity: int) -> np.ndarray:
    longer = np.full((array.shape[0], capacity, *array.shape[2:]), -1, array.dtype)
    longer[:, : array.shape[1]] = array
    return longer


@compiled
def _open(number, kept, count, kept_from, decisions, new):
    n, capacity = number.shape
    for i in range(n):
        if count[i] == capacity:
            kept_from[i] = number[i, 0] + 1
            _remove(number, kept, count, i, 0)
        place = count[i]
        number[i, place] = decisions[i]
        for j in range(new.shape[1]):
            kept[i, place, j] = new[i, j]
        count[i] += 1


@compiled
def _find(number, count, i, decision):
    """Where replicate i keeps a decision, or -1."""
    low, high = 0, count[i]
    if high > 0 and number[i, high - 1] == decision:  # the last one, mostly
        return high - 1
    while low < high:
        middle = (low + high) // 2
        if number[i, middle] < decision:
            low = middle + 1
        else:
            high = middle
    return low if low < count[i] and number[i, low] == decision else -1


@compiled
def _look_up(number, kept, count, kept_from, answered, known, out):
    """The first replicate whose decision is neither open nor forgotten, or -1.

    ``known`` (n,) says where rewards are observed, and becomes false where they were forgotten.
    """
    out[:] = 0
    for i in range(out.shape[0]):
        if not known[i]:
            continue
        place = _find(number, count, i, answered[i])
        if place < 0 and not 0 <= answered[i] < kept_from[i]:
            return i
        known[i] = place >= 0
        for j in range(out.shape[1] if place >= 0 else 0):
            out[i, j] = kept[i, place, j]
    return -1


@compiled
def _remove(number, kept, count, i, place):
    last = count[i] - 1
    for p in range(place, last):
        number[i, p] = number[i, p + 1]
        for j in range(kept.shape[2]):
            kept[i, p, j] = kept[i, p + 1, j]
    number[i, last] = -1
    for j in range(kept.shape[2]):
        kept[i, last, j] = -1
    count[i] = last


@compiled
def _close(number, kept, count, dropped, answered, observed):
    for i in range(number.shape[0]):
        if observed[i]:
            place = _find(number, count, i, answered[i])
            if place < 0:
                dropped[i] += 1
            else:
                _remove(number, kept, count, i, place)
