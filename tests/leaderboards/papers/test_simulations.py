"""Curves of runs are those of play, seed by seed, and notes do not change a run."""

import gymnasium
import numpy as np

from agents import UCB1, UniformRandom, play
from leaderboards.papers.simulations import Run, curves, environments, of_predictions, recorded

SEEDS = [3, 4, 7]
SETTINGS = {"means": [0.9, 0.1], "horizon": 60}


def test_curves_are_those_of_play():
    runs = {
        "learns": Run(UCB1(), "ArmedBandit-v0", SETTINGS),
        "not": Run(UniformRandom(), "ArmedBandit-v0", {**SETTINGS, "means": [0.5, 0.4]}),
    }
    sample = curves(SEEDS, runs, measure="reward", rounds=[5, 60])
    assert sample.rounds.tolist() == [5, 60]
    assert list(sample.measures) == ["learns", "not"]
    for name, (agent, env, settings) in runs.items():
        envs = gymnasium.make_vec(env, num_envs=3, **settings)
        trace = play(envs, agent, seed=SEEDS, rounds=[5, 60])
        np.testing.assert_array_equal(sample.measures[name], trace.reward)
        np.testing.assert_array_equal(sample.at_end(name), trace.reward[:, -1])


def test_a_recorder_notes_all_rounds_of_the_same_run():
    def notes(agent, contexts, arms, reward):
        return {"reward": reward}

    envs = environments("ArmedBandit-v0", SEEDS, **SETTINGS)
    trace, kept = recorded(UCB1(), notes, envs, SEEDS, rounds=[60])
    assert kept["reward"].shape == (3, 60)
    alone = play(environments("ArmedBandit-v0", SEEDS, **SETTINGS), UCB1(), seed=SEEDS)
    np.testing.assert_array_equal(trace.reward[:, -1], alone.reward[:, -1])
    np.testing.assert_allclose(kept["reward"].sum(axis=1), alone.reward[:, -1])


def test_notes_of_predictions_are_rows_of_features():
    contexts = np.arange(6.0).reshape(3, 2, 1)
    found = of_predictions(None, contexts, "predictions", "outcome")
    np.testing.assert_array_equal(found["row"], contexts[:, :, 0])
    assert (found["prediction"], found["outcome"]) == ("predictions", "outcome")
