"""The texts of a table's cells."""

import math
from collections.abc import Callable

from banditgym.measures import RATES, higher_is_better
from leaderboards.rank.standing import Interval, Result, Standing

NONE = "–"
OWN = "★"


def rank_text(standing: Standing) -> str:
    """``1``, ``2–4``, ``ref`` for a reference, or a dash."""
    if standing.rank is None:
        return "ref" if standing.full_information else NONE
    return span_text(*standing.rank)


def span_text(first: int, last: int) -> str:
    """``2–4``, or ``2`` if both are equal."""
    return f"{first}" if first == last else f"{first}–{last}"


def place_text(rank: tuple[int, int] | None) -> str:
    """``2–4``, or a dash where there is no rank."""
    return NONE if rank is None else span_text(*rank)


def quartiles_text(standing: Standing) -> str:
    """``0.81 .. 0.95``, of the scores of all episodes."""
    if standing.quartiles is None:
        return NONE
    return " .. ".join(fixed(number, 2) for number in standing.quartiles)


def label_text(standing: Standing) -> str:
    """The label, marked if the agent does not belong to this package."""
    return marked(standing.label, standing.third_party)


def marked(text: str, third_party: bool) -> str:
    """The text, with a mark if the agent does not belong to this package."""
    return f"{text} {OWN}" if third_party else text


def amount_text(interval: Interval | None) -> str:
    """A measure in its own unit, ``43.25 [33.16, 53.33]``, with four digits."""
    return _between(interval, _amount)


def result_text(result: Result) -> str:
    """The measure on a task, and in parentheses its difference to the task's twin, if it has one.

    ``116.4 [108.2, 124.6] (+58.7 [+52.9, +64.5])``
    """
    if result.difference is None:
        return amount_text(result.measure)
    return f"{amount_text(result.measure)} ({_between(result.difference, _signed)})"


def direction(measure: str) -> str:
    """An arrow that says whether a high or a low measure is good."""
    return "↑" if higher_is_better(measure) else "↓"


def interval_text(interval: Interval | None, digits: int = 3) -> str:
    """``0.912 [0.907, 0.918]``."""
    return _between(interval, lambda number: fixed(number, digits))


def _between(interval: Interval | None, text: Callable[[float], str]) -> str:
    if interval is None:
        return NONE
    value = text(interval.value)
    if interval.low is None or interval.high is None:
        return value
    return f"{value} [{text(interval.low)}, {text(interval.high)}]"


def bytes_text(size: int | None) -> str:
    """``880 B``, ``1.7 kB``, .. with at most three digits."""
    if size is None:
        return NONE
    value, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            break
        if unit != "GB":
            value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 99.5 else f"{value:.2g} {unit}"


def time_text(standing: Standing) -> str:
    """Microseconds with three digits, marked ``*`` if the environment's time is included."""
    return microseconds_text(standing.microseconds, standing.timing)


def microseconds_text(microseconds: float | None, timing: str) -> str:
    """The same of a time that is the agent's or the total."""
    if microseconds is None:
        return NONE
    digits = max(0, 2 - math.floor(math.log10(max(microseconds, 1e-3))))
    return f"{microseconds:.{min(digits, 3)}f}" + "*" * (timing == "total")


def measure_text(measure: str) -> str:
    """A measure in words: ``clicks per 10 000`` for a rate, others as they are."""
    if measure not in RATES:
        return measure
    part, _, scale = RATES[measure]
    if scale == 1.0:
        return "reward per matched round"
    return f"{part} per {scale:,.0f}".replace(",", " ")


def shortened(text: str, longest: int) -> str:
    """At most so many characters of a text."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _amount(number: float) -> str:
    return f"{number + 0.0:.4g}" if abs(number) < 1e4 else f"{number:.0f}"


def _signed(number: float) -> str:
    return f"{number + 0.0:+.4g}" if abs(number) < 1e4 else f"{number:+.0f}"


def fixed(number: float, digits: int) -> str:
    """A number with this many digits after the point."""
    return f"{round(number, digits) + 0.0:.{digits}f}"  # no -0.000
