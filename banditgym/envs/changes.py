"""The rounds after which a hidden quantity jumps: given, or drawn for each instance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.streams import Stream
from banditgym.validation import whole


@dataclass(frozen=True)
class Changes:
    """S changes, which divide an episode into S + 1 segments.

    Parameters
    ----------
    number : int
        S.
    latest : int
        The last round, counted from 1, after which there may be a change: horizon - 1.
    rounds : list of int, optional
        The rounds after which the changes come, the same for all replicates. None: a set of S
        rounds of 1 .. ``latest`` is drawn for each instance, uniformly among all sets.
    """

    number: int
    latest: int
    rounds: list[int] | None = None

    def starts(self, stream: Stream) -> np.ndarray:
        """The first round of each segment, counted from 0, int64 (n, S + 1).

        Drawn rounds use the uniforms of round 0 of the stream.
        """
        starts = np.zeros((len(stream.keys), self.number + 1), np.int64)
        if self.rounds is not None:
            starts[:, 1:] = self.rounds
        elif self.number:
            draws = stream.uniform(0, (self.number,)).tolist()
            starts[:, 1:] = [_subset(own, self.latest) for own in draws]
        return starts


def read_changes(
    changes: Any, horizon: int, name: str, rows: np.ndarray | None, moves: bool
) -> Changes:
    """Read the setting ``changes`` of an environment.

    Parameters
    ----------
    changes : int, sequence of int, or None
        A number of changes, or the rounds after which they come. None: one fewer than ``rows``;
        without these 1, or 0 if something else moves, or the horizon is 1.
    horizon : int
    name, rows : str, and array (S + 1, ..) or None
        The setting that gives what each segment begins with, and its checked value.
    moves : bool
        Whether something else than changes moves.

    Raises
    ------
    ValueError
        For rounds that are not increasing or not within 1 .. horizon - 1, for more changes than
        that, and if there is not a row for each segment.
    """
    latest = horizon - 1
    if changes is None:
        changes = min(0 if moves else 1, latest) if rows is None else len(rows) - 1
    if isinstance(changes, np.ndarray):
        changes = changes.tolist()
    if isinstance(changes, Sequence) and not isinstance(changes, str):
        rounds = [whole("each round of changes", change) for change in changes]
        if sorted(set(rounds)) != rounds:
            raise ValueError(f"changes must be increasing rounds, got {rounds}")
        if rounds and rounds[-1] > latest:
            raise ValueError(f"changes must be rounds <= horizon - 1 = {latest}, got {rounds[-1]}")
        read = Changes(len(rounds), latest, rounds)
    else:
        number = whole("changes, where not a sequence of rounds,", changes, 0)
        if number > latest:
            raise ValueError(f"changes must be <= horizon - 1 = {latest}, got {number}")
        read = Changes(number, latest)
    if rows is not None and len(rows) != read.number + 1:
        raise ValueError(
            f"{name} must have a row for each of {read.number + 1} segments, got {len(rows)}: "
            "one more than there are changes"
        )
    return read


def _subset(draws: list[float], latest: int) -> list[int]:
    """A uniform subset of 1 .. ``latest``, with as many members as there are uniforms.

    R. Floyd's algorithm, in J. Bentley. Programming Pearls. Communications of the ACM 30, 1987.
    """
    chosen: set[int] = set()
    for last, draw in enumerate(draws, start=latest - len(draws) + 1):
        member = 1 + int(draw * last)
        chosen.add(last if member in chosen else member)
    return sorted(chosen)
