"""A service on every agent that randomises: act for many users, learn later, save in between."""

import copy
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pandas as pd
import pytest

import agents
import leaderboards
from agents.storage.loading import load
from banditgym.rounds.kinds import RANKING

ARMS = ("ArmedBandit-v0", {"n_arms": 6})
LINEAR = ("LinearBandit-v0", {"n_arms": 6, "dim": 3, "noise_std": 0.5})
KERNEL = ("KernelBandit-v0", {"n_arms": 12, "dim": 2, "noise_std": 0.5})
BALL = ("BallBandit-v0", {"dim": 3, "noise_std": 0.5})
TEXT = ("SynSep-v0", {})
SLOTS = ("SynSep-v0", {"slots": 2})
NEWS = ("NewsReplay-v0", {"keep": 1.0})

SERVICES = [
    (agents.UniformRandom(), ARMS),
    (agents.UniformRandom(), LINEAR),
    (agents.UniformRandom(), KERNEL),
    (agents.UniformRandom(), BALL),
    (agents.UniformRandom(), ("OnlineConvex-v0", {"dim": 2})),
    (agents.UniformRandom(), TEXT),
    (agents.UniformRandom(), SLOTS),
    (agents.UniformRandom(), NEWS),
    (agents.BetaThompson(), ARMS),
    (agents.EpsilonGreedy(epsilon=0.5), LINEAR),
    (agents.EpsilonGreedy(epsilon=0.5), NEWS),
    (agents.LinTS(), LINEAR),
    (agents.LinTS(), NEWS),
    (agents.BallTS(), BALL),
    (agents.GPTS(), KERNEL),
    (agents.QFFTS(), KERNEL),
    (agents.BKB(), KERNEL),
    (agents.BBKB(), KERNEL),
    (agents.Banditron(gamma=0.5), TEXT),
    (agents.MarginBanditron(gamma=0.5), TEXT),
    (agents.MultiplicativeBanditron(gamma=0.5), TEXT),
    (agents.RankingBanditron(gamma=0.5), SLOTS),
    (agents.SOBA(gamma=0.5), TEXT),
    (agents.EpsilonGreedyLogistic(epsilon=0.5), TEXT),
    (agents.SquareCB(gamma_scale=0.1), TEXT),
]


def made(service) -> tuple[Any, Any]:
    """The environment and its first observation."""
    name, settings = service
    env: Any = gymnasium.make(name, horizon=100, **settings)
    return env, env.reset(seed=3)[0]


def serve(agent: Any, service, through: Any) -> tuple[list, Any]:
    """What is played, and the agent, of 20 visits whose rewards come in two batches, the first of
    them during the visits; ``through`` is where the agent goes between any two calls."""
    env, observation = made(service)
    agent.reset(env.unwrapped.task, seed=5)
    played, waiting = [], {}
    order = np.random.default_rng(1).permutation(12).tolist()
    for t in range(20):
        agent = through(agent)
        assert agent.decisions.tolist() == [t]
        action = agent.act(observation)
        following, reward, _, _, info = env.step(action)
        played.append(action)
        waiting[t] = copy.deepcopy((observation, action, reward, info.get("feedback")))
        observation = following
        if t == 11:
            for decision in order:
                agent = through(agent)
                hear(agent, decision, waiting.pop(decision))
    for decision in reversed(sorted(waiting)[1:]):  # one never comes
        agent = through(agent)
        hear(agent, decision, waiting.pop(decision))
    assert agent.decisions.tolist() == [20]
    return [*played, *(agent.act(observation) for _ in range(5))], agent


def hear(agent, decision, told):
    shown, action, reward, feedback = told
    agent.observe(shown, action, reward, feedback=feedback, decision=decision)


@pytest.mark.parametrize(("agent", "service"), SERVICES)
def test_a_service_that_restarts_is_one_that_runs(agent, service, tmp_path):
    def disk(one):
        one.save(tmp_path / "agent.npz")
        return load(tmp_path / "agent.npz")

    through, ended = serve(agent, service, disk)
    straight, running = serve(agent, service, lambda one: one)
    for one, other in zip(straight, through, strict=True):
        np.testing.assert_array_equal(one, other)
    assert running.decisions.tolist() == ended.decisions.tolist() == [25]


@pytest.mark.parametrize(("agent", "service"), SERVICES)
def test_users_before_the_first_reward_are_not_sent_to_one_place(agent, service):
    """Twenty on the same observation; equal with probability (1/2)^19 or less, and 5/6 of BKB's."""
    env, observation = made(service)
    agent.reset(env.unwrapped.task, seed=5)
    played = np.array([agent.act(observation) for _ in range(20)])
    different = np.unique(played.reshape(20, -1), axis=0)
    assert len(different) == 20 if played.dtype.kind == "f" else len(different) > 1
    again = agent.reset(env.unwrapped.task, seed=5)
    np.testing.assert_array_equal(played, [again.act(observation) for _ in range(20)])


