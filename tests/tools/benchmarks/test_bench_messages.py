"""A sandboxed agent answers, and a bare pipe takes as many bytes."""

from types import SimpleNamespace

import pytest

from leaderboards.sandbox import sandboxed_agent
from tools.benchmarks import bench_messages
from tools.benchmarks.bench_messages import bench_bare_pipe, bench_sandboxed_agent


@pytest.fixture(autouse=True)
def without_bubblewrap(monkeypatch):
    monkeypatch.setattr(bench_messages, "isolation", lambda: SimpleNamespace(level="process"))


def test_an_agent_acts_and_is_told_its_reward(once, monkeypatch):
    called, kind = [], sandboxed_agent.SandboxedAgent

    class Noted(kind):
        def act(self, observation):
            called.append(observation.shape)
            return super().act(observation)

        def observe(self, observation, action, reward, **more):
            called.append(action.tolist())
            return super().observe(observation, action, reward, **more)

    monkeypatch.setattr(bench_messages, "SandboxedAgent", Noted)
    bench_sandboxed_agent(once, 2)
    assert called == [(2, 10, 10), [0, 0]]
    assert once.group == "n=2, isolation process"


def test_a_pipe_echoes(once):
    bench_bare_pipe(once, 2)
    assert once.group == "n=2, isolation process"
