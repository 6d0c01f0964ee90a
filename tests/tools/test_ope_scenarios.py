"""Logs of scenarios are what they say, and the truth is the policy's mean reward."""

import gymnasium
import numpy as np
import pytest

import agents
from leaderboards.ope import evaluate
from tools import ope_scenarios as board
from tools.ope_scenarios import SCENARIOS, Estimate

BY_NAME = {one.name: one for one in SCENARIOS}
HORIZON = 300


@pytest.fixture(scope="module")
def logs():
    """The logs of every scenario on three seeds."""
    horizons = {"drift": 1600}  # after its last change
    return {
        name: board.played(one, [7, 8, 9], horizons.get(name, HORIZON))
        for name, one in BY_NAME.items()
    }


@pytest.mark.parametrize("name", BY_NAME)
def test_actions_are_played_with_the_logged_probabilities(logs, name):
    """The weights of the uniform policy average 1, within four standard errors."""
    found = logs[name]
    np.testing.assert_allclose(found.propensities.sum(axis=-1), 1, atol=1e-9)
    played = np.take_along_axis(found.propensities, found.actions[..., None], axis=-1)
    weights = 1 / board.N_ARMS / played
    assert (played > 0).all()
    assert abs(weights.mean() - 1) <= 4 * weights.std() / weights.size**0.5 + 1e-12


@pytest.mark.parametrize("name", BY_NAME)
def test_means_are_those_of_the_rewards(logs, name):
    """Rewards average the means of the actions played, within four standard errors."""
    found = logs[name]
    means = BY_NAME[name].means(found.contexts)
    gaps = found.rewards - np.take_along_axis(means, found.actions[..., None], axis=-1)[..., 0]
    assert abs(gaps.mean()) < 4 * gaps.std() / gaps.size**0.5
    assert means.shape == found.propensities.shape


def test_drift_reverses_the_means_at_its_changes():
    means = BY_NAME["drift"].means(np.zeros((1, 2000, 5)))[0]
    firsts = [0, 399, 400, 899, 900, 1499, 1500]
    assert means[firsts, 0].tolist() == [0.5, 0.5, 0.3, 0.3, 0.5, 0.5, 0.3]


@pytest.mark.parametrize("name", ["uniform", "drift"])
def test_the_environments_regret_agrees_with_the_means(name):
    scenario = BY_NAME[name]
    settings = {"horizon": 1600, **scenario.settings}
    envs = gymnasium.make_vec(scenario.env, num_envs=2, **settings)
    observation, _ = envs.reset(seed=[1, 2])
    shown, regrets = [], []
    for _ in range(1600):
        shown.append(np.array(observation) if scenario.contextual else np.zeros((2, 5)))
        observation, _, _, _, info = envs.step(np.array([2, 2]))
        regrets.append(info["regret"])
    means = scenario.means(np.stack(shown, axis=1))
    np.testing.assert_allclose(
        means.max(axis=-1) - means[..., 2], np.stack(regrets, axis=1), atol=1e-9
    )


@pytest.mark.parametrize("name", ["uniform", "thompson", "late"])
def test_a_log_depends_on_its_seed_alone(logs, name):
    alone = board.played(BY_NAME[name], [8], HORIZON)
    for field in ("actions", "rewards", "propensities", "arrivals"):
        np.testing.assert_array_equal(getattr(alone, field)[0], getattr(logs[name], field)[1])


def test_a_log_of_a_scenario_without_late_rewards_is_as_the_agent_plays():
    """Exploration aside, probabilities are those of the agent on the rounds before."""
    scenario, found = BY_NAME["epsilon-greedy"], board.played(BY_NAME["epsilon-greedy"], [3], 40)
    envs = gymnasium.make_vec(scenario.env, num_envs=1, horizon=40, **scenario.settings)
    agent = agents.EpsilonGreedy(epsilon=0.2).reset(envs.unwrapped.task, n=1, seed=99)
    for t in range(40):
        context = found.contexts[:, t]
        np.testing.assert_array_equal(agent.propensities(context), found.propensities[:, t])
        agent.act(context)
        agent.observe(context, found.actions[:, t], found.rewards[:, t])


def test_policies_are_probabilities_and_the_truth_is_their_mean_reward(logs):
    scenario, found = BY_NAME["misspecified"], logs["misspecified"]
    log, policy, truth = board.log_of(scenario, found, 1, 200)
    scores = 8 * found.contexts[1, :200] @ [0.8, -0.5, 0.3, 0.0, 0.1]
    guess = found.contexts[1, :200] @ [0.5, -0.5, -0.3, 0.4, 0.1]
    expected = [
        sum((0.84 if a == g.argmax() else 0.04) / (1 + np.exp(-s[a])) for a in range(5))
        for s, g in zip(scores, guess, strict=True)
    ]
    assert truth == pytest.approx(np.mean(expected))
    np.testing.assert_allclose(policy.sum(axis=1), 1)
    assert len(set(np.round(log.predictions[::5, 0], 12))) == 1  # the model sees no features


def test_late_rounds_are_left_out_and_batches_are_not(logs):
    for name, size in (("late", 150), ("thompson", 150)):
        log, policy, _ = board.log_of(BY_NAME[name], logs[name], 0, size)
        come = (logs[name].arrivals[0, :size] < size).sum() if name == "late" else size
        assert len(log.actions) == len(policy) == come
        assert 0 < come <= size
    assert come == 150


def test_models_of_adaptive_logs_are_fitted_to_earlier_batches(logs):
    log, _, _ = board.log_of(BY_NAME["epsilon-greedy"], logs["epsilon-greedy"], 0, 200)
    assert (np.asarray(log.predictions)[:10] == 0).all()
    assert np.asarray(log.predictions)[10:].any(axis=1).all()


def test_logging_policies_are_the_rows_of_propensities(logs):
    log, _, _ = board.log_of(BY_NAME["thompson"], logs["thompson"], 0, HORIZON)
    assert 1 < len(log.logging_policies) <= 4  # it learns every 100 rounds
    rows = np.asarray(log.logging_policies)[log.policy_of_round]
    np.testing.assert_array_equal(rows, logs["thompson"].propensities[0])
    assert board.log_of(BY_NAME["uniform"], logs["uniform"], 0, 100)[0].logging_policies is None


def test_rows_have_every_estimator_and_those_of_the_caller():
    scenario = BY_NAME["adaptive-ucb"]
    others = {"mine": lambda log, policy: Estimate(0.5, 0.4, 0.6, True)}
    found = board.rows(scenario, [4, 5], sizes=(150, 250), others=others)
    assert len(found) == 2 * 2 * 9
    log, policy, truth = board.log_of(scenario, board.played(scenario, [4, 5], 250), 1, 150)
    mine = {one["estimator"]: one for one in found if one["seed"] == 5 and one["size"] == 150}
    assert mine["mine"]["low"] == 0.4
    expected = evaluate(log, policy, estimator="ips", clip=10)
    assert mine["clipped ips"]["value"] == expected.value
    assert (mine["clipped ips"]["high"], mine["clipped ips"]["truth"]) == (expected.high, truth)
    assert mine["minvar"]["value"] == evaluate(log, policy, estimator="minvar").value
    assert "minvar" not in board.own_estimators(BY_NAME["late"])
