"""Agents are handed seeds from which nobody can compute the environment's."""

import dataclasses
import gc
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.streams import ENVIRONMENT, Stream
from leaderboards.run.cell import Cell, play_cell
from leaderboards.run.store.store import Row
from leaderboards.suites.suite import SuiteTask

# Far from every count and size, so that whoever has one of these has it from the environment.
SEEDS = [7_123_456_789_012_345_678 + i for i in range(3)]

# What leads on to the whole program, and so tells nothing of who holds what.
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.FrameType)


def reachable(start: Any) -> Iterator[Any]:
    """Every object that one gets to from ``start``, through attributes, items, slots and bases."""
    todo, seen = [start], {}
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(value, _SHARED):
            continue
        seen[id(value)] = value  # held, so that no other object is given its id
        yield value
        todo += gc.get_referents(value)
        if isinstance(value, np.ndarray):  # what numpy's and Cython's objects hold, gc is not told
            todo.append(value.base)
            todo += value.ravel().tolist() if value.dtype == object else []
        elif isinstance(value, np.random.Generator):
            todo.append(value.bit_generator)
        elif isinstance(value, np.random.BitGenerator):
            todo += [value.seed_seq, value.state]
        elif isinstance(value, np.random.SeedSequence):
            todo += [value.entropy, value.spawn_key, value.pool]
        elif isinstance(value, memoryview):
            todo.append(value.obj)


def leaks(start: Any, seeds: Any = SEEDS) -> list[str]:
    """Where the environment's seeds, or keys of its streams, are reachable."""
    keys = [
        key
        for purpose in range(16)
        for episode in range(2)
        for key in Stream(seeds, ENVIRONMENT, purpose, episode).keys
    ]
    words = {int(word) for key in keys for word in key}
    patterns = [key.tobytes() for key in keys] + [s.to_bytes(8, "little") for s in seeds]
    found = []
    for value in reachable(start):
        if isinstance(value, (int, np.integer)) and (int(value) in seeds or int(value) in words):
            found.append(f"the number {value}")
        elif isinstance(value, str) and any(str(seed) in value for seed in seeds):
            found.append(f"the text {value}")
        elif isinstance(value, (np.ndarray, bytes, bytearray)) and not (
            isinstance(value, np.ndarray) and value.dtype == object
        ):
            data = value.tobytes() if isinstance(value, np.ndarray) else bytes(value)
            found += [f"{p.hex()} in an array" for p in patterns if p in data]
    return found


def watched(agent: Any) -> Any:
    """The agent, of a class that looks for leaks whenever it is called."""

    def spy(name: str):
        def call(self, *given):
            self.__class__.looked += 1
            found = leaks([self, *given])
            assert not found, found
            return getattr(type(agent), name)(self, *given)

        return call

    members = {name: spy(name) for name in ("_choose", "_learn")} | {"looked": 0}
    kind: Any = type(type(agent).__name__, (type(agent),), members)
    return kind(**agent.hyperparameters())


@dataclasses.dataclass(kw_only=True, eq=False)
class Noisy(agents.ScalarAgent):
    """Keeps a generator for each replicate."""

    def begin(self, task, rng):
        self.rng, self.n_arms = rng, task.n_arms

    def choose(self, contexts):
        return int(self.rng.integers(self.n_arms))

    def learn(self, contexts, arm, reward):
        pass


# (environment, its settings, agents)
PLAYED = [
    ("ArmedBandit-v0", {"n_arms": 3}, [agents.BetaThompson(), Noisy(), agents.UCB1()]),
    (
        "LinearBandit-v0",
        {"n_arms": 4, "dim": 3},
        [agents.LinTS(), agents.FastLinUCB(), agents.EpsilonGreedy(), agents.CBRAP(), Noisy()],
    ),
    (
        "KernelBandit-v0",
        {"n_arms": 8, "dim": 2},
        [agents.GPTS(), agents.BKB(), agents.RFFUCB(), agents.SoRUCB(size=3)],
    ),
    (
        "SynSep-v0",
        {},
        [agents.Banditron(), agents.SquareCB(), agents.UniformRandom()],
    ),
    ("SynSep-v0", {"slots": 2}, [agents.RankingBanditron()]),
    ("NewsReplay-v0", {"keep": 1.0}, [agents.LinTS(), agents.UniformRandom(), agents.SOFUL()]),
    ("BallBandit-v0", {"dim": 3}, [agents.BallTS(), agents.FastPEGE(), agents.UniformRandom()]),
    ("OnlineRegression-v0", {"dim": 3}, [agents.SAGRegression(), agents.SVRGRegression()]),
    ("OnlineConvex-v0", {"dim": 2}, [agents.UniformRandom()]),
]  # fmt: skip
CASES = [(env, settings, agent) for env, settings, playing in PLAYED for agent in playing]


