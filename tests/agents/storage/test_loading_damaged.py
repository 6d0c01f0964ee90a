"""No file of a saved agent makes compiled code write out of bounds, however it was damaged."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

import agents
from agents.check.small_environments import ENVIRONMENTS
from agents.storage.saving import classes_of
from banditgym.tasks import ArmedTask

pytestmark = pytest.mark.processes

HERE = Path(__file__).parent
CASES = 25  # of each kind, for each agent and environment


@pytest.mark.parametrize("family", ENVIRONMENTS)
@pytest.mark.skipif(sys.platform == "win32", reason="limits of resources are POSIX")
def test_damaged_files_are_refused_in_a_line_or_do_no_harm(family, tmp_path):
    """Every agent of the family: arrays cut, longer, of other types, numbers out of range, bytes
    flipped; what is taken for an agent plays on. A crash of the process would end this one's child.
    """
    command = [sys.executable, "-W", "error", str(HERE / "damaged_files.py"), str(tmp_path), family]
    done = subprocess.run([*command, str(CASES)], capture_output=True, text=True)
    case = (tmp_path / "case").read_text() if (tmp_path / "case").exists() else "none"
    assert done.returncode == 0, f"at {case}: exit {done.returncode}, {done.stderr[-2000:]}"
    found = json.loads(done.stdout)
    assert not found["wrong"], found["wrong"][:5]
    assert found["tried"] > 2 * CASES
    assert found["refused"] > found["tried"] / 2


def task():
    return ArmedTask(n_arms=3, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)


def rewritten(path, change):
    """The file with its description, and its arrays, changed in place."""
    with np.load(path) as stored:
        arrays = dict(stored)
    described = json.loads(arrays.pop("description").tobytes())
    change(described, arrays)
    text = np.frombuffer(json.dumps(described).encode(), np.uint8)
    with open(path, "wb") as file:
        np.savez(file, description=text, **arrays)


def refused(path, change, message):
    rewritten(path, change)
    with pytest.raises(ValueError, match=message) as caught:
        agents.load(path)
    assert "\n" not in str(caught.value)


@pytest.fixture
def saved(tmp_path):
    agents.KLUCB(c=0.5).reset(task(), n=2, seed=4).save(tmp_path / "agent.npz")
    return tmp_path / "agent.npz"


def test_an_array_cut_to_nothing_is_refused(saved):
    def cut(described, arrays):
        arrays["KLUCB.pulls"] = arrays["KLUCB.pulls"][:, :0]

    refused(saved, cut, r"KLUCB.pulls must be of shape \(2, 3\), got \(2, 0\)")


@pytest.mark.parametrize("number", [-1, -(2**40), 2**62])
def test_counters_out_of_range_are_refused(saved, number):
    def count(described, arrays):
        arrays["KLUCB.pulls"][1, 2] = number

    refused(saved, count, "KLUCB.pulls has numbers that are out of range")


def test_hyperparameters_pass_the_constructor(saved):
    def change(described, arrays):
        described["state"]["c"] = -1.0

    refused(saved, change, "c must be finite and >= 0, got -1.0")


def test_nothing_is_imported_that_the_file_names(saved, tmp_path, monkeypatch):
    (tmp_path / "evil_module.py").write_text("open(__file__ + '.ran', 'w')\nclass Agent: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("evil_module:Agent", "agents.evil:Agent", "os:system", "agents.linear.oful:np"):

        def change(described, arrays, name=name):
            described["class"] = name

        refused(saved, change, "which this package does not have")
        assert not (tmp_path / "evil_module.py.ran").exists()


def test_no_function_of_numpy_is_called_by_name(tmp_path):
    """``np.random.seed`` would seed the global generator."""
    path = tmp_path / "agent.npz"
    Own().reset(task()).save(path)
    before: Any = np.random.get_state()  # noqa: NPY002

    def change(described, arrays):
        described["state"]["rng"]["generator"] = "seed"

    rewritten(path, change)
    with pytest.raises(ValueError, match="holds no saved agent"):
        agents.load(path, allow=[Own])
    after: Any = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(before[1], after[1])


@pytest.mark.parametrize("pos", [-1, 625, 10**6])
def test_a_generators_place_is_within_its_numbers(pos, tmp_path):
    path = tmp_path / "agent.npz"
    agent = Own().reset(task())
    agent.rng = np.random.Generator(np.random.MT19937(3))
    agent.save(path)

    def change(described, arrays):
        state = described["state"]["rng"]["state"]["dict"]["state"]["dict"]
        assert "pos" in state
        state["pos"] = pos

    rewritten(path, change)
    with pytest.raises(ValueError, match="holds no saved agent"):
        agents.load(path, allow=[Own])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_arms", 4, "must be of shape"),
        ("n_arms", 0, "n_arms cannot be 0"),
        ("n_arms", 2.0, "n_arms cannot be 2.0"),
        ("horizon", "x", "horizon cannot be 'x'"),
        ("bernoulli", 3, "bernoulli cannot be 3"),
        ("subgaussian", -1.0, "subgaussian cannot be -1.0"),
    ],
)
def test_the_task_is_checked(saved, name, value, message):
    def change(described, arrays):
        described["state"]["task"]["state"][name] = value

    refused(saved, change, message)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("cycle", 0, "cycle has numbers that are out of range"),  # no sample has number -d
        ("cycle", 99, "contradict each other"),
        ("_place", 99, "_place has numbers that are out of range"),
        ("outcomes", None, "contradict each other"),
    ],
)
def test_there_is_room_for_the_next_sample(name, damage, message, tmp_path):
    env: Any = gymnasium.make_vec("SphereBandit-v0", num_envs=2, dim=3, horizon=30)
    agents.FastPEGE().reset(env.unwrapped.task, n=2).save(tmp_path / "agent.npz")

    def change(described, arrays):
        array = arrays[f"FastPEGE.{name}"]
        arrays[f"FastPEGE.{name}"] = array[:, :5] if damage is None else np.full_like(array, damage)

    refused(tmp_path / "agent.npz", change, message)


def test_samples_of_repeated_rows_stay_numbers_of_rows(tmp_path):
    """As rows they would be longer than the room for them."""
    env: Any = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=1, n_arms=9, dim=5, fixed_arms=True, horizon=9
    )
    agents.FastLinUCB().reset(env.unwrapped.task, n=1).save(tmp_path / "agent.npz")

    def unrepeated(described, arrays):
        samples = described["state"]["model"]["state"]["samples"]["state"]
        assert samples["repeated"] is True
        samples["repeated"] = False

    refused(tmp_path / "agent.npz", unrepeated, "repeated cannot be False")


def test_no_row_of_a_kernel_is_without_an_arm(tmp_path):
    """Else the next arm's row would be beyond the largest kernel, and be read there."""
    env: Any = gymnasium.make_vec("KernelBandit-v0", num_envs=1, n_arms=12, horizon=50)
    agents.BKB().reset(env.unwrapped.task, n=1).save(tmp_path / "agent.npz")

    def fill(described, arrays):
        described["state"]["model"]["state"]["n_rows"] = 12
        arrays["BKB.model.rows"] = np.ones((16, 12))

    refused(tmp_path / "agent.npz", fill, "the members of BKB.model contradict each other")


