"""The rule on widths, and a tiny run against the definition."""

import gymnasium
import numpy as np

from agents import play
from leaderboards.papers.recorder import Recorder
from leaderboards.papers.russac2019 import widths as paper
from leaderboards.papers.verdicts import Verdict


def test_widths(judged):
    found = judged("forgetful-widths", {"DiscountedLinUCB": 1.0, "SlidingWindowLinUCB": 0.5})
    assert list(found.values()) == [Verdict.REPRODUCED, Verdict.NOT_REPRODUCED]


def test_the_square_is_recomputed(tiny):
    horizon = 60
    sample = tiny("widths", {"horizon": horizon})

    def notes(agent, contexts, arms, reward):
        return {"x": contexts[:, :, 0], "reward": reward}

    settings = {"n_arms": 1, "dim": 3, "noise_std": 1.0, "theta": [0.0] * 3, "horizon": horizon}
    recorder = Recorder(agent=paper.FORGETFUL["DiscountedLinUCB"], notes=notes)
    play(gymnasium.make_vec("LinearBandit-v0", num_envs=3, **settings), recorder, seed=[3, 4, 7])
    kept = recorder.kept()
    weights = paper.DISCOUNT ** np.arange(horizon - 2, -1, -1)
    for i in range(3):
        x, reward, last = kept["x"][i, :-1], kept["reward"][i, :-1], kept["x"][i, -1]
        gram = 0.01 * np.eye(3) + (x.T * weights) @ x
        squared = 0.01 * np.eye(3) + (x.T * weights**2) @ x
        solved = np.linalg.solve(gram, last)
        square = (solved @ (x.T * weights) @ reward) ** 2 / (solved @ squared @ solved)
        np.testing.assert_allclose(sample.measures["DiscountedLinUCB"][i], square, rtol=1e-8)
