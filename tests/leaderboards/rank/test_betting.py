"""The confidence sequence against its definition, on a grid of candidates."""

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

GRID = [j / 160 for j in range(1, 160)]  # has 1/2 and 1/2 ± 1/80


def bets(values, alpha):
    """The bets before they are cut: the predictable plug-in, term by term."""
    out = []
    for t in range(1, len(values) + 1):
        past = values[: t - 1]
        means = [(0.5 + sum(past[: i + 1])) / (i + 2) for i in range(len(past))]
        squares = sum((y - mean) ** 2 for y, mean in zip(past, means, strict=True))
        variance = (0.25 + squares) / (len(past) + 1)
        out.append(math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t))))
    return out


def by_max(plus, minus):
    return max(plus / 2, minus / 2)


def by_sum(plus, minus):
    return plus / 2 + minus / 2


def sequence(values, alpha, hedge):
    """For every candidate of the grid, after how many values it is left out (infinity: never).

    This is Theorem 3 of Waudby-Smith and Ramdas.
    """
    out, given = {}, bets(values, alpha)
    for m in GRID:
        plus = minus = 1.0
        out[m] = math.inf
        for t, (x, bet) in enumerate(zip(values, given, strict=True), start=1):
            plus *= 1 + min(bet, 0.75 / m) * (x - m)
            minus *= 1 - min(bet, 0.75 / (1 - m)) * (x - m)
            if hedge(plus, minus) >= 1 / alpha:
                out[m] = t
                break
    return out


def samples():
    rng = np.random.default_rng(3)
    return [
        ("copies", np.full(210, 0.5), 0.05),
        ("clear", rng.uniform(0.6, 0.9, 30), 0.05),
        ("low", rng.beta(2, 5, 40), 0.05),
        ("shared alpha", rng.uniform(0.55, 0.95, 40), 0.05 / 3),
        ("extremes", rng.integers(0, 2, 50).astype(float), 0.05),
        ("steady", 0.52 + rng.uniform(-0.01, 0.01, 50), 0.2),
    ]


@pytest.mark.parametrize(("name", "values", "alpha"), samples(), ids=lambda x: str(x)[:12])
def test_the_interval_is_the_definition_on_a_grid(name, values, alpha):
    times = sequence(values.tolist(), alpha, by_max)
    left_out = [m for m, t in times.items() if t < math.inf]
    low, high = interval(values, alpha)
    for m in GRID:
        assert (m in left_out) == (m <= low or m >= high), m
    # The sum of both capitals, which is never smaller, leaves out at least as many candidates.
    for m, t in sequence(values.tolist(), alpha, by_sum).items():
        assert t <= times[m]


@pytest.mark.parametrize("margin", [0.0125, 0.1, 0.2])
@pytest.mark.parametrize(("name", "values", "alpha"), samples(), ids=lambda x: str(x)[:12])
def test_the_first_verdict_is_the_definition_on_a_grid(name, values, alpha, margin):
    times = sequence(values.tolist(), alpha, by_max)
    n = len(values)
    expected = UNDECIDED, n
    for seen in range(1, n + 1):
        kept = [m for m, t in times.items() if t > seen]
        if 0.5 not in kept:
            expected = (HIGHER if min(kept) > 0.5 else LOWER), seen
            break
        if all(0.5 - margin < m < 0.5 + margin for m in kept):
            expected = EQUIVALENT, seen
            break
    verdict, seen = first_verdict(values, margin, alpha)
    assert (verdict, seen) == expected


def test_the_samples_reach_every_verdict():
    verdicts = {int(first_verdict(v, m, a)[0]) for _, v, a in samples() for m in (0.0125, 0.1)}
    assert verdicts == {UNDECIDED, HIGHER, LOWER, EQUIVALENT}


def test_many_samples_at_once_are_each_alone():
    values = np.random.default_rng(0).uniform(0.3, 0.9, (2, 5, 80))
    verdict, seen = first_verdict(values, 0.0125)
    assert verdict.shape == seen.shape == (2, 5)
    for place in np.ndindex(2, 5):
        alone = first_verdict(values[place], 0.0125)
        assert (verdict[place], seen[place]) == alone


def test_later_values_do_not_change_a_verdict():
    values = np.random.default_rng(1).uniform(0.4, 0.9, 300)
    verdict, seen = first_verdict(values, 0.0125)
    assert verdict == HIGHER
    turned = np.concatenate([values[:seen], np.zeros(200)])
    assert first_verdict(turned, 0.0125) == (verdict, seen)


def test_two_copies_are_equivalent_within_300_seeds():
    assert first_verdict(np.full(300, 0.5), 0.05 / 4)[0] == EQUIVALENT


@pytest.mark.parametrize("wrong", [-0.1, 1.1, np.nan])
def test_values_outside_the_unit_interval_are_refused(wrong):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        interval(np.array([0.5, wrong]))
