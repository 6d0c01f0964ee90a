"""Save and load: bit for bit in mid-run, and clear refusals."""

import dataclasses
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

import agents
from agents.agent import Agent
from agents.check.small_environments import ENVIRONMENTS
from agents.parts.decision_rules import UCB
from agents.storage.loading import load
from agents.storage.saving import save
from agents.storage.states import changed
from banditgym.tasks import ArmedTask, LinearTask

SETTINGS = [
    ("ArmedBandit-v0", {"n_arms": 4}),
    ("LinearBandit-v0", {"n_arms": 5, "dim": 3}),
    ("LinearBandit-v0", {"n_arms": 3, "dim": 5, "fixed_arms": True}),
    ("LinearBandit-v0", {"n_arms": 9, "dim": 5, "fixed_arms": True}),
    ("LinearBandit-v0", {"arms": [[1.0, 0.0], [0.3, -0.4], [0.0, 0.5]]}),
]


def same(a, b):
    """Whether two states are equal bit for bit, types included."""
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.flags.writeable) == (b.dtype, b.shape, b.flags.writeable)
        assert a.tobytes() == b.tobytes()
    elif dataclasses.is_dataclass(a):
        same(vars(a), vars(b))
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, np.random.Generator):
        same(a.bit_generator.state, b.bit_generator.state)
    else:
        assert a == b or (a != a and b != b)


def plays(name):
    """Whether an agent of ours plays a family of the environments above."""
    return {ArmedTask, LinearTask} & set(getattr(agents, name).accepts)


@pytest.mark.parametrize("name", [name for name in agents.AGENTS if plays(name)])
@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_stopped_and_continued_is_never_stopped(name, env_id, settings, tmp_path):
    agent = agents.resolve(name)
    env = gymnasium.make_vec(env_id, num_envs=3, horizon=40, **settings)
    if agent.refusal(env.unwrapped.task):
        return
    agent.reset(env.unwrapped.task, n=3, seed=6)
    observation, _ = env.reset(seed=6)
    hiding = np.random.default_rng(0)
    continued = []
    for t in range(40):
        if t in (0, 1, 23):
            agent.save(tmp_path / "agent.npz")
            continued.append(agents.load(tmp_path / "agent.npz"))
            same(agent, continued[-1])
        arms = agent.act(observation)
        following, reward, *_ = env.step(arms)
        observed = hiding.random(3) < 0.8
        agent.observe(observation, arms, reward, observed=observed)
        for loaded in continued:
            np.testing.assert_array_equal(loaded.act(observation), arms)
            loaded.observe(observation, arms, reward, observed=observed)
            same(agent, loaded)
        observation = following


@pytest.mark.parametrize(
    ("name", "env_id", "settings"),
    [
        ("BKB(radius='released')", "KernelBandit-v0", ENVIRONMENTS["kernelized"][1][1]),
        ("SAGRegression", "OnlineRegression-v0", ENVIRONMENTS["regression"][1][1]),
    ],
)
def test_a_file_of_version_0_1_is_loaded(name, env_id, settings):
    """Its classes have moved to other modules since."""
    loaded = load(Path(__file__).parent / f"saved/{name.partition('(')[0]}.npz")
    env = gymnasium.make_vec(env_id, num_envs=3, horizon=40, **settings)
    agent = agents.resolve(name).reset(env.unwrapped.task, n=3, seed=[5, 6, 7])
    observation, _ = env.reset(seed=[5, 6, 7])
    hiding = np.random.default_rng(0)
    for _ in range(22):
        action = agent.act(observation)
        following, reward, *_, info = env.step(action)
        seen = hiding.random(3) < 0.8
        agent.observe(observation, action, reward, feedback=info.get("feedback"), observed=seen)
        observation = following
    same(agent, loaded)


@pytest.mark.parametrize(
    ("name", "env_id", "lacks"),
    [
        ("Banditron", "SynSep-v0", ["open.kept_from", "open.dropped"]),
        ("PEGE", "SphereBandit-v0", ["_unanswered"]),
    ],
)
def test_a_file_from_before_an_attribute_was_added_is_loaded(name, env_id, lacks, tmp_path):
    env = gymnasium.make_vec(env_id, num_envs=2, horizon=40)
    agent = agents.resolve(name).reset(env.unwrapped.task, n=2)
    observation, _ = env.reset(seed=0)
    for _ in range(9):
        action = agent.act(observation)
        following, reward, *_ = env.step(action)
        agent.observe(observation, action, reward)
        observation = following
    path = tmp_path / "agent.npz"
    agent.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    described = json.loads(arrays.pop("description").tobytes())
    for attribute in lacks:
        *owners, last = attribute.split(".")
        state = described["state"]
        for owner in owners:
            state = state[owner]["state"]
        del state[last], arrays[f"{name}.{attribute}"]
    text = np.frombuffer(json.dumps(described).encode(), np.uint8)
    np.savez(path, description=text, **arrays)
    assert not changed(vars(agent), vars(load(path)))


