"""Times plays in turns, so that other work on the machine slows all of them."""

from collections.abc import Callable, Sequence
from time import process_time


def in_turns(
    plays: Sequence[Callable[[], object]], turns: int, least: float = 0.0
) -> list[list[float]]:
    """CPU seconds of each play in every turn.

    There are at least ``turns`` turns, and enough to take ``least`` seconds together.
    """
    seconds: list[list[float]] = [[] for _ in plays]
    while plays and (len(seconds[0]) < turns or sum(map(sum, seconds)) < least):
        for play, spent in zip(plays, seconds, strict=True):
            started = process_time()
            play()
            spent.append(process_time() - started)
    return seconds