@pytest.mark.parametrize(("agent", "service"), SERVICES)
def test_what_is_not_observed_changes_no_later_act(agent, service):
    env, observation = made(service)
    runs = []
    for told in (False, True):
        agent.reset(env.unwrapped.task, seed=5)
        run = []
        for _ in range(6):
            run.append(agent.act(observation))
            if told:
                feedback: Any = {"loss": 0.0, "gradient": [0.0, 0.0], "curvature": 1.0}
                if agent.task.plays is RANKING:
                    feedback = -1
                agent.observe(observation, run[-1], 1.0, feedback=feedback, observed=False)
        runs.append(run)
    np.testing.assert_array_equal(*runs)


PAGE = Path(__file__).parents[2] / "docs/how-to/from-a-table-to-a-service.md"
# 60 visits, whose rewards come up to 9 visits later and in another order, some of them never; the
# agent is saved every 25 events. Before the event KILL, or within it, the process ends.
SCRIPT = """
import os, signal, sys
import numpy as np
{service}

path, folder, kill, where = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
rng = np.random.default_rng(5)
rows = [dict(length=float(a), width=float(b)) for a, b in rng.standard_normal((60, 2))]
lag = rng.integers(10, size=60)
events = sorted(
    [(t, 0, t) for t in range(60)] + [(t + lag[t], 1 + lag[t], t) for t in range(60) if lag[t] < 9]
)
service = Service(path, folder)

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def last():
    return service.db.execute("SELECT COUNT(*) FROM events").fetchone()[0]

done = last()
for number, (_, is_reward, t) in enumerate(events[done:], done):
    if number == kill and where == "after":  # the commit: it is in the file, and not learned
        service._learn = die
    if number == kill and where == "before":
        service.db.close()
        die()
    if is_reward:
        played = service._act_of(str(t))[2]
        service.hear(str(t), float(played == (rows[t]["length"] > 0)))
    else:
        service.decide(str(t), rows[t])
    if number == kill and where == "between":
        die()
    if number % 25 == 24:
        service.save()
print([service.agent.act(service.encoder(rows[0])) for _ in range(30)])
print({{name: repr(value) for name, value in vars(service.agent).items() if name != "task"}})
"""


def page_service():
    """The page's service, as a module that a reader would copy."""
    blocks = re.findall("```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    (block,) = (block for block in blocks if "class Service" in block)
    return block[: block.index("\n\nservice = Service")]


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """A folder with a chosen agent."""
    folder = tmp_path_factory.mktemp("service") / "chosen"
    length, width = np.random.default_rng(1).standard_normal((2, 200))
    table = pd.DataFrame({"length": length, "width": width, "long": length > 0})
    banditron = ["Banditron(gamma=0.5)"]
    leaderboards.choose(table, "long", banditron, trials=1, seeds=10).save(folder)
    return folder


def test_a_call_that_a_service_refuses_leaves_it_able_to_restart(tmp_path, chosen):
    names: dict[str, Any] = {}
    exec(page_service(), names)
    service = names["Service"](tmp_path / "service.db", chosen)
    row = {"length": 0.5, "width": -1.0}
    answer = service.decide("first", row)
    assert service.decide("first", {"length": -3.0, "width": 2.0}) == answer  # asked again
    with pytest.raises(TypeError, match="int64"):
        service.decide("numpy", row | {"length": np.int64(1)})
    with pytest.raises(ValueError, match="no column 'width'"):
        service.decide("short", {"length": 0.5})
    for reward in (float("nan"), "yes", 7.0, None):
        with pytest.raises(ValueError, match="no reward"):
            service.hear("first", reward)
    with pytest.raises(ValueError, match="no visit 'second'"):
        service.hear("second", 1.0)
    service.hear("first", 1.0)
    with pytest.raises(sqlite3.IntegrityError):
        service.hear("first", 0.0)
    for visit in range(10):
        service.hear(str(visit), float(service.decide(str(visit), row) == answer))
    again = names["Service"](tmp_path / "service.db", chosen)  # from the file alone
    rows = [{"length": x, "width": 1.0} for x in np.linspace(-1, 1, 20).tolist()]
    assert [again.decide(f"new {i}", one) for i, one in enumerate(rows)] == [
        service.encoder.meaning(service.agent.act(service.encoder(one))) for one in rows
    ]


def test_a_service_that_is_killed_continues_as_if_it_had_not_been(tmp_path, chosen):
    script = tmp_path / "service.py"
    script.write_text(SCRIPT.format(service=page_service()))

    def run(name, kill=-1, where="-"):
        given = [tmp_path / f"{name}.db", chosen, str(kill), where]
        command = [sys.executable, script, *given]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    whole = run("whole")
    assert whole.returncode == 0, whole.stderr
    # The second kill is of the process that continues: 25 and 75 are just after a save.
    for kills in (((30, "after"), (70, "between")), ((25, "before"), (75, "between"))):
        name = f"killed-{kills[0][0]}"
        for kill, where in kills:
            assert run(name, kill, where).returncode == -signal.SIGKILL
        continued = run(name)
        assert continued.returncode == 0, continued.stderr
        assert continued.stdout == whole.stdout