def test_a_solo_agent_and_hyperparameters_too(tmp_path):
    env = gymnasium.make("LinearBandit-v0", horizon=9)
    agent = agents.OFUL(radius="closed", noise_std=0.3).reset(env.unwrapped.task, seed=2**80)
    save(agent, str(tmp_path / "one"))  # the name is taken as it is, with no ending added
    loaded = load(tmp_path / "one")
    same(agent, loaded)
    assert repr(loaded) == repr(agent)
    observation, _ = env.reset(seed=0)
    assert type(loaded.act(observation)) is int


def test_an_agent_never_reset_keeps_its_hyperparameters(tmp_path):
    agents.LinUCB(alpha=0.25).save(tmp_path / "new.npz")
    assert repr(load(tmp_path / "new.npz")) == repr(agents.LinUCB(alpha=0.25))
    declares = [name for name in agents.AGENTS if hasattr(getattr(agents, name), "loadable")]
    assert len(declares) >= 14
    for name in declares:
        agents.resolve(name).save(tmp_path / "new.npz")
        assert repr(load(tmp_path / "new.npz")) == repr(agents.resolve(name))


@pytest.mark.parametrize("name", agents.AGENTS)
def test_what_is_declared_loadable_is_there_after_a_reset(name):
    needed = {"Halving": {"hypotheses": [np.eye(2).tolist()] * 2}, "ProjectedHalving": {"dim": 1}}
    agent = getattr(agents, name)(**needed.get(name, {}))
    for env_id, settings in ENVIRONMENTS[agent.accepts[0].family]:
        task = gymnasium.make_vec(env_id, num_envs=2, horizon=9, **settings).unwrapped.task
        if agent.refusal(task) is None:
            agent.reset(task, n=2)
            declared = " ".join(getattr(agent, "loadable", {})).split()
            assert set(declared) <= vars(agent).keys()


