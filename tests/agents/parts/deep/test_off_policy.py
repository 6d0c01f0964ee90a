"""What a buffer of all rewards takes: late ones, others' actions, the same one twice."""

import gymnasium
import numpy as np
import pytest

import agents

pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")


def begun(agent, env_id, **settings):
    return agent.reset(gymnasium.make(env_id, horizon=60, **settings).unwrapped.task, seed=5)


def test_rows_are_stored_dense_with_the_label_and_reward_given():
    agent = begun(agents.DQN(), "SynSep-v0")
    assert agent.task.sparse
    row = {"indices": np.zeros(agent.task.width, np.int32), "values": np.zeros(agent.task.width)}
    row["indices"][:3], row["values"][:3] = [5, 17, 2], [1.0, 2.0, -1.0]
    agent.act(row)
    for reward, label in ((0.0, 3), (1.0, 8)):  # somebody else's labels, and one decision twice
        agent.observe(row, label, reward, decision=0)
    buffer = agent.models[0].buffer
    dense = np.zeros(400)
    dense[[5, 17, 2]] = [1.0, 2.0, -1.0]
    np.testing.assert_array_equal(buffer.observations[:2, 0], [dense, dense])
    assert buffer.actions[:2, 0, 0].tolist() == [3, 8]
    assert buffer.rewards[:2, 0].tolist() == [0.0, 1.0]
    assert buffer.dones[:2, 0].tolist() == [1.0, 1.0]  # a round is an episode
    assert buffer.pos == 2


@pytest.mark.parametrize("kind", [agents.SAC, agents.TD3])
def test_points_are_stored_as_they_were_chosen_or_else_as_they_are(kind):
    agent = begun(kind(), "EllipsoidBandit-v0", axes=[0.5, 2.0], orientation="identity")
    (model,) = agent.models
    points = [agent.act(0) for _ in range(3)]
    chosen = [model.open[t].copy() for t in range(3)]
    agent.observe(0, points[1], 1.0, decision=1)
    agent.observe(0, points[2], 0.5, decision=0)  # another point than decision 0's
    agent.observe(0, points[1], 0.0, decision=1)  # no longer open
    buffer = model.buffer
    np.testing.assert_array_equal(buffer.actions[0, 0], chosen[1])
    for place, t in ((1, 2), (2, 1)):
        np.testing.assert_allclose(buffer.actions[place, 0], points[t] / [0.5, 2.0], atol=1e-6)
    assert [*model.open] == [2]
    assert buffer.rewards[:3, 0].tolist() == [1.0, 0.5, 0.0]


def test_updates_begin_after_the_first_rewards_and_come_as_often_as_the_library_has_them():
    counts = {}
    for kind in (agents.DQN, agents.TD3):
        agent = begun(
            kind(learning_starts=6, batch_size=4, layers=[2]),
            "ArmedBandit-v0" if kind is agents.DQN else "BallBandit-v0",
        )
        counts[kind.__name__] = []
        for _ in range(13):
            agent.observe(0, agent.act(0), 1.0)
            counts[kind.__name__].append(agent.models[0].library._n_updates)
    assert counts["DQN"] == [0] * 7 + [1] * 4 + [2] * 2
    assert counts["TD3"] == [0] * 6 + [1, 2, 3, 4, 5, 6, 7]
