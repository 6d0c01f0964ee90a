"""What is noted beside BKB, the theorems' bounds recomputed, and verdict rules."""

import math

import gymnasium
import numpy as np
import pytest

from agents import BKB, play
from leaderboards.papers.calandriello2019 import variance_theorem as paper
from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.recorder import Recorder
from leaderboards.rank.interval_estimates import Estimate
from leaderboards.speed.plain_gp import refit

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def env():
    return gymnasium.make_vec(
        "KernelBandit-v0", num_envs=3, n_arms=15, dim=2, horizon=40, noise_std=0.1
    )


def test_notes_are_recomputed():
    agent = BKB(qbar=1.0, ridge=paper.RIDGE)
    rounds, curves = paper.beside_exact(agent, env(), SEEDS)

    def notes(agent, contexts, arms, reward):
        variance = agent.model.predict(contexts)[1]
        return {"variance": variance, "arm": arms, "reward": reward}

    recorder = Recorder(agent=BKB(qbar=1.0, ridge=paper.RIDGE), notes=notes)
    envs = env()
    task = envs.unwrapped.task
    trace = play(envs, recorder, seed=SEEDS)
    np.testing.assert_array_equal(rounds, trace.rounds)
    np.testing.assert_array_equal(curves["regret"], trace.regret)
    kept = recorder.kept()
    for i in range(3):
        factor, outside = 1.0, 0
        for t in range(40):
            pulled = kept["arm"][i, :t]
            _, exact = refit(task.covariance, task.arms, pulled, kept["reward"][i, :t], paper.RIDGE)
            ratio = kept["variance"][i, t] / exact
            worst = max(ratio.max(), 1 / ratio.min())
            factor, outside = max(factor, worst), outside + (worst > 3)
            if t + 1 in rounds:
                j = int(np.flatnonzero(rounds == t + 1)[0])
                assert curves["factor"][i, j] == pytest.approx(factor, rel=1e-6)
                assert curves["outside"][i, j] == pytest.approx(outside / (t + 1))
                gram = task.covariance(task.arms[pulled], task.arms[pulled])
                ridged = gram + paper.RIDGE * np.eye(t)
                expected = np.trace(np.linalg.solve(ridged, gram))
                found = curves["effective dimension"][i, j]
                assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
                assert curves["size"][i, j] <= len(set(pulled))
    assert curves["factor"].max() > 3  # it was off somewhere
    assert 0 < curves["outside"][:, -1].max() < 1
    assert curves["size"][:, 0].tolist() == [0, 0, 0]
    assert curves["size"][:, 1].tolist() == [1, 1, 1]


def test_the_theorems_qbar():
    assert paper.oversampling(500) == pytest.approx(72 * math.log(20_000))
    assert round(paper.oversampling(500)) == 713


def test_bounds():
    # kappa² = 1, lambda = 0.01, alpha = 3, xi = 0.1, F = 1, delta = 0.1
    assert paper.size_bound(np.array([2.0]), 5.0)[0] == pytest.approx(3 * 101 * 3 * 5 * 2)
    found = paper.regret_bound(np.array([1, 50]), np.array([[1.0, 4.0]]))
    inside = 0.1 * 4 * math.log(50) + math.sqrt(0.01 * 4 * math.log(50)) + 0.1 * math.log(10)
    assert found[0, 1] == pytest.approx(2 * 6**1.5 * math.sqrt(50) * inside)
    assert found[0, 0] == pytest.approx(2 * 6**1.5 * 0.1 * math.log(10))


@pytest.fixture(scope="module")
def sample():
    return paper.theorems(SEEDS, horizon=60, n_arms=12)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.theorems([4], horizon=60, n_arms=12)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample).numbers
    paper.draw_regret(sample).savefig(tmp_path / "figure.png")
    # All probabilities are 1: the exact posterior, and every arm pulled is an inducing point.
    assert sample.measures["factor"].max() < 1 + 1e-6
    assert float(paper.size(sample)["|S| / d_eff at T"].value) > 1


def test_the_theorems_are_of_bkb_with_their_radius(sample):
    envs = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=1, n_arms=12, dim=2, horizon=60, noise_std=0.1,
        function="rkhs", param_norm=1.0,
    )  # fmt: skip
    agent = BKB(qbar=72 * math.log(2400), radius="theory", delta=0.1, ridge=0.01)
    trace = play(envs, agent, seed=[7])
    np.testing.assert_array_equal(sample.measures["regret"][2], trace.measures["regret"][0])


def test_a_theorem_that_fails_is_seen(sample):
    broken = {name: values.copy() for name, values in sample.measures.items()}
    broken["factor"][1, -1] = 3.1
    broken["size"][0, 4] = 1e9
    broken["regret"][2, 1] = 1e9
    broken["regret"][:, 0] = 1e9  # before anything is known there is no bound
    broken = sample._replace(measures=broken)
    third = pytest.approx(1 / 3)
    assert float(paper.accuracy(broken)["runs outside"].value) == third
    assert float(paper.size(broken)["runs above"].value) == third
    assert float(paper.regret(broken)["runs above"].value) == third


def test_numbers_of_made_up_curves(sample):
    made_up = {name: values.copy() for name, values in sample.measures.items()}
    made_up["size"][:, -1], made_up["effective dimension"][:, -1] = 10.0, 4.0
    made_up["widest gap"][:] = 2.0
    made_up["regret"][:, -1] = 7.0
    made_up = sample._replace(measures=made_up)
    qbar = 72 * math.log(2400)
    found = paper.size(made_up)
    assert float(found["|S| / d_eff at T"].value) == 2.5
    assert float(found["bound / |S| at T"].value) == pytest.approx(909 * qbar * 4 / 10)
    bound = paper.regret_bound(np.array([60]), np.array([[4.0]]))[0, 0]
    found = paper.regret(made_up)
    assert float(found["bound / worst regret at T"].value) == pytest.approx(bound / 120)
    assert float(found["regret / bound at T"].value) == pytest.approx(7 / bound)


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("theorem-accuracy", "runs outside"),
        ("theorem-size", "runs above"),
        ("theorem-regret", "runs above"),
    ],
)
def test_rules(claim, name):
    assert judged(claim, {name: 0.098}) is YES
    assert judged(claim, {name: 0.0995}) is NO
