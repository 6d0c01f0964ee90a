"""Blocks of rounds: bit for bit what is played round by round, for every agent that has them."""

import copy
import dataclasses
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import agents
from agents.agent import Agent
from banditgym.envs.linear import LinearBandit
from banditgym.rounds.blocks import BLOCK_BYTES, still_equivalent
from banditgym.rounds.kinds import POINT
from banditgym.vector_env import BanditVectorEnv

from .block_cases import ALL, BEST_ARM, ENVIRONMENTS, PAIRS, POINTS, SINGLY, TASKS, T, make
from .slow_clock import SlowClock


def state_of(value):
    """Arrays of an agent's or an environment's state by name, as bytes, beside plain data."""
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {key: state_of(item) for key, item in vars(value).items()}
    if isinstance(value, dict):
        return {key: state_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [state_of(item) for item in value]
    return value if isinstance(value, int | float | str | bool) else None


def as_rows(observation):
    if isinstance(observation, dict):
        flat = [value.reshape(*value.shape[:1], -1) for value in observation.values()]
        return np.concatenate(flat, axis=-1)
    return observation


def by_rounds(env, agent, rounds, observation):
    """(actions, rewards, info) (m, n) of the plainest loop, and the next observation."""
    secret = "label" if agent.full_information else "feedback"
    played = []
    for _ in range(rounds):
        action = agent.act(observation)
        following, reward, _, _, info = env.step(action)
        told = {"feedback": info.get(secret), "observed": info.get("observed")}
        agent.observe(observation, action, reward, **told)
        played.append((action, reward, {k: v for k, v in info.items() if k[0] != "_"}))
        observation = following
    actions, rewards, infos = zip(*played, strict=True)
    infos = {name: np.array([info[name] for info in infos]) for name in infos[0]}
    return np.array(actions), np.array(rewards), infos, observation


# The rounds of a block; None: as many as memory has room for.
SIZES = [None, 1, 7]


def limit_blocks(size, monkeypatch):
    if size is not None:
        monkeypatch.setattr("banditgym.vector_env.rounds_per_block", lambda m, held: min(m, size))


@pytest.fixture(params=SIZES, ids=lambda m: f"m={m}")
def size(request, monkeypatch):
    limit_blocks(request.param, monkeypatch)
    return request.param


@pytest.mark.parametrize(("n", "size"), [(1, None), *((9, size) for size in SIZES)])
@pytest.mark.parametrize(("agent", "name"), PAIRS)
def test_a_block_is_its_rounds(agent, name, n, size, tmp_path, monkeypatch):
    limit_blocks(size, monkeypatch)
    ours, theirs = copy.deepcopy(agent), copy.deepcopy(agent)
    env, plain = make(name, n), make(name, n)
    for player in (ours, theirs):
        player.reset(env.unwrapped.task, n=n, seed=5)
    observation, _ = env.reset(seed=11)
    expected, _ = plain.reset(seed=11)
    # Blocks begin wherever rounds one by one have ended, and the other way round.
    for ahead in (0, 3, 0, 2):
        if ahead:
            observation = by_rounds(env, ours, ahead, observation)[-1]
            expected = by_rounds(plain, theirs, ahead, expected)[-1]
        block = env.block(20)
        actions = ours.play_block(block)
        observation, reward, info = env.step_block(block, actions)
        m = len(actions)
        assert m == (20 if size is None else min(20, size))
        arms, paid, infos, expected = by_rounds(plain, theirs, m, expected)
        np.testing.assert_array_equal(actions, arms, strict=True)
        np.testing.assert_array_equal(reward, paid, strict=True)
        assert set(info) == set(infos)
        for key in info:
            np.testing.assert_array_equal(info[key], infos[key], strict=True)
        assert state_of(ours) == state_of(theirs)
        np.testing.assert_array_equal(as_rows(observation), as_rows(expected))
    agents_saved = [tmp_path / "ours.npz", tmp_path / "theirs.npz"]
    for player, path in zip((ours, theirs), agents_saved, strict=True):
        player.save(path)
    assert agents_saved[0].read_bytes() == agents_saved[1].read_bytes()
    # The agent and the environment go on to the same end, and into the next episode.
    left = env.unwrapped.task.horizon - env.unwrapped._t
    *end, _ = by_rounds(env, ours, left, observation)
    *other, _ = by_rounds(plain, theirs, left, expected)
    np.testing.assert_equal(end, other)
    np.testing.assert_equal(
        as_rows(env.step(actions[0])[0]), as_rows(plain.step(actions[0])[0])
    )  # the actions are ignored
    assert state_of(ours) == state_of(theirs)


@pytest.mark.parametrize("agent", POINTS, ids=lambda agent: type(agent).__name__)
@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "line"])
def test_a_block_of_points_is_its_rounds_once_all_rewards_have_come(agent, name, size, monkeypatch):
    """While rewards are open there are no blocks; they come in another order."""
    agents.play(make(name, 5), copy.deepcopy(agent), horizon=30)  # compiled with numpy's own empty
    # New memory holds NaN, so that a point which nobody wrote is noticed.
    monkeypatch.setattr(np, "empty", unwritten)
    ours, theirs = copy.deepcopy(agent), copy.deepcopy(agent)
    env, plain, n = make(name, 5), make(name, 5), 5
    observation, _ = env.reset(seed=2)
    plain.reset(seed=2)
    for player in (ours, theirs):
        player.reset(env.unwrapped.task, n=n, seed=5)
    rounds = []
    for _ in range(11):
        actions = ours.act(observation)
        theirs.act(observation)
        rounds.append((actions, env.step(actions)[1]))
        plain.step(actions)
    for t in (3, 10, *range(4, 10), 2, 1, 0):
        assert not ours.plays_blocks
        with pytest.raises(ValueError, match="plays round by round"):
            ours.play_block(env.block(5))
        for player in (ours, theirs):
            player.observe(observation, *rounds[t], decision=t)
    assert ours.plays_blocks
    played = 0
    while played < 70:
        block = env.block(70 - played)
        actions = ours.play_block(block)
        _, reward, info = env.step_block(block, actions)
        points, paid, infos, _ = by_rounds(plain, theirs, len(actions), observation)
        np.testing.assert_array_equal(actions, points, strict=True)
        np.testing.assert_array_equal(reward, paid, strict=True)
        np.testing.assert_array_equal(info["regret"], infos["regret"], strict=True)
        assert state_of(ours) == state_of(theirs)
        played += len(actions)


