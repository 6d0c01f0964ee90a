"""The rules on regret at several norms, the ratios, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.lee2024 import norms_of_theta as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


@pytest.mark.parametrize("claim", ["less-than-ecolog", "less-than-glm-ucb"])
def test_less_regret(judged, claim):
    for value, verdict in ((0.9, HOLDS), (1.0, OPEN), (1.1, FAILS)):
        assert judged(claim, {"one": value}) == {"one": verdict}


@pytest.mark.parametrize(
    ("grown", "share", "verdict"),
    [(2.4, 0.2, HOLDS), (2.5, 0.2, OPEN), (2.6, 0.2, FAILS), (2.4, 0.4, OPEN), (2.6, 0.4, OPEN)],
)
def test_growth_counts_where_regret_is_far_below_that_of_uniform_play(
    judged, grown, share, verdict
):
    shares = {f"of uniform, {norm}": 0.1 for norm in paper.NORMS} | {"of uniform, 7": share}
    assert judged("growth-with-the-norm", {paper.OFUGLB: grown} | shares) == {paper.OFUGLB: verdict}


def test_numbers_of_constant_regrets():
    """An agent's regret is its place, from 1, times the norm."""
    sample = Sample(
        np.array([10]),
        {
            f"{name}, {norm}": np.full((3, 1), (k + 1.0) * norm)
            for k, name in enumerate(paper.NAMES)
            for norm in paper.NORMS
        },
    )
    assert paper.ratios(sample, [paper.GLM])["GLM-UCB, 7"].value == pytest.approx(1 / 4)
    found = paper.growth(sample)
    assert found[paper.OFUGLB].value == pytest.approx(3)
    assert found["of uniform, 5"].value == pytest.approx(1 / 5)


def test_a_tiny_run(tiny):
    sample = tiny("norms", {"horizon": 60})
    assert len(sample.measures) == 20
    assert all((regret[:, -1] > 0).all() for regret in sample.measures.values())
