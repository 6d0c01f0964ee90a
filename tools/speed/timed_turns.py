"""Chooses cases and times plays in turns, so that other work on the machine slows all of them."""

from collections.abc import Callable, Sequence
from time import process_time
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Case = TypeVar("Case", bound=_Named)


def in_turns(
    plays: Sequence[Callable[[], object]],
    turns: int,
    clock: Callable[[], float] | None = None,
    least: float = 0.0,
) -> list[list[float]]:
    """Seconds of each play in every turn: of CPU time, unless another clock is given.

    There are at least ``turns`` turns, and enough to take ``least`` seconds together.
    """
    clock, turn = clock or process_time, 0
    seconds: list[list[float]] = [[] for _ in plays]
    while turn < turns or (plays and sum(map(sum, seconds)) < least):
        turn += 1
        for play, spent in zip(plays, seconds, strict=True):
            started = clock()
            play()
            spent.append(clock() - started)
    return seconds


def named(cases: Sequence[Case], beginnings: Sequence[str]) -> list[Case]:
    """The cases whose names begin with one of ``beginnings``; without any, all.

    Raises
    ------
    SystemExit
        If a beginning is that of no name.
    """
    for beginning in beginnings:
        if not any(case.name.startswith(beginning) for case in cases):
            there = ", ".join(case.name for case in cases)
            raise SystemExit(f"no case begins with {beginning!r}; there are {there}")
    return [case for case in cases if not beginnings or case.name.startswith(tuple(beginnings))]
