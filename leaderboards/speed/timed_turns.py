"""Times plays in turns, so that other work on the machine slows all of them."""

from collections.abc import Callable, Sequence
from time import process_time


def in_turns(
    plays: Sequence[Callable[[], object]], turns: int, clock: Callable[[], float] | None = None
) -> list[list[float]]:
    """Seconds of each play in every turn: of CPU time, unless another clock is given."""
    clock = clock or process_time
    seconds: list[list[float]] = [[] for _ in plays]
    for _ in range(turns):
        for play, spent in zip(plays, seconds, strict=True):
            started = clock()
            play()
            spent.append(clock() - started)
    return seconds