def test_saving_twice_keeps_the_later(tmp_path):
    task = ArmedTask(n_arms=2, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = agents.UCB1().reset(task)
    agent.save(tmp_path / "agent.npz")
    agent.observe(0, 1, 1.0)
    agent.save(tmp_path / "agent.npz")
    assert load(tmp_path / "agent.npz").pulls[0, 1] == 1


LARGE = """
import resource, sys
import agents
from banditgym.tasks import ArmedTask

task = ArmedTask(n_arms=9, horizon=None, noise_std=None, subgaussian=0.5, bernoulli=True)
agent = agents.UCB1().reset(task, n=20_000)
"""
SAVES_FOR_EVER = """
agent.save(sys.argv[1])
print("saved", flush=True)
while True:
    agent.save(sys.argv[1])
"""
FILLS_THE_DISK = """
agent.save(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # any write beyond it fails
try:
    agent.save(sys.argv[1])
except OSError:
    print("no room", flush=True)
"""


@pytest.mark.processes
def test_a_killed_process_leaves_the_last_good_file(tmp_path):
    # Almost all of the loop's time is a write: in place, nearly every kill leaves a part of a file.
    path = tmp_path / "agent.npz"
    for i in range(8):
        command = [sys.executable, "-c", LARGE + SAVES_FOR_EVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "saved\n"
            time.sleep(0.013 * i)
            process.kill()
        assert load(path).n == 20_000


def test_a_full_disk_leaves_the_last_good_file(tmp_path):
    path = tmp_path / "agent.npz"
    command = [sys.executable, "-c", LARGE + FILLS_THE_DISK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == "no room\n", done.stderr
    assert load(path).n == 20_000
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_loaded_shares_nothing_with_what_was_saved(tmp_path):
    task = ArmedTask(n_arms=2, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = agents.UCB1().reset(task)
    agent.save(tmp_path / "agent.npz")
    one, other = (load(tmp_path / "agent.npz") for _ in range(2))
    one.observe(0, 1, 1.0)
    assert agent.pulls.sum() == other.pulls.sum() == 0


@dataclass
class Part:
    values: Any
    inner: Any = None


@dataclass(frozen=True)
class FrozenPart:
    values: Any


@dataclass(kw_only=True, eq=False)
class Holder(Agent):
    """Its state is whatever the test puts there."""

    accepts: ClassVar = (ArmedTask, LinearTask)
    value: Any = None


@dataclass(kw_only=True, eq=False)
class KeepsItsTask(agents.ScalarAgent):
    def begin(self, task, rng):
        self.told = task


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6, dtype=np.int8).reshape(2, 3),
        np.array(3.5),
        np.zeros((0, 4)),
        np.arange(6.0).reshape(2, 3).T,
        np.array([1 + 2j, np.nan]),
        np.array(["a", "bc"]),
        np.float64(0.1),
        np.int32(7),
        np.bool_(True),
        np.array([-0.0, np.nan, np.inf, 5e-324]),
        0.1 + 0.2,
        float("inf"),
        float("nan"),
        2**100,
        True,
        None,
        "naïve \u2028",
        [1, [2.0, (3, "x")], []],
        (),
        (1,),
        {"a": 1, "b.c": {"d": np.ones(2)}, "": []},
        {"array": "x"},
        {"items": [1], "tuple": True},
        Part(np.ones(2), FrozenPart((np.zeros(1), 2))),
        np.random.default_rng(3),
        np.random.Generator(np.random.Philox(5)),
        np.random.Generator(np.random.MT19937(5)),
    ],
    ids=lambda v: type(v).__name__,
)
def test_state_of_every_kind_comes_back(value, tmp_path):
    agent = Holder()
    agent.state = value
    if isinstance(value, np.random.Generator):
        value.standard_normal(3, dtype=np.float32)  # in the middle of its buffer
    agent.save(tmp_path / "agent.npz")
    loaded = load(tmp_path / "agent.npz", allow=[Holder, Part, FrozenPart])
    same(agent.state, loaded.state)
    if isinstance(value, np.random.Generator):
        np.testing.assert_array_equal(value.random(5), loaded.state.random(5))


def test_read_only_arrays_stay_read_only(tmp_path):
    agent = Holder()
    agent.kept = np.ones(3)
    agent.kept.flags.writeable = False
    agent.save(tmp_path / "agent.npz")
    assert not load(tmp_path / "agent.npz", allow=[Holder]).kept.flags.writeable


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "Holder.state is a object"),
        (lambda: 1, "Holder.state is a function"),
        ({1, 2}, "Holder.state is a set"),
        ({1: 2}, "Holder.state is a dict"),
        (np.array([None]), "Holder.state is a ndarray"),
        ([1, object()], "Holder.state\\[1\\] is a object"),
        ({"a": (0, b"x")}, "Holder.state\\['a'\\]\\[1\\] is a bytes"),
        (Part(1, object()), "Holder.state.inner is a object"),
        (Part, "Holder.state is a type"),
        (Exception, "Holder.state is a type"),
        (iter([]), "Holder.state is a list_iterator"),
    ],
)
def test_what_cannot_be_saved_is_named_and_no_file_is_left(value, message, tmp_path):
    agent = Holder()
    agent.state = value
    with pytest.raises(TypeError, match=message):
        agent.save(tmp_path / "agent.npz")
    assert not list(tmp_path.iterdir())


def test_arrays_that_share_memory_are_refused_by_name(tmp_path):
    agent = Holder()
    agent.one = np.zeros(4)
    agent.other = agent.one[1:]
    with pytest.raises(TypeError, match="Holder.one and Holder.other share memory"):
        agent.save(tmp_path / "agent.npz")
    agent.other = Part([agent.one])
    with pytest.raises(TypeError, match="Holder.one and Holder.other.values\\[0\\] share memory"):
        agent.save(tmp_path / "agent.npz")


@pytest.mark.parametrize(
    "shared",
    [[1, 2], {"a": 1}, np.random.default_rng(0), Part(3)],
    ids=["list", "dict", "generator", "dataclass"],
)
def test_other_state_that_is_shared_is_refused_by_name(shared, tmp_path):
    """Loaded, the two would go on apart: a shared generator would draw its numbers twice."""
    agent = Holder()
    agent.one = agent.other = shared
    with pytest.raises(TypeError, match="Holder.one and Holder.other share"):
        agent.save(tmp_path / "agent.npz")


