"""Texts of episodes: what was played and observed, recomputed from what step returned."""

import gymnasium
import numpy as np
import pytest

from banditgym.pictures.episode_record import MOST_KEPT, EpisodeRecord


def played(env_id, rounds=40, **settings):
    """An environment after some rounds, and what each of them returned."""
    env = gymnasium.make(env_id, render_mode="ansi", horizon=60, **settings)
    env.action_space.seed(3)
    env.reset(seed=0)
    told = []
    for _ in range(rounds):
        action = env.action_space.sample()
        _, reward, _, _, info = env.step(action)
        told.append((action, reward, info))
    return env, told


def test_plays_means_and_regret_of_arms():
    env, told = played("ArmedBandit-v0", n_arms=3)
    record = env.unwrapped._record
    for arm in range(3):
        rewards = [reward for action, reward, _ in told if action == arm]
        assert record.plays[arm] == len(rewards) > 0
        assert record.means[arm] == pytest.approx(np.mean(rewards))
    sums = np.cumsum([info["regret"] for *_, info in told])
    np.testing.assert_allclose(record.curve, [(0, 0.0), *zip(range(1, 41), sums, strict=True)])
    assert record.total == record.curve[-1][1]
    text = env.render()
    assert text.startswith("ArmedBandit-v0: 40 of 60 rounds, regret so far ")
    most = int(np.argmax(record.plays))
    assert text.splitlines()[3].split()[:2] == [str(most), str(record.plays[most])]


def test_late_rewards_count_when_they_arrive():
    env, told = played("ArmedBandit-v0", n_arms=2, delay=7, at_end="lost")
    arrived = [told[t][2]["reward"] for t in range(40 - 7) if told[t][0] == 1]
    record = env.unwrapped._record
    assert record.plays.sum() == 40
    assert record.observed.sum() == 40 - 7
    assert record.means[1] == pytest.approx(np.mean(arrived))


def test_rewards_that_are_not_observed_do_not_count():
    env, told = played("NewsReplay-v0")
    record = env.unwrapped._record
    assert record.observed.sum() == sum(info["observed"] for *_, info in told) < 40
    assert record.total_name == "clicks"
    assert "slot" in env.render()


def test_rankings_count_each_of_their_labels():
    env, told = played("MulticlassBandit-v0", slots=3)
    record = env.unwrapped._record
    assert record.plays.sum() == 3 * 40
    expected = np.bincount(np.ravel([action for action, *_ in told]), minlength=len(record.plays))
    np.testing.assert_array_equal(record.plays, expected)
    assert "last: label (" in env.render()


def test_points_and_predictions_have_no_table():
    env, told = played("BallBandit-v0", dim=3)
    assert list(env.unwrapped._record.points) == [tuple(action[:2]) for action, *_ in told]
    assert len(env.render().splitlines()) == 2
    env, told = played("OnlineRegression-v0")
    pairs = [(float(action), info["feedback"]) for action, _, info in told]
    np.testing.assert_allclose(env.unwrapped._record.points, pairs)


def test_many_arms_and_long_points_are_cut():
    env, _ = played("ArmedBandit-v0", n_arms=30)
    assert env.render().splitlines()[-1] == "  and 20 more arms"
    env, _ = played("BallBandit-v0", dim=30)
    assert env.render().splitlines()[1].count(",") == 11  # ten numbers, "..", the reward


def test_long_episodes_keep_a_bounded_number_of_rounds():
    record = EpisodeRecord(gymnasium.make("BallBandit-v0", dim=2).unwrapped.task)
    for t in range(5 * MOST_KEPT):
        record.add((0.1, float(t)), 0.0, {"regret": 1.0})
        assert len(record.curve) <= MOST_KEPT
    assert all(round == total for round, total in record.curve)
    rounds = [round for round, _ in record.curve]
    assert len(set(np.diff(rounds))) == 1
    assert rounds[0] == 0
    assert record.rounds == record.total == 5 * MOST_KEPT
    assert [point[1] for point in record.points] == list(range(4 * MOST_KEPT, 5 * MOST_KEPT))


def test_before_the_first_round():
    env = gymnasium.make("ArmedBandit-v0", n_arms=2, render_mode="ansi", disable_env_checker=True)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.unwrapped.render()
    env.reset(seed=0)
    assert env.render().splitlines()[0] == "ArmedBandit-v0: 0 of 1,000 rounds"
    record = EpisodeRecord(env.unwrapped.task)
    assert np.isnan(record.means).all()
