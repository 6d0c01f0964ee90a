"""Many rounds of an environment at once: their observations, and the reward of every action.

If rounds do not depend on actions, an environment can compute several rounds in advance, and an
agent can play them in one compiled loop, with its state in the processor's cache. The loop computes
the rewards, so a block contains the hidden values of its rounds. An agent may only look up the
reward of the action that it played.

Unless a shape says otherwise, the first axis of an array is the round, the second the replicate: m
rounds of n replicates. ``Block.sealed`` makes the arrays read-only. Rounds are counted from 0;
``start`` is the first one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from banditgym.rounds.read_only import read_only

BLOCK_BYTES = 1 << 21  # approximate size of a block, which should stay in a shared cache
# Rounds that are made together and played one by one: bytes, within the second cache, and number.
# To make one alone costs 10 microseconds.
_BYTES_AT_ONCE = 1 << 19
MOST_AT_ONCE = 256
LEAST_ROUNDS = 15  # a block that may hold fewer is slower than single rounds: ``rounds_per_block``


def _keep_freed_memory() -> None:
    """Let glibc keep the memory of a freed block for the next one, from this import on.

    glibc has two limits, both 128 KiB at first. Free memory at the end of its heap beyond the first
    one, and each freed array above the second, go back to the operating system. To get memory
    again, page by zeroed page, took nearly a third of a play of PEGE. Whenever an array below 32
    MiB is freed, the second limit rises to its size, and the first to twice that; so each thread's
    heap keeps up to 64 MiB. This array is never written to and takes no memory. It has no effect
    with other C libraries, or where variables such as MALLOC_TRIM_THRESHOLD_ set the limits.
    """
    np.empty((1 << 25) - (1 << 16), np.uint8)


_keep_freed_memory()


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """The base class of blocks; by itself, one round that shows nothing.

    Parameters
    ----------
    start : int
        The first round, counted from 0 in the episode.
    playable : bool
        Whether agents may play it in a compiled loop, which computes rewards from its arrays.
        Each class has its default.
    """

    start: int
    playable: bool = False

    def __len__(self) -> int:
        """The number of rounds, m."""
        return 1

    @property
    def shown(self) -> Any:
        """What rounds show: views (m, n, ..) of arrays, or a mapping of them; None for nothing.

        If a view is writable, callers are given its rows themselves, each once, so nothing else may
        use them. If it is read-only, they are given copies; it may then have a single row, which
        every round shows.
        """
        return None

    def sealed(self) -> Self:
        """Make the arrays read-only; returns the block. Earlier views can still be written to."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                read_only(value)
        return self


@dataclass(frozen=True, kw_only=True, eq=False)
class UnseenBlock(Block):
    """Rounds in which nothing is shown.

    Parameters
    ----------
    rounds : int
        Their number, m.
    """

    rounds: int

    def __len__(self) -> int:
        return self.rounds


@dataclass(frozen=True, kw_only=True, eq=False)
class PairsBlock(Block):
    """Rounds of multiclass prediction.

    Parameters
    ----------
    indices : int32 ndarray of shape (m, n, w)
    values : ndarray of shape (m, n, w)
        The rows as pairs of index and value, as ``_choose`` gets them; dense rows have all indices.
    labels : int64 ndarray of shape (m, n)
        The true labels: the reward is 1 for these, else 0.
    sparse : bool
        Whether rows are shown as pairs.
    """

    playable: bool = True
    indices: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    sparse: bool = True

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def shown(self) -> Any:
        if not self.sparse:
            return self.values[:]
        return {"indices": self.indices[:], "values": self.values[:]}


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseBlock(Block):
    """Rounds whose rewards are expected rewards and noise.

    Parameters
    ----------
    noise : ndarray of shape (m, n)
        The noise that is added to the expected reward, whatever is played.
    """

    noise: np.ndarray

    def __len__(self) -> int:
        return len(self.noise)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeansBlock(NoiseBlock):
    """Rounds in which arms are played.

    Parameters
    ----------
    bernoulli : bool
        Whether rewards are 1 if ``noise`` is less than the mean, and else 0.
    noise : ndarray of shape (m, n)
        As in ``NoiseBlock``, or uniform on [0, 1) for Bernoulli rewards.
    means : ndarray of shape (m, n, K)
        Expected rewards of the arms; (1, n, K) where they are those of all rounds.
    best : ndarray of shape (m, n)
        The largest of the means; (1, n) where they are those of all rounds. Against an adversary,
        what a round adds to the largest sum of an arm's means.
    rewards : ndarray of shape (m, n, K), optional
        The rewards of the arms, where they are not made of ``means`` and ``noise``.
    """

    bernoulli: bool = False
    means: np.ndarray
    best: np.ndarray
    rewards: np.ndarray | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmsBlock(MeansBlock):
    """Rounds of a bandit whose arms have features.

    Parameters
    ----------
    bernoulli, noise, means, best, rewards
        As in ``MeansBlock``.
    features : ndarray of shape (m, n, d, K)
        Features of the arms; (1, n, d, K), read-only, where they are fixed.
    """

    playable: bool = True
    features: np.ndarray

    @property
    def shown(self) -> np.ndarray:
        """Features (m, n, K, d) of the arms; (1, n, K, d), read-only, where they are fixed."""
        arms = self.features.swapaxes(-1, -2)
        return arms if len(arms) == len(self) else read_only(arms)