def test_a_task_that_all_replicates_keep_is_no_obstacle(tmp_path):
    """A task never changes: replicates of a scalar agent may all hold it, arms included."""
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, arms=[[1.0, 0.0], [0.0, 1.0]])
    agent = KeepsItsTask().reset(env.unwrapped.task, n=2)
    agent.save(tmp_path / "agent.npz")
    loaded = load(tmp_path / "agent.npz", allow=[KeepsItsTask])
    np.testing.assert_array_equal(loaded.replicas[1].told.arms, np.eye(2))


def test_saveable_false_opts_out(tmp_path):
    class Private(Holder):
        saveable: ClassVar[bool] = False

    with pytest.raises(TypeError, match="Private cannot be saved"):
        Private().save(tmp_path / "agent.npz")


def _text(path):
    path.write_text("not an agent")


def _empty(path):
    path.write_bytes(b"")


def _array(path):
    with open(path, "wb") as file:
        np.save(file, np.ones(3))


def _other_npz(path):
    with open(path, "wb") as file:
        np.savez(file, a=np.ones(3))


def _torn(path):
    agents.LinUCB().save(path)
    path.write_bytes(path.read_bytes()[:-40])


def _described(description):
    def write(path):
        text = np.frombuffer(json.dumps(description).encode(), np.uint8)
        with open(path, "wb") as file:
            np.savez(file, description=text)

    return write


@pytest.mark.parametrize(
    ("path", "loads"),
    [
        ("agents.parts.decision_rules.ucb:UCB", True),
        ("agents.parts.decision_rules:UCB", True),  # as files of earlier versions name it
        ("agents.parts.kernelized_agent:UCB", False),
        ("agents.parts.decision_rules.thompson_sampling:UCB", False),
        ("agents.parts.decision_rules.ucb:Exact", False),
    ],
)
def test_a_part_is_found_in_its_module_and_in_the_package_around_it(path, loads, tmp_path):
    """And not where it, or another class, is only imported."""
    agents.GPBandit(rule=UCB(radius=0.4)).save(tmp_path / "agent.npz")
    with np.load(tmp_path / "agent.npz") as stored:
        described = json.loads(stored["description"].tobytes())
    described["state"]["rule"]["class"] = path
    _described(described)(tmp_path / "agent.npz")
    if loads:
        assert load(tmp_path / "agent.npz").rule == UCB(radius=0.4)
    else:
        with pytest.raises(ValueError, match="which this package does not have"):
            load(tmp_path / "agent.npz")


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (_text, "agent.npz"),
        (_empty, "agent.npz"),
        (_array, "agent.npz holds no saved agent"),
        (_other_npz, "agent.npz holds no saved agent"),
        (_torn, "agent.npz"),
        (_described(3), "agent.npz holds no saved agent"),
        (_described({"class": "nowhere.at.all:X", "state": {}}), "nowhere.at.all:X.*does not have"),
        (_described({"class": "agents.linear.linucb:Gone", "state": {}}), "Gone.*does not have"),
        (_described({"class": "json:JSONDecoder", "state": {}}), "JSONDecoder.*does not have"),
        (_described({"class": "agents.check.contract:Agent", "state": {}}), "does not have"),
        (_described({"class": "agents.trace:Trace", "state": {}}), "trace:Trace is no agent"),
    ],
)
def test_a_file_that_holds_no_agent_is_one_clear_line(write, message, tmp_path):
    write(tmp_path / "agent.npz")
    with pytest.raises(ValueError, match=message) as caught:
        load(tmp_path / "agent.npz")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="gone.npz"):
        load(tmp_path / "gone.npz")


def test_no_pickle_is_ever_read(tmp_path):
    """A file made to run code on loading does not run it."""

    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    with open(tmp_path / "agent.npz", "wb") as file:
        np.savez(file, description=np.array([Bomb()], dtype=object))
    with pytest.raises(ValueError, match="."):
        load(tmp_path / "agent.npz")
    assert not (tmp_path / "ran").exists()


def test_an_agent_from_a_file_is_loaded_where_its_class_is_allowed(tmp_path):
    source = tmp_path / "own.py"
    source.write_text(
        "from dataclasses import dataclass\nimport agents\n"
        "@dataclass(kw_only=True, eq=False)\nclass Own(agents.UCB1):\n    pass\n"
    )
    agent = agents.resolve(f"{source}:Own")
    agent.save(tmp_path / "agent.npz")
    assert type(load(tmp_path / "agent.npz", allow=[type(agent)])) is type(agent)
