"""A recorder does not change play, and records its notes."""

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from agents import UCB1, LinUCB, play
from leaderboards.papers.recorder import Recorder


def notes(agent, contexts, actions, outcome):
    played = np.take_along_axis(contexts, actions[:, None, None], axis=2)[:, :, 0]
    return {"played": played, "reward": outcome, "mean": agent.model.mean}


def test_it_plays_as_its_agent_and_takes_notes_before_it_learns():
    def envs():
        return gymnasium.make_vec("LinearBandit-v0", 3, n_arms=4, dim=2, horizon=30)

    recorder = Recorder(agent=LinUCB(), notes=notes)
    for seed in (1, 5):  # the second time nothing of the first is left
        plain = play(envs(), LinUCB(), seed=seed)
        watched = play(envs(), recorder, seed=seed)
        np.testing.assert_array_equal(plain.measures["regret"], watched.measures["regret"])
        kept = recorder.kept()
        assert kept["played"].shape == (3, 30, 2)
        np.testing.assert_allclose(kept["reward"].sum(axis=1), watched.reward[:, -1])
        assert (kept["mean"][:, 0] == 0).all()
        # The mean of the second round is the ridge estimate from the first one.
        assert (kept["mean"][:, 1] != 0).any()
        assert not np.array_equal(kept["mean"][:, 1], kept["mean"][:, 2])


def test_it_refuses_what_its_agent_refuses():
    envs = gymnasium.make_vec("LinearBandit-v0", 3)
    with pytest.raises(ValueError, match="it plays armed tasks"):
        play(envs, Recorder(agent=UCB1(), notes=lambda *_: {}))
