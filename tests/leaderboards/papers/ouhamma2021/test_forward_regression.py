"""The terms of (4) and (5) against their definition, verdict rules, and tiny runs."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.ouhamma2021 import forward_regression as paper
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


@pytest.mark.parametrize("ridge", [0.3, 2.0])
def test_terms_are_the_papers_and_sum_to_its_regret(ridge):
    rng = np.random.default_rng(3)
    rows, outcomes = rng.normal(size=(1, 12, 3)), rng.normal(size=(1, 12))
    x, y = rows[0], outcomes[0]
    gram, moment = ridge * np.eye(3), np.zeros(3)
    of_ridge, of_forward = np.empty(12), np.empty(12)
    for t in range(12):
        of_ridge[t] = x[t] @ np.linalg.solve(gram, moment)
        gram = gram + np.outer(x[t], x[t])
        of_forward[t] = x[t] @ np.linalg.solve(gram, moment)
        moment = moment + y[t] * x[t]
    least = y @ y - moment @ np.linalg.solve(gram, moment)  # of the regularised losses
    first, _, _ = paper.terms(rows, of_ridge[None], outcomes, ridge)
    assert first.sum() == pytest.approx(((of_ridge - y) ** 2).sum() - least)  # (4), an equality
    _, first, second = paper.terms(rows, of_forward[None], outcomes, ridge)
    regret = ((of_forward - y) ** 2).sum() - least
    assert first.sum() - second.sum() == pytest.approx(regret)  # (5), likewise
    assert (first[0] >= 0).all()
    assert second[0, 0] == 0


def test_figure_1_ridge():
    assert judged("figure-1-ridge", {"late / early": 0.005}) is Verdict.REPRODUCED
    assert judged("figure-1-ridge", {"late / early": 0.0095}) is Verdict.NOT_REPRODUCED


def test_figure_1_forward():
    def of(left):
        return judged("figure-1-forward", {"late / early": left, "forward / ridge, late": 50.0})

    assert of(0.5) is Verdict.REPRODUCED
    assert of(0.1005) is Verdict.NOT_REPRODUCED  # the interval reaches below
    assert of(0.05) is Verdict.NOT_REPRODUCED


def test_figure_1_cancel():
    def of(share):
        return judged("figure-1-cancel", {"all rounds": share, "second half": 1.0})

    assert of(1.0) is Verdict.REPRODUCED
    for share in (0.7, 0.9005, 1.0995, 1.3):
        assert of(share) is Verdict.NOT_REPRODUCED


def test_figure_1_par():
    def of(*ratios):
        names = [f"forward / ridge, {name}" for name in paper.REGRETS]
        return judged("figure-1-par", dict(zip(names, ratios, strict=True)))

    assert of(1.0, 0.9) is Verdict.REPRODUCED
    assert of(1.0, 1.3) is Verdict.PARTLY
    assert of(0.7, 1.7) is Verdict.NOT_REPRODUCED


def test_figure_2a():
    def of(medians, means):
        return judged("figure-2a", {"spread of medians": medians, "spread of means": means})

    assert of(3, 9) is Verdict.REPRODUCED
    assert of(1.5, 9) is Verdict.PARTLY
    assert of(1.5, 1.9) is Verdict.NOT_REPRODUCED


def test_figure_2_early():
    def of(ridge, forward):
        names = [f"{name}: λ = 1/T over λ = 1" for name in paper.AGENTS]
        return judged("figure-2-early", dict(zip(names, (ridge, forward), strict=True)))

    assert of(5, 1) is Verdict.REPRODUCED
    assert of(1, 1) is Verdict.NOT_REPRODUCED
    assert of(5, 5) is Verdict.NOT_REPRODUCED


def test_figure_2b():
    def of(forward, ridge):
        numbers = {"spread of medians": forward, "spread of medians of ridge": ridge}
        return judged("figure-2b", numbers)

    assert of(1.2, 9) is Verdict.REPRODUCED
    assert of(1.2, 1.1) is Verdict.PARTLY
    assert of(6, 9) is Verdict.PARTLY
    assert of(6, 3) is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("name", "settings"), [("figure-1", {"horizon": 40}), ("figure-2", {"horizon": 30})]
)
def test_experiments_at_a_tiny_size(name, settings, tmp_path):
    own = [claim for claim in paper.CLAIMS if claim.experiment.name == name]
    experiment = own[0].experiment
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    assert all(len(values) == 3 for values in sample.measures.values())
    alone = experiment.simulate(SEEDS[1:2], **settings)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-12)
    for claim in own:
        found = Finding.of(claim, sample)
        assert found.numbers
        assert found.verdict in Verdict
    experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_figure_1_notes_the_run_that_it_measures():
    sample = paper.figure_1(SEEDS, horizon=40)
    # Regret (1) is against the best fit without a ridge, so (4) leaves less than it.
    gap = sample.measures["ridge, regret (1)"] - sample.measures["ridge, first term"].cumsum(axis=1)
    assert (gap > -1e-12).all()
    assert gap[:, -1].max() < 1.0  # at most λ times the squared norm of the best fit, about 1
