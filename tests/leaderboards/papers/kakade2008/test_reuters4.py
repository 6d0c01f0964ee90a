"""REUTERS4 runs where the collection is, and says how to get it where it is not."""

import numpy as np
import pytest

from banditgym.data.rcv1_tokens import write_fixture
from leaderboards.papers.claim import Finding
from leaderboards.papers.kakade2008 import reuters4 as paper
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    return tmp_path


def test_without_the_collection_the_claim_names_the_obstacle(folder):
    found = paper.claim()
    assert found.experiment is None
    assert "fetch_rcv1" in found.obstacle
    assert "lyrl2004" in found.obstacle
    finding = Finding.of(found, None, reaches_paper=True)
    assert finding.verdict is Verdict.CANNOT_RUN


def test_with_the_collection_it_runs(folder, tmp_path):
    write_fixture(folder, 900)
    claim = paper.claim()
    assert "counts of words" in claim.setting
    sample = paper.reuters4([3, 4], horizon=400)
    alone = paper.reuters4([4], horizon=400)
    for measure, values in sample.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    own = sample.measures["Perceptron, chronological"]
    np.testing.assert_array_equal(own[0], own[1])  # the same order for all seeds
    shuffled = sample.measures["Perceptron, shuffled"]
    assert (shuffled[0] != shuffled[1]).any()
    finding = Finding.of(claim, sample, reaches_paper=False)
    assert finding.numbers.keys() >= {*finding.parts, *claim.headline}
    assert Verdict.NOT_REPRODUCED not in finding.parts.values()
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_rule():
    def of(**changes):
        numbers = {}
        for order in paper.ORDERS:
            for name, printed in paper.PRINTED.items():
                numbers[f"error at T, {name}, {order}"] = printed
            numbers[f"Banditron / Perceptron, {order}"] = 3.1
            numbers[f"slopes' distance, {order}"] = 0.05
        numbers |= {f"{name}, shuffled": value for name, value in changes.items()}
        made = {
            name: Estimate(*map(np.asarray, (x, x - 0.001, x + 0.001)))
            for name, x in numbers.items()
        }
        return [part for part, v in paper.judge(made).items() if v is Verdict.NOT_REPRODUCED]

    assert of() == []
    assert of(**{"error at T, Perceptron": 0.09}) == ["error at T, Perceptron, shuffled"]
    assert of(**{"error at T, Banditron": 0.1}) == ["error at T, Banditron, shuffled"]
    assert of(**{"Banditron / Perceptron": 5}) == ["Banditron / Perceptron, shuffled"]
    assert of(**{"slopes' distance": 0.11}) == ["slopes' distance, shuffled"]
