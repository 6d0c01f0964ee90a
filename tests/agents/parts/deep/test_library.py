"""Nothing imports torch before it is needed, and where it is missing a line says what to do."""

import subprocess
import sys

import gymnasium
import pytest

import agents
from agents.parts.deep import library

HEAVY = ("torch", "stable_baselines3", "cloudpickle.cloudpickle_fast")


def test_nothing_imports_torch_before_an_agent_of_the_library_plays():
    code = (
        "import sys, agents, gymnasium, leaderboards.cli\n"
        "from agents import naming\n"
        "agent = agents.resolve('PPO(n_steps=128)')\n"
        "task = gymnasium.make('ArmedBandit-v0').unwrapped.task\n"
        "agent.refusal(task), naming.label(agent), naming.plays_apart('SAC')\n"
        f"print([name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    ("absent", "named"),
    [
        (("torch", "stable_baselines3"), "torch and stable-baselines3"),
        (("stable_baselines3",), "stable-baselines3"),
    ],
)
def test_what_is_missing_is_reported_in_a_line_with_the_remedy(absent, named, monkeypatch):
    monkeypatch.setattr(
        library.importlib.util, "find_spec", lambda name: None if name in absent else object()
    )
    task = gymnasium.make("ArmedBandit-v0").unwrapped.task
    with pytest.raises(ValueError, match="PPO cannot play this task: it needs") as caught:
        agents.PPO().reset(task)
    assert str(caught.value) == (
        f"PPO cannot play this task: it needs {named}: pip install torch --index-url "
        "https://download.pytorch.org/whl/cpu, then pip install banditgym[sb3]; "
        "UCB1, KLUCB, BetaThompson and others can"
    )
    # What it cannot play anyway it says first.
    assert "it plays strongly_convex tasks" in str(agents.SAC().refusal(task))
