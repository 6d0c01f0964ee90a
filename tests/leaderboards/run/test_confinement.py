"""Where an agent plays, and what its rows say. Sandboxed games: test_runner_sandboxed.py."""

import pytest

from leaderboards.run.confinement import HERE, Confinement, best
from leaderboards.sandbox import isolation as module
from leaderboards.sandbox.isolation import Isolation
from leaderboards.sandbox.limits import MEGABYTE, Limits
from leaderboards.suites.suite import load


def test_rows_say_where():
    assert HERE.about == {"isolation": "none", "bound": [], "audit": False}
    audit = Confinement(isolation="full", bound=("memory",), audit=True)
    assert audit.about == {"isolation": "full", "bound": ["memory"], "audit": True}
    assert (HERE.apart, audit.apart) == (False, True)


def test_an_audit_needs_processes():
    with pytest.raises(ValueError, match="one process per replicate needs the sandbox"):
        Confinement(audit=True)


def test_the_agent_has_the_class_of_the_suite_as_its_limits():
    core = load("core-v2").resources
    confinement = Confinement(isolation="process", audit=True, resources=core)
    agent = confinement.agent("UCB1", recorded=(None,))
    assert agent.limits == Limits(
        cpu_per_round=0.005, answer=10.0, wall=100.0, start=120.0, start_wall=1200.0,
        memory=4096 * MEGABYTE,
    )  # fmt: skip
    assert (agent.spec, agent.isolation, agent.recorded) == ("UCB1", "process", (None,))
    assert agent.one_process_per_replicate
    assert Confinement(isolation="process").agent("UCB1").limits == Limits()


def test_the_cpu_time_of_a_process_is_that_of_its_rounds_and_the_rest():
    limits = Limits(cpu=10, cpu_per_round=0.25)
    assert limits.for_rounds(3, 7) == 0.25 * 3 * 7
    assert limits.of_game(3, 7).cpu == 16
    assert limits.of_game(3, None) == limits
    assert Limits().for_rounds(3, 7) is None


def test_the_best_is_what_was_shown(monkeypatch):
    found = Isolation("process", ("memory",), "why")
    monkeypatch.setattr(module, "isolation", lambda: found)
    expected = Confinement(isolation="process", bound=("memory",), audit=True)
    assert best(audit=True) == (expected, "why")
