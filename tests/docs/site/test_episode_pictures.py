"""Pictures of episodes show what was played."""

import numpy as np
import pytest

import agents
from docs.site import episode_pictures as pictures
from leaderboards import environments


def test_the_regret_shown_is_that_of_play():
    told = pictures.played("ArmedBandit-v0")
    env = environments.make("ArmedBandit-v0", 1, {"horizon": pictures.FEW})
    trace = agents.play(env, agents.KLUCB(), seed=0)
    assert told["total"][-1] == pytest.approx(trace.regret[0, -1])
    assert np.bincount(told["actions"]).max() == trace.pulls.max()


@pytest.mark.parametrize("name", ["SynSep-v0", "BallBandit-v0", "OnlineRegression-v0"])
def test_equal_bytes_on_every_drawing(name, tmp_path):
    for turn in "ab":
        pictures.draw(name, tmp_path / f"{turn}.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert len((tmp_path / "a.png").read_bytes()) > 5_000
    assert name in pictures.caption(name)
