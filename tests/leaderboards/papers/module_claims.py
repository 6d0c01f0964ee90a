"""Made-up numbers, and fixtures for the claims of the module that a test imports as ``paper``."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate

SEEDS = [3, 4, 7]


def number(value, half=0.01):
    """A number whose interval has this half-width."""
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def narrow(value, half=0.001):
    """As ``number``, with a narrow interval."""
    return number(value, half)


@pytest.fixture
def judged(request):
    """Takes a claim's id and its numbers, each with a narrow interval; returns the parts."""
    claims = {claim.id: claim for claim in request.module.paper.CLAIMS}

    def judge(claim, numbers, half=0.001):
        return claims[claim].judge({name: number(x, half) for name, x in numbers.items()})

    return judge


@pytest.fixture
def tiny(request, tmp_path):
    """Runs an experiment at a tiny size, judges its claims, draws it; returns the sample."""

    def run(name, settings):
        runs = [claim for claim in request.module.paper.CLAIMS if claim.experiment is not None]
        own = [claim for claim in runs if claim.experiment.name == name]
        experiment = own[0].experiment
        assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
        sample = experiment.simulate(SEEDS, **settings)
        assert all(len(values) == 3 for values in sample.measures.values())
        alone = experiment.simulate(SEEDS[1:2], **settings)
        for measure, values in sample.measures.items():  # a seed's row depends on no other seed
            np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-9, atol=1e-12)
        for claim in own:
            found = Finding.of(claim, sample, True)
            assert found.verdict in Verdict
            assert set(claim.headline) <= set(found.numbers)
            assert len(claim.headline) <= 3
        if experiment.draw is not None:
            experiment.draw(sample).savefig(tmp_path / "figure.png")
        return sample

    return run