@pytest.mark.nightly
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize(("env", "settings", "agent"), CASES)
def test_an_agent_reaches_neither_the_environments_seed_nor_its_keys(env, settings, agent, n):
    if n == 1:
        made: Any = gymnasium.make(env, horizon=6, **settings)
    else:
        made = gymnasium.make_vec(env, num_envs=n, horizon=6, **settings)
    playing = watched(agent)
    agents.play(made, playing, seed=SEEDS[:n])
    assert type(playing).looked == 12
    agents.play(made, playing, seed=SEEDS[:n], agent_seed=SEEDS[:n])
    assert not leaks(playing)
    if n == 1:  # in blocks, where agent and environment have them
        agents.play(made, agent, seed=SEEDS[:1])
        assert not leaks(agent)


def test_the_search_finds_what_is_there():
    """In every place that it looks at, so that it may be believed where it finds nothing."""
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=3, n_arms=4, dim=3)
    env.reset(seed=SEEDS)
    task = env.unwrapped.task
    for agent in (agents.LinTS(), Noisy()):
        assert leaks(agent.reset(task, n=3, seed=SEEDS))
    agent = agents.LinUCB().reset(task, n=3, seed=1)
    assert not leaks(agent)
    keys = Stream(SEEDS, ENVIRONMENT, 2, 0).keys
    for hidden in (
        {"a": [(SEEDS[2],)]}, np.array(SEEDS), np.array([SEEDS[0], None]), f"seed {SEEDS[1]}",
        keys, keys[1:][::-1], keys[2].tolist(), [env], lambda: env, np.random.default_rng(SEEDS[0]),
        keys.view(np.uint64)[1], memoryview(keys), np.ascontiguousarray(keys)[:0],
    ):  # fmt: skip
        if isinstance(hidden, types.FunctionType):
            hidden = hidden.__closure__
        agent.hidden = hidden
        assert leaks(agent), hidden
    del agent.hidden
    assert not leaks(agent)


def test_in_the_runner_too(tmp_path: Path):
    here = Path(__file__)
    for env, settings, kind in (
        ("ArmedBandit-v0", {"n_arms": 3}, "BetaThompson"),
        ("LinearBandit-v0", {"n_arms": 4, "dim": 3}, "LinTS"),
        ("KernelBandit-v0", {"n_arms": 8, "dim": 2}, "BKB"),
        ("SynSep-v0", {}, "Banditron"),
        ("NewsReplay-v0", {"keep": 1.0}, "EpsilonGreedy"),
    ):
        file = tmp_path / f"{kind.lower()}.py"
        file.write_text(
            "import sys\n"
            "from dataclasses import dataclass\n"
            f"sys.path.insert(0, {str(here.parent)!r})\n"
            f"from {here.stem} import leaks\n"
            "sys.path.pop(0)\n"
            "import agents\n"
            "@dataclass(kw_only=True, eq=False)\n"
            f"class Spy(agents.{kind}):\n"
            "    def _choose(self, *given):\n"
            "        assert not leaks([self, *given]), leaks([self, *given])\n"
            "        return super()._choose(*given)\n"
            "    def _learn(self, *given):\n"
            "        assert not leaks([self, *given]), leaks([self, *given])\n"
            "        super()._learn(*given)\n"
        )
        measure = "clicks" if env == "NewsReplay-v0" else "regret"
        task = SuiteTask(
            name="one", env=env, settings=settings, horizon=5, family="one", measure=measure
        )
        blank = Row(
            suite="", task="one", agent="Spy", spec=f"{file}:Spy", hyperparameters={}, seed=-1,
            sources="", data={}, error=None, rounds=None, measures=None, seconds=None, bytes=None,
            facts=[], paper=None,
        )  # fmt: skip
        for seeds in (SEEDS, SEEDS[1:2]):
            cell = Cell(number=0, task=task, blank=blank, seeds=tuple(seeds))
            rows = play_cell(cell).rows
            assert [row.error for row in rows] == [None] * len(seeds)
            assert [row.seed for row in rows] == seeds


