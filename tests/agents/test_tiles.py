"""Tiles of replicates on threads: bit for bit one batch, for every agent and family."""

import dataclasses
import signal
import sys
import threading
import time

import gymnasium
import numpy as np
import pytest

import agents
from agents import tiles
from agents.check.small_environments import ENVIRONMENTS
from agents.naming import own_agents
from agents.storage.states import equal
from agents.tiles import (
    FEWEST_IN_BLOCKS,
    LEAST_BYTES,
    LEAST_REPLICATES,
    TILE_BYTES,
    n_tiles,
    on_threads,
    tiles_of,
)  # fmt: skip
from banditgym.envs.linear import LinearBandit
from banditgym.rounds.blocks import BLOCK_BYTES, LEAST_ROUNDS

from .slow_clock import SlowClock

T = 23
SEEDS = [2**70, 3, *range(40, 137), 3]  # far apart, in no order, and one of them twice


def make(env="LinearBandit-v0", n=7, **settings):
    return gymnasium.make_vec(env, num_envs=n, **{"horizon": T, **settings})


def same(trace, expected):
    assert (trace.agent, trace.env, trace.seeds) == (expected.agent, expected.env, expected.seeds)
    np.testing.assert_array_equal(trace.rounds, expected.rounds)
    assert list(trace.measures) == list(expected.measures)
    for name, curve in expected.measures.items():
        np.testing.assert_array_equal(trace.measures[name], curve, strict=True)
    np.testing.assert_array_equal(trace.pulls, expected.pulls)


SMALL = [
    (env, settings, make(env, 1, **settings).task)
    for environments in ENVIRONMENTS.values()
    for env, settings in environments
]


