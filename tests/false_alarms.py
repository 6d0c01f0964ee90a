"""How often a comparison that may stop at any time is wrong, and how many seeds it needs.

``python -m tests.false_alarms`` simulates thousands of comparisons, in which the
scaled regrets of two agents are drawn from laws of known means, and prints two tables. In the first
regrets are skewed, and a verdict is wrong. In the second there is a difference to be found. Both
compare betting with Student's t-test: repeated after each of the seeds 5 to 200 until it finds a
difference, or done once, with as many seeds as find the difference in half of all cases.
"""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from leaderboards.comparison.decision import MARGIN
from leaderboards.rank.betting import (
    ALPHA,
    EQUIVALENT,
    HIGHER,
    LOWER,
    UNDECIDED,
    first_verdict,
)

LOOKS = range(5, 201)  # numbers of seeds after which the t-test is repeated
TRIALS = 2000
SEEDS = 1000
BOUND = 1.0  # of all laws
EXCESSES = (0.0, MARGIN, 1 / (1 + MARGIN) - 1)  # equal, and the two ends of "equivalent"
MEANS = (0.05, 0.1, 0.2)
DEVIATIONS = (0.05, 0.1, 0.2, 0.4)


class Law(NamedTuple):
    """How regrets in [0, 1] are drawn, independently from seed to seed.

    Attributes
    ----------
    draw : callable
        From a generator and a shape (trials, seeds), regrets of this shape.
    mean : callable
        From the number of seeds S, the mean on each seed, of a shape that broadcasts with (S,).
    """

    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
    mean: Callable[[int], np.ndarray | float]


def _rare(share: float, usual: float, other: float = BOUND) -> Law:
    """A regret that is ``usual``, but ``other`` on a share of the seeds."""
    return Law(
        lambda rng, shape: np.where(rng.random(shape) < share, other, usual),
        lambda n: share * other + (1 - share) * usual,
    )


def _largest(n: int) -> np.ndarray:
    """What a rare regret amounts to on each seed, where its range grows."""
    return np.linspace(0.1, BOUND, n)


def _frequency(n: int) -> np.ndarray:
    """How often a large regret comes on each seed, where it does not come early."""
    return np.where(np.arange(n) < 100, 0.0, 0.05)


LAWS = {
    "beta": Law(lambda rng, shape: rng.beta(1, 9, shape), lambda n: 0.1),
    "U-shaped beta": Law(lambda rng, shape: rng.beta(0.1, 0.3, shape), lambda n: 0.25),
    "lognormal, cut": Law(
        lambda rng, shape: np.minimum(rng.lognormal(-2.5, 1.0, shape), BOUND),
        lambda n: np.exp(-2.0) * special.ndtr(1.5) + special.ndtr(-2.5),
    ),
    "Pareto, cut": Law(
        lambda rng, shape: np.minimum(0.02 * (1 - rng.random(shape)) ** (-2 / 3), BOUND),
        lambda n: 3 * 0.02 - 2 * 0.02**1.5,
    ),
    "1 in 10 is large": _rare(0.1, 0.05),
    "1 in 30 is large": _rare(1 / 30, 0.02),
    "1 in 100 is large": _rare(0.01, 0.05),
    "1 in 1000 is large": _rare(0.001, 0.02),
    "1 in 30 is small": _rare(1 / 30, 0.6, 0.0),
    "growing range": Law(
        lambda rng, shape: np.where(rng.random(shape) < 0.05, 1.0, 0.1) * _largest(shape[1]),
        lambda n: 0.145 * _largest(n),
    ),
    "large only late": Law(
        lambda rng, shape: np.where(rng.random(shape) < _frequency(shape[1]), BOUND, 0.05),
        lambda n: 0.05 + 0.95 * _frequency(n),
    ),
}


class Rates(NamedTuple):
    """Shares of simulated comparisons of one law.

    Attributes
    ----------
    first, second, equivalent : float
        Shares that betting decided so by the last seed; of ``first`` and ``second``, that this
        agent is better.
    seeds : float
        Median number of seeds until a decision; infinite if less than half were decided.
    repeated : float
        Share in which any of the repeated t-tests found a difference.
    """

    first: float
    second: float
    equivalent: float
    seeds: float
    repeated: float


