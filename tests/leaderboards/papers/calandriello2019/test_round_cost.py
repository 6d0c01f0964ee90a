"""What is clocked, exponents of made-up seconds, and verdict rules; no time itself."""

import numpy as np
import pytest

from leaderboards.papers.calandriello2019 import round_cost as paper
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import number

(CLAIM,) = paper.CLAIMS


def test_rules():
    def of(arms, size):
        numbers = {"exponent in A": number(arms), "exponent in m": number(size)}
        return whole(CLAIM.judge(numbers))

    assert of(1.0, 2.0) is Verdict.REPRODUCED
    assert of(0.5, 2.0) is of(1.5, 2.0) is of(1.0, 1.0) is of(1.0, 3.0) is Verdict.PARTLY
    assert of(2.0, 1.0) is Verdict.NOT_REPRODUCED


def test_exponents_of_made_up_seconds():
    arms, sizes = np.array([10.0, 20.0, 80.0]), np.array([2.0, 3.0, 8.0])
    scales = np.array([[1.0], [1.1], [50.0]])  # one seed was disturbed
    sample = Sample(
        np.array([1]),
        {
            "A": np.tile(arms, (3, 1)),
            "m": np.tile(sizes, (3, 1)),
            "seconds by A": scales * arms,
            "seconds by m": scales * sizes**2,
        },
    )
    found = paper.exponents(sample)
    assert float(found["exponent in A"].value) == pytest.approx(1)
    assert float(found["exponent in m"].value) == pytest.approx(2)


def test_a_tiny_run(tmp_path):
    sample = paper.costs([3, 4], arms=(20, 30), sizes=(3, 5), few=4, many=25, repeats=2)
    for measure in sample.measures.values():
        assert measure.shape == (2, 2)
        assert (measure >= 0).all()
    sample.measures["seconds by A"] += 1.0
    sample.measures["seconds by m"] += 1.0
    assert Finding.of(CLAIM, sample, False).verdict in Verdict
    paper.draw(sample).savefig(tmp_path / "figure.png")
