"""Rules of claims: from numbers with their intervals to a verdict on each part.

A test of one number is REPRODUCED if it holds for the whole interval, NOT_REPRODUCED if it fails
for the whole interval, and INCONCLUSIVE otherwise.
"""

from collections.abc import Callable, Iterable

from leaderboards.papers.claim import Numbers
from leaderboards.papers.verdicts import Parts, Verdict
from leaderboards.rank.interval_estimates import Estimate


def holds(fact: bool) -> Verdict:
    """REPRODUCED or NOT_REPRODUCED: for what has no interval, such as a count of events."""
    return Verdict.REPRODUCED if fact else Verdict.NOT_REPRODUCED


def above(number: Estimate, limit: float) -> Verdict:
    """Whether the interval lies above a limit; INCONCLUSIVE if it contains it or is NaN."""
    if number.low >= limit:
        return Verdict.REPRODUCED
    return Verdict.NOT_REPRODUCED if number.high < limit else Verdict.INCONCLUSIVE


def below(number: Estimate, limit: float) -> Verdict:
    """Whether the interval lies below a limit; INCONCLUSIVE if it contains it or is NaN."""
    if number.high <= limit:
        return Verdict.REPRODUCED
    return Verdict.NOT_REPRODUCED if number.low > limit else Verdict.INCONCLUSIVE


def within(number: Estimate, low: float, high: float) -> Verdict:
    """Whether the interval lies between two limits; INCONCLUSIVE if it contains one or is NaN."""
    return both(above(number, low), below(number, high))


def never(share: Estimate) -> Verdict:
    """Whether a share is exactly 0; a single event makes it NOT_REPRODUCED."""
    return holds(bool(share.value == 0))


def both(*tests: Verdict) -> Verdict:
    """One part of several tests: it holds if all do, and fails if one does."""
    for verdict in (Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE, Verdict.VACUOUS):
        if verdict in tests:
            return verdict
    return Verdict.REPRODUCED


def given(control: Verdict, test: Verdict) -> Verdict:
    """A test that tells something only if its control holds; else it is INCONCLUSIVE."""
    return test if control is Verdict.REPRODUCED else Verdict.INCONCLUSIVE


def if_possible(bound: Estimate, worst: float, test: Verdict) -> Verdict:
    """A test of a bound; VACUOUS if the bound's whole interval is at or above the worst case."""
    return Verdict.VACUOUS if bound.low >= worst else test


def each(
    test: Callable[..., Verdict], *limits: float, of: Iterable[str] | None = None
) -> Callable[[Numbers], Parts]:
    """The rule whose parts are single numbers, by default all: ``test(number, *limits)``."""
    names = None if of is None else tuple(of)

    def judge(numbers: Numbers) -> Parts:
        return {name: test(numbers[name], *limits) for name in names or numbers}

    return judge
