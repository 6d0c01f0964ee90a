"""Our action spaces, in the form that Gymnasium's vector environments need."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
    iterate,
)
from numpy.typing import ArrayLike

from banditgym.action_sets import DistinctLabels
from banditgym.validation import whole

Seed = int | np.random.Generator | None
Mask = np.ndarray | None  # (K,)
Masks = tuple[np.ndarray, ...] | None  # one of each replicate


class ActionSet(Protocol):
    """The methods of a set, such as those of ``banditgym.action_sets``, that a space uses."""

    @property
    def dim(self) -> int: ...

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray: ...

    def read(self, actions: ArrayLike, n: int) -> np.ndarray: ...


class _Actions(gymnasium.Space[np.ndarray]):
    """The actions of a set, arrays of shape (d,), or n of them of shape (n, d).

    Sampling n actions draws the same numbers as sampling n single ones.
    """

    def __init__(self, action_set: ActionSet, n: int | None, dtype: type, seed: Seed):
        self.action_set = action_set
        self.n = None if n is None else whole("n", n)
        shape = (action_set.dim,) if self.n is None else (self.n, action_set.dim)
        super().__init__(shape, dtype, seed)

    def batched(self, n: int, seed: Seed) -> "_Actions":
        """The space of n of these actions."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an action, or of the n actions."""
        return self._shape  # type: ignore[return-value]  # never None here

    @property
    def is_np_flattenable(self) -> bool:
        """False: flattening gives a Box, which is not the set."""
        return False

    def sample(self, mask: None = None, probability: None = None) -> np.ndarray:
        """Actions, uniform in the set; masks and probabilities are not supported.

        Raises
        ------
        gymnasium.error.Error
            If either is given.
        """
        for name, value in (("mask", mask), ("probability", probability)):
            if value is not None:
                kind = type(self).__name__
                raise gymnasium.error.Error(f"{kind}.sample takes no {name}, got {value!r}")
        actions = self.action_set.sample(self.np_random, 1 if self.n is None else self.n)
        return actions[0] if self.n is None else actions

    def contains(self, x: Any) -> bool:
        """Whether the set's ``read`` accepts ``x``."""
        try:
            actions = np.asarray(x)
            if self.n is None:
                actions = actions[None]
            self.action_set.read(actions, 1 if self.n is None else self.n)
        except ValueError:
            return False
        return True

    def to_jsonable(self, sample_n: Iterable[np.ndarray]) -> list[Any]:
        """Samples as lists of numbers."""
        return [np.asarray(sample).tolist() for sample in sample_n]

    def from_jsonable(self, sample_n: Iterable[Any]) -> list[np.ndarray]:
        """Samples from lists of numbers."""
        return [np.array(sample, dtype=self.dtype) for sample in sample_n]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Actions)
            and type(self) is type(other)
            and self.n == other.n
            and type(self.action_set) is type(other.action_set)
            and self.action_set == other.action_set
        )

    __hash__ = None  # type: ignore[assignment]  # as Gymnasium's own spaces


class Points(_Actions):
    """The points of a set of actions, float64 of shape (d,), or n of them of shape (n, d).

    A Box would have corners outside the set. Samples are uniform in the set; sampling n points
    draws the same numbers as sampling n single ones. The space contains what the set's ``read``
    accepts: points within 1e-9 relative of the set, of any type of real numbers.

    Parameters
    ----------
    action_set : set of ``banditgym.action_sets``
        Where the points lie. Spaces are equal if their sets and shapes are.
    n : int, optional
        How many points; a single one, without the leading axis, if not given.
    seed : int or numpy.random.Generator, optional
        Of the samples.

    Examples
    --------
    >>> from banditgym.action_sets import Ball
    >>> space = Points(Ball(2, radius=3.0), seed=0)
    >>> space.sample() in space, [3.0, 0.1] in space
    (True, False)
    """

    def __init__(self, action_set: ActionSet, n: int | None = None, seed: Seed = None):
        super().__init__(action_set, n, np.float64, seed)

    def batched(self, n: int, seed: Seed) -> "Points":
        """The space of n of these points."""
        return Points(self.action_set, n, seed)

    def __repr__(self) -> str:
        return f"Points({self.action_set!r}{'' if self.n is None else f', n={self.n}'})"


class Ranking(_Actions):
    """Arrays of r distinct labels out of 0, .., k - 1, int64 of shape (r,), or n of them, (n, r).

    A MultiDiscrete would show a label twice. Samples are uniform: every label is as likely in every
    slot. Any integers are accepted.

    Parameters
    ----------
    n_labels, slots : int
        Number of labels k and of slots r, at most k.
    n : int, optional
        How many arrays; a single one, without the leading axis, if not given.
    seed : int or numpy.random.Generator, optional
        Of the samples.

    Examples
    --------
    >>> space = Ranking(9, slots=2, seed=0)
    >>> space.sample() in space, [3, 3] in space
    (True, False)
    """

    def __init__(self, n_labels: int, slots: int, n: int | None = None, seed: Seed = None):
        super().__init__(DistinctLabels(n_labels, slots), n, np.int64, seed)
        self.n_labels, self.slots = n_labels, slots

    def batched(self, n: int, seed: Seed) -> "Ranking":
        """The space of n of these arrays."""
        return Ranking(self.n_labels, self.slots, n, seed)

    def __repr__(self) -> str:
        n = "" if self.n is None else f", n={self.n}"
        return f"Ranking({self.n_labels}, slots={self.slots}{n})"


