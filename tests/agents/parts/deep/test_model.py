"""A model as arrays: loaded and continued it has never stopped, and files are not believed."""

import copy
import dataclasses
import json
import os

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.deep import model as model_module
from agents.parts.deep.model import library_seed
from agents.storage.loading import load

sb3 = pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")


def through(path):
    def swap(agent):
        agent.save(path)
        return load(path)

    return swap


@pytest.mark.parametrize("name", agents.LIBRARY_AGENTS)
def test_stopped_and_continued_is_never_stopped(name, plays, small, ours, tmp_path):
    make = getattr(agents, name)
    for horizon in (2, 62):  # stopped before the first update, and within a rollout after some
        straight, played = ours(make(**small[name]), *plays[name], horizon)
        stopped, again = ours(
            make(**small[name]), *plays[name], horizon, through(tmp_path / "agent.npz")
        )
        np.testing.assert_array_equal(played, again)
        assert straight.models == stopped.models
        assert straight.models[0].library._n_updates == stopped.models[0].library._n_updates
    assert straight.models[0].library._n_updates > 3
    # Torch's own optimizers hold the same, which is more than what is saved of them.
    one, other = (agent.models[0].library.get_parameters() for agent in (straight, stopped))
    assert repr(one) == repr(other)


def test_a_copy_is_one_of_its_own(plays, small, ours):
    agent, _ = ours(agents.DQN(**small["DQN"]), *plays["DQN"], 30)
    other = copy.deepcopy(agent)
    assert other.models == agent.models
    observation = np.zeros((4, 3))
    arm = other.act(observation)
    assert other.models != agent.models
    assert agent.act(observation) == arm
    assert other.models == agent.models
    other.observe(observation, arm, 1.0)
    assert other.models != agent.models


def test_open_decisions_are_saved_with_what_is_kept_of_them(tmp_path):
    task = gymnasium.make("ArmedBandit-v0", n_arms=5, horizon=40).unwrapped.task
    agent = agents.A2C(n_steps=3).reset(task, seed=2)
    arms = [agent.act(0) for _ in range(7)]
    agent.save(tmp_path / "agent.npz")
    again = load(tmp_path / "agent.npz")
    for decision in (5, 0, 3, 6, 1):
        for each in (agent, again):
            each.observe(0, arms[decision], 1.0, decision=decision)
    assert agent.models == again.models
    assert [*again.models[0].open] == [2, 4]
    assert again.models[0].library._n_updates == 1
    with pytest.raises(ValueError, match="no open decision 5"):
        again.observe(0, arms[5], 1.0, decision=5)


