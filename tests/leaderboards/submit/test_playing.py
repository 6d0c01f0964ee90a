"""What a game compiles before a submission's process begins. How games end: test_scoring.py."""

import pytest

from leaderboards.submit import playing
from leaderboards.suite import load


@pytest.mark.parametrize(("isolation", "ready"), [("none", []), ("process", [2]), ("full", [2])])
def test_the_judge_compiles_before_a_process_that_keeps_its_own(
    tmp_path, monkeypatch, isolation, ready
):
    (tmp_path / "small.toml").write_text(
        'title = "small"\nseeds = 1\n[[task]]\nname = "a"\nenv = "ArmedBandit-v0"\nhorizon = 20\n'
    )
    (task,) = load(tmp_path / "small.toml").tasks
    done = []

    def begun(game, stack):
        raise ValueError(f"begun after {done}")

    monkeypatch.setattr(playing, "warm", lambda envs, spec: done.append(envs.num_envs))
    monkeypatch.setattr(playing, "_agent", begun)
    game = playing.Game(
        task=task, seeds=(0,), spec="agent.py:Mine", file="agent.py:Mine", folder=str(tmp_path),
        isolation=isolation, recorded=None,
    )  # fmt: skip
    assert playing.played(game) == {"error": f"ValueError: begun after {ready}"}
