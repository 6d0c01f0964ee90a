"""What a fault costs which replicates, and that a replay takes faults from the record."""

from dataclasses import replace

import gymnasium
import misbehaving
import numpy as np
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.check.small_environments import ENVIRONMENTS
from banditgym.rounds.kinds import ARM, NUMBER, POINT, RANKING
from leaderboards.sandbox import host
from leaderboards.sandbox.faults import KINDS, Fault, Substitute, illegal
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.sandboxed_agent import SandboxedAgent

N, HORIZON = 3, 20


# A machine may be busy.
PATIENT = Limits(wall=300.0, start=600.0)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """What agents of these tests need is compiled before any of their messages is waited for."""
    agents.play(made(), agents.UCB1())


def made(horizon=HORIZON):
    return gymnasium.make_vec("ArmedBandit-v0", num_envs=N, n_arms=4, horizon=horizon)


def sandboxed(way="nothing", level="process", limits=PATIENT, **more):
    spec = f"{misbehaving.__file__}:Misbehaving(way={way!r})"
    return SandboxedAgent(spec=spec, isolation=level, limits=limits, **more)


def assert_same(one, other, replicates):
    for name, values in one.measures.items():
        np.testing.assert_array_equal(values[replicates], other.measures[name][replicates])
    np.testing.assert_array_equal(one.pulls[replicates], other.pulls[replicates])


