"""Comparisons in several processes: equal numbers, and agents are isolated. 30 seconds."""

import numpy as np
import pytest

import agents
from leaderboards.comparison import paired_play
from leaderboards.comparison.compare_function import compare
from leaderboards.processes import pool
from leaderboards.processes.workers import Processes
from leaderboards.run import sizes

pytestmark = pytest.mark.processes

SMALL = {"n_arms": 5, "dim": 3, "horizon": 60}
AGENTS = """
import os
from dataclasses import dataclass
import agents
import numpy as np


@dataclass(kw_only=True, eq=False)
class Patches(agents.LinUCB):
    def _learn(self, *given):
        agents.Greedy._choose = lambda self, contexts: np.zeros(self.n, np.int64)
        super()._learn(*given)


@dataclass(kw_only=True, eq=False)
class Raises(agents.LinUCB):
    error: str = "KeyError"

    def _learn(self, *given):
        raise {"KeyError": KeyError, "GeneratorExit": GeneratorExit}[self.error]("no")


@dataclass(kw_only=True, eq=False)
class Dies(agents.LinUCB):
    def _learn(self, *given):
        os._exit(3)
"""


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(AGENTS)
    return str(tmp_path / "mine.py")


def test_numbers_and_order_are_those_of_one_process_and_others_reach_nobody(mine):
    five = [f"{mine}:Patches", "Greedy", "LinUCB(alpha=0.5)", agents.OFUL(), "UniformRandom"]
    there = compare("LinearBandit-v0", five, seeds=3, workers=2, **SMALL)
    assert not hasattr(five[3], "task")  # the object was played elsewhere
    here = compare("LinearBandit-v0", ["LinUCB", *five[1:]], seeds=3, **SMALL)
    assert list(there.traces) == ["Patches", *list(here.traces)[1:]]
    for one, two in zip(there.traces.values(), here.traces.values(), strict=True):
        assert one.measures.keys() == two.measures.keys()
        for name, curve in one.measures.items():
            np.testing.assert_array_equal(curve, two.measures[name])
        assert one.seeds == two.seeds
        assert min(one.seconds) > 0
    assert there.own == {"Patches"}


def test_agents_of_others_have_processes_of_their_own_and_no_more_play_at_a_time(mine, monkeypatch):
    sizes_of, shown = [], []

    class Counted(Processes):
        def __init__(self, workers):
            sizes_of.append(workers)
            super().__init__(workers)

    for module in (paired_play, pool):
        monkeypatch.setattr(module, "Processes", Counted)
    three = [
        paired_play.Player(label, agents.resolve(spec), spec)
        for label, spec in {"a": "LinUCB", "b": f"{mine}:Patches", "c": "OFUL"}.items()
    ]
    traces = paired_play.traces_of(
        "LinearBandit-v0", SMALL, three, [0, 1], workers=2, threads=1,
        show=lambda done, playing: shown.append((done, list(playing))),
    )  # fmt: skip
    assert list(traces) == ["a", "b", "c"]
    assert sorted(sizes_of) == [1, 2]
    assert shown[0] == (0, ["a", "b"])
    assert all(len(playing) <= 2 for _, playing in shown)
    assert sorted({label for _, playing in shown for label in playing}) == ["a", "b", "c"]
    assert [done for done, _ in shown] == sorted(done for done, _ in shown)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Raises", "Raises failed: KeyError: 'no'"),
        ("Raises(error='GeneratorExit')", "failed: GeneratorExit: no"),
        ("Dies", "Dies failed: its process died"),
    ],
)
def test_who_fails_is_named_and_the_cause_has_the_traceback(mine, name, message):
    with pytest.raises(ValueError, match=message) as error:
        compare("LinearBandit-v0", [f"{mine}:{name}"], seeds=2, workers=2, **SMALL)
    if "process died" not in message:
        assert "mine.py" in str(error.value.__cause__)


def test_an_object_of_a_files_class_is_to_be_named(mine):
    with pytest.raises(ValueError, match="Patches cannot be sent to another process: name it"):
        compare("LinearBandit-v0", [agents.resolve(f"{mine}:Patches")], seeds=2, workers=2, **SMALL)


def test_an_environment_of_others_is_made_in_the_workers_too(tmp_path, monkeypatch):
    source = "from banditgym.envs.armed import ArmedBandit\nclass Mine(ArmedBandit): pass\n"
    (tmp_path / "env.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    there = compare("env.py:Mine", ["UCB1", "KLUCB"], seeds=2, workers=2, horizon=40)
    here = compare("env.py:Mine", ["UCB1", "KLUCB"], seeds=2, horizon=40)
    np.testing.assert_array_equal(there.traces["KLUCB"].regret, here.traces["KLUCB"].regret)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, None])
def test_workers_are_a_number_of_them(workers):
    with pytest.raises(ValueError, match="workers must be an integer >= 1"):
        compare("LinearBandit-v0", "LinUCB", seeds=2, workers=workers, **SMALL)


def test_short_comparisons_start_no_processes(monkeypatch):
    monkeypatch.setattr(sizes, "cpu_count", lambda: 7)
    assert sizes.workers_for(sizes.WORTH / 2) == 1
    assert sizes.workers_for(sizes.WORTH * 2) == 7
