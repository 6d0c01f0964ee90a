"""Rewards that come late, in another order, never, twice, or for what somebody else chose."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.deep import model as models

pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")


def begun(agent, env_id="ArmedBandit-v0", n=None, **settings):
    return agent.reset(gymnasium.make(env_id, horizon=60, **settings).unwrapped.task, n=n, seed=5)


def test_a_late_reward_is_learned_with_what_was_thought_of_its_action_then():
    agent = begun(agents.A2C(n_steps=4), "LinearBandit-v0", n_arms=3, dim=2)
    shown = np.random.default_rng(0).standard_normal((6, 3, 2))
    (model,) = agent.models
    arms = [agent.act(x) for x in shown]
    kept = {t: model.open[t].copy() for t in range(6)}
    for t in (4, 1):
        agent.observe(shown[t], arms[t], float(t), decision=t)
    buffer = model.buffer
    for place, t in enumerate((4, 1)):
        np.testing.assert_array_equal(buffer.observations[place, 0], shown[t])
        assert buffer.actions[place, 0, 0] == arms[t] == kept[t][0]
        assert (buffer.values[place, 0], buffer.log_probs[place, 0]) == tuple(kept[t][1:])
        assert buffer.rewards[place, 0] == t
    assert [*model.open] == [0, 2, 3, 5]
    for t in (0, 5):  # the update comes with the fourth reward, whichever that is
        assert model.library._n_updates == 0
        agent.observe(shown[t], arms[t], float(t), decision=t)
    assert model.library._n_updates == 1
    # After it, what is kept is what was thought before it.
    agent.observe(shown[2], arms[2], 2.0, decision=2)
    assert (buffer.values[0, 0], buffer.log_probs[0, 0]) == tuple(kept[2][1:])
    assert buffer.pos == 1


@pytest.mark.parametrize("kind", [agents.PPO, agents.A2C])
def test_what_cannot_be_weighed_is_refused_before_anything_is_learned(kind):
    agent = begun(kind(), n=2, n_arms=3)
    arms = agent.act(np.zeros(2, int))
    before = [model.stored() for model in agent.models]
    others = arms.copy()
    others[1] = (arms[1] + 1) % 3
    told = (
        r"learns from its own choices: replicate 1 chose \d in decision 0, and got a reward for \d"
    )
    with pytest.raises(ValueError, match=f"{kind.__name__} {told}"):
        agent.observe(np.zeros(2, int), others, np.ones(2))
    assert [model.library.num_timesteps for model in agent.models] == [0, 0]
    agent.observe(np.zeros(2, int), arms, np.ones(2), observed=[False, True])
    assert [model.library.num_timesteps for model in agent.models] == [0, 1]
    with pytest.raises(ValueError, match="replicate 1 has no open decision 0: a reward must answe"):
        agent.observe(np.zeros(2, int), arms, np.ones(2))
    assert [model.library.num_timesteps for model in agent.models] == [0, 1]
    assert before[0].learned[0] == 0


def test_points_are_played_on_the_set_and_stored_as_drawn():
    agent = begun(agents.PPO(n_steps=32, batch_size=32), "BallBandit-v0", dim=2, radius=0.5)
    (model,) = agent.models
    points = np.array([agent.act(0) for _ in range(12)])
    drawn = np.array([model.open[t][:2] for t in range(12)])
    assert (np.abs(drawn) > 0.5).any(axis=1).sum() > 3  # outside the box
    assert np.linalg.norm(points, axis=1).max() <= 0.5 * (1 + 1e-9)
    for t in range(12):
        agent.observe(0, points[t], 1.0, decision=t)
    np.testing.assert_array_equal(model.buffer.actions[:12, 0], drawn)
    clipped = np.clip(drawn, -0.5, 0.5).astype(float)
    far = np.maximum(np.linalg.norm(clipped, axis=1), 0.5)[:, None] / 0.5
    np.testing.assert_allclose(points, clipped / far, rtol=1e-12)


def test_decisions_that_nobody_answers_are_forgotten_at_last(monkeypatch):
    monkeypatch.setattr(models, "MOST", 3)
    agent = begun(agents.A2C())
    arms = [agent.act(0) for _ in range(5)]
    assert [*agent.models[0].open] == [2, 3, 4]
    with pytest.raises(ValueError, match="no open decision 1"):
        agent.observe(0, arms[1], 1.0, decision=1)
    agent.observe(0, arms[2], 1.0, decision=2)