CLAIMS = """
from agents import UCB1

class Claims(UCB1):
    def state_bytes(self):
        return {claim}
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("claim", [2**62, PATIENT.memory + 1, -1])
def test_a_state_that_no_process_can_have_is_a_fault_and_no_size(tmp_path, claim):
    (tmp_path / "claims.py").write_text(CLAIMS.format(claim=claim))
    spec = f"{tmp_path / 'claims.py'}:Claims"
    with SandboxedAgent(spec=spec, isolation="process", limits=PATIENT) as agent:
        agents.play(made(), agent)
        assert agent.faults == [None] * N
        assert agent.state_bytes() == 0
        assert [(fault.round, fault.kind) for fault in agent.faults] == [
            (HORIZON + 1, "malformed")
        ] * N
        assert agent.faults[0].text == f"it claims a state of {claim} bytes in 4294967296 of memory"
    (tmp_path / "claims.py").write_text(CLAIMS.format(claim=PATIENT.memory))
    with SandboxedAgent(spec=spec, isolation="process", limits=PATIENT) as agent:
        agents.play(made(), agent)
        assert agent.state_bytes() == PATIENT.memory
        assert agent.faults == [None] * N


@pytest.mark.sandbox
@pytest.mark.parametrize("way", ["high arm", "negative arm"])
def test_a_bad_action_costs_its_replicate_alone(way):
    ours = agents.play(made(), agents.UCB1())
    with sandboxed(way) as agent:
        theirs = agents.play(made(), agent)
        faults = agent.faults
        with sandboxed("nothing", recorded=(None, (5, "illegal"), None)) as good:
            replayed = agents.play(made(), good)
    assert [fault and (fault.round, fault.kind) for fault in faults] == [None, (5, "illegal"), None]
    assert_same(ours, theirs, [0, 2])
    # From the record, by an agent that does nothing wrong now: the same in every replicate.
    assert_same(theirs, replayed, [0, 1, 2])
    early = ours.rounds < misbehaving.ROUND
    np.testing.assert_array_equal(ours.reward[1, early], theirs.reward[1, early])


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("way", "kind", "text"),
    [
        ("floats", "malformed", "float64 for int64"),
        ("too many", "malformed", "the shape (4,) for (3,)"),
        ("giant", "malformed", "4294967295 bytes"),
        ("flood", "malformed", ""),
        ("slow", "timeout", "no answer within 5 s"),
        ("dribble", "timeout", ""),
        ("crash", "death", "SIGSEGV"),
        ("exit", "death", "status 3"),
        ("interrupt", "death", "SIGINT"),
        ("error", "error", "KeyError: 'broken"),
        ("close", "death", ""),
    ],
)
def test_what_cannot_be_told_apart_costs_every_replicate(way, kind, text):
    limits = Limits(wall=5.0, start=600.0) if kind == "timeout" else PATIENT
    with sandboxed(way, limits=limits) as agent:
        trace = agents.play(made(), agent)
        faults = agent.faults
    assert [(fault.round, fault.kind) for fault in faults] == [(5, kind)] * N
    assert text in faults[0].text
    assert "\x1b" not in faults[0].text
    assert "\u202e" not in faults[0].text
    assert trace.pulls.sum() == N * HORIZON


@pytest.mark.sandbox
def test_a_replay_plays_a_timeout_from_the_record():
    record = tuple((5, "timeout") for _ in range(N))
    with sandboxed("slow", limits=Limits(wall=5.0, start=600.0)) as agent:
        first = agents.play(made(), agent)
    with sandboxed("nothing", recorded=record) as agent:
        replayed = agents.play(made(), agent)
        assert [(fault.round, fault.kind) for fault in agent.faults] == list(record)
    assert_same(first, replayed, slice(None))


@pytest.mark.sandbox
def test_an_agent_that_computes_for_ever_runs_out_of_its_own_seconds():
    """Without bubblewrap nothing else ends it; one that waits as long on the wall plays on."""
    with sandboxed("spin", limits=Limits(answer=1.0, wall=300.0, start=600.0)) as agent:
        agents.play(made(), agent)
        assert {(fault.kind, fault.text) for fault in agent.faults} == {
            ("timeout", "no answer within 1 s of CPU time")
        }
    with sandboxed("pause", limits=Limits(answer=1.0, wall=300.0, start=600.0)) as agent:
        agents.play(made(), agent)
        assert agent.faults == [None] * N


@pytest.mark.sandbox
def test_within_the_sandbox_used_up_time_ends_the_process(full):
    """Beyond its CPU seconds it is killed, though it could still answer in time."""
    with sandboxed("spin", "full", limits=Limits(cpu=8, wall=300.0, start=600.0)) as agent:
        agents.play(made(), agent)
        assert {fault.kind for fault in agent.faults} == {"cpu"}
        assert "8 s of CPU time" in agent.faults[0].text


@pytest.mark.sandbox
def test_more_cpu_time_than_the_rounds_may_take_is_a_fault():
    """It is counted over all rounds and replicates, from the reset on."""
    with sandboxed("burn", limits=replace(PATIENT, cpu_per_round=0.02)) as agent:
        agents.play(made(), agent)
        faults = agent.faults
    assert [(fault.round, fault.kind) for fault in faults] == [(misbehaving.ROUND, "cpu")] * N
    assert "more of CPU time than its rounds may" in faults[0].text
    with sandboxed("burn", limits=replace(PATIENT, cpu_per_round=1.0)) as agent:
        agents.play(made(), agent)
        assert agent.cpu_seconds() > 0.02 * N * HORIZON
        assert agent.faults == [None] * N


@pytest.mark.sandbox
def test_too_much_cpu_time_shows_at_the_latest_when_all_is_played(monkeypatch):
    monkeypatch.setattr(host, "_LOOK", 1e9)
    with sandboxed("burn", limits=replace(PATIENT, cpu_per_round=0.02)) as agent:
        agents.play(made(), agent)
        assert agent.faults == [None] * N
        agent.state_bytes()
        faults = agent.faults
    assert [(fault.round, fault.kind) for fault in faults] == [(HORIZON + 1, "cpu")] * N


@pytest.mark.sandbox
def test_many_short_waits_are_one_long_one():
    with sandboxed(limits=Limits(waiting=1e-3)) as agent, pytest.raises(ValueError, match="in all"):
        agents.play(made(), agent)


@pytest.mark.sandbox
def test_one_process_each_plays_the_same_and_one_that_dies_costs_one():
    ours = agents.play(made(), agents.UCB1())
    with sandboxed(one_process_per_replicate=True) as agent:
        assert_same(ours, agents.play(made(), agent), slice(None))
        pids = {process.pid for process in agent._own.processes}
        assert len(pids) == N
        agent.reset(made().unwrapped.task, n=N, seed=0)
        agent._own.processes[1]._started.process.kill()
        agent.act(np.zeros(N, np.int64))
        assert [fault and fault.kind for fault in agent.faults] == [None, "death", None]


@pytest.mark.sandbox
def test_what_fails_before_the_first_round_is_an_error_in_words(tmp_path):
    (tmp_path / "wrong.py").write_text("import no_such_module\n")
    for spec, message in {
        f"{tmp_path / 'wrong.py'}:Wrong": "no_such_module",
        f"{tmp_path / 'none.py'}:None": "no such file",
        f"{misbehaving.__file__}:Misbehavin": "Misbehaving",
        "OFUL": "cannot play this task",
    }.items():
        with (
            SandboxedAgent(spec=spec, isolation="process", limits=PATIENT) as agent,
            pytest.raises(ValueError, match=message),
        ):
            agents.play(made(), agent)


@pytest.mark.parametrize(
    ("id", "settings"), [env for envs in ENVIRONMENTS.values() for env in envs]
)
def test_uniform_play_is_legal_and_depends_on_seed_and_round_alone(id, settings):
    env = gymnasium.make_vec(id, num_envs=N, horizon=HORIZON, **settings)
    task = env.unwrapped.task
    observation, _ = env.reset(seed=1)
    one, other = (Substitute(task, N, [4, 5, 6]) for _ in range(2))
    for t in range(5):
        if t != 2:  # nobody asks in every round
            other.act(observation, t)
        actions = one.act(observation, t)
        assert illegal(task, actions, observation) is None
        if t == 4:
            np.testing.assert_array_equal(actions, other.act(observation, t))
            if task.plays is NUMBER:
                assert not actions.any()
        observation, *_ = env.step(actions)


@pytest.mark.parametrize(
    ("id", "settings"), [env for envs in ENVIRONMENTS.values() for env in envs]
)
def test_actions_that_an_environment_refuses_are_told_by_replicate(id, settings):
    env = gymnasium.make_vec(id, num_envs=N, horizon=HORIZON, **settings)
    task = env.unwrapped.task
    observation, _ = env.reset(seed=1)
    good = np.array(Substitute(task, N, [4, 5, 6]).act(observation, 0))
    wrong = {
        ARM: lambda a: [-1, task.n_arms, 2**62],
        NUMBER: lambda a: [np.nan, np.inf, -np.inf],
        POINT: lambda a: [np.full(task.dim, 1e9), np.full(task.dim, np.nan)],
        RANKING: lambda a: [np.full(task.slots, -1), np.full(task.slots, task.n_labels)],
    }[task.plays](good)
    for value in wrong:
        bad = good.copy()
        bad[1] = value
        assert illegal(task, bad, observation).tolist() == [False, True, False]
        with pytest.raises(ValueError, match=r"replicate 1|1"):
            env.step(bad)


def test_an_empty_slot_may_not_be_played():
    env = gymnasium.make_vec("NewsReplay-v0", num_envs=1, data="R6B", n_arms=22, horizon=20)
    observation, _ = env.reset(seed=0)
    empty = np.flatnonzero(observation["action_mask"][0] == 0)
    assert illegal(env.unwrapped.task, empty[:1].astype(np.int64), observation).all()


def test_a_fault_names_its_round_and_kind():
    for kind in KINDS:
        assert Fault(1, kind).kind == kind
    with pytest.raises(ValueError, match="kind must be one of illegal"):
        Fault(1, "late")
    for bad in (0, True, 1.5):
        with pytest.raises(ValueError, match="round must be an integer >= 1"):
            Fault(bad, "error")  # type: ignore[arg-type]