def unwritten(shape, dtype=float):
    """What ``np.empty`` may give; integers are 0, because kernels may use them as indices."""
    return np.full(shape, np.nan if dtype is float else 0, dtype)


@pytest.mark.parametrize("name", ["fresh", "fixed, inverse", "news"])
def test_samplers_draw_in_a_block_what_they_draw_in_its_rounds(name, size):
    """Also where replicates have learned different numbers of rewards, which a scale counts."""
    ours, theirs = agents.LinTS(delta=0.2), agents.LinTS(delta=0.2)
    env, plain, n = make(name, 9), make(name, 9), 9
    for player in (ours, theirs):
        player.reset(env.unwrapped.task, n=n, seed=5)
        player._t[:] = np.arange(n) ** 2
        player.decisions[:] = 3 * np.arange(n)
    env.reset(seed=2)
    observation, _ = plain.reset(seed=2)
    for _ in range(3):
        block = env.block(20)
        actions = ours.play_block(block)
        env.step_block(block, actions)
        arms, _, _, observation = by_rounds(plain, theirs, len(actions), observation)
        np.testing.assert_array_equal(actions, arms, strict=True)
        assert state_of(ours) == state_of(theirs)


def round_by_round(agent):
    """The same agent, of a class that says nothing of blocks."""

    def observe(self, *args, **kwargs):
        type(agent).observe(self, *args, **kwargs)

    cls = type(type(agent).__name__, (type(agent),), {"observe": observe})
    other = cls(**agent.hyperparameters())
    assert not other.plays_blocks
    return other


def same_trace(trace, expected):
    assert trace.agent == expected.agent
    assert trace.env == expected.env
    assert trace.seeds == expected.seeds
    np.testing.assert_array_equal(trace.rounds, expected.rounds)
    assert list(trace.measures) == list(expected.measures)
    for key, curve in expected.measures.items():
        np.testing.assert_array_equal(trace.measures[key], curve, strict=True)
    np.testing.assert_array_equal(trace.pulls, expected.pulls)


