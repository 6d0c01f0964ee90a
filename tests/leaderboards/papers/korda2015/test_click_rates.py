"""The rule on clicks, on made-up rates."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample, Verdict
from leaderboards.papers.korda2015 import click_rates as paper

from ..module_claims import number

(CLAIM,) = paper.CLAIMS
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def test_rule():
    def of(uniform, *best):
        numbers = {
            f"{scheme}, best / LinUCB": x for scheme, x in zip(paper.SCHEMES, best, strict=True)
        }
        given = {"uniform / LinUCB": uniform, **numbers}
        return list(CLAIM.judge({key: number(x) for key, x in given.items()}).values())

    assert of(0.6, 0.72, 0.75, 0.78) == [YES, YES, YES]
    assert of(0.6, 0.90, 0.795, 0.60) == [NO, OPEN, NO]  # more is not reproduced either
    # Where uniform play may have that much too, it tells nothing.
    assert of(0.695, 0.75, 0.90, 0.60) == [OPEN, OPEN, OPEN]


def test_numbers_of_made_up_rates():
    last = {"uniform": 400.0, "LinUCB": 800.0} | dict.fromkeys(paper.FAST, 500.0)
    last["fLinUCB-SVRG, η = 0.02"] = 640.0
    seeds = np.array([[0.9], [1.0], [1.1]])
    measures = {
        f"{name}, clicks": rate * np.hstack([seeds * 0, seeds]) for name, rate in last.items()
    }
    found = paper.numbers(Sample(np.array([10, 20]), measures))
    assert float(found["uniform / LinUCB"].value) == pytest.approx(0.5)
    assert float(found["fLinUCB-SVRG, best / LinUCB"].value) == pytest.approx(0.8)
    assert float(found["fLinUCB-SVRG, η = 0.1 / LinUCB"].value) == pytest.approx(0.625)
    assert float(found["fLinUCB-GD, best / LinUCB"].value) == pytest.approx(0.625)
    assert float(found["LinUCB, clicks per 10,000"].value) == pytest.approx(800)
