"""Verdict rules of the claims by qbar, their numbers, and their experiment at a tiny size."""

import gymnasium
import numpy as np
import pytest

from agents import BKB, play
from leaderboards.papers.calandriello2019 import regret_by_qbar as paper
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
EACH = [f"qbar = {qbar}, {env}" for qbar in (1, 2, 5, 10) for env in ("smooth", "rough")]


def judged(claim, numbers):
    return whole(CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()}))


def test_accuracy_in_practice():
    def of(**changed):
        names = {f"outside, {name}": 0.08 for name in EACH}
        return judged("accuracy-in-practice", names | changed)

    assert of() is YES
    assert of(**{"outside, qbar = 1, rough": 0.2}) is PARTLY
    assert of(**{f"outside, {name}": 0.5 for name in EACH}) is NO


def test_regret_of_gpucb():
    def of(smooth, rough, exponent=0.5):
        names = {f"BKB / GP-UCB, {name}": 9.0 for name in EACH}  # of other qbar they do not count
        at = {"smooth": smooth, "rough": rough}
        names |= {f"BKB / GP-UCB, qbar = 5, {env}": value for env, value in at.items()}
        names |= {f"exponent, qbar = 5, {env}": exponent for env in at}
        return judged("regret-of-gpucb", names)

    assert of(0.92, 1.08) is YES
    assert of(0.92, 1.2) is PARTLY
    assert of(1.0, 1.0, 1.0) is PARTLY  # neither of the two agents learns
    assert of(0.8, 1.2, 1.0) is NO


@pytest.fixture(scope="module")
def sample():
    return paper.by_qbar(SEEDS, horizon=30, n_arms=10)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.by_qbar([4], horizon=30, n_arms=10)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in paper.CLAIMS:
        found = Finding.of(claim, sample, True)
        assert found.numbers
        assert found.verdict in Verdict
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_curves_are_of_that_qbar_on_that_environment(sample):
    envs = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=1, n_arms=10, dim=2, noise_std=0.1, horizon=30,
        covariance={"kind": "matern", "nu": 1.5},
    )  # fmt: skip
    trace = play(envs, BKB(qbar=2, ridge=0.01, radius="released"), seed=[7])
    np.testing.assert_array_equal(
        sample.of("rough, qbar = 2")["regret"][2], trace.measures["regret"][0]
    )


def test_numbers_of_made_up_curves():
    measures = {}
    for env in paper.ENVIRONMENTS:
        measures[f"{env}, GP-UCB, regret"] = np.array([[1.0, 4.0], [1.0, 6.0]])
        for qbar in paper.QBARS:
            start = f"{env}, qbar = {qbar}, "
            measures[start + "regret"] = np.array([[1.0, 8.0], [1.0, 7.0]]) * qbar
            measures[start + "factor"] = np.array([[9.0, 9.0], [1.0, 2.9]])
            measures[start + "outside"] = np.array([[1.0, 0.5], [0.0, 0.0]])
            measures[start + "size"] = np.array([[0.0, 6.0], [0.0, 12.0]])
            measures[start + "effective dimension"] = np.array([[0.0, 3.0], [0.0, 3.0]])
    sample = Sample(np.array([1, 2]), measures)
    found = paper.same_regret(sample)
    assert float(found["BKB / GP-UCB, qbar = 5, rough"].value) == pytest.approx(7.5)
    found = paper.accuracy(sample)
    assert float(found["outside, qbar = 5, rough"].value) == 0.5
    assert float(found["worst factor, qbar = 5, rough"].value) == pytest.approx(5.95)
    assert float(found["share of rounds outside, qbar = 5, rough"].value) == 0.25
