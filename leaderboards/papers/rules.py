"""Rules of claims: from numbers with their intervals to a verdict."""

from collections.abc import Callable, Iterable

from leaderboards.papers.claim import Numbers, Verdict
from leaderboards.rank.interval_estimates import Estimate


def verdict(*parts: bool) -> Verdict:
    """Verdict on parts of a claim: reproduced if all hold, not reproduced if none, else partly."""
    if all(parts):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if any(parts) else Verdict.NOT_REPRODUCED


def above(number: Estimate, limit: float) -> bool:
    """Whether the whole interval lies above a limit; False if the interval is NaN."""
    return bool(number.low >= limit)


def below(number: Estimate, limit: float) -> bool:
    """Whether the whole interval lies below a limit; False if the interval is NaN."""
    return bool(number.high <= limit)


def within(number: Estimate, low: float, high: float) -> bool:
    """Whether the whole interval lies between two limits."""
    return above(number, low) and below(number, high)


def never(share: Estimate) -> bool:
    """Whether a share is exactly 0; a single event makes it false."""
    return bool(share.value == 0)


def each(
    holds: Callable[..., bool], *limits: float, of: Iterable[str] | None = None
) -> Callable[[Numbers], Verdict]:
    """The rule whose parts are single numbers, by default all: ``holds(number, *limits)``."""
    names = None if of is None else tuple(of)

    def judge(numbers: Numbers) -> Verdict:
        return verdict(*(holds(numbers[name], *limits) for name in names or numbers))

    return judge
