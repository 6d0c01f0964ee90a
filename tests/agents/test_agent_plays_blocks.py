"""Which plays are in blocks: those of this package's unchanged agents, where blocks are faster."""

import dataclasses

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.rounds.blocks import BLOCK_BYTES, LEAST_ROUNDS, rounds_per_block

from .block_cases import T, make


def test_blocks_are_played_where_they_hold_enough_rounds(in_blocks, monkeypatch):
    assert rounds_per_block(10**6, BLOCK_BYTES // LEAST_ROUNDS) == LEAST_ROUNDS
    assert rounds_per_block(3, BLOCK_BYTES // LEAST_ROUNDS) == 3  # the rest of an episode
    assert rounds_per_block(10**6, BLOCK_BYTES // LEAST_ROUNDS + 1) == 0
    assert rounds_per_block(0, 8) == 0
    for n, lengths in ((100, [23, 23, 23, 23, 5]), (150, [15, 15, 15, 15, 15, 15, 7]), (160, [])):
        in_blocks.clear()
        env = gymnasium.make_vec("LinearBandit-v0", num_envs=n, dim=10, n_arms=10, horizon=T)
        agents.play(env, agents.LinUCB())
        assert in_blocks == lengths


def test_an_agent_that_learns_samples_in_its_own_way_plays_round_by_round():
    @dataclasses.dataclass(kw_only=True, eq=False)
    class Different(agents.PEGE):
        def _fit(self, samples, rewards, estimates):
            super()._fit(samples, rewards, estimates)

    assert agents.PEGE().plays_blocks
    assert not Different().plays_blocks


METHODS = {  # and how often a play of T rounds calls them
    "act": T,
    "observe": T,
    "_choose": T,
    "_learn": T,
    "_contexts": 2 * T,
    "_start": 1,
    "play_block": 0,
    "_take_block": 0,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("where", ["subclass", "class", "instance"])
def test_an_agent_with_another_method_plays_round_by_round(method, where, in_blocks, monkeypatch):
    @dataclasses.dataclass(kw_only=True, eq=False)
    class Different(agents.LinUCB):
        pass

    own, heard = getattr(agents.LinUCB, method), []

    def changed(self, *args, **kwargs):
        heard.append(method)
        return own(self, *args, **kwargs)

    agent = Different() if where == "subclass" else agents.LinUCB()
    assert agents.LinUCB().plays_blocks
    if where == "instance":
        setattr(agent, method, changed.__get__(agent))
    else:
        monkeypatch.setattr(type(agent), method, changed, raising=False)
    assert not agent.plays_blocks
    if where == "subclass":
        trace = agents.play(make("fresh"), agent)
        assert not in_blocks
        expected = agents.play(make("fresh"), agents.LinUCB())
        np.testing.assert_array_equal(trace.regret, expected.regret, strict=True)
        assert len(heard) == METHODS[method]
        with pytest.raises(ValueError, match="plays round by round"):
            agents.LinUCB.play_block(agent, None)


def test_blocks_are_back_once_the_methods_are(monkeypatch):
    monkeypatch.setattr(agents.LinUCB, "_learn", lambda *args: None)
    assert not agents.LinUCB().plays_blocks
    monkeypatch.undo()
    assert agents.LinUCB().plays_blocks


@dataclasses.dataclass(kw_only=True, eq=False)
class Peeking(agents.Banditron):
    def _play_block(self, block):
        return block.labels.copy()


class Claiming(type):
    """A metaclass under which classes say that they are whatever they are compared with."""

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(agents.Banditron)


def strangers():
    """Classes that would see what a block hides, each with another forged name."""
    forged = dataclasses.dataclass(kw_only=True, eq=False)(
        type("Banditron", (agents.Banditron,), {"_play_block": Peeking._play_block})
    )
    forged.__module__ = forged._play_block.__module__ = agents.Banditron.__module__
    forged.__qualname__ = "Banditron"

    @dataclasses.dataclass(kw_only=True, eq=False)
    class Asked(agents.Banditron):
        plays_blocks = True

        def play_block(self, block):
            return block.labels.copy()

    @dataclasses.dataclass(kw_only=True, eq=False)
    class Equal(agents.Banditron, metaclass=Claiming):
        plays_blocks = True
        play_block = Asked.play_block

    return [Peeking, forged, Asked, Equal]


@pytest.mark.parametrize("n", [None, 3])
@pytest.mark.parametrize("cls", strangers())
def test_no_stranger_sees_a_block(cls, n, in_blocks, monkeypatch):
    """It holds labels and noise, which only this package's agents are trusted with."""
    monkeypatch.setattr(Peeking._play_block, "__module__", "agents.multiclass.banditron")
    trace = agents.play(make("sparse", n), cls())
    assert not in_blocks
    assert trace.regret[0, -1] > 0


def test_wrappers_that_may_change_a_round_are_called_every_round(in_blocks):
    env = gymnasium.wrappers.TransformReward(make("fresh"), lambda reward: 0.0)
    trace = agents.play(env, agents.LinUCB())
    assert trace.reward[0, -1] == 0.0
    batch = gymnasium.wrappers.vector.TransformReward(make("sparse", 2), lambda reward: 0 * reward)
    assert agents.play(batch, agents.Banditron()).reward.max() == 0.0
    assert not in_blocks


def test_environments_without_blocks_and_agents_without_a_task(in_blocks):
    for env, settings in (
        ("DriftingLinearBandit-v0", {"horizon": 30, "rate": 0.1, "fixed_arms": True}),
        ("OnlineRegression-v0", {"horizon": 30, "outcomes": "adaptive"}),
    ):
        agent = agents.OnlineRidge() if "Regression" in env else agents.LinUCB()
        agents.play(gymnasium.make(env, **settings), agent)
        agents.play(gymnasium.make_vec(env, num_envs=3, **settings), agent)
    assert not in_blocks
    with pytest.raises(ValueError, match="call reset"):
        agents.LinUCB().play_block(None)
