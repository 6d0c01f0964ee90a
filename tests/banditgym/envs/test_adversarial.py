"""AdversarialBandit against a plain recomputation of its means and its regret."""

import gymnasium
import numpy as np
import pandas as pd
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import ArmedTask
from banditgym.vector_env import ARMS, NOISE


def make(n=3, **settings):
    return gymnasium.make_vec("AdversarialBandit-v0", num_envs=n, **settings)


def played(envs, horizon, seed=0):
    """Rewards, regrets and actions (T, n) of an episode of random arms."""
    rng, rows = np.random.default_rng(seed), []
    envs.reset(seed=seed)
    for _ in range(horizon):
        arms = rng.integers(envs.unwrapped.task.n_arms, size=envs.num_envs)
        _, reward, *_, info = envs.step(arms)
        rows.append((reward, info["regret"], arms))
    return map(np.array, zip(*rows, strict=True))


def test_a_table_gives_its_rewards_and_the_regret_of_the_best_fixed_arm_so_far():
    table = np.random.default_rng(3).random((40, 4))
    reward, regret, arms = played(make(5, data=table), 40)
    np.testing.assert_array_equal(reward, table[np.arange(40)[:, None], arms])
    best = np.cumsum(table, axis=0).max(axis=1)[:, None]
    np.testing.assert_allclose(
        np.cumsum(regret, axis=0), best - np.cumsum(reward, axis=0), atol=1e-12
    )
    assert (regret < 0).any()


def test_constrained_means_alternate_in_growing_phases():
    n, horizon, gap = 40, 300, 0.25
    envs = make(n, horizon=horizon, n_arms=5, gap=gap)
    reward, regret, arms = played(envs, horizon)
    best = (Stream(range(n), ENVIRONMENT, ARMS, 0).uniform(0, (1,))[:, 0] * 5).astype(int)
    assert len(set(best)) == 5
    lengths, t, phase = [], 0, 0
    high = np.empty(horizon)
    while t < horizon:
        length = int(1.6**phase)
        high[t : t + length] = (1.0, gap)[phase % 2]
        lengths.append(length)
        t, phase = t + length, phase + 1
    means = np.where(arms == best, high[:, None], high[:, None] - gap)
    u = np.array([Stream(range(n), ENVIRONMENT, NOISE, 0).uniform(t) for t in range(horizon)])
    np.testing.assert_array_equal(reward, (u < means).astype(float))
    np.testing.assert_allclose(regret, np.where(arms == best, 0.0, gap), atol=1e-15)
    assert lengths[:6] == [1, 1, 2, 4, 6, 10]


@pytest.mark.parametrize("changes", [0, 3, [10, 60]])
def test_the_best_arm_switches_and_regret_is_against_the_best_fixed_one(changes):
    n, horizon, gap = 6, 120, 0.3
    envs = make(n, adversary="switching", horizon=horizon, n_arms=3, gap=gap, changes=changes)
    reward, regret, arms = played(envs, horizon)
    starts, order = envs.unwrapped._starts, envs.unwrapped._best_arms
    assert (np.diff(order, axis=1) != 0).all()
    u = np.array([Stream(range(n), ENVIRONMENT, NOISE, 0).uniform(t) for t in range(horizon)])
    for i in range(n):
        means = np.full((horizon, 3), 0.5 - gap / 2)
        for segment, start in enumerate(starts[i]):
            means[start:] = 0.5 - gap / 2
            means[start:, order[i, segment]] = 0.5 + gap / 2
        mine = means[np.arange(horizon), arms[:, i]]
        np.testing.assert_array_equal(reward[:, i], (u[:, i] < mine).astype(float))
        best = np.cumsum(means, axis=0).max(axis=1)
        np.testing.assert_allclose(np.cumsum(regret[:, i]), best - np.cumsum(mine), atol=1e-9)


@pytest.mark.parametrize("adversary", ["constrained", "switching"])
def test_blocks_give_the_same_as_single_steps(adversary):
    envs = make(3, adversary=adversary, horizon=500, n_arms=4)
    whole = agents.play(envs, agents.UCB1(), rounds=range(1, 501))
    by_hand = agents.UCB1().reset(envs.unwrapped.task, n=3, seed=agents.derived_seeds(0, 3))
    observation, _ = envs.reset(seed=0)
    total = np.zeros(3)
    for t in range(500):
        arms = by_hand.act(observation)
        following, reward, *_, info = envs.step(arms)
        by_hand.observe(observation, arms, reward)
        observation, total = following, total + info["regret"]
        np.testing.assert_array_equal(whole.regret[:, t], total)


def test_files_and_frames_have_the_rewards_of_arrays(tmp_path):
    table = np.round(np.random.default_rng(0).random((7, 3)), 3)
    frame = pd.DataFrame(table, columns=["a", "b", "c"])
    np.save(tmp_path / "rewards.npy", table)
    np.savetxt(tmp_path / "plain.csv", table, delimiter=",")
    frame.to_csv(tmp_path / "named.csv", index=False)
    frame.to_parquet(tmp_path / "rewards.parquet")
    expected = [*played(make(data=table), 7)]
    for data in (
        frame,
        *(tmp_path / name for name in ("rewards.npy", "plain.csv", "named.csv", "rewards.parquet")),
    ):
        envs = make(data=data)
        assert (envs.unwrapped.task.n_arms, envs.unwrapped.task.horizon) == (3, 7)
        for found, wanted in zip(played(envs, 7), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_every_agent_of_bounded_arms_plays_it():
    task = make(data=np.eye(4)).unwrapped.task
    assert isinstance(task, ArmedTask)
    assert (task.bernoulli, task.reward_range, task.never_negative) == (True, (0.0, 1.0), False)
    continuous = make(data=np.full((3, 2), 0.4)).unwrapped.task
    assert (continuous.bernoulli, continuous.reward_range) == (False, (0.0, 1.0))
    assert agents.EXP3().refusal(continuous) is None
    assert agents.UCB1().refusal(continuous) is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"adversary": "oblivious"}, "adversary must be one of constrained, switching, got"),
        ({"n_arms": 1}, "n_arms must be an integer >= 2, got 1"),
        ({"gap": 0.0}, r"gap must lie in \(0, 1\], got 0"),
        ({"gap": 1.5}, r"gap must lie in \(0, 1\], got 1.5"),
        ({"changes": 2}, "changes is a setting of the switching adversary, got 2"),
        ({"adversary": "switching", "horizon": 5, "changes": 5}, "changes must be <= horizon - 1"),
        ({"data": [[0.5, 1.5]]}, r"data must have rewards in \[0, 1\], got 1.5"),
        ({"data": [[0.5, np.nan]]}, "data must be finite"),
        ({"data": [0.5, 0.7]}, "data must be of shape"),
        ({"data": [[0.5, 0.7]], "gap": 0.1}, "gap does not go with data, got 0.1"),
        ({"data": [[0.5, 0.7]], "adversary": "switching"}, "adversary does not go with data"),
        (
            {"data": [[0.5, 0.7]], "horizon": 2},
            "horizon must be at most the 1 rounds of data, got 2",
        ),
        ({"data": "rewards.xlsx"}, "data must be an array"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)
