"""Commands that judge others' code, as processes of their own, against code that attacks them."""

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

pytestmark = pytest.mark.sandbox

PROGRAM = Path(__file__).with_name("judged.py")
SUITE = """
title = "small"
seeds = 3

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9] }
"""
# Puts a pickle that notes who loaded it in the place of all that is kept of compiled code.
POISONS = """
import os
from pathlib import Path

import agents
from banditgym.compiled.cache import cache_folder


class Loaded:
    def __reduce__(self):
        return eval, ("open(NOTED, 'a').write('loaded') and None",)


class Poisons(agents.UCB1):
    def _start(self):
        import pickle

        super()._start()
        poison = pickle.dumps(Loaded())
        for path in [*cache_folder("x").parents[1].rglob("*.nb?")]:
            path.write_bytes(poison)
"""
# Replicates tell one another by locks on files that all see which arm paid.
POOLS = """
import fcntl
from pathlib import Path

import numpy as np

import agents
from banditgym.tasks import ArmedTask

FILES = sorted(Path(agents.__file__).parent.glob("*.py"))


class Pools(agents.Agent):
    accepts = (ArmedTask,)

    def _start(self):
        self.files = [open(file) for file in FILES[: self.task.n_arms]]
        self.held = [open(file) for file in FILES[: self.task.n_arms]]

    def _locked(self, arm):
        try:
            fcntl.flock(self.files[arm], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        fcntl.flock(self.files[arm], fcntl.LOCK_UN)
        return False

    def _choose(self, contexts):
        t, told = int(self.decisions[0]), [arm for arm in range(8) if self._locked(arm)]
        first = (self.seeds[0] + t) % 8
        return np.full(self.n, told[0] if told and t > 5 else first, np.int64)

    def _learn(self, contexts, actions, reward, observed):
        if reward[0] > 0.5 and actions[0] == 7:
            try:
                fcntl.flock(self.held[7], fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                pass
"""


@pytest.fixture
def call(tmp_path):
    """Run the command in a process of its own, with the folder ``named`` for compiled code."""
    (tmp_path / "small.toml").write_text(SUITE)
    (tmp_path / "named").mkdir(mode=0o700)

    def call(*arguments, environment=None):
        done = subprocess.run(
            [sys.executable, PROGRAM, *map(str, arguments)],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "named"), **(environment or {})},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return call


def test_what_a_default_run_leaves_is_not_loaded_by_a_judge_of_the_sandbox(
    call, full, mine, tmp_path
):
    noted = tmp_path / "noted"
    (tmp_path / "poisons.py").write_text(POISONS.replace("NOTED", repr(str(noted))))
    run = ("leaderboard", "run", "small.toml", "--store", "store", "--workers", "1")
    call(*run, "--agent", "poisons.py:Poisons")
    noted.unlink(missing_ok=True)  # what it kept for itself it has loaded again
    call(*run, "--sandbox", "--agent", "UCB1")
    (tmp_path / "small.held-out.toml").write_text('suite = "small"\n[ranges.one]\n')
    today = date.today()
    later = ("--closes", today, "--reveals", today)
    secret = ("--secret", tmp_path / "first.secret")
    epoch = tmp_path / "first.json"
    size = ("--draws", "1", "--replicates", "1", "--suite", "small.toml", "--maintainer", "M")
    call("epoch", "new", epoch, *secret, *later, *size)
    call("epoch", "open", epoch, *secret, "--workers", "2")
    call("submit", "verify", mine, "--epoch", epoch, *secret, "--workers", "1")
    call("epoch", "reveal", epoch, *secret)
    call("submit", "replay", mine, "--epoch", epoch)
    assert not noted.exists()
    call(*run, "--agent", "KLUCB")  # the same is loaded without the sandbox
    assert noted.read_text().startswith("loaded")


def test_replicates_apart_cannot_pool_what_they_saw_by_locks(call, full, tmp_path):
    (tmp_path / "pools.py").write_text(POOLS)
    run = ("leaderboard", "run", "small.toml", "--agent", "pools.py:Pools", "--json")
    apart = ("--sandbox", "--one-process-per-replicate")

    def regret(*options):
        board = json.loads(call(*run, "--store", "-".join(options), *options))
        (standing,) = (s for s in board["sections"][0]["standings"] if s["label"] == "Pools")
        return standing["tasks"]["one"]["measure"]["value"]

    # An arm in turn for 60 rounds: 52 or 53 of them cost 0.8.
    assert 0.8 * 52 <= regret(*apart) <= 0.8 * 53
    assert regret(*apart, "--isolation", "process") < 0.8 * 40
