"""What is read off the runs of halving, verdict rules, and sizes that are stated."""

import numpy as np
import pytest

from agents import ProjectedHalving
from banditgym.tasks import MulticlassTask
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.kakade2008 import halving_claims as paper
from leaderboards.papers.kakade2008.halving_runs import CLASSES, GRIDS, grid_name
from leaderboards.papers.verdicts import Verdict

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def made_up(claim, exponent=0.8):
    """A run in which all is as proved, with a tenth more or less by seed."""
    grids = {grid for each in GRIDS.values() for grid in each}
    mistakes = (
        dict.fromkeys(CLASSES, 3.0)
        if claim == "halving"
        else {grid_name(grid): 2 * grid.rate**exponent for grid in grids}
    )
    seeds = np.array([0.9, 1.0, 1.1])
    rows = {
        name: np.stack([m * seeds, np.full(3, 1e3), np.full(3, 1.0), np.zeros(3)], axis=1)
        for name, m in mistakes.items()
    }
    return Sample(np.array([60]), rows)


@pytest.mark.parametrize("claim", ["halving", "grid-halving"])
@pytest.mark.parametrize(
    ("kind", "value", "part"),
    [
        (0, 1001.0, "seeds above the bound"),
        (2, 0.9, "k times the least share removed"),
        (3, 1.0, "seeds without a right hypothesis"),
    ],
)
def test_one_seed_is_seen(claim, kind, value, part):
    sample = made_up(claim)
    finding = Finding.of(CLAIMS[claim], sample, reaches_paper=True)
    assert finding.verdict is YES
    assert finding.numbers.keys() >= {*finding.parts, *CLAIMS[claim].headline}
    values = next(reversed(sample.measures.values()))
    values[1, kind] = value
    found = Finding.of(CLAIMS[claim], sample, reaches_paper=True).parts
    assert found[part] is NO
    assert sum(v is NO for v in found.values()) == 1 or kind == 0


@pytest.mark.parametrize(("exponent", "found"), [(0.8, YES), (1.05, YES), (1.2, NO)])
def test_the_growth_is_that_of_the_mistakes(exponent, found):
    sample = made_up("grid-halving", exponent)
    finding = Finding.of(CLAIMS["grid-halving"], sample, reaches_paper=True)
    for name in GRIDS:
        assert float(finding.numbers[f"exponent, by {name}"].value) == pytest.approx(exponent)
        assert finding.parts[f"exponent, by {name}"] is found


def test_the_sizes_that_cannot_be_run():
    obstacle = CLAIMS["projected-halving"].obstacle

    def task(n_labels, dim, horizon):
        return MulticlassTask(
            n_labels=n_labels, dim=dim, horizon=horizon, slots=None, sparse=True, width=dim,
            feature_norm=1.0,
        )  # fmt: skip

    small = ProjectedHalving(complexity=2.0, delta=0.1)
    assert small.dimension(task(2, 2, 1000)) == 1064
    assert "1064 dimensions" in obstacle
    assert "555^2128, about 10^5839.9" in small.refusal(task(2, 2, 1000))
    assert "555^2128 hypotheses, about 10^5840" in obstacle
    real = ProjectedHalving(complexity=200.0, delta=0.1)
    assert f"{real.dimension(task(9, 400, 10**6)):,}".replace(",", " ") in obstacle