def skewed(
    law: str, excess: float, *, trials: int = TRIALS, seeds: int = SEEDS
) -> tuple[np.ndarray, np.ndarray]:
    """Regrets (trials, seeds) of two agents: the first's of a law, the second's without spread.

    Parameters
    ----------
    law : str
        One of `LAWS`.
    excess : float
        The first agent's mean exceeds the second's by this share, on every seed.
    trials, seeds : int
        Number of comparisons, and of seeds in each.
    """
    drawn = LAWS[law].draw(np.random.default_rng(0), (trials, seeds))
    return drawn, np.broadcast_to(LAWS[law].mean(seeds) / (1 + excess), drawn.shape)


def normal(
    deviation: float, mean: float, *, trials: int = TRIALS, seeds: int = SEEDS
) -> tuple[np.ndarray, np.ndarray]:
    """Regrets (trials, seeds) around 1/2 whose differences are normal, cut at -1 and 1."""
    drawn = np.random.default_rng(0).normal(mean, deviation, (trials, seeds))
    half = np.clip(drawn, -BOUND, BOUND) / 2
    return 0.5 - half, 0.5 + half


def rates(first: np.ndarray, second: np.ndarray, bound: float = BOUND) -> Rates:
    """How often comparisons of two agents end in each verdict.

    Parameters
    ----------
    first, second : ndarray of shape (trials, S)
        Their regrets in [0, 1]; S is at least 200.
    bound : float
        The largest regret that the bets allow for.
    """
    verdict, seen = first_verdict(first, second, MARGIN, bound)
    until = np.where(verdict == UNDECIDED, np.inf, seen)
    shares = (float(np.mean(verdict == code)) for code in (LOWER, HIGHER, EQUIVALENT))
    return Rates(
        *shares,
        seeds=float(np.quantile(until, 0.5, method="lower")),
        repeated=float(repeated_tests(second - first).mean()),
    )


def wrong(found: Rates, excess: float) -> float:
    """The share of wrong decisions, if the first agent's mean exceeds the second's by a share."""
    if excess == 0:
        return found.first + found.second
    return found.equivalent + (found.first if excess > 0 else found.second)


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
    return (np.abs(means[..., looks]) > _critical(n[looks]) * error).any(axis=-1)


def seeds_of_one_test(deviation: float, mean: float) -> int:
    """How many seeds a single t-test at 5 % needs to find a normal difference in half the cases."""
    n = 2
    while special.nctdtr(n - 1, mean / deviation * np.sqrt(n), _critical(n)) > 0.5:
        n += 1
    return n


def _critical(n: Any) -> Any:
    """The value that Student's t of n differences must exceed."""
    return special.stdtrit(np.subtract(n, 1), 1 - ALPHA / 2)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.false_alarms", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="comparisons of each row")
    trials = parser.parse_args().trials
    print(f"{trials} comparisons a row, margin {MARGIN}, bound {BOUND}, at most {SEEDS} seeds\n")
    print("| regrets of the first agent | wrong, equal | wrong, first 10 % more | wrong, second "
          "10 % more | repeated t-tests |")  # fmt: skip
    print("| --- | --- | --- | --- | --- |")
    for law in LAWS:
        every = [(rates(*skewed(law, excess, trials=trials)), excess) for excess in EXCESSES]
        shares = [wrong(found, excess) for found, excess in every] + [every[0][0].repeated]
        print(f"| {law} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    print("\n| mean difference | standard deviation | found | wrong | median seeds | seeds of one "
          "t-test |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- |")
    for mean in MEANS:
        for deviation in DEVIATIONS:
            own = rates(*normal(deviation, mean, trials=trials))
            seeds = f"{own.seeds:.0f}" if np.isfinite(own.seeds) else f"over {SEEDS}"
            print(
                f"| {mean} | {deviation} | {own.first:.1%} | {own.second:.1%} | {seeds} | "
                f"{seeds_of_one_test(deviation, mean)} |"
            )


if __name__ == "__main__":
    main()
