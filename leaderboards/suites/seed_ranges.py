"""What a public seed may be used for: scoring, tuning, or the denominators of scores.

A setting that was chosen on some seeds scores too high on them. So no public suite is scored on a
seed that settings are tuned on, and denominators that are fixed in advance use neither kind of
seed. Every ``Suite`` calls `check` with the range that its seeds are ``used`` for. Two kinds of
seeds are exempt: the hidden seeds of an epoch, which are not public, and those of a paired
baseline, which is played on the seeds of its suite.
"""

from collections.abc import Collection

SCORING = range(500_000)
TUNING = range(500_000, 10**6)
BASELINES = range(10**6, 2**63)

_NAMES = {SCORING: "scoring", TUNING: "tuning", BASELINES: "frozen baselines"}


def check(seeds: Collection[int], used: range) -> None:
    """Refuse seeds that are not for this use.

    Parameters
    ----------
    used : range
        `SCORING`, `TUNING` or `BASELINES`.

    Raises
    ------
    ValueError
        If a seed is outside the range; the message gives the first one.

    Examples
    --------
    >>> check([0, 29], SCORING)
    >>> check([499_999, 500_000], SCORING)
    Traceback (most recent call last):
        ...
    ValueError: seeds of scoring are 0..499999, got 500000
    """
    for seed in seeds:
        if seed not in used:
            raise ValueError(f"seeds of {_NAMES[used]} are {used[0]}..{used[-1]}, got {seed}")
