"""Slots for a changing set of arms: the space of occupied slots, and the assignment of arms."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, iterate

from banditgym.compiled import compiled

Mask = np.ndarray | None  # (K,)
Masks = tuple[np.ndarray, ...] | None  # one of each replicate


class Slots(spaces.Discrete):
    """The slots 0, .., K - 1, of which a round's mask says which have an arm.

    Parameters
    ----------
    n_slots : int
        Number of slots K.
    seed : int or numpy.random.Generator, optional
        Seed of the samples.

    Attributes
    ----------
    mask : int8 ndarray of shape (K,) or None
        1 where there is an arm; its environment sets it in every round. Samples are uniform among
        these; among all slots before the first round, and where no arm is left. Spaces are equal if
        K is.

    Examples
    --------
    >>> import numpy as np
    >>> space = Slots(4, seed=0)
    >>> space.mask = np.array([0, 0, 1, 0], np.int8)
    >>> int(space.sample()), 3 in space
    (2, False)
    """

    def __init__(self, n_slots: int, seed: int | np.random.Generator | None = None):
        super().__init__(n_slots, seed)
        self.mask: np.ndarray | None = None

    def sample(self, mask: Mask = None, probability: Mask = None) -> np.int64:
        """A slot with an arm; a mask or probabilities that are given take the place of ours."""
        if mask is None and probability is None:
            mask = _open(self.mask)
        return super().sample(mask=mask, probability=probability)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a slot with an arm."""
        if not super().contains(x):
            return False
        mask = _open(self.mask)
        return mask is None or bool(mask[int(x)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slots) and self.n == other.n

    __hash__ = None  # type: ignore[assignment]  # as Gymnasium's own spaces

    def __repr__(self) -> str:
        return f"Slots({self.n})"


class EachSlots(spaces.MultiDiscrete):
    """n of ``Slots``, int64 of shape (n,); ``mask`` is (n, K)."""

    def __init__(self, n_slots: int, n: int, seed: int | np.random.Generator | None = None):
        super().__init__([n_slots] * n, seed=seed)
        self.n_slots = n_slots
        self.mask: np.ndarray | None = None

    def sample(self, mask: Masks = None, probability: Masks = None) -> np.ndarray:
        """Slots with an arm; a mask or probabilities that are given take the place of ours."""
        if mask is None and probability is None and self.mask is not None:
            every = np.ones(self.n_slots, np.int8)
            masks = (_open(row) for row in self.mask)
            mask = tuple(every if row is None else row for row in masks)
        return super().sample(mask=mask, probability=probability)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is made of slots with an arm."""
        if not super().contains(x):
            return False
        masks = [None] * len(self.nvec) if self.mask is None else map(_open, self.mask)
        return all(row is None or row[int(slot)] for row, slot in zip(masks, x, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EachSlots) and super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"EachSlots({self.n_slots}, n={len(self.nvec)})"


def _open(mask: np.ndarray | None) -> np.ndarray | None:
    """The mask, or None if it excludes every slot."""
    return None if mask is None or not mask.any() else mask


@batch_space.register(Slots)
def _batch(space: Slots, n: int = 1) -> EachSlots:
    return EachSlots(int(space.n), n, deepcopy(space.np_random))


@iterate.register(EachSlots)
def _iterate(space: EachSlots, items: Iterable) -> Iterator:
    return iter(items)


@compiled
def place(ids, held, slots):
    """Write into slots (m, c) the slot of each article of ids (m, c), -1 where there is none.

    An article keeps its slot until another article needs it, so an article that becomes available
    again may have the same slot. A new article takes the first slot whose article is not available.
    ``held`` (K,), the last article of each slot or -1, is updated. Returns the first event with
    more than K articles, or -1.
    """
    m, c = ids.shape
    n_slots = held.size
    there = np.empty(n_slots, np.bool_)
    for s in range(m):
        if s > 0:
            same = True
            for k in range(c):
                same &= ids[s, k] == ids[s - 1, k]
            if same:
                for k in range(c):
                    slots[s, k] = slots[s - 1, k]
                continue
        there[:] = False
        strangers = 0
        for k in range(c):
            slots[s, k] = -1
            if ids[s, k] < 0:
                continue
            for slot in range(n_slots):
                if held[slot] == ids[s, k]:
                    slots[s, k] = slot
                    there[slot] = True
            strangers += slots[s, k] < 0
        slot = 0
        for k in range(c):
            if strangers == 0:
                break
            if ids[s, k] < 0 or slots[s, k] >= 0:
                continue
            while slot < n_slots and there[slot]:
                slot += 1
            if slot == n_slots:
                return s
            slots[s, k], held[slot], there[slot] = slot, ids[s, k], True
            strangers -= 1
    return -1