@dataclass(frozen=True, kw_only=True, eq=False)
class ContextBlock(MeansBlock):
    """Rounds of a bandit whose arms share a context, and have a parameter each.

    Parameters
    ----------
    bernoulli, noise, means, best, rewards
        As in ``MeansBlock``.
    context : ndarray of shape (m, n, d)
        The features that all arms share.
    """

    playable: bool = True
    context: np.ndarray

    @property
    def shown(self) -> np.ndarray:
        """The context (m, n, d)."""
        return self.context[:]


@dataclass(frozen=True, kw_only=True, eq=False)
class ShownNoiseBlock(MeansBlock):
    """Rounds of a bandit that show the standard deviation of each arm's noise.

    Parameters
    ----------
    bernoulli, noise, means, best, rewards
        As in ``MeansBlock``.
    parts : mapping of str to ndarray
        What rounds show: features or a context, and ``noise_std`` (m, n, K).
    """

    parts: dict[str, np.ndarray]

    @property
    def shown(self) -> dict[str, np.ndarray]:
        """A mapping of ``arms`` (m, n, K, d) or ``context`` (m, n, d), and ``noise_std``."""
        return self.parts


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsBlock(Block):
    """Rounds of regression.

    Parameters
    ----------
    features : ndarray of shape (m, n, d, 1)
        The rows, in memory of any order.
    outcomes : ndarray of shape (m, n)
        The numbers to predict.
    """

    playable: bool = True
    features: np.ndarray
    outcomes: np.ndarray

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def across(self) -> np.ndarray:
        """The rows as (m, d, n), C-contiguous, for loops along the replicates.

        ``OnlineRegression`` lays them out like this; otherwise they are copied.
        """
        return read_only(np.ascontiguousarray(self.features[..., 0].transpose(0, 2, 1)))

    @property
    def shown(self) -> np.ndarray:
        """A copy of the rows (m, n, d)."""
        return np.array(self.features[..., 0], order="C")


@dataclass(frozen=True, kw_only=True, eq=False)
class PointsBlock(NoiseBlock):
    """Rounds in which points of a set are played; ``PlayedPoints`` says which ones.

    Parameters
    ----------
    noise : ndarray of shape (m, n)
    means : ndarray of shape (n, d)
        Expected rewards of the points of the set's basis.
    """

    playable: bool = True
    means: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayedPoints:
    """The points (m, n, d) of m rounds, few of which are different.

    Parameters
    ----------
    basis : ndarray of shape (d, d)
        The rows of the set's basis, which every replicate may play.
    others : ndarray of shape (c, n, d)
        c further points of each replicate.
    which : int64 ndarray of shape (m, n), or (m, 1) if it is the same for all replicates
        The point that was played: k < d is row k of the basis, d + j one of the others.
    """

    basis: np.ndarray
    others: np.ndarray
    which: np.ndarray

    def __len__(self) -> int:
        return len(self.which)

    def __getitem__(self, s: int) -> np.ndarray:
        """The points (n, d) of round s of the block."""
        dim = len(self.basis)
        which = np.broadcast_to(self.which[s], self.others.shape[1])
        points = self.basis[np.minimum(which, dim - 1)]
        for i in np.flatnonzero(which >= dim):
            points[i] = self.others[which[i] - dim, i]
        return points

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array([self[s] for s in range(len(self))], dtype)


