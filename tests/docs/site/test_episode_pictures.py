"""Pictures of episodes show what was played."""

import numpy as np
import pytest

import agents
from agents.play import task_of
from banditgym.registration import ENVIRONMENTS
from leaderboards.suites import environments

pytest.importorskip("numpydoc", reason="needs the extra [docs]")

from docs.site import episode_pictures as pictures
from docs.site.environment_pages import can_be_made


def test_the_regret_shown_is_that_of_play():
    told = pictures.played("ArmedBandit-v0")
    env = environments.make("ArmedBandit-v0", 1, {"horizon": pictures.FEW})
    trace = agents.play(env, agents.KLUCB(), seed=0)
    assert told["total"][-1] == pytest.approx(trace.regret[0, -1])
    assert np.bincount(told["actions"]).max() == trace.pulls.max()


@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if can_be_made(name)])
def test_the_agent_of_a_picture_can_play_it(name):
    """If this fails: name another agent in _PLAYERS_OF of docs/site/episode_pictures.py."""
    task = task_of(environments.make(name, 1, {}))
    assert getattr(agents, pictures.player(name))().refusal(task) is None


@pytest.mark.parametrize("name", ["SynSep-v0", "BallBandit-v0", "OnlineRegression-v0"])
def test_equal_bytes_on_every_drawing(name, tmp_path):
    for turn in "ab":
        pictures.draw(name, tmp_path / f"{turn}.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert len((tmp_path / "a.png").read_bytes()) > 5_000
    assert name in pictures.caption(name)