class Bomb:
    """Makes a folder where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.mkdir, (str(self.path),))


def test_the_librarys_own_file_is_never_read(tmp_path):
    """It holds cloudpickle: whoever loads it runs what it says."""
    marker = tmp_path / "marker"
    model = sb3.A2C("MlpPolicy", gymnasium.make("ArmedBandit-v0"), device="cpu")
    model.bomb = Bomb(marker)
    model.save(tmp_path / "model.zip")
    sb3.A2C.load(tmp_path / "model.zip", device="cpu")
    assert marker.exists()  # the library runs it
    marker.rmdir()
    with pytest.raises(ValueError, match="holds no saved agent"):
        load(tmp_path / "model.zip")
    assert not marker.exists()


def test_a_pickle_within_our_format_is_never_read(tmp_path):
    marker = tmp_path / "marker"
    agent = played(tmp_path / "agent.npz")
    entries = dict(np.load(tmp_path / "agent.npz"))
    name = next(key for key in entries if "tensors" in key)
    entries[name] = np.array([Bomb(marker)], object)
    np.savez(tmp_path / "bad.npz", allow_pickle=True, **entries)
    with pytest.raises(ValueError, match="holds no saved agent"):
        load(tmp_path / "bad.npz")
    assert not marker.exists()
    assert load(tmp_path / "agent.npz").models == agent.models


def played(path):
    """A saved agent in mid-rollout, with an open decision."""
    task = gymnasium.make("ArmedBandit-v0", n_arms=5, horizon=40).unwrapped.task
    agent = agents.A2C(n_steps=3, layers=[2]).reset(task, seed=2)
    for _ in range(4):
        agent.observe(0, agent.act(0), 1.0)
    agent.act(0)
    agent.save(path)
    return agent


def changed(**values):
    """A change of a stored state."""
    return lambda state: dataclasses.replace(state, **values)


def with_buffer(name, value):
    return lambda state: dataclasses.replace(state, buffer={**state.buffer, name: value(state)})


def with_tensor(name, value):
    return lambda state: dataclasses.replace(state, tensors={**state.tensors, name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(position=np.array([3])), "position has numbers that are out of range"),
        (changed(position=np.array([-1])), "position has numbers that are out of range"),
        (changed(position=np.array([0.0])), "position must be of int64"),
        (changed(learned=np.array([-1])), "learned has numbers that are out of range"),
        (changed(torch=np.full(5056, 256, np.int16)), "torch has numbers that are out of range"),
        (changed(torch=np.full(5056, 1, np.int16)), "RuntimeError: .*mt19937|RNG state"),
        (changed(torch=np.zeros(7, np.int16)), r"torch must be of shape \(5056,\)"),
        (changed(numpy=np.random.Generator(np.random.Philox(1))), "contradict each other"),
        (changed(space=np.random.Generator(np.random.MT19937(1))), "contradict each other"),
        (changed(open=np.array([4, 4]), kept=np.zeros((2, 3), np.float32)), "contradict"),
        (changed(open=np.array([3, 4])), "kept must be of shape"),
        (changed(open=np.array([-4]), kept=np.zeros((1, 3), np.float32)), "open has numbers"),
        (changed(kept=np.zeros((1, 4), np.float32)), "kept must be of shape"),
        (changed(n_arms=6), "n_arms cannot be 6"),
        (with_buffer("actions", lambda state: np.full((3, 1, 1), 5)), "contradict each other"),
        (with_buffer("actions", lambda state: np.zeros((4, 1, 1), int)), "actions'. must be of sh"),
        (with_buffer("more", lambda state: np.zeros(3)), "buffer must have the keys"),
        (with_tensor("policy/action_net.bias", np.zeros(6, np.float32)), "must be of shape"),
        (with_tensor("policy/action_net.bias", np.zeros(5)), "must be of float32"),
    ],
)
def test_a_state_that_it_cannot_have_is_refused(change, message, tmp_path, monkeypatch):
    agent = played(tmp_path / "agent.npz")
    (model,) = agent.models
    bad = change(model.stored())
    monkeypatch.setattr(model, "stored", lambda: bad)
    agent.save(tmp_path / "bad.npz")
    monkeypatch.undo()
    with pytest.raises(ValueError, match=message) as caught:
        load(tmp_path / "bad.npz")
    assert "\n" not in str(caught.value)


def test_numbers_that_are_not_finite_raise_and_do_no_more(tmp_path, monkeypatch):
    agent = played(tmp_path / "agent.npz")
    (model,) = agent.models
    bad = with_tensor("policy/action_net.bias", np.full(5, np.nan, np.float32))(model.stored())
    monkeypatch.setattr(model, "stored", lambda: bad)
    agent.save(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match="nan"):
        load(tmp_path / "bad.npz").act(0)


def test_a_file_has_arrays_and_json_alone(tmp_path):
    played(tmp_path / "agent.npz")
    with np.load(tmp_path / "agent.npz", allow_pickle=False) as file:
        kinds = {file[name].dtype.kind for name in file.files}
        described = json.loads(file["description"].tobytes())
    assert kinds <= set("bifu")
    assert described["class"] == "agents.deep.a2c:A2C"


def test_the_librarys_seeds_are_those_of_published_rows():
    assert [library_seed(seed) for seed in (0, 7)] == [476252562, 357565251]


def test_as_many_decisions_may_be_open_as_are_kept(small, monkeypatch):
    monkeypatch.setattr(model_module, "MOST", 3)
    task = gymnasium.make("LinearBandit-v0", n_arms=4, dim=3).unwrapped.task
    agent = agents.PPO(**small["PPO"]).reset(task, seed=1)
    for _ in range(5):
        agent.act(np.ones((4, 3)))
    state = agent.models[0].stored()
    assert state.open.tolist() == [2, 3, 4]
    assert state.consistent()
    more = dataclasses.replace(state, open=np.arange(4))
    assert not more.consistent()


def test_points_that_were_played_may_be_at_the_end_of_their_box(small):
    task = gymnasium.make("BallBandit-v0", dim=3).unwrapped.task
    state = agents.A2C(**small["A2C"]).reset(task, seed=1).models[0].stored()
    state.buffer["actions"][:] = 1.0
    assert state.consistent()
