"""An agent that says what it is."""

import gymnasium
import pytest

import agents
from agents.check.questioned import FACTS, FOREIGN, REFUSED, Questioned

ARMED = gymnasium.make("ArmedBandit-v0").unwrapped.task
LINEAR = gymnasium.make("LinearBandit-v0").unwrapped.task
NORMAL = gymnasium.make("ArmedBandit-v0", noise="gaussian").unwrapped.task


def test_it_plays_what_the_agent_plays():
    one = Questioned(spec="BetaThompson")
    assert one.reset(ARMED) is one
    assert one.refusal(ARMED) is None
    assert one.refusal(LINEAR) == FOREIGN
    reason = agents.BetaThompson().refusal(NORMAL)
    assert one.refusal(NORMAL) == f"{REFUSED}{reason}"
    with pytest.raises(ValueError, match=REFUSED):
        one.reset(NORMAL)


def test_it_reports_facts_that_were_not_declared():
    Questioned(spec="UCB1", declared=["noise_std"])
    with pytest.raises(ValueError, match=f"^{FACTS} noise_std$"):
        Questioned(spec="UCB1")
    with pytest.raises(ValueError, match=f"^{FACTS} $"):
        Questioned(spec="UCB1(noise_std=1.0)", declared=["noise_std"])


READS = """
from dataclasses import dataclass
from typing import ClassVar

import agents
from agents.agent import noise_level


@dataclass(kw_only=True, eq=False)
class Reads(agents.ScalarAgent):
    width: float | None = None
    from_task: ClassVar = {"width": lambda task: task.param_norm}

    def begin(self, task, rng):
        self.task = task

    def choose(self, contexts):
        return %s

    def learn(self, contexts, arm, reward):
        pass

    def refusal(self, task):
        return super().refusal(task) if task.family == "linear" else "it plays linear tasks"
"""


@pytest.mark.parametrize(
    ("choice", "facts"),
    [
        ("0", "width"),
        ("int(self.task.n_arms * 0)", "width"),
        ("int(self.task.noise_std < 0)", "noise_std, width"),
        ("int(noise_level(self.task) < 0)", "subgaussian, width"),
    ],
)
def test_it_reports_facts_that_the_code_reads(choice, facts, tmp_path):
    (tmp_path / "reads.py").write_text(READS % choice)
    spec = f"{tmp_path / 'reads.py'}:Reads"
    with pytest.raises(ValueError, match=f"^{FACTS} {facts}$"):
        Questioned(spec=spec)
    Questioned(spec=spec, declared=facts.split(", "))


def test_it_reports_full_information_and_broken_contracts(tmp_path):
    with pytest.raises(ValueError, match="it has full information"):
        Questioned(spec="Perceptron")
    (tmp_path / "bad.py").write_text(
        "from dataclasses import dataclass\nimport agents\n"
        "@dataclass(kw_only=True, eq=False)\nclass Bad(agents.UCB1):\n"
        "    def _learn(self, contexts, actions, reward, observed):\n        self.sums += 1.0\n"
    )
    spec = f"{tmp_path / 'bad.py'}:Bad"
    Questioned(spec=spec, declared=["noise_std"])
    with pytest.raises(AssertionError, match="Bad on ArmedBandit-v0"):
        Questioned(spec=spec, declared=["noise_std"], contract=True)
