"""After the judge's warm-up, an agent's process compiles nothing."""

import gymnasium
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.vector_env import BanditVectorEnv
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.sandboxed_agent import SandboxedAgent
from leaderboards.sandbox.warming import warm

pytestmark = pytest.mark.sandbox

CODE = """
from pathlib import Path
from agents import Agent
from banditgym.tasks import LinearTask
import numpy as np


class Reports(Agent):
    accepts = (LinearTask,)

    def _start(self):
        self.rounds = 0

    def _choose(self, contexts):
        self.rounds += 1
        if self.rounds == 5:
            found = Path("/tmp/kernels").rglob("*.nbi")  # links lead to what the judge compiled
            made = sorted(path.name for path in found if not path.is_symlink())
            raise ValueError(f"it compiled {made}")
        return np.zeros(self.n, np.int64)

    def _learn(self, contexts, actions, reward, observed):
        pass
"""


def made():
    return gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=4, dim=3, horizon=20)


def test_an_agent_of_others_finds_all_that_its_contract_needs(full, tmp_path):
    (tmp_path / "reports.py").write_text(CODE)
    spec = f"{tmp_path / 'reports.py'}:Reports"
    warm(made(), spec)
    with SandboxedAgent(spec=spec, limits=Limits(wall=300.0, start=600.0)) as agent:
        agents.play(made(), agent)
        assert agent.faults[0].text == "ValueError: it compiled []"


@pytest.mark.parametrize("spec", ["LinUCB", "third.py:Party"])
def test_it_plays_one_round_after_the_other_as_an_agents_process_does(spec, monkeypatch):
    """The test above cannot tell if other tests have compiled the code of single rounds."""
    lengths, own = [], BanditVectorEnv.step_block

    def noted(self, block, actions, *shows):
        lengths.append(len(actions))
        return own(self, block, actions, *shows)

    monkeypatch.setattr(BanditVectorEnv, "step_block", noted)
    agents.play(made(), agents.LinUCB())
    assert lengths == [20]
    warm(made(), spec)
    assert lengths == [20]


@pytest.mark.parametrize("spec", ["UCB1", "OnlineRidge", "LinTS"])
def test_one_that_cannot_play_or_is_this_package_s_own_is_no_error(spec):
    warm(made(), spec)
