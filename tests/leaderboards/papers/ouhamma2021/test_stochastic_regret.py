"""The rules on stochastic regret, and its experiments at a tiny size."""

import numpy as np

from leaderboards.papers.claim import Sample
from leaderboards.papers.ouhamma2021 import stochastic_regret as paper
from leaderboards.papers.verdicts import Verdict

YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_equivalence(judged):
    def of(mean, tail):
        numbers = dict.fromkeys(
            ["mean: growth / that of log²", "0.95 quantile: growth / that of log²"], 0.0
        )
        numbers = dict(zip(numbers, (mean, tail), strict=True)) | {"mean at T / (d σ²)": 1.0}
        return list(judged("theorem-3-1", numbers).values())

    assert of(0.2, 0.3) == [YES, YES]
    assert of(0.2, 1.1) == [YES, NO]


def test_growth(judged):
    def of(*values):
        found = judged("stochastic-growth", dict(zip(paper.AGENTS, values, strict=True)))
        return list(found.values())

    assert of(1.0, 0.8, 1.2) == [YES, NO, NO]


def test_unregularised(judged):
    def of(growth):
        (part,) = judged(
            "unregularised", {"growth by decades": growth, "that of log²": 1.4}
        ).values()
        return part

    assert (of(1.0), of(1.6)) == (YES, NO)


def test_optimal_order(judged):
    found = judged("optimal-order", {"unregularised forward, short rows": 0.2, "ridge": 1.0})
    assert list(found.values()) == [NO, YES]


def test_growth_of_known_curves():
    rounds = np.array([10, 100, 1000])
    slopes = np.array([[2.0], [4.0]])
    sample = Sample(rounds, {"curve": slopes * np.log(rounds)})
    assert np.isclose(paper.last_decade(sample, "curve", unit=1.5).value, 2.0)
    excess = Sample(rounds, {"excess": slopes * np.log(rounds) ** 2})
    grown = paper.equivalence(excess)
    assert np.isclose(grown["mean: growth / that of log²"].value, 1.0)
    assert np.isclose(grown["0.95 quantile: growth / that of log²"].value, 1.0)


def test_gaussian_outcomes_at_a_tiny_size(tiny):
    sample = tiny("gaussian-outcomes", {"horizon": 1000})
    assert (sample.measures["excess"] > -1e-12).all()  # of a minimum
    assert (np.diff(sample.measures["excess"][:, -1]) != 0).any()


def test_coins_at_a_tiny_size(tiny):
    sample = tiny("coins", {"horizon": 1000})
    # No prediction of forward without a ridge depends on the scale of the rows.
    long, short = (sample.measures[f"unregularised forward, {rows}"] for rows in paper.COINS)
    np.testing.assert_allclose(long, short, rtol=1e-6)
