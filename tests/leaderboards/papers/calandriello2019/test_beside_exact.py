"""What is noted beside BKB is recomputed from its plays."""

import gymnasium
import numpy as np
import pytest

from agents import BKB, play
from leaderboards.papers.calandriello2019 import beside_exact as paper
from leaderboards.papers.calandriello2019.plain_gp import refit
from leaderboards.papers.recorder import Recorder

SEEDS = [3, 4, 7]
RIDGE = 0.01


def env():
    return gymnasium.make_vec(
        "KernelBandit-v0", num_envs=3, n_arms=15, dim=2, horizon=40, noise_std=0.1
    )


def test_notes_are_recomputed():
    agent = BKB(qbar=1.0, ridge=RIDGE)
    largest = []

    def also(agent, mean, variance, counts):
        largest.append(counts.max(axis=1).copy())
        return {"most": largest[-1] % 5}

    rounds, curves = paper.beside_exact(agent, env(), SEEDS, also)

    def notes(agent, contexts, arms, reward):
        variance = agent.model.predict(contexts)[1]
        return {"variance": variance, "arm": arms, "reward": reward, "size": agent.model.count}

    recorder = Recorder(agent=BKB(qbar=1.0, ridge=RIDGE), notes=notes)
    envs = env()
    task = envs.unwrapped.task
    trace = play(envs, recorder, seed=SEEDS)
    np.testing.assert_array_equal(rounds, trace.rounds)
    np.testing.assert_array_equal(curves["regret"], trace.regret)
    kept = recorder.kept()
    for i in range(3):
        factor, outside, sizes, expected, left_out = 1.0, 0, 0, 0.0, 0
        for t in range(40):
            pulled = kept["arm"][i, :t]
            _, exact = refit(task.covariance, task.arms, pulled, kept["reward"][i, :t], RIDGE)
            ratio = kept["variance"][i, t] / exact
            worst = max(ratio.max(), 1 / ratio.min())
            if t == 1:
                expected += 1
            elif t > 1:
                p = np.minimum(1, 1.0 * kept["variance"][i, t - 1])  # of before the last pull
                times = np.bincount(pulled, minlength=15)
                expected += sum(1 - (1 - p[arm]) ** times[arm] for arm in set(pulled))
            sizes += kept["size"][i, t]
            left_out += kept["size"][i, t] < len(set(pulled))
            factor, outside = max(factor, worst), outside + (worst > 3)
            if t + 1 in rounds:
                j = int(np.flatnonzero(rounds == t + 1)[0])
                assert curves["sizes"][i, j] == sizes
                assert curves["expected"][i, j] == pytest.approx(expected)
                assert curves["left out"][i, j] == pytest.approx(left_out / (t + 1))
                most = [
                    np.bincount(kept["arm"][i, :s], minlength=15).max() % 5 for s in range(t + 1)
                ]
                assert curves["most"][i, j] == max(most)
                assert curves["factor"][i, j] == pytest.approx(factor, rel=1e-6)
                assert curves["outside"][i, j] == pytest.approx(outside / (t + 1))
                gram = task.covariance(task.arms[pulled], task.arms[pulled])
                ridged = gram + RIDGE * np.eye(t)
                dimension = np.trace(np.linalg.solve(ridged, gram))
                found = curves["effective dimension"][i, j]
                assert found == pytest.approx(dimension, rel=1e-6, abs=1e-9)
                assert curves["size"][i, j] == kept["size"][i, t]
                if j + 1 < len(rounds) and rounds[j + 1] == rounds[j] + 1:
                    after = curves["dimension after"][i, j]
                    assert after == curves["effective dimension"][i, j + 1]
    assert curves["factor"].max() > 3  # it was off somewhere
    assert 0 < curves["outside"][:, -1].max() < 1
    assert curves["size"][:, 0].tolist() == [0, 0, 0]
    assert curves["size"][:, 1].tolist() == [1, 1, 1]


def test_an_arm_is_drawn_once_for_each_pull():
    variance, counts = np.array([[0.05, 0.05, 0.7, 0.1]]), np.array([[1.0, 3.0, 2.0, 0.0]])
    found = paper.drawn(variance, counts, 2.0)[0]
    np.testing.assert_allclose(found, [0.1, 1 - 0.9**3, 1.0, 0.0])