def test_attributes_more_and_less_are_refused(saved):
    data = saved.read_bytes()

    def more(described, arrays):
        described["state"]["extra"] = 1

    def less(described, arrays):
        del described["state"]["pulls"], arrays["KLUCB.pulls"]

    refused(saved, more, "a fresh reset has no 'KLUCB.extra'")
    saved.write_bytes(data)
    refused(saved, less, "KLUCB lacks pulls")


def test_a_compressed_file_is_refused(saved):
    """A few bytes of one may ask for all memory there is."""
    with np.load(saved) as stored:
        arrays = dict(stored)
    with open(saved, "wb") as file:
        np.savez_compressed(file, **arrays)
    with pytest.raises(ValueError, match="holds no saved agent"):
        agents.load(saved)


@dataclass
class Part:
    values: Any


@dataclass(kw_only=True, eq=False)
class Own(agents.ScalarAgent):
    accepts: ClassVar = (ArmedTask,)
    weight: float = 1.0

    def begin(self, task, rng):
        self.part, self.history = Part(np.zeros(task.n_arms)), []

    def choose(self, contexts):
        return int(np.argmin(self.part.values))

    def learn(self, contexts, arm, reward):
        self.part.values[arm] += 1
        self.history = [*self.history, float(reward)]

    def _start(self):
        super()._start()
        self.rng = np.random.default_rng(0)


def test_classes_of_others_are_allowed_by_who_loads(tmp_path):
    agent = Own().reset(task(), n=2)
    agent.observe(np.zeros(2, int), np.array([0, 1]), np.ones(2))
    agent.save(tmp_path / "agent.npz")
    with pytest.raises(ValueError, match=r":Own'.*allow=\[YourAgent\]"):
        agents.load(tmp_path / "agent.npz")
    assert classes_of(agent) == [Own, ArmedTask, Part]
    loaded = agents.load(tmp_path / "agent.npz", allow=[Own])
    assert loaded.replicas[1].history == [1.0]  # it grew: such a class answers for itself
    np.testing.assert_array_equal(loaded.replicas[1].part.values, [0, 1, 0])


@dataclass(kw_only=True, eq=False)
class Descendant(agents.OFUL):
    note: str = ""


def test_named_tuples_are_stored_by_the_names_of_their_fields(tmp_path):
    """Not by their order: a file must not give one field the numbers of another."""
    env: Any = gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=3, dim=2, horizon=9)
    agent, path = agents.LinUCB().reset(env.unwrapped.task, n=2), tmp_path / "agent.npz"
    agent.save(path)

    def turned(described, arrays):
        model = described["state"]["model"]
        assert model["state"]["upper"]["array"] == "LinUCB.model.upper"
        model["state"] = dict(reversed(model["state"].items()))

    rewritten(path, turned)
    for name, value in agents.load(path).model._asdict().items():
        np.testing.assert_array_equal(value, getattr(agent.model, name))

    def other(described, arrays):
        model = described["state"]["model"]
        model["class"] = model["class"].replace("FreshArms", "Rows")

    refused(path, other, "LinUCB.model must be a agents.parts.estimators.ridge:FreshArms")
    agent.save(path)

    def plain(described, arrays):
        model = described["state"]["model"]
        described["state"]["model"] = {"items": [*model["state"].values()], "tuple": True}

    refused(path, plain, "LinUCB.model must be a FreshArms")


def test_what_others_derive_from_ours_is_held_to_its_form(tmp_path):
    """The kernels are ours."""
    env: Any = gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=3, dim=2, horizon=9)
    path = tmp_path / "agent.npz"
    Descendant(note="x").reset(env.unwrapped.task, n=2).save(path)
    assert agents.load(path, allow=[Descendant]).note == "x"

    def cut(described, arrays):
        name = next(key for key in arrays if key.endswith(".model.mean"))
        arrays[name] = arrays[name][:, :1]

    rewritten(path, cut)
    with pytest.raises(ValueError, match="model.mean must be of shape"):
        agents.load(path, allow=[Descendant])