@dataclass(frozen=True, kw_only=True, eq=False)
class SlotsBlock(Block):
    """Rounds of news, in which a log shows one slot.

    If an event is kept and the agent plays the slot shown, the reward is its click; else the round
    is not observed.

    Parameters
    ----------
    features : ndarray of shape (m, n, d, K)
        Features of the slots; 0 where a slot is empty.
    mask : int8 ndarray of shape (m, n, K)
        1 where a slot has an arm, 0 where it is empty and may not be played.
    ids : int64 ndarray of shape (m, n, K)
        The id of the arm in a slot; -1 where it is empty.
    events : int64 ndarray of shape (m, 2)
        The slot that the log shows, and its reward: 1 if it was clicked, else 0.
    kept : bool ndarray of shape (m, n)
        Whether the replicate keeps the event.
    """

    playable: bool = True
    features: np.ndarray
    mask: np.ndarray
    ids: np.ndarray
    events: np.ndarray
    kept: np.ndarray

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def shown(self) -> dict[str, np.ndarray]:
        """Features (m, n, K, d), the mask, read-only because rewards depend on it, and the ids."""
        arms, mask = self.features.swapaxes(-1, -2), read_only(self.mask[:])
        return {"arms": arms, "action_mask": mask, "ids": self.ids[:]}


def rounds_at_once(bytes_per_round: int) -> int:
    """How many rounds ``step`` makes at a time; at least 1."""
    return max(1, min(MOST_AT_ONCE, _BYTES_AT_ONCE // bytes_per_round))


def rounds_per_block(rounds: int, bytes_per_round: int) -> int:
    """How many of the next ``rounds`` a block has; 0 means no blocks.

    A block saves the calls of every round, about 10 microseconds for any number of replicates n,
    and moves its arrays through a larger cache than a round does. Blocks are therefore faster if
    rounds are small. The table gives the time of a round of all replicates divided by that in
    blocks, environment and agent together, on a core with 1 MiB of second-level cache, on a busy
    machine; in brackets the rounds in a block, if they are fewer than 50::

        LinUCB, fresh arms, d=K=10   n=1 12     n=2  6.5   n=10 2.0   n=30  1.2
                                     n=60 0.96 (39)   n=100 0.85 (23)
        LinUCB, fresh arms, d=100    n=1  2.0   n=3  1.4   n=5  1.1   n=10 0.96 (25)
        LinUCB, fixed arms, d=K=10   n=1 65     n=2 31     n=10 7.8   n=100 1.2
        Banditron, SynSep-v0         n=1 25     n=2 14     n=10 3.4   n=100 1.2  (31)
                                     n=300 1.1  (10)
        OnlineRidge, d=10            n=1  8.1   n=2  6.3   n=10 3.4   n=100 1.3
                                     n=1000 1.0  (23)
        PEGE, d=10                   n=1 69     n=2 40     n=10 13    n=100 1.7
                                     n=1000 1.3
        LinUCB, news, d=6            n=1  8.2   n=2  7.4   n=10 5.6   n=60  3.0  (30)
                                     n=100 2.2  (18)

    These plays have 12000 / n rounds, at least 100, and include their start. On an idle machine, in
    plays of 2000 rounds, LinUCB with fresh arms and d=K=10 had 1.2 at n=60 and 1.1 at n=100. With
    blocks of 1 MiB these were 1.2 and 1.05, and Banditron's figure at n=100 was a tenth lower.
    ``pytest tools/benchmarks/bench_blocks.py`` measures such figures.
    """
    most = BLOCK_BYTES // bytes_per_round
    return min(rounds, most) if most >= LEAST_ROUNDS else 0


def still_equivalent(cls: type, whole: str, steps: Iterable[str]) -> bool:
    """Whether the method ``whole`` of a class is still equivalent to several calls of ``steps``.

    It is not if a subclass overrides one of ``steps`` and not ``whole``.
    """

    def first(name: str) -> int:
        return next((i for i, base in enumerate(cls.__mro__) if name in vars(base)), 1 << 30)

    return all(first(whole) <= first(step) for step in steps)
