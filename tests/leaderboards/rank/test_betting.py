"""Verdicts and intervals against the capitals of their definition."""

import math

import numpy as np
import pytest

from leaderboards.rank.betting import (
    EQUIVALENT,
    HIGHER,
    LOWER,
    UNDECIDED,
    first_verdict,
    interval,
)


def reaches(values, bound, threshold):
    """After how many values the mixture of bets is worth so much, bet by bet; infinity if never."""
    bets = [1.0] * 10
    for t, x in enumerate(values, start=1):
        bets = [own * max(0.0, 1 + x / (2**j * bound)) for j, own in enumerate(bets)]
        if sum(own / 2 ** (j + 1) for j, own in enumerate(bets)) >= threshold:
            return t
    return math.inf


def plain_verdict(first, second, margin, bound, alpha):
    """The first claim, and the number of seeds until it."""
    pairs = list(zip(first, second, strict=True))
    times = [
        reaches([b - a for a, b in pairs], bound, 2 / alpha),
        reaches([a - b for a, b in pairs], bound, 2 / alpha),
        max(
            reaches([(1 + margin) * b - a for a, b in pairs], bound, 2 / alpha),
            reaches([(1 + margin) * a - b for a, b in pairs], bound, 2 / alpha),
        ),
    ]
    soonest = min(times)
    if soonest == math.inf:
        return UNDECIDED, len(pairs)
    return (LOWER, HIGHER, EQUIVALENT)[times.index(soonest)], soonest


def samples():
    rng = np.random.default_rng(3)
    base = rng.uniform(0.2, 0.8, 90)
    return [
        ("copies", base, base, 1.0, 0.05),
        ("lower", rng.uniform(0.0, 0.3, 60), rng.uniform(0.2, 0.6, 60), 1.0, 0.05),
        ("higher", rng.beta(2, 3, 60), rng.beta(1, 9, 60), 1.3, 0.05 / 3),
        ("perfect", np.zeros(60), rng.uniform(0, 0.5, 60), 1.0, 0.05),
        ("both perfect", np.zeros(60), np.zeros(60), 1.0, 0.05),
        ("extremes", rng.integers(0, 2, 60) * 1.0, rng.integers(0, 2, 60) * 1.0, 1.0, 0.05),
        ("above the bound", rng.uniform(0, 3, 60), rng.uniform(0, 9, 60), 1.0, 0.05),
        ("nearly alike", base + rng.normal(0, 0.02, 90), base, 1.0, 0.2),
    ]


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.5])
@pytest.mark.parametrize(("name", "first", "second", "bound", "alpha"), samples())
def test_the_first_verdict_is_the_definition(name, first, second, bound, alpha, margin):
    found = first_verdict(first, second, margin, bound, alpha)
    assert found == plain_verdict(first.tolist(), second.tolist(), margin, bound, alpha)
    turned = first_verdict(second, first, margin, bound, alpha)
    assert turned[1] == found[1]
    assert {int(found[0]), int(turned[0])} in ({LOWER, HIGHER}, {EQUIVALENT}, {UNDECIDED})


def test_the_samples_reach_every_verdict():
    verdicts = {
        int(first_verdict(*own[1:3], m, *own[3:])[0]) for own in samples() for m in (0.02, 0.5)
    }
    assert verdicts == {UNDECIDED, HIGHER, LOWER, EQUIVALENT}


@pytest.mark.parametrize(("name", "first", "second", "bound", "alpha"), samples())
def test_the_interval_is_the_definition_on_a_grid(name, first, second, bound, alpha):
    differences = first - second
    low, high = interval(differences, bound, alpha)
    for mean in np.linspace(-bound, bound, 41):
        for limit, sign in ((low, 1), (-high, -1)):
            own, m = sign * differences, sign * mean
            out = reaches((own - m).tolist(), bound + max(m, 0.0), 2 / alpha) < math.inf
            if name != "above the bound" or m == 0:
                assert out == (m <= limit), (mean, sign)
    assert low < differences.mean() < high


@pytest.mark.parametrize(("name", "first", "second", "bound", "alpha"), samples())
def test_the_interval_excludes_0_if_and_only_if_one_agent_is_better(
    name, first, second, bound, alpha
):
    for n in range(1, len(first) + 1, 7):
        low, high = interval((first - second)[:n], bound, alpha)
        # Such a margin that no pair is equivalent.
        verdict, _ = first_verdict(first[:n], second[:n], 1e-9, bound, alpha)
        assert verdict == (HIGHER if low > 0 else LOWER if high < 0 else UNDECIDED)


def test_many_samples_at_once_are_each_alone():
    first, second = np.random.default_rng(0).uniform(0, 0.6, (2, 2, 5, 80))
    second = second * np.linspace(0.5, 1.5, 5)[:, None]
    verdict, seen = first_verdict(first, second, 0.1, 1.0)
    assert verdict.shape == seen.shape == (2, 5)
    for place in np.ndindex(2, 5):
        alone = first_verdict(first[place], second[place], 0.1, 1.0)
        assert (verdict[place], seen[place]) == alone


def test_later_values_do_not_change_a_verdict():
    first, second = np.full(300, 0.2), np.random.default_rng(1).uniform(0.2, 0.6, 300)
    verdict, seen = first_verdict(first, second, 0.1, 1.0)
    assert verdict == LOWER
    turned = np.concatenate([second[:seen], np.zeros(300)])
    assert first_verdict(np.full(len(turned), 0.2), turned, 0.1, 1.0) == (verdict, seen)


def test_the_units_of_regrets_do_not_matter():
    first, second = np.random.default_rng(2).uniform(0, 0.5, (2, 50)) * [[1.0], [0.5]]
    found = first_verdict(first, second, 0.1, 1.0)
    assert first_verdict(64 * first, 64 * second, 0.1, 64.0) == found
    assert interval(64 * (first - second), 64.0) == pytest.approx(
        64 * np.array(interval(first - second, 1.0))
    )