def cases():
    """Every agent on the first small environment of each family that it accepts."""
    found = {}
    for name in own_agents():
        agent = agents.resolve(name)
        for env, settings, task in SMALL:
            if agent.refusal(task) is None:
                found.setdefault(f"{name}-{task.family}", (name, env, settings))
    assert {name for name, *_ in found.values()} == {*own_agents()}
    return [pytest.param(*case, id=key) for key, case in found.items()]


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of three replicates at most, whatever their bytes."""
    monkeypatch.setattr(
        tiles, "n_tiles", lambda n, threads, state, block: -(-n // max(1, min(3, n // threads)))
    )


CASES = cases()


def threads_end():
    """Whether the threads of tiles end, within ten seconds: one may just have begun."""
    latest = time.monotonic() + 10.0
    while any(one.name.startswith("tile") for one in threading.enumerate()):
        if time.monotonic() > latest:
            return False
        time.sleep(0.001)
    return True


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "env", "settings"), CASES)
def test_every_agent_plays_the_same_in_tiles(name, env, settings, small_tiles):
    for n, threads in ((1, 2), (2, 2), (7, 1), (7, 3)):
        batch, tiled = make(env, n, **settings), make(env, n, **settings)
        seeds = {"seed": SEEDS[:n], "agent_seed": SEEDS[-n:]}
        expected = agents.play(batch, agents.resolve(name), **seeds)
        same(agents.play(tiled, agents.resolve(name), threads=threads, **seeds), expected)


@pytest.mark.parametrize(("name", "env", "settings"), CASES)
def test_every_agent_plays_the_same_in_tiles_of_many(name, env, settings):
    for n in (1, 2, 7, 100):
        batch = make(env, n, **settings)
        expected = agents.play(batch, agents.resolve(name), seed=SEEDS[:n])
        for threads in (1, 2, 3):
            tiled = make(env, n, **settings)
            trace = agents.play(tiled, agents.resolve(name), seed=SEEDS[:n], threads=threads)
            same(trace, expected)


def test_sizes_of_tiles():
    light, wide = 1000, 100_000  # bytes of a replicate
    # Played singly: as large as the cache, and for threads only if rounds are long enough.
    assert n_tiles(100, 1, light, None) == n_tiles(100, 2, light, None) == 1
    assert n_tiles(2000, 2, light, None) == 1
    assert n_tiles(2098, 2, light, None) == 2
    assert n_tiles(10_000, 1, light, None) == 5
    assert n_tiles(10_000, 2, light, None) == 6
    assert n_tiles(100, 1, wide, None) == 100 // LEAST_REPLICATES
    assert n_tiles(100, 8, wide, None) == 8
    assert n_tiles(100, 40, wide, None) == 100 * wide // LEAST_BYTES == 9
    # In blocks: one for every thread, and blocks that are long enough.
    assert n_tiles(100, 1, light, 8) == 1
    assert n_tiles(100, 3, light, 8) == 3
    assert n_tiles(7, 16, light, 8) == 7
    found = n_tiles(10_000, 1, light, 896)
    rounds, fewer = (BLOCK_BYTES // (896 * -(-10_000 // count)) for count in (found, found - 1))
    assert rounds >= LEAST_ROUNDS > fewer
    # Where blocks of a few replicates would be short, as if there were none.
    few = BLOCK_BYTES // (FEWEST_IN_BLOCKS * LEAST_ROUNDS)
    assert n_tiles(100, 1, wide, few) == 100 // FEWEST_IN_BLOCKS
    assert n_tiles(100, 1, wide, few + 1) == n_tiles(100, 1, 10 * TILE_BYTES, 2 * few) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_tiles_are_all_replicates_in_order(threads):
    env = make(n=1000, contexts="gaussian")
    found = tiles_of(env, agents.LinUCB(), env.task, threads)
    assert len(found) > 2
    assert len(found) % threads == 0
    assert [i for tile in found for i in range(1000)[tile]] == list(range(1000))
    assert {tile.stop - tile.start for tile in found} <= {
        1000 // len(found),
        -(-1000 // len(found)),
    }


def test_environment_and_agent_stay_as_they_were():
    env, agent = make(), agents.LinTS()
    trace = agents.play(env, agent, threads=2)
    assert (env.seeds, env.episode) == ([], 0)
    assert vars(agent) == agent.hyperparameters()
    agents.play(env, agent, seed=5)
    assert trace.state_bytes == agent.state_bytes()
    before = dict(vars(agent))
    agents.play(env, agent, threads=1)
    assert env.seeds == list(range(5, 12))
    assert equal(vars(agent), before)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Foreign(agents.estimators.GradientDescent):
    pass


def others():
    yield make(), type("Theirs", (agents.LinUCB,), {})(), "an agent of others"
    yield make(), agents.FastLinUCB(estimator=Foreign(ridge=1.0)), "a part of others"
    yield gymnasium.make("LinearBandit-v0", horizon=T), agents.LinUCB(), "a single environment"
    single = [lambda: gymnasium.make("LinearBandit-v0", horizon=T)] * 2
    yield gymnasium.vector.SyncVectorEnv(single), agents.LinUCB(), "a vector of Gymnasium's"
    wrapped = gymnasium.wrappers.vector.TransformReward(make(n=2), lambda reward: 2 * reward)
    yield wrapped, agents.LinUCB(), "a wrapper"
    yield (
        type("Mine", (LinearBandit,), {"__module__": "mine"})(2, horizon=T),
        agents.LinUCB(),
        "env",
    )
    changed = agents.LinUCB()
    changed._learn = changed._learn  # type: ignore[method-assign]
    yield make(), changed, "an agent with a method of its own"


@pytest.mark.parametrize(("env", "agent"), [pytest.param(e, a, id=i) for e, a, i in others()])
def test_what_is_not_this_packages_plays_in_one_batch_and_in_this_thread(env, agent):
    trace = agents.play(env, agent, seed=4, threads=2)
    assert trace.state_bytes is None
    assert (agent.decisions == T).all()
    same(trace, agents.play(env, agent, seed=4))


def test_what_reads_files_or_shares_a_process_is_not_made_again(tmp_path):
    file = tmp_path / "rows.svm"
    rows = [f"{x % 3} 1:{x % 5 + 1} 2:{x * x % 7 + 1}" for x in range(40)]
    file.write_text("\n".join(rows) + "\n")
    given = (np.arange(80.0).reshape(40, 2) % 5, np.arange(40) % 3)
    for data, divided in ((given, True), (str(file), False), (file, False)):
        env = make("MulticlassBandit-v0", 3, data=data)
        tiled = tiles_of(env, agents.Banditron(), env.task, 3)
        assert (tiled is not None) == divided
    env = make("NewsReplay-v0", 3)
    assert env.resized(2).num_envs == 2
    env._reads_files = True
    assert env.resized(2) is None
    assert sys.modules["banditgym.envs.labelled_data"].Reuters4._reads_files
    assert tiles_of(make(), agents.resolve("A2C"), make().task, 2) is None


def test_bad_threads_and_refused_tasks():
    for bad in (0, -1, 1.5, "2"):
        with pytest.raises(ValueError, match="threads must be"):
            agents.play(make(), agents.LinUCB(), threads=bad)
    with pytest.raises(ValueError, match="UCB1 cannot play this task: it plays armed tasks"):
        agents.play(make(), agents.UCB1(), threads=2)
    with pytest.raises(ValueError, match=r"horizon 24 is above the task's, 23"):
        agents.play(make(), agents.LinUCB(), threads=2, horizon=24)


@pytest.mark.parametrize("in_blocks", [True, False])
def test_an_error_ends_the_other_tiles_and_has_its_own_message(in_blocks, small_tiles, monkeypatch):
    method, rounds = "_reward", []
    own = getattr(LinearBandit, method)

    def failing(self, *given):
        rounds.append(threading.get_ident())
        if 3 in self.seeds and len(rounds) > 4:
            raise ArithmeticError("the third replicate is odd")
        return own(self, *given)

    monkeypatch.setattr(LinearBandit, method, failing)
    monkeypatch.setattr(
        "banditgym.vector_env.rounds_per_block", lambda m, held: 2 if in_blocks else 0
    )
    env = make(n=6, horizon=1_000_000)
    with pytest.raises(ArithmeticError, match="the third replicate is odd"):
        agents.play(env, agents.LinUCB(), threads=2)
    assert len(set(rounds)) == 2
    assert len(rounds) < 100_000
    assert threads_end()


def test_errors_that_compiled_code_finds_come_through_threads(small_tiles):
    far = np.array([[1e145, 0.0], [0.0, 2e145]])
    env = make("OnlineRegression-v0", 4, contexts=far)
    for threads in (None, 1, 2):
        with pytest.raises(ValueError, match="too long: scale them"):
            agents.play(env, agents.OnlineRidge(), threads=threads)


@pytest.fixture
def interrupts():
    """SIGINT raises, also where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_play(threads, small_tiles, interrupts, monkeypatch):
    own, played = LinearBandit._reward, []

    def interrupting(self, *given):
        played.append(threading.get_ident())
        if len(played) == 100:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return own(self, *given)

    monkeypatch.setattr(LinearBandit, "_reward", interrupting)
    monkeypatch.setattr("banditgym.vector_env.rounds_per_block", lambda m, held: 0)
    with pytest.raises(KeyboardInterrupt):
        agents.play(make(n=6, horizon=1_000_000), agents.LinUCB(), threads=threads)
    assert len(played) < 100_000
    assert threads_end()


