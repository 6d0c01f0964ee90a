"""Verdict rules of the claims on sketches, their numbers, and a tiny run."""

import gymnasium
import numpy as np
import pytest

from agents import CBRAP, play
from leaderboards.papers.calandriello2019 import sketching as paper
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.verdicts import Verdict, whole
from leaderboards.rank.interval_estimates import Estimate

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def judged(claim, numbers):
    return whole(CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()}))


def test_cbrap():
    def of(first, others):
        shares = dict.fromkeys(paper.SKETCHES, others) | {paper.SKETCHES[0]: first}
        return judged("cbrap", {f"seeds of linear regret, {name}": x for name, x in shares.items()})

    assert of(0.92, 0.95) is YES
    assert of(0.5, 0.95) is PARTLY
    assert of(0.3, 0.5) is NO


def test_soful():
    # The number of the large sketch has to lie within 0.99 .. 1.01 with its interval.
    exact = Estimate(*map(np.asarray, (1.0, 1.0, 1.0)))

    def with_exact(fixed, fresh, oful=0.3, large=exact):
        numbers = {
            "exponent, SOFUL, m = 5, fixed": number(fixed),
            "exponent, SOFUL, m = 5, fresh": number(fresh),
            **{f"exponent, OFUL, {kind}": number(oful) for kind in paper.ARMS},
            **{f"SOFUL / OFUL, m = 21, {kind}": large for kind in paper.ARMS},
        }
        return whole(CLAIMS["soful"].judge(numbers))

    assert with_exact(0.92, 0.95) is YES
    assert with_exact(0.8, 0.95) is PARTLY
    assert with_exact(0.8, 0.7) is NO
    assert with_exact(0.92, 0.95, oful=0.95) is Verdict.INCONCLUSIVE
    assert with_exact(0.92, 0.95, large=number(1.2)) is Verdict.INCONCLUSIVE


def test_numbers_of_made_up_curves():
    rounds = np.array([1, 10, 30, 100])
    powers = np.array([[0.85], [0.95], [1.0], [0.0]])
    curves = rounds.astype(float) ** powers
    curves[:, 0] = 50.0  # before the last decade
    measures = {f"{name}, {kind}": curves for name in paper.AGENTS for kind in paper.ARMS}
    measures["OFUL, fresh"] = curves / 4
    sample = Sample(rounds, measures)
    assert paper.is_linear(sample, "CBRAP, m = 5, alpha = 1, fixed").tolist() == [
        False,
        True,
        True,
        False,
    ]
    nothing = Sample(rounds, {"x": np.zeros((1, 4))})  # a seed that loses nothing
    assert paper.is_linear(nothing, "x").tolist() == [False]
    assert float(
        paper.cbrap_numbers(sample)["seeds of linear regret, m = 15, alpha = 1, fresh"].value
    ) == pytest.approx(0.5)
    found = paper.soful_numbers(sample)
    expected = np.polyfit(np.log(rounds[1:]), np.log(curves[:, 1:].mean(axis=0)), 1)[0]
    assert float(found["exponent, SOFUL, m = 5, fixed"].value) == pytest.approx(expected)
    assert float(found["SOFUL / OFUL, m = 5, fresh"].value) == pytest.approx(4)


@pytest.fixture(scope="module")
def sample():
    return paper.sketching(SEEDS, horizon=30)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.sketching([4], horizon=30)
    assert len(sample.measures) == 2 * len(paper.AGENTS)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, True).verdict in Verdict
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_curves_are_of_that_agent_on_those_arms(sample):
    envs = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=1, dim=20, n_arms=50, fixed_arms=True, horizon=30
    )
    trace = play(envs, CBRAP(size=15), seed=[7])
    found = sample.measures["CBRAP, m = 15, alpha = 1, fixed"][2]
    np.testing.assert_array_equal(found, trace.measures["regret"][0])
    assert (found != sample.measures["CBRAP, m = 15, alpha = 1, fresh"][2]).any()
