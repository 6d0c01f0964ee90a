"""The bounds for bounded outcomes against their definitions, their rules, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.ouhamma2021 import adversarial_bounds as paper
from leaderboards.papers.verdicts import Verdict

YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED
CASES = [f"{sequence}, λ = {ridge}" for sequence in paper.sequences(1) for ridge in paper.RIDGES]


@pytest.mark.parametrize("bounded", [True, False])
def test_bounds_are_the_papers(bounded):
    rng = np.random.default_rng(8)
    x, y, p = rng.normal(size=(9, 3)), rng.normal(size=9), 2 * rng.normal(size=9)
    x[:, 2] = 0.0  # the smallest eigenvalue is 0: the corollary has the smallest positive one
    kept = {"row": x[None], "prediction": p[None], "outcome": y[None]}
    rounds = np.array([4, 9])
    found = paper.bounds(kept, rounds, ridge=0.7, constant=4.0, bounded=bounded)
    for place, t in enumerate(rounds):
        rows, outcomes = x[:t], y[:t]
        gram = rows.T @ rows
        theta = np.linalg.solve(gram + 0.7 * np.eye(3), rows.T @ outcomes)
        best = ((rows @ theta - outcomes) ** 2).sum() + 0.7 * theta @ theta
        regret = ((p[:t] - outcomes) ** 2).sum() - best
        assert found["regularised regret"][0, place] == pytest.approx(regret)
        square = max(np.abs(outcomes).max(), 0 if bounded else np.abs(p[:t]).max()) ** 2
        longest = (rows**2).sum(axis=1).max()
        bound = 4 * square * 3 * np.log(1 + t * longest / (0.7 * 3))
        assert found["bound"][0, place] == pytest.approx(bound)
        smallest = np.linalg.eigvalsh(gram)[1]
        assert found["corollary"][0, place] == pytest.approx(bound + 0.7 * square * t / smallest)
        assert found["worst"][0, place] == pytest.approx(4 * square * t)


@pytest.mark.parametrize(
    "claim", ["theorem-2-1", "theorem-2-2", "corollary-2-3-1-ridge", "corollary-2-3-1-forward"]
)
def test_theorems(judged, claim):
    of = {f"{case}: runs above": 0.0 for case in CASES}
    of |= {f"{case}: bound / worst": 0.1 for case in CASES}
    assert set(judged(claim, of).values()) == {YES}
    broken = of | {f"{CASES[1]}: runs above": 0.02}  # a single run of 50
    assert judged(claim, broken)[f"{CASES[1]}: runs above"] is NO
    useless = broken | {f"{CASES[1]}: bound / worst": 1.5}
    assert judged(claim, useless)[f"{CASES[1]}: runs above"] is Verdict.VACUOUS


def test_rigid_regularisation(judged):
    names = [
        f"{agent}, λ = {value}"
        for agent in ("ridge", "forward")
        for value in ("1: regret / T", "1/T: regret / (2 log T)")
    ]
    right = dict(zip(names, (0.5, 0.4, 0.51, 0.3), strict=True))
    assert list(judged("rigid-regularisation", right).values()) == [YES] * 4
    wrong = dict(zip(names, (0.01, 3.0, 0.7, 0.3), strict=True))
    assert list(judged("rigid-regularisation", wrong).values()) == [NO, NO, NO, YES]


def test_a_forward_agent_that_does_not_shrink_breaks_its_bound(tiny, monkeypatch):
    sample = tiny("bounded-outcomes", {"horizon": 60})
    # The bound of the other theorem: ridge regression in place of the forward algorithm.
    monkeypatch.setitem(paper.AGENTS, "forward", paper.AGENTS["ridge"])
    broken = paper.bounded_outcomes([3, 4, 7], horizon=60)
    name = "forward, adaptive, λ = 1"
    for found, holds in ((sample, True), (broken, False)):
        regret, bound = (found.measures[f"{name}: {of}"] for of in ("regularised regret", "bound"))
        assert (regret <= bound).all() == holds
