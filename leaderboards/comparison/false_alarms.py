"""How often a comparison that may stop at any time is wrong, and how many seeds it needs.

``python -m leaderboards.comparison.false_alarms`` simulates thousands of comparisons, in which the
differences of two agents are drawn from distributions of known mean, and prints a table. The table
compares betting with a common practice: Student's t-test after each of the seeds 5 to 200, until it
finds a difference.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from leaderboards.comparison.decision import MARGIN, as_share
from leaderboards.rank.betting import ALPHA, EQUIVALENT, UNDECIDED, first_verdict

LOOKS = range(5, 201)  # numbers of seeds after which the t-test is repeated
TRIALS = 2000
SEEDS = 1000

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]

# Differences of mean 0, on seeds that are independent.
LAWS: dict[str, Draw] = {
    "steady": lambda rng, shape: rng.normal(0, 0.05, shape),
    "noisy": lambda rng, shape: rng.normal(0, 0.4, shape),
    "skewed": lambda rng, shape: 2 * rng.beta(1, 9, shape) - 0.2,
    "heavy tails": lambda rng, shape: 0.2 * rng.standard_t(3, shape),
}


class Rates(NamedTuple):
    """Shares of simulated comparisons of one law.

    Attributes
    ----------
    different, equivalent : float
        Shares that betting decided so by the last seed.
    seeds : float
        Median number of seeds until a decision; infinite if less than half were decided.
    repeated : float
        Share in which any of the repeated t-tests found a difference.
    """

    different: float
    equivalent: float
    seeds: float
    repeated: float


def rates(law: str, mean: float, *, trials: int = TRIALS, seeds: int = SEEDS) -> Rates:
    """Simulate comparisons of two agents whose differences have a law and a mean.

    Differences are clipped to [-2, 2], as those of clipped scores are.

    Parameters
    ----------
    law : str
        One of `LAWS`.
    mean : float
        The difference of the agents.
    trials, seeds : int
        Number of comparisons, and of seeds in each; at least 200.
    """
    rng = np.random.default_rng(0)
    differences = np.clip(LAWS[law](rng, (trials, seeds)) + mean, -2, 2)
    verdict, seen = first_verdict(as_share(differences), MARGIN / 4)
    until = np.where(verdict == UNDECIDED, np.inf, seen)
    same = float(np.mean(verdict == EQUIVALENT))
    return Rates(
        different=float(np.mean(verdict != UNDECIDED)) - same,
        equivalent=same,
        seeds=float(np.quantile(until, 0.5, method="lower")),
        repeated=float(repeated_tests(differences).mean()),
    )


def repeated_tests(differences: np.ndarray) -> np.ndarray:
    """Whether a t-test at 5 % after any number of seeds of `LOOKS` finds a difference from 0.

    Parameters
    ----------
    differences : ndarray of shape (..., S)
        S is at least 200.

    Returns
    -------
    ndarray of bool, of shape (...)
    """
    n = np.arange(1, LOOKS[-1] + 1)
    some = differences[..., : LOOKS[-1]]
    means = some.cumsum(axis=-1) / n
    squares = np.maximum((some**2).cumsum(axis=-1) - n * means**2, 0.0)
    looks = slice(LOOKS[0] - 1, None)
    error = np.sqrt(squares[..., looks] / (n[looks] - 1) / n[looks])
    critical = special.stdtrit(n[looks] - 1, 1 - ALPHA / 2)
    return (np.abs(means[..., looks]) > critical * error).any(axis=-1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m leaderboards.comparison.false_alarms", description=__doc__
    )
    parser.add_argument("--trials", type=int, default=TRIALS, help="comparisons of each row")
    trials = parser.parse_args().trials
    print(f"{trials} comparisons a row, margin {MARGIN}, at most {SEEDS} seeds\n")
    print("| differences | true mean | different | equivalent | median seeds | repeated t-tests |")
    print("| --- | --- | --- | --- | --- | --- |")
    for mean in (0.0, MARGIN, 2 * MARGIN, 4 * MARGIN):
        for law in LAWS:
            own = rates(law, mean, trials=trials)
            seeds = f"{own.seeds:.0f}" if np.isfinite(own.seeds) else f"over {SEEDS}"
            print(
                f"| {law} | {mean} | {own.different:.1%} | {own.equivalent:.1%} | {seeds} | "
                f"{own.repeated:.1%} |"
            )


if __name__ == "__main__":
    main()
