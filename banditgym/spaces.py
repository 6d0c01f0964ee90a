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