class MaskedArms(gymnasium.spaces.Discrete):
    """The arms 0, .., K - 1, of which a round's mask says which may be played.

    Parameters
    ----------
    n_arms : int
        Number of arms K, or of slots that may have one.
    seed : int or numpy.random.Generator, optional
        Seed of the samples.

    Attributes
    ----------
    mask : int8 ndarray of shape (K,) or None
        1 where an arm may be played; its environment sets it in every round. Samples are uniform
        among these; among all before the first round, and where no arm is left. Spaces are equal
        if K is.

    Examples
    --------
    >>> import numpy as np
    >>> space = MaskedArms(4, seed=0)
    >>> space.mask = np.array([0, 0, 1, 0], np.int8)
    >>> int(space.sample()), 3 in space
    (2, False)
    """

    def __init__(self, n_arms: int, seed: int | np.random.Generator | None = None):
        super().__init__(n_arms, seed)
        self.mask: np.ndarray | None = None

    def sample(self, mask: Mask = None, probability: Mask = None) -> np.int64:
        """An arm of the mask; a mask or probabilities that are given take the place of ours."""
        if mask is None and probability is None:
            mask = _open(self.mask)
        return super().sample(mask=mask, probability=probability)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is an arm of the mask."""
        if not super().contains(x):
            return False
        mask = _open(self.mask)
        return mask is None or bool(mask[int(x)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MaskedArms) and self.n == other.n

    __hash__ = None  # type: ignore[assignment]  # as Gymnasium's own spaces

    def __repr__(self) -> str:
        return f"MaskedArms({self.n})"


class EachMaskedArms(gymnasium.spaces.MultiDiscrete):
    """n of ``MaskedArms``, int64 of shape (n,); ``mask`` is (n, K)."""

    def __init__(self, n_arms: int, n: int, seed: int | np.random.Generator | None = None):
        super().__init__([n_arms] * n, seed=seed)
        self.n_arms = n_arms
        self.mask: np.ndarray | None = None

    def sample(self, mask: Masks = None, probability: Masks = None) -> np.ndarray:
        """Arms of the masks; masks or probabilities that are given take the place of ours."""
        if mask is None and probability is None and self.mask is not None:
            every = np.ones(self.n_arms, np.int8)
            masks = (_open(row) for row in self.mask)
            mask = tuple(every if row is None else row for row in masks)
        return super().sample(mask=mask, probability=probability)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is made of arms of the masks."""
        if not super().contains(x):
            return False
        masks = [None] * len(self.nvec) if self.mask is None else map(_open, self.mask)
        return all(row is None or row[int(arm)] for row, arm in zip(masks, x, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EachMaskedArms) and super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"EachMaskedArms({self.n_arms}, n={len(self.nvec)})"


def _open(mask: np.ndarray | None) -> np.ndarray | None:
    """The mask, or None if it excludes every arm."""
    return None if mask is None or not mask.any() else mask


@batch_space.register(MaskedArms)
def _batch_masked(space: MaskedArms, n: int = 1) -> EachMaskedArms:
    return EachMaskedArms(int(space.n), n, deepcopy(space.np_random))


@iterate.register(EachMaskedArms)
def _iterate_masked(space: EachMaskedArms, items: Iterable) -> Iterator:
    return iter(items)


@batch_space.register(_Actions)
def _batch(space: _Actions, n: int = 1) -> _Actions:
    if space.n is not None:
        raise ValueError(f"only a space of single actions can be batched, got {space}")
    return space.batched(n, deepcopy(space.np_random))


@batch_differing_spaces.register(Points)  # Gymnasium does not look for base classes here
@batch_differing_spaces.register(Ranking)
def _batch_equal(spaces: Sequence[_Actions]) -> gymnasium.Space:
    if any(space != spaces[0] for space in spaces):
        raise TypeError(f"only equal spaces of actions can be batched, got {list(spaces)}")
    return batch_space(spaces[0], len(spaces))


@iterate.register(_Actions)
def _iterate(space: _Actions, items: np.ndarray) -> Iterator[np.ndarray]:
    return iter(items)


@concatenate.register(_Actions)
def _concatenate(space: _Actions, items: Iterable[Any], out: np.ndarray) -> np.ndarray:
    return np.stack(list(items), axis=0, out=out)


@create_empty_array.register(_Actions)
def _create_empty_array(space: _Actions, n: int = 1, fn: Callable = np.zeros) -> np.ndarray:
    return fn((n, *space.shape), dtype=space.dtype)