@dataclasses.dataclass(kw_only=True, eq=False)
class Rebuilder(agents.ScalarAgent):
    """Makes the environment anew from the seed that it was given, and plays its best arm."""

    def begin(self, task, rng):
        env: Any = gymnasium.make("ArmedBandit-v0", n_arms=task.n_arms)
        env.reset(seed=rng.bit_generator.seed_seq.entropy)
        self.best = int(env.unwrapped.batched._means[0].argmax())

    def choose(self, contexts):
        return self.best

    def learn(self, contexts, arm, reward):
        pass


def test_who_rebuilds_the_environment_from_its_seed_has_regret_again():
    """With 10 arms the best one of another environment is this one's in one case of ten."""
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=50, n_arms=10, horizon=20)
    cheat = Rebuilder().reset(envs.unwrapped.task, n=50, seed=0)  # who is told can do it
    observation, _ = envs.reset(seed=0)
    assert not envs.step(cheat.act(observation))[4]["regret"].any()

    for given in ({}, {"agent_seed": 0}):
        lost = agents.play(envs, Rebuilder(), seed=0, **given).regret[:, -1] > 0
        # Binomial(50, 0.9): 36 or fewer has a probability of 2e-4, 50 of all one of 5e-3.
        assert lost.sum() > 36
    single = gymnasium.make("ArmedBandit-v0", n_arms=10, horizon=20)
    lost = [agents.play(single, Rebuilder(), seed=s).regret[0, -1] > 0 for s in range(50)]
    assert sum(lost) > 36


def test_derived_seeds_are_what_play_resets_with():
    seeds = [0, 2**70, 5]
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, horizon=5)
    agent = agents.BetaThompson()
    agents.play(envs, agent, seed=seeds)
    assert agent.seeds == agents.derived_seeds(seeds, 3)
    agents.play(envs, agent, seed=seeds, agent_seed=7)
    assert agent.seeds == agents.derived_seeds(7, 3) == agents.derived_seeds([7, 8, 9], 3)
    assert all(0 <= seed < 2**128 for seed in agent.seeds)
    single = gymnasium.make("ArmedBandit-v0", horizon=5)
    agents.play(single, agent, seed=8)
    assert agent.seeds == agents.derived_seeds(8)
    with pytest.raises(ValueError, match="expected one seed per replicate, 2, got 3"):
        agents.derived_seeds(seeds, 2)


@pytest.mark.parametrize("kind", [agents.UniformRandom, agents.LinTS, agents.EpsilonGreedy])
@pytest.mark.parametrize("n", [1, 4])
def test_the_same_seeds_by_hand_are_the_same_run(kind, n):
    """Round by round, so that nothing but the seeds tells ``play`` from a plain loop."""
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=n, n_arms=5, dim=3, horizon=40)
    trace = agents.play(envs, kind(), seed=3)
    agent = kind().reset(envs.unwrapped.task, n=n, seed=agents.derived_seeds(3, n))
    observation, _ = envs.reset(seed=3)
    regret, pulls = np.zeros(n), np.zeros((n, 5), int)
    for _ in range(40):
        arms = agent.act(observation)
        following, reward, _, _, info = envs.step(arms)
        agent.observe(observation, arms, reward)
        observation = following
        regret += info["regret"]
        pulls[np.arange(n), arms] += 1
    np.testing.assert_array_equal(trace.pulls, pulls)
    np.testing.assert_array_equal(trace.regret[:, -1], regret)
