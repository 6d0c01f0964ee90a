"""A context that all arms share: as agents are given it, and that both forms say the same."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.inputs.observations import contexts
from agents.inputs.shared_context import MOST_FEATURES, blocks_of, in_blocks
from agents.storage.loading import load


def make(n=5, env="LinearBandit-v0", **settings):
    settings = {"n_arms": 4, "dim": 3, "horizon": 60, "parameters": "per_arm"} | settings
    return gymnasium.make_vec(env, num_envs=n, **settings)


def plain(task, context):
    """Features (n, K, d) or (n, K, K d) of the arms."""
    each = np.ones((task.n_arms, 1)) if task.dim == context.shape[1] else np.eye(task.n_arms)
    return np.array([np.kron(each, x) for x in context])


@pytest.mark.parametrize("form", [lambda task: task, in_blocks])
@pytest.mark.parametrize("solo", [False, True])
def test_features_are_those_of_the_context(form, solo):
    envs = make(1)
    task, (shown, _) = form(envs.unwrapped.task), envs.reset(seed=0)
    for given in (shown, shown.tolist(), np.asfortranarray(shown), shown.astype(np.float32)):
        features, _ = contexts(task, given[0] if solo else given, 1, solo)
        expected = plain(task, np.asarray(given, float)).transpose(0, 2, 1)
        np.testing.assert_array_equal(features, expected)
        assert features.flags.c_contiguous
        assert not features.flags.writeable
    with pytest.raises(ValueError, match=r"expected features of shape \(.*3,?\), got"):
        contexts(task, shown[..., :2], 1, False)


def test_in_blocks_is_the_same_task_once_more():
    task = in_blocks(make().unwrapped.task)
    assert (task.dim, task.context_dim, task.param_norm) == (12, 3, 1.0)
    assert in_blocks(task) == task
    assert task.fault() is None


@pytest.mark.parametrize("form", [lambda task: task, in_blocks])
def test_the_rounds_of_a_block_are_cut_where_features_need_more_memory(form, monkeypatch):
    monkeypatch.setattr("agents.inputs.shared_context.BLOCK_BYTES", 8 * 5 * 12 * 4 * 7)
    envs = make()
    envs.reset(seed=0)
    block, task = envs.unwrapped.block(20), form(envs.unwrapped.task)
    parts = list(blocks_of(task, block))
    assert [part.start for part in parts] == ([0, 7, 14] if task.dim == 12 else [0])
    assert sum(len(part) for part in parts) == len(block) == 20
    for name in ("means", "noise", "best"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(joined, getattr(block, name))
    features = np.concatenate([part.features for part in parts])
    for of_round, context in zip(features, block.context, strict=True):
        np.testing.assert_array_equal(of_round.swapaxes(1, 2), plain(task, context))


@pytest.mark.parametrize("others", [{}, {"available": [[0, [0, 1, 3]], [30, [1, 2]]]}])
def test_blocks_of_features_and_models_of_arms_have_the_same_indices(others):
    envs = make(horizon=200, noise_std=0.3, **others)
    one, other = agents.LinUCB(alpha=0.7, ridge=0.4), agents.DisjointLinUCB(alpha=0.7, ridge=0.4)
    observation, _ = envs.reset(seed=1)
    for agent in (one, other):
        agent.reset(envs.unwrapped.task, n=5)
    agreed = 0
    for _ in range(200):
        arms = one.act(observation)
        chosen = other.act(observation)
        indices = [
            mean + 0.7 * np.sqrt(variance)
            for mean, variance in (
                one.model.predict(one._contexts(observation)),
                other._predict(other._contexts(observation)),
            )
        ]
        np.testing.assert_allclose(*indices, rtol=0, atol=1e-9)
        mask = one.mask if others else np.ones((5, 4), bool)
        best = np.sort(np.where(mask, indices[0], -np.inf))
        clear = best[:, -1] - best[:, -2] > 1e-9
        np.testing.assert_array_equal(arms[clear], chosen[clear])
        agreed += clear.sum()
        following, reward, *_ = envs.step(arms)
        for agent in (one, other):
            agent.observe(observation, arms, reward)
        observation = following
    assert agreed > 900


def test_agents_without_models_of_arms_refuse_too_many_features():
    task = make(n_arms=MOST_FEATURES // 8 + 1, dim=8).unwrapped.task
    with pytest.raises(ValueError, match="251 arms have 8 parameters each.*at most 2000") as caught:
        agents.LinUCB().reset(task)
    assert "\n" not in str(caught.value)
    assert "DisjointLinUCB" in str(caught.value)
    for agent in (agents.DisjointLinUCB(), agents.UniformRandom()):
        assert agent.reset(task).task is task
    assert agents.Greedy().reset(make(n_arms=MOST_FEATURES // 8, dim=8).unwrapped.task)


def test_an_agent_around_another_takes_its_form():
    task = make(delay=3).unwrapped.task
    assert agents.Pending(agents.DisjointLinUCB()).reset(task).inner.theta.shape == (1, 4, 3)
    assert agents.Pending(agents.LinUCB()).reset(task).inner.task.dim == 12


@pytest.mark.parametrize("spec", ["LinUCB", "DisjointLinTS", "Pending(LinTS())"])
@pytest.mark.parametrize("env", ["LinearBandit-v0", "LogisticBandit-v0"])
def test_a_saved_agent_goes_on_alike(spec, env, tmp_path):
    envs, agent = make(env=env), agents.resolve(spec)
    observation, _ = envs.reset(seed=0)
    agent.reset(envs.unwrapped.task, n=5)
    players = [agent]
    for t in range(40):
        arms, *others = [player.act(observation) for player in players]
        for chosen in others:
            np.testing.assert_array_equal(chosen, arms)
        following, reward, *_ = envs.step(arms)
        for player in players:
            player.observe(observation, arms, reward)
        observation = following
        if t == 20:
            agent.save(tmp_path / "agent.npz")
            players.append(load(tmp_path / "agent.npz"))
    assert len(players) == 2