# Of up to 100 replicates: far apart, in no order, and one of them twice.
SEEDS = [2**70, 3, *range(40, 137), 3]
THREADS = {7: 3, 100: 2}  # by the number of replicates; test_tiles.py has other numbers


@pytest.mark.parametrize("n", [None, 1, 7, 100])
@pytest.mark.parametrize(("agent", "name"), PAIRS)
def test_play_is_the_same_in_blocks(agent, name, n, in_blocks, monkeypatch):
    env, plain = make(name, n), make(name, n)
    other = round_by_round(agent)
    seeds = {"seed": SEEDS[: n or 1], "agent_seed": SEEDS[::-1][: n or 1]}
    # Agents that find the best arm in a given number of rounds need more of them than arms.
    least = 1 if getattr(TASKS[name], "objective", None) is None else 9
    for horizon, rounds, sizes in (
        (env.unwrapped.task.horizon, None, SIZES), (41, [1, 7, 8, 20], [7]), (least, None, [None])
    ):  # fmt: skip
        expected = agents.play(plain, other, horizon=horizon, rounds=rounds, **seeds)
        assert not in_blocks
        for size in sizes:
            with monkeypatch.context() as patch:
                limit_blocks(size, patch)
                trace = agents.play(env, agent, horizon=horizon, rounds=rounds, **seeds)
            same_trace(trace, expected)
            assert state_of(agent) == state_of(other), f"blocks of {size}, {horizon} rounds"
            assert sum(in_blocks) == horizon
            assert max(in_blocks) <= (size or BLOCK_BYTES)
            in_blocks.clear()
        if n in THREADS and horizon >= T:
            before, given = state_of(agent), {"rounds": rounds, "threads": THREADS[n], **seeds}
            same_trace(agents.play(env, agent, horizon=horizon, **given), expected)
            assert sum(in_blocks) % horizon == 0
            assert sum(in_blocks) >= THREADS[n] * horizon  # the rounds of every tile
            in_blocks.clear()
            assert state_of(agent) == before


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", ["sparse", "dense", "fresh", "fixed, kernel", "regression"])
def test_the_next_episode_is_the_same_after_blocks(name, mode, in_blocks):
    """Where a play ends the episode, and where it ends before."""
    env_id, settings = ENVIRONMENTS[name]
    agent = next(agent for agent in ALL if agent.refusal(TASKS[name]) is None)
    for rounds in (T, 31):
        one, other = (
            gymnasium.make_vec(env_id, num_envs=3, autoreset_mode=mode, **settings)
            for _ in range(2)
        )
        agents.play(one, agent, horizon=rounds, seed=8)
        assert sum(in_blocks) == rounds
        agents.play(other, round_by_round(agent), horizon=rounds, seed=8)
        in_blocks.clear()
        actions = one.action_space.sample()
        if mode is AutoresetMode.DISABLED and rounds == T:
            for env in (one, other):
                with pytest.raises(ResetNeeded):
                    env.step(actions)
                env.reset()
        for _ in range(3):
            for mine, theirs in zip(one.step(actions), other.step(actions), strict=True):
                np.testing.assert_equal(mine, theirs)
        agents.play(one, agent, seed=9)  # it is played anew
        assert sum(in_blocks) == T
        in_blocks.clear()


def test_an_environment_that_ends_early_says_so():
    class Ending(LinearBandit):
        @property
        def _over(self):
            return super()._over or self._t == 12

    for n in (1, 7):
        with pytest.raises(ValueError, match="ended its episode after 12 of 30 rounds"):
            agents.play(Ending(n, horizon=30), agents.LinUCB())


