"""Verdict rules of the claims on fixed sizes, their numbers, and a tiny run."""

import gymnasium
import numpy as np
import pytest

from agents import DTCUCB, play
from leaderboards.papers.calandriello2019 import fixed_sizes as paper
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def judged(claim, numbers):
    return whole(CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()}))


def test_fixed_dictionary():
    def of(sor, dtc, bkb):
        names = ("SoRUCB", "DTCUCB", "BKB")
        values = zip(names, (sor, dtc, bkb), strict=True)
        return judged("fixed-dictionary", {f"exponent, {name}": value for name, value in values})

    assert of(0.92, 1.0, 0.73) is YES
    assert of(0.8, 1.0, 0.73) is PARTLY
    assert of(0.92, 0.905, 0.73) is PARTLY  # inconclusive
    assert of(0.92, 1.0, 0.8) is PARTLY
    assert of(0.5, 0.5, 1.0) is NO


def test_random_features():
    def of(first, others):
        names = dict.fromkeys((f"exponent, {form}" for form in paper.FEATURED), others)
        return judged("random-features", names | {f"exponent, {paper.FEATURED[0]}": first})

    assert of(0.92, 1.0) is YES
    assert of(0.8, 1.0) is PARTLY
    assert of(0.3, 0.5) is NO


def test_quadrature_features():
    good = {
        "QFF-UCB / GP-UCB": 1.0,
        "exponent, QFF-UCB": 0.3,
        "exponent, QFF-TS": 0.3,
        f"kernel error, {paper.NODES} nodes": 1e-6,
    }
    assert judged("quadrature-features", good) is YES
    for name, bad in {
        "QFF-UCB / GP-UCB": 0.8,
        "exponent, QFF-TS": 0.8,
        f"kernel error, {paper.NODES} nodes": 0.01,
    }.items():
        assert judged("quadrature-features", good | {name: bad}) is PARTLY


def test_numbers_of_made_up_curves():
    rounds = np.array([1, 10, 30, 100])
    powers = {"GPUCB": 0.4, "BKB": 0.5, "SoRUCB": 0.9, "DTCUCB": 1.0, "QFF-UCB": 0.5, "QFF-TS": 0.3}
    powers |= {f"RFFUCB, {form}": 0.7 for form in paper.FEATURED}
    powers["RFFUCB, 200 features, released"] = 0.6
    measures = {
        name: np.array([[2.0], [4.0]]) * rounds.astype(float) ** p for name, p in powers.items()
    }
    measures["DTCUCB"][:, 0] = 77.0  # before the last decade
    measures |= {f"kernel error, RFF, {m} features": np.array([0.1, 0.3]) for m in paper.FEATURES}
    measures |= {f"kernel error, QFF, {m} nodes": np.array([1e-4, 1e-4]) for m in (34, 68)}
    sample = Sample(rounds, measures)
    found = paper.fixed_numbers(sample)
    for name in ("GPUCB", "BKB", "SoRUCB", "DTCUCB"):
        assert float(found[f"exponent, {name}"].value) == pytest.approx(powers[name])
    assert float(found["DTCUCB / BKB"].value) == pytest.approx(10)
    found = paper.rff_numbers(sample)
    assert float(found["exponent, 20 features, released"].value) == pytest.approx(0.7)
    assert float(found["RFFUCB / BKB, 200 features, released"].value) == pytest.approx(100**0.1)
    assert float(found["kernel error, 20 features"].value) == pytest.approx(0.2)
    found = paper.qff_numbers(sample)
    assert float(found["QFF-UCB / GP-UCB"].value) == pytest.approx(100**0.1)
    assert float(found["kernel error, 68 nodes"].value) == pytest.approx(1e-4)


@pytest.fixture(scope="module")
def sample():
    return paper.fixed(SEEDS, horizon=40, n_arms=25)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.fixed([4], horizon=40, n_arms=25)
    assert set(paper.AGENTS) < set(sample.measures)
    # The grid has e / (4 l^2) nodes a dimension; with half of them the kernel is not there.
    assert sample.measures["kernel error, QFF, 68 nodes"].max() < 1e-3
    assert sample.measures["kernel error, QFF, 34 nodes"].min() > 1e-2
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, True).verdict in Verdict
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_curves_are_of_that_agent(sample):
    envs = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=1, n_arms=25, dim=2, horizon=40,
        covariance={"kind": "rbf", "length_scale": 0.1},
    )  # fmt: skip
    trace = play(envs, DTCUCB(size=10, radius="released"), seed=[7])
    np.testing.assert_array_equal(sample.measures["DTCUCB"][2], trace.measures["regret"][0])
