"""Verdict rules of the claims on online ridge regression, its bound, and a tiny run."""

import gymnasium
import numpy as np
import pytest

from leaderboards.papers.claim import Finding
from leaderboards.papers.rakhlin2008 import ridge_bounds as paper
from leaderboards.papers.verdicts import Verdict

from ..module_claims import narrow as number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def judged(claim, form, random, adaptive, **beside):
    numbers = {form.format(name): x for name, x in (("random", random), ("adaptive", adaptive))}
    parts = CLAIMS[claim].judge({name: number(x) for name, x in (numbers | beside).items()})
    return tuple(parts.values())


def test_identity():
    assert judged("ridge-identity", "runs off, {}", 0, 0) == (HOLDS, HOLDS)
    assert judged("ridge-identity", "runs off, {}", 0, 0.02) == (HOLDS, FAILS)


def test_bound_11():
    def of(random, adaptive, possible=0.1):
        beside = {f"bound (11) / possible, {name}": possible for name in paper.OUTCOMES}
        return judged("bound-11", "runs above bound (11), {}", random, adaptive, **beside)

    assert of(0, 0) == (HOLDS, HOLDS)
    assert of(0, 0.01) == (HOLDS, FAILS)
    assert of(0, 0.01, possible=1.1) == (Verdict.VACUOUS, Verdict.VACUOUS)


def test_logarithm():
    assert judged("ridge-logarithm", "{}", 1.0, 3.2) == (HOLDS, FAILS)
    assert judged("ridge-logarithm", "{}", 0.1, 1.2589) == (Verdict.INCONCLUSIVE,) * 2


def test_constant():
    assert judged("ridge-constant", "{}", 1.0, 1.05) == (HOLDS, HOLDS)
    assert judged("ridge-constant", "{}", 0.5, 1.2) == (FAILS, FAILS)
    assert judged("ridge-constant", "{}", 0.9, 1.1) == (Verdict.INCONCLUSIVE,) * 2


@pytest.fixture(scope="module")
def sample():
    return paper.ridge([3, 4, 7], horizon=100)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.ridge([4], horizon=100)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-9)
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, True).numbers
    for exact in ("ridge-identity", "bound-11"):  # at any size
        assert Finding.of(CLAIMS[exact], sample, True).verdict is HOLDS
    paper.draw(sample).savefig(tmp_path / "figure.png")


@pytest.mark.parametrize("outcomes", paper.OUTCOMES)
def test_regret_and_bound_are_recomputed(sample, outcomes):
    envs = gymnasium.make_vec(
        "OnlineRegression-v0", num_envs=1, dim=5, outcomes=outcomes, horizon=100
    )
    row, _ = envs.reset(seed=[4])
    x, y, losses, divergences = np.empty((0, 5)), np.empty(0), [], []
    for t in range(1, 101):
        prediction = row[0] @ np.linalg.solve(np.eye(5) + x.T @ x, x.T @ y)
        x = np.vstack([x, row[0]])
        row, *_, info = envs.step(np.array([prediction]))
        y = np.append(y, info["feedback"][0])
        losses.append((prediction - y[-1]) ** 2 / 2)
        divergences.append(losses[-1] * (x[-1] @ np.linalg.solve(np.eye(5) + x.T @ x, x[-1])))
        if t not in sample.rounds:
            continue
        best = np.linalg.lstsq(x, y)[0]
        fit = np.linalg.solve(np.eye(5) + x.T @ x, x.T @ y)
        growth = max(losses) * 5 * np.log(1 + t / 5)
        regularised = ((x @ fit - y) ** 2).sum() / 2 + fit @ fit / 2
        plain = {
            outcomes: sum(losses) - ((x @ best - y) ** 2).sum() / 2,
            f"bound (11), {outcomes}": best @ best / 2 + 2 * growth,
            f"bound (11) with p*, {outcomes}": best @ best / 2 + growth,
            f"(5), {outcomes}": (sum(losses) - regularised) / sum(divergences),
        }
        for name, value in plain.items():
            measured = sample.measures[name][1, sample.rounds == t]
            # At five rounds the best fit is hardly determined, and its norm has few digits.
            np.testing.assert_allclose(measured, value, rtol=1e-7)


@pytest.mark.parametrize(
    ("measure", "claim"), [("random", "bound-11"), ("(5), random", "ridge-identity")]
)
def test_what_is_broken_in_one_run_is_seen(sample, measure, claim):
    broken = {**sample.measures, measure: sample.measures[measure].copy()}
    broken[measure][1, 5] = 1e3
    found = Finding.of(CLAIMS[claim], sample._replace(measures=broken), True)
    assert found.verdict is Verdict.PARTLY
