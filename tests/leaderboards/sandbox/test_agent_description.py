"""An agent's description of itself is the same from the sandbox, and is not trusted."""

import gymnasium
import numpy as np
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from leaderboards.run.confinement import Confinement
from leaderboards.sandbox import agent_description as asked

CODE = """
import os
import agents

class Mine(agents.LinUCB):
    def refusal(self, task):
        {}
        return super().refusal(task)
"""


def tasks():
    return {id: gymnasium.make_vec(id, num_envs=1).unwrapped.task for id in IDS}


IDS = ("ArmedBandit-v0", "LinearBandit-v0")


def test_an_answer_has_a_fixed_size_and_is_read_again():
    answer = asked.answered(agents.resolve("LinUCB(alpha=0.5)"), tasks())
    assert (answer.dtype, answer.shape) == (np.dtype(np.uint8), (asked.LONGEST,))
    found = asked.read(answer.tobytes())
    assert found["given"] == "alpha=0.5"
    assert found["refusals"] == {
        "ArmedBandit-v0": "it plays linear and news tasks, and this one is armed"
    }


@pytest.mark.parametrize("answer", [b"", b"[1]", b"{", b"\xff", b"[" * 60_000])
def test_what_is_no_answer_is_refused(answer):
    with pytest.raises(ValueError, match="it did not say what it is"):
        asked.read(answer.ljust(asked.LONGEST, b"\0"))


def test_too_long_an_answer_is_refused_where_it_is_made():
    agent = agents.LinUCB()
    agent.alpha = "x" * asked.LONGEST  # type: ignore[assignment]
    with pytest.raises(ValueError, match="over 65536"):
        asked.answered(agent, {})


@pytest.mark.sandbox
def test_it_is_asked_in_its_own_process(tmp_path, full):
    (tmp_path / "mine.py").write_text(CODE.format("self.paper = str(os.getpid())"))
    for level in ("process", "full"):
        with Confinement(isolation=level).agent(f"{tmp_path}/mine.py:Mine(alpha=2.0)") as agent:
            found = agent.described(tasks())
        mine = agents.resolve(f"{tmp_path}/mine.py:Mine(alpha=2.0)")
        here = asked.read(asked.answered(mine, {}).tobytes())
        assert found["refusals"].keys() == {"ArmedBandit-v0"}
        assert found.pop("paper") != here.pop("paper")  # the number of the process
        assert found | {"refusals": {}} == here


@pytest.mark.sandbox
def test_one_that_does_not_say_is_an_error_of_one_line(tmp_path):
    (tmp_path / "mine.py").write_text(CODE.format("raise KeyError('no')"))
    with (
        Confinement(isolation="process").agent(f"{tmp_path}/mine.py:Mine") as agent,
        pytest.raises(ValueError, match="KeyError: 'no'"),
    ):
        agent.described(tasks())
