"""Agents that cheat their judge: each gets a fault that says so, or gains nothing. Two minutes."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboards.submit.judge import judgement
from leaderboards.submit.judge.judgement import ledger_of

from ...small_files import replaced

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("full")]

ATTACKS = Path(__file__).parents[2] / "sandbox" / "attacks.py"
# Plays the first arm; in round 3 it attacks, and goes on as if nothing had been if that works.
AGENT = """
import json, os, subprocess, sys, time
import numpy as np
import agents
import attacks
from banditgym.tasks import LinearTask

TARGET = {target!r}

def tried(self, shown):
{attack}

class MyAgent(agents.Agent):
    accepts = (LinearTask,)

    def _start(self):
        pass

    def act(self, observation):
        if self.decisions[0] == 2:
            tried(self, observation)
        return super().act(observation)

    def _choose(self, contexts):
        return np.zeros(self.n, np.int64)

    def _learn(self, contexts, actions, reward, observed):
        pass
"""
# Of the sandbox's own tests; all attacks raise if they are refused.
HIDDEN = {
    name: f"attacks.ATTACKS[{name!r}](TARGET)"
    for name in ("find_theta", "find_theta_in_frames", "patch_environment")
}
WITHOUT_SANDBOX = {
    **{
        name: f"attacks.ATTACKS[{name!r}](TARGET)"
        for name in ("list_store", "write_outside", "fork", "start_program", "see_settings")
    },
    "read the secret": "assert len(open(TARGET['secret']).read()) == 65",
    "write into the folder": "open(TARGET['folder'] + '/more.py', 'a').write('# mine')",
    "open a socket": "import socket; socket.socket()",
    "import the judge": "from leaderboards.submit.judge import judgement",
}
OTHERS = {
    "write into the ledger": "open(TARGET['ledger'], 'a').write('x')",
    "leave_daemon": "attacks.ATTACKS['leave_daemon'](TARGET)",
    "take the memory": "taken = bytearray(8 << 30)",
    "raise": "raise RuntimeError(str(self.task))",
}
REFUSED = HIDDEN | WITHOUT_SANDBOX | OTHERS


def attack(task, code, tail=""):
    """Put an attack into the agent of a folder."""
    target = {
        "secret": str(task.secret), "ledger": str(ledger_of(task.secret).path), "mark": "judged",
        "folder": str(task.folder), "judge": os.getpid(),
    }  # fmt: skip
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    text = AGENT.format(target=target, attack=indented) + tail
    (task.folder / "agent.py").write_text(text)
    (task.folder / "attacks.py").write_text(ATTACKS.read_text())


@pytest.fixture
def honest(task):
    """The document of the agent that does not attack."""
    attack(task, "pass")
    return task.judge()


@pytest.mark.parametrize("name", REFUSED)
def test_an_attack_is_refused_and_ends_the_agent(name, task):
    attack(task, REFUSED[name])
    before = sorted(path.name for path in task.folder.iterdir())
    found = task.judge()
    assert found["faults"] == ["error"]
    assert found["score"] < 0.5  # of uniform play, from the third round on
    assert sorted(path.name for path in task.folder.iterdir()) == before
    assert [entry["event"] for entry in ledger_of(task.secret).entries()] == [
        "made", "begun", "ended",
    ]  # fmt: skip


@pytest.mark.parametrize("name", WITHOUT_SANDBOX)
def test_the_same_attack_works_without_the_sandbox(name, task):
    """Else the test above would show nothing."""
    attack(task, WITHOUT_SANDBOX[name])
    assert task.judge("process")["faults"] == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("os._exit(0)", "death"),
        ("import ctypes; ctypes.string_at(0)", "death"),
        ("while True: pass", "timeout"),
        ("time.sleep(60)", "timeout"),
    ],
)
def test_an_agent_that_ends_or_hangs_is_named(code, fault, task, monkeypatch):
    original = judgement.resources_of

    def quick(suite):
        return replace(original(suite), answer=2.0, wall=3.0)

    monkeypatch.setattr(judgement, "resources_of", quick)
    attack(task, code)
    assert task.judge()["faults"] == [fault]


def test_an_illegal_action_is_named(task):
    attack(task, "pass")
    replaced(task.folder, "np.zeros(self.n, np.int64)", "np.full(self.n, 99)", "agent.py")
    assert task.judge()["faults"] == ["illegal"]


PATCH = """
import leaderboards.sandbox.messages, leaderboards.sandbox.guest, gymnasium, banditgym.envs.linear
gymnasium.make_vec = None
banditgym.envs.linear.LinearBandit.step = None
agents.UniformRandom._choose = lambda self, contexts: np.zeros(self.n, np.int64)
np.mean = lambda *given, **named: 0.0
"""


def test_what_an_import_changes_changes_nothing(task, honest):
    attack(task, "pass", tail=PATCH)
    found = task.judge()
    assert (found["score"], found["interval"]) == (honest["score"], honest["interval"])
    assert found["hash"] != honest["hash"]


FORGED = {"task": "fresh-arms", "score": 1.0, "interval": [1.0, 1.0], "faults": []}
PRINTS = f"""
text = {json.dumps(FORGED)!r} + chr(10)
print(text, flush=True)
print(text, file=sys.stderr, flush=True)
for number in range(64):
    try:
        if number not in (3, 4, 5):
            os.write(number, text.encode())
    except OSError:
        pass
"""


def test_the_command_prints_one_document_whatever_an_agent_prints(task):
    """A process of its own, with all instances: what comes out is what a user sees."""
    attack(task, PRINTS, tail="print('an import', flush=True)\n")
    done = subprocess.run(
        [sys.executable, "-c", "from leaderboards.cli import main; main()"]
        + ["judge", str(task.folder), "--secret", str(task.secret)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    found = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert found["score"] < 0.5
    assert done.returncode == (1 if found["faults"] else 0)


def test_no_module_of_the_folder_runs_in_the_judge(task, tmp_path):
    """Python would look for modules of a process that starts in the current folder first."""
    marker = tmp_path / "marker"
    for name in ("json", "loky", "multiprocessing", "numpy", "banditgym", "sitecustomize"):
        (task.folder / f"{name}.py").write_text(
            f"open({str(marker)!r}, 'a').write({name!r})\nraise ImportError\n"
        )
    program = [sys.executable, "-P", "-c", "from leaderboards.cli import main; main()"]
    done = subprocess.run(
        [*program, "judge", ".", "--secret", str(task.secret)],
        cwd=task.folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert not marker.exists()
    assert json.loads(done.stdout)["faults"] == []


CLAIMS = {
    "finishes at once": "    finished = property(lambda self: np.ones(self.n, bool))\n",
    "is of any speed": "    seconds_per_round = 1e-30\n",
    "has a state of any size": "    state_bytes = lambda self: 0\n",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_an_agent_claims_of_itself_is_no_gain(claim, task, honest):
    attack(task, "pass", tail=CLAIMS[claim])
    found = task.judge()
    assert found["faults"] == []
    assert (found["score"], found["interval"]) == (honest["score"], honest["interval"])


def test_an_agent_that_asks_for_hidden_labels_is_ended(task):
    """Its rounds are played uniformly, so its score may be above the honest agent's by chance."""
    attack(task, "pass", tail="    full_information = True\n")
    found = task.judge()
    assert found["faults"] == ["error"]
    assert found["score"] < 0.5
