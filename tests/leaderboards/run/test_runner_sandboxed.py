"""Runs in the sandbox: equal rows under other labels, and what an audit finds."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.check.small_environments import ENVIRONMENTS
from agents.naming import resolve
from agents.play import task_of
from leaderboards.rank.board import build
from leaderboards.run import runner
from leaderboards.run.confinement import Confinement
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.keys.sources import current
from leaderboards.run.outcomes import make
from leaderboards.run.plan import plan
from leaderboards.run.store.store import Store
from leaderboards.submit.checking import small
from leaderboards.suites.suite import load

pytestmark = pytest.mark.sandbox

PROCESS = Confinement(isolation="process")
AUDIT = Confinement(isolation="process", audit=True)
TOYS = f"{Path(__file__).parents[1] / 'toys.py'}:"
PLAYERS = {
    "armed": "BetaThompson",
    "adversarial": "TsallisINF",
    "linear": "LinTS",
    "logistic": "AdaOFUECOLog",
    "strongly_convex": "BallTS",
    "kernelized": "GPTS",
    "regression": "OnlineRidge",
    "losses": "FollowTheRegularizedLeader",
    "news": "DisjointLinUCB",
    "multiclass": "Banditron",
}
SUITE = """
title = "small"
seeds = 4

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
settings = { n_arms = 8, means = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9] }
"""
# Follows the best mean of all replicates together, each of which begins with another arm.
POOLS = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import agents
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class Pools(agents.Agent):
    accepts: ClassVar = (ArmedTask,)

    def _start(self):
        self.sums, self.counts = np.zeros(self.task.n_arms), np.zeros(self.task.n_arms)

    def _choose(self, contexts):
        first = 2 * np.arange(self.n) + self.decisions
        best = np.argmax(self.sums / np.maximum(self.counts, 1))
        return np.where(self.decisions < 2, first % self.task.n_arms, best)

    def _learn(self, contexts, actions, reward, observed):
        np.add.at(self.sums, actions, reward)
        np.add.at(self.counts, actions, 1)
"""


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    return load(tmp_path / "small.toml")


def played(suite, specs, store, confinement):
    """Rows of a run of these agents, by task, agent and seed."""
    runner.run(suite, specs, store=Store(store), execution=IN_PROCESS, confinement=confinement)
    wanted = confinement.isolation, confinement.audit
    return {
        (row.task, row.agent, row.seed): row
        for row in Store(store).rows(suite.hash)
        if (row.isolation, row.audit) == wanted
    }


def numbers(row):
    return row.error, row.rounds, row.measures


@pytest.mark.parametrize("family", ENVIRONMENTS)
def test_scores_and_curves_are_those_of_the_environments_process(full, tmp_path, family):
    every, agent = small(family), resolve(PLAYERS[family])
    tasks = [task for task in every.tasks if agent.refusal(task_of(make(task, 1))) is None]
    for seeds, task in (((0,), tasks[0]), ((0, 1), tasks[-1])):
        suite = replace(every, seeds=seeds, tasks=(task,), hash=task.name)
        ours = played(suite, [PLAYERS[family]], tmp_path / "ours", Confinement())
        within = Confinement(isolation="full", bound=full.shown)
        theirs = played(suite, [PLAYERS[family]], tmp_path / "theirs", within)
        shared = ours.keys() & theirs.keys()
        assert len(theirs) == len(seeds)
        for key in shared:
            assert numbers(theirs[key]) == numbers(ours[key])
            assert theirs[key].error is None
            assert theirs[key].faults == []
            assert theirs[key].bound == list(full.shown)


def test_others_code_plays_and_is_asked_in_the_sandbox_alone(suite, tmp_path, full):
    """It is in no process that is not its own, and none there can write."""
    (tmp_path / "mine.py").write_text(
        "import pathlib\nimport agents\n"
        f"try:\n    pathlib.Path({str(tmp_path / 'written')!r}).write_text('x')\n"
        "except OSError:\n    pass\n\nclass Mine(agents.UCB1):\n    pass\n"
    )
    spec = f"{tmp_path / 'mine.py'}:Mine"
    rows = played(suite, [spec], tmp_path / "s", Confinement(isolation="full"))
    assert [row.error for row in rows.values()] == [None] * 4
    assert {row.spec for row in rows.values()} == {spec}
    assert not (tmp_path / "written").exists()
    ours = played(suite, ["UCB1"], tmp_path / "s", Confinement())
    assert [row.measures for row in rows.values()] == [
        row.measures for (_, agent, _), row in ours.items() if agent == "UCB1"
    ]
    (tmp_path / "linear.py").write_text("from agents import LinUCB as Mine\n")
    todo = plan(suite, [f"{tmp_path / 'linear.py'}:Mine"], Store("x"), confinement=PROCESS)
    (refusal,) = todo.refusals
    assert refusal.error == "it plays linear and news tasks, and this one is armed"


def test_rows_of_one_isolation_do_not_stand_for_those_of_another(suite, tmp_path):
    store = tmp_path / "store"
    for confinement in (Confinement(), PROCESS, AUDIT):
        todo = plan(suite, ["UCB1"], Store(store), confinement=confinement)
        assert sum(len(cell.seeds) for cell in todo.cells) == 4
        rows = played(suite, ["UCB1"], store, confinement)
        assert len([row for row in rows.values() if row.agent == "UCB1"]) == 4
        again = plan(suite, ["UCB1"], Store(store), confinement=confinement)
        assert (again.cells, again.finished) == ([], 4)
    rows, _ = current(suite, Store(store).rows(suite.hash))
    board = build(suite, rows)
    (section,) = board.sections
    labels = {standing.label for standing in section.standings}
    assert labels >= {"UCB1 [none]", "UCB1 [process]", "UCB1 [process, audit]"}
    (told,) = (note for note in board.notes if note.startswith("isolation of the agents: "))
    assert "process, audit: UCB1 [process, audit]" in told


def test_faults_are_told_on_the_board(suite, tmp_path):
    rows = played(suite, [TOYS + "Raises"], tmp_path, PROCESS)
    assert {tuple(map(tuple, row.faults)) for row in rows.values()} == {((5, "error"),)}
    assert {row.error for row in rows.values()} == {None}
    board = build(suite, Store(tmp_path).rows(suite.hash))
    told = "in the sandbox, Raises (error in round 5 on 4 seeds)"
    assert any(told in note for note in board.notes)


def test_pooling_gains_in_lockstep_and_nothing_in_an_audit(suite, tmp_path):
    """Apart, a replicate has seen two arms of eight; together all four have seen all of them."""
    (tmp_path / "pools.py").write_text(POOLS)
    spec = f"{tmp_path / 'pools.py'}:Pools"
    regret = {}
    for confinement in (PROCESS, AUDIT):
        rows = played(suite, [spec], tmp_path / "store", confinement)
        assert {(row.error, row.audit) for row in rows.values()} == {(None, confinement.audit)}
        regret[confinement.audit] = [row.measures["regret"][-1] for row in rows.values()]
    alone = [
        played(replace(suite, seeds=(seed,)), [spec], tmp_path / f"{seed}", Confinement())
        for seed in suite.seeds
    ]
    assert regret[True] == [
        row.measures["regret"][-1] for one in alone for row in one.values() if row.agent == "Pools"
    ]
    assert max(regret[False]) < 0.25 * min(regret[True][:3])  # seed 3 begins beside the best arm
