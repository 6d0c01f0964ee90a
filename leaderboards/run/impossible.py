"""Which results cannot stand: impossible ones, and those of agents that err too often.

An impossible value of a measure shows that the agent changed what is measured.
"""

import math
import operator
from collections.abc import Mapping, Sequence

import numpy as np

from banditgym.measures import RATES
from leaderboards.suites.suite import SuiteTask

# Relative to the largest sum of reward and regret. A point may be outside its set by 1e-9 relative,
# and so be better than the best point of the set by at most as much; rounding of sums is smaller.
_ROUNDING = 1e-6
LEVEL = 1e-3  # of the test of errors
# Families in which no round has negative regret, as their tasks say, which are slow to import.
NEVER_NEGATIVE = {"armed", "linear", "logistic", "strongly_convex", "kernelized", "multiclass"}


def impossible(family: str, measures: Mapping[str, Sequence[float | None]]) -> str | None:
    """Return why curves cannot be right, or None if they can.

    Parameters
    ----------
    family : str
        The task's family.
    measures : mapping of str to sequence of float
        Cumulative measures of one seed, all at the same rounds. Values that were not finite are
        None.
    """
    if family not in NEVER_NEGATIVE:
        return None
    regret = [value for value in measures.get("regret", []) if value is not None]
    if all(map(operator.le, [0.0, *regret], regret)):  # nearly always
        return None
    reward = [value for value in measures.get("reward", []) if value is not None]
    largest = max(map(abs, regret)) + max(map(abs, reward), default=0.0)
    before = 0.0
    for now in regret:
        if now - before < -_ROUNDING * largest:
            seen = f"regret {now:.4g}" if now < 0 else f"regret that falls to {now:.4g}"
            return f"a {seen}: no round's regret is negative here, so the result is invalid"
        before = now
    return None


def too_many_errors(task: SuiteTask, errors: Sequence[Sequence[float]]) -> str | None:
    """Return why the recommendations are not as reliable as a task demands, or None if they may be.

    The number of seeds with an error after the last round is compared with the binomial law of
    probability delta, one-sided: an agent that errs with probability delta is refused in one of a
    thousand results.

    Parameters
    ----------
    task : SuiteTask
    errors : sequence of sequence of float
        The curve of ``error`` of each seed.
    """
    delta = task.settings.get("delta")
    if delta is None:
        return None
    n, wrong = len(errors), sum(curve[-1] > 0 for curve in errors)
    tail = math.fsum(
        math.comb(n, k) * delta**k * (1.0 - delta) ** (n - k) for k in range(wrong, n + 1)
    )
    if tail >= LEVEL:
        return None
    return f"{wrong} of {n} recommendations are wrong, and delta is {delta:g}"


def possible_range(
    family: str, measure: str, rounds: Sequence[int] | int
) -> tuple[float, float | np.ndarray]:
    """The lowest and the highest value that a mean of a measure can have after these rounds.

    Examples
    --------
    >>> possible_range("news", "clicks_per_10000", 500)
    (0.0, 10000.0)
    >>> possible_range("linear", "regret", 500)
    (0.0, inf)
    """
    if measure == "clicks_per_10000":
        return 0.0, RATES[measure][2]
    if measure == "error":
        return 0.0, 1.0
    if measure == "stopping_time":
        return 0.0, np.asarray(rounds, float)
    if measure != "regret" or family not in NEVER_NEGATIVE:
        return -math.inf, math.inf
    # One wrong label costs 1.
    return 0.0, np.asarray(rounds, float) if family == "multiclass" else math.inf
