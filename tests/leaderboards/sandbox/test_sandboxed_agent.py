"""A sandboxed agent plays bit for bit as in this process, and faults have their cost."""

import sys
from functools import partial

import gymnasium
import numpy as np
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.check.small_environments import ENVIRONMENTS
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.sandboxed_agent import SandboxedAgent

pytestmark = pytest.mark.sandbox

# One that draws and one that does not for each form, as far as there are both.
PLAYERS = {
    "armed": ["BetaThompson", "TTUCB", "SequentialHalving"],
    "linear": ["LinTS", "FastLinUCB"],
    "strongly_convex": ["BallTS"],
    "kernelized": ["GPTS", "KernelUCB"],
    "regression": ["OnlineRidge"],
    "losses": ["FollowTheRegularizedLeader"],
    "news": ["DisjointLinUCB"],
    "multiclass": ["Banditron", "RankingBanditron", "Perceptron", "Confidit"],
}


# A machine may be busy, and may have to compile.
PATIENT = Limits(wall=300.0, start=600.0, cpu=2000)


def assert_same(one, other):
    assert one.measures.keys() == other.measures.keys()
    for name, values in one.measures.items():
        np.testing.assert_array_equal(values, other.measures[name], err_msg=name, strict=True)
    assert (one.pulls is None) == (other.pulls is None)
    for name in ("pulls", "recommended", "stopped"):
        if getattr(one, name) is not None:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize(
    ("family", "spec"), [(family, spec) for family, specs in PLAYERS.items() for spec in specs]
)
def test_every_number_is_that_of_the_agent_in_this_process(full, family, spec):
    played = 0
    with SandboxedAgent(spec=spec, limits=PATIENT) as sandboxed:
        for id, settings in ENVIRONMENTS[family]:
            for n in (1, 3):  # agents that have blocks of rounds play them in this process

                def made(id=id, n=n, settings=settings):
                    return gymnasium.make_vec(id, num_envs=n, horizon=40, **settings)

                agent = agents.resolve(spec)
                if agent.refusal(made().unwrapped.task) is not None:
                    continue
                ours = agents.play(made(), agent, seed=5)
                theirs = agents.play(made(), sandboxed, seed=5)
                assert sandboxed.faults == [None] * n, (id, settings)
                assert_same(ours, theirs)
                assert sandboxed.state_bytes() == agent.state_bytes()
                played += 1
    assert played >= 2


@pytest.mark.parametrize(
    ("family", "spec"), [("multiclass", "RankingBanditron"), ("news", "DisjointLinUCB")]
)
def test_replicates_apart_play_the_same_as_together(family, spec):
    id, settings = next(
        env for env in ENVIRONMENTS[family] if "data" in env[1] or "slots" in env[1]
    )
    make = partial(gymnasium.make_vec, id, num_envs=2, horizon=30, **settings)
    with SandboxedAgent(
        spec=spec, isolation="process", one_process_per_replicate=True, limits=PATIENT
    ) as sandboxed:
        theirs = agents.play(make(), sandboxed, seed=5)
        assert sandboxed.faults == [None, None]
    assert_same(agents.play(make(), agents.resolve(spec), seed=5), theirs)


def test_a_single_environment_and_its_agent_speak_of_one_replicate():
    with SandboxedAgent(spec="LinTS", isolation="process", limits=PATIENT) as sandboxed:
        for id, settings in ENVIRONMENTS["linear"][:2]:
            make = partial(gymnasium.make, id, horizon=30, **settings)
            ours = agents.play(make(), agents.LinTS(), seed=5)
            assert_same(ours, agents.play(make(), sandboxed, seed=5))
            assert sandboxed.faults == [None]


def test_late_observations_are_learned_from_as_in_this_process(full):
    """Rewards that come rounds later, two at a time, some not at all."""
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=3, n_arms=5, dim=3, horizon=40)
    task, ours = env.unwrapped.task, agents.LinTS()
    with SandboxedAgent(spec="LinTS", limits=PATIENT) as sandboxed:
        for agent in (ours, sandboxed):
            agent.reset(task, n=3, seed=7)
        observation, _ = env.reset(seed=5)
        held = []
        for t in range(40):
            played = ours.act(observation)
            np.testing.assert_array_equal(played, sandboxed.act(observation))
            held.append((t, observation.copy(), played))
            observation, reward, *_ = env.step(played)
            held[-1] += (reward.copy(),)
            while len(held) > 3 and t % 2:
                when, seen, action, paid = held.pop(1)
                for agent in (ours, sandboxed):
                    agent.observe(
                        seen,
                        action,
                        paid,
                        decision=when,
                        observed=np.array([True, t % 3 > 0, True]),
                    )
        assert sandboxed.faults == [None] * 3


@pytest.mark.parametrize(
    ("spec", "name", "settings"),
    [
        ("LinTS", "LinearBandit-v0", {"n_arms": 5, "dim": 3, "law_known": True}),
        ("OnlineGradientDescent", "OnlineConvex-v0", {"dim": 2}),
    ],
)
def test_what_arrives_late_is_learned_as_in_this_process(spec, name, settings):
    law = {"kind": "geometric", "mean": 4}
    env = gymnasium.make_vec(name, num_envs=3, horizon=60, delay=law, missing=0.1, **settings)
    here = agents.play(env, agents.resolve(spec), seed=5)
    with SandboxedAgent(spec=spec, isolation="process", limits=PATIENT) as sandboxed:
        there = agents.play(env, sandboxed, seed=5)
        assert sandboxed.faults == [None] * 3
    assert there.measures.keys() == here.measures.keys()
    for measure, curves in here.measures.items():
        np.testing.assert_array_equal(curves, there.measures[measure])


def test_an_agent_of_a_package_a_file_and_a_folder_is_found(full, tmp_path, monkeypatch):
    code = (
        "from dataclasses import dataclass\nfrom agents import UCB1\n{}\n"
        "@dataclass(kw_only=True, eq=False)\nclass Mine(UCB1):\n    pass\n"
    )
    package = tmp_path / "mine_of_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("")
    (package / "agent.py").write_text(code.format("import mine_of_a_test.inner"))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "part.py").write_text("")
    (folder / "agent.py").write_text(code.format("import part"))
    (tmp_path / "alone.py").write_text(code.format(""))
    monkeypatch.syspath_prepend(tmp_path)
    for level in ("full", "process"):
        for given in (
            {"spec": "mine_of_a_test.agent:Mine"},
            {"spec": "agent.py:Mine", "folder": str(folder)},
            {"spec": "agent:Mine", "folder": str(folder)},
            {"spec": f"{tmp_path / 'alone.py'}:Mine"},
        ):
            with SandboxedAgent(isolation=level, limits=PATIENT, **given) as agent:
                agent.reset(gymnasium.make("ArmedBandit-v0").unwrapped.task, n=2)
    assert "mine_of_a_test" not in sys.modules


def test_packages_of_an_environment_that_lies_in_tmp_are_found(full, tmp_path, monkeypatch):
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "only_here.py").write_text("")
    file = tmp_path / "mine.py"
    file.write_text("import only_here\nfrom agents import UCB1 as Mine\n")
    monkeypatch.syspath_prepend(installed)
    with SandboxedAgent(spec=f"{file}:Mine", limits=PATIENT) as agent:
        agent.reset(gymnasium.make("ArmedBandit-v0").unwrapped.task, n=2)