def test_tiles_are_played_at_once():
    """Each of two tiles waits for the other; with one thread they would wait for ever."""
    both = threading.Barrier(2, timeout=30)

    def player(ended):
        return lambda tile: (both.wait(), tile * 10)[1]

    assert on_threads([1, 2], 2, player) == [10, 20]
    order = []

    def alone(ended):
        return lambda tile: order.append((tile, threading.current_thread())) or tile

    assert on_threads([3, 1, 2], 1, alone) == [3, 1, 2]
    assert order == [(tile, threading.main_thread()) for tile in (3, 1, 2)]


def test_seconds_are_the_cpu_time_of_the_tiles_threads(monkeypatch, small_tiles):
    """A block takes 1 s to make, 100 s to be played and 10 s to be paid; the CPU works twice."""
    clock = SlowClock(monkeypatch)
    loop = sys.modules["agents.play"]
    clock.slowly(LinearBandit, "_rounds", 1.0)
    clock.slowly(sys.modules["agents.linear.linucb"], "play_optimistic_block", 100.0)
    clock.slowly(LinearBandit, "_reward", 10.0)
    monkeypatch.setattr(loop, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(loop, "thread_time", lambda: 2 * clock.now)
    monkeypatch.setattr(loop, "process_time", lambda: pytest.fail("it counts other threads too"))
    trace = agents.play(make(n=5), agents.LinUCB(), threads=1)  # tiles of three and two
    assert trace.seconds == (2 * 2 * 11, 2 * 2 * 100)