def test_environment_and_agent_have_their_own_seconds(monkeypatch):
    """A block takes 1 s to make, 100 s to be played and 10 s to be paid; the CPU works twice."""
    clock = SlowClock(monkeypatch)
    clock.slowly(BanditVectorEnv, "block", 1.0)
    clock.slowly(sys.modules["agents.linear.linucb"], "play_optimistic_block", 100.0)
    clock.slowly(BanditVectorEnv, "step_block", 10.0)
    loop = sys.modules["agents.play"]
    monkeypatch.setattr(loop, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(loop, "process_time", lambda: 2 * clock.now)
    for n in (1, 4):
        limit_blocks(50, monkeypatch)  # two blocks
        assert agents.play(make("fresh", n), agents.LinUCB()).seconds == (2 * 2 * 11, 2 * 2 * 100)


def test_every_round_kept_is_a_sum_in_order():
    agent, name = agents.OnlineRidge(), "regression"
    trace = agents.play(make(name), agent, rounds=range(1, T + 1))
    expected = agents.play(make(name), round_by_round(agent), rounds=range(1, T + 1))
    same_trace(trace, expected)


def test_an_agent_of_a_batch_says_what_a_single_one_does():
    for agent, name in ((agents.Banditron(), "sparse"), (agents.LinUCB(), "fresh")):
        single = agents.play(make(name), agent, seed=4)
        batch = agents.play(make(name, 3), agent, seed=3)
        for key, curve in single.measures.items():
            np.testing.assert_array_equal(curve[0], batch.measures[key][1])


def test_every_agent_that_has_blocks_is_tested_here():
    having = {name for name in agents.__all__ if _has_blocks(getattr(agents, name))}
    assert having == {type(agent).__name__ for agent in ALL}


def _has_blocks(cls):
    return (
        isinstance(cls, type)
        and issubclass(cls, Agent)
        and cls._play_block is not Agent._play_block
        and still_equivalent(cls, "_play_block", ("_choose", "_learn"))
    )


def test_one_row_points_and_agents_that_stop_alone_are_played_round_by_round():
    single = {(type(agent).__name__, name) for agent, name in SINGLY}
    one_row = {
        (type(agent).__name__, name)
        for agent in (
            *(agents.LinUCB(), agents.Greedy(), agents.EpsilonGreedy()),
            agents.InverseGapWeighting(),
        )
        for name in ("one, fresh", "news, one slot")
    }
    points = {("UniformRandom", name) for name, task in TASKS.items() if task.plays is POINT}
    stopping = {
        (type(agent).__name__, "confident")
        for agent in BEST_ARM
        if agent.refusal(TASKS["confident"]) is None
    }
    assert single == one_row | points | stopping


@pytest.mark.parametrize("n", [None, 3])
def test_only_the_last_block_of_a_play_shows_an_observation(n, monkeypatch):
    limit_blocks(7, monkeypatch)
    shown, own = [], BanditVectorEnv._observation
    monkeypatch.setattr(
        BanditVectorEnv, "_observation", lambda self: shown.append(self._t) or own(self)
    )
    env = make("fresh", n)
    agents.play(env, agents.LinUCB())
    assert shown == [0, T]


def test_errors_are_those_of_a_round():
    long = gymnasium.make("LinearBandit-v0", contexts=np.array([[1e160, 0.0], [1.0, 1.0]]) / 1e8)
    agent = agents.LinUCB(ridge=1e-8)
    with pytest.raises(ValueError) as once:  # noqa: PT011 (compared below)
        agents.play(long, round_by_round(agent))
    with pytest.raises(ValueError) as block:  # noqa: PT011
        agents.play(long, agent)
    assert str(block.value) == str(once.value)
    assert "too long" in str(block.value)
    far = gymnasium.make("OnlineRegression-v0", contexts=np.array([[1e145, 0.0], [0.0, 2e145]]))
    with pytest.raises(ValueError, match="too long: scale them"):
        agents.play(far, agents.OnlineRidge())


def test_what_was_thought_before_a_block_answers_its_own_decision_alone():
    env, agent = make("in order", 1), agents.Banditron(gamma=0.5)
    agent.reset(env.unwrapped.task, n=1)
    observation, _ = env.reset(seed=0)
    actions = agent.act(observation)
    agent.play_block(env.block(50))
    kept = agent.weights.copy()
    with pytest.raises(ValueError, match="no open decision 50"):
        agent.observe(observation, actions, np.zeros(1))
    np.testing.assert_array_equal(agent.weights, kept)
    # The first guess was made with weights of 0, and so was label 0; it was wrong.
    kept[0, observation["indices"][0], 0] -= observation["values"][0]
    agent.observe(observation, actions, np.zeros(1), decision=0)
    np.testing.assert_array_equal(agent.weights, kept)
