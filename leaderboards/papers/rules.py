"""Rules of claims: from numbers with their intervals to a verdict on each part.

A test of one number is REPRODUCED if it holds for the whole interval, NOT_REPRODUCED if it fails
for the whole interval, and INCONCLUSIVE otherwise.
"""

from collections.abc import Callable, Iterable

from leaderboards.papers.claim import Numbers
from leaderboards.papers.verdicts import Parts, Verdict
from leaderboards.rank.interval_estimates import Estimate

Judge = Callable[[Numbers], Parts]


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


def below_if_above(number: Estimate, low: float, high: float) -> Verdict:
    """Whether a number is below a limit, given that it is above another: that the task is hard."""
    return given(above(number, low), below(number, high))


def at_most(number: Estimate, limit: float) -> Verdict:
    """Whether a number without an interval is at most a limit."""
    return holds(bool(number.value <= limit))


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
    test: Callable[..., Verdict], *limits: float, of: str | Iterable[str] = "*", bound: str = ""
) -> Judge:
    """The rule whose parts are single numbers: ``test(number, *limits)``.

    Parameters
    ----------
    test : callable
    *limits : float
    of : str or iterable of str
        The numbers' names. A ``*`` in a name stands for any text.
    bound : str
        The name of the bound that a number is judged by, where ``*`` is the text that it is in
        ``of``: the bound divided by the worst case. The part is VACUOUS if the bound's whole
        interval is at or above 1.

    Raises
    ------
    ValueError
        By the rule, if no number has such a name.
    """
    wanted = (of,) if isinstance(of, str) else tuple(of)

    def judge(numbers: Numbers) -> Parts:
        parts = {}
        for pattern in wanted:
            for name, text in _named(pattern, numbers).items():
                part = test(numbers[name], *limits)
                if bound:
                    part = if_possible(numbers[bound.replace("*", text)], 1.0, part)
                parts[name] = part
        return parts

    return judge


def _named(pattern: str, numbers: Numbers) -> dict[str, str]:
    """The names that fit a pattern, each with the text that its ``*`` stands for."""
    start, star, end = pattern.partition("*")
    if not star and pattern in numbers:
        return {pattern: ""}
    least = len(start) + len(end)
    found = {
        name: name.removeprefix(start).removesuffix(end)
        for name in numbers
        if star and len(name) >= least and name.startswith(start) and name.endswith(end)
    }
    if not found:
        raise ValueError(f"no number is called {pattern!r}; there are {', '.join(numbers)}")
    return found


def together(*rules: Judge) -> Judge:
    """The rule with the parts of several rules."""
    return lambda numbers: {name: part for rule in rules for name, part in rule(numbers).items()}
