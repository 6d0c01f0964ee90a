"""A service on every agent that randomises: act for many users, learn later, save in between."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
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
