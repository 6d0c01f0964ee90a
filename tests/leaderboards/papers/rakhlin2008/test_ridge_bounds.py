"""Verdict rules of the claims on online ridge regression, its bound, and a tiny run."""

import gymnasium
import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.rakhlin2008 import ridge_bounds as paper
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def test_bound_11():
    def of(random, adaptive):
        shares = {"random": random, "adaptive": adaptive}
        names = {f"runs above bound (11), {name}": number(x) for name, x in shares.items()}
        sharper = {f"runs above bound (11) with p*, {name}": number(1.0) for name in shares}
        return CLAIMS["bound-11"].judge(names | sharper)

    assert of(0, 0) is Verdict.REPRODUCED
    assert of(0, 0.01) is Verdict.PARTLY
    assert of(0.02, 0.01) is Verdict.NOT_REPRODUCED


def test_logarithm():
    def of(random, adaptive):
        growth = {"random": number(random), "adaptive": number(adaptive)}
        return CLAIMS["ridge-logarithm"].judge(growth)

    assert of(1.0, 1.7) is Verdict.REPRODUCED
    assert of(1.0, 3.2) is Verdict.PARTLY
    assert of(10.0, 3.2) is Verdict.NOT_REPRODUCED


@pytest.fixture(scope="module")
def sample():
    return paper.ridge([3, 4, 7], horizon=100)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.ridge([4], horizon=100)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-9)
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample).numbers
    assert Finding.of(CLAIMS["bound-11"], sample).verdict is Verdict.REPRODUCED
    paper.draw(sample).savefig(tmp_path / "figure.png")


@pytest.mark.parametrize("outcomes", paper.OUTCOMES)
def test_regret_and_bound_are_recomputed(sample, outcomes):
    envs = gymnasium.make_vec(
        "OnlineRegression-v0", num_envs=1, dim=5, outcomes=outcomes, horizon=100
    )
    row, _ = envs.reset(seed=[4])
    x, y, losses = np.empty((0, 5)), np.empty(0), []
    for t in range(1, 101):
        prediction = row[0] @ np.linalg.solve(np.eye(5) + x.T @ x, x.T @ y)
        x = np.vstack([x, row[0]])
        row, *_, info = envs.step(np.array([prediction]))
        y = np.append(y, info["feedback"][0])
        losses.append((prediction - y[-1]) ** 2 / 2)
        if t not in sample.rounds:
            continue
        best = np.linalg.lstsq(x, y)[0]
        growth = max(losses) * 5 * np.log(1 + t / 5)
        plain = {
            outcomes: sum(losses) - ((x @ best - y) ** 2).sum() / 2,
            f"bound (11), {outcomes}": best @ best / 2 + 2 * growth,
            f"bound (11) with p*, {outcomes}": best @ best / 2 + growth,
        }
        for name, value in plain.items():
            measured = sample.measures[name][1, sample.rounds == t]
            # At five rounds the best fit is hardly determined, and its norm has few digits.
            np.testing.assert_allclose(measured, value, rtol=1e-7)


def test_a_bound_that_is_broken_is_seen(sample):
    broken = dict(sample.measures)
    broken["random"] = broken["random"].copy()
    broken["random"][1, 5] = 1e3
    numbers = paper.bound_numbers(sample._replace(measures=broken))
    assert float(numbers["runs above bound (11), random"].value) == pytest.approx(1 / 3)
    assert CLAIMS["bound-11"].judge(numbers) is Verdict.PARTLY
