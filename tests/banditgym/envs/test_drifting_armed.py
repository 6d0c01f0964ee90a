"""DriftingArmedBandit against a plain recomputation, and the laws of its drift."""

import pickle
import tracemalloc
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from scipy import stats

import agents
from banditgym.check import check_env
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ARM
from banditgym.vector_env import ARMS, CHANGES, NOISE, THETA

ROWS = [[0.9, 0.1, 0.4], [0.2, 0.8, 0.4], [0.5, 0.5, 1.0]]
QUIET = {"noise": "gaussian", "noise_std": 0.0}


def make(n=3, env_id="DriftingArmedBandit-v0", **settings):
    return gymnasium.make_vec(env_id, num_envs=n, **settings)


def plain_starts(changes, seed, episode, horizon):
    """The first round, from 0, of each segment of one replicate."""
    if not isinstance(changes, int):
        return [0, *changes]
    uniforms = Stream([seed], ENVIRONMENT, CHANGES, episode).uniform(0, (changes,))[0]
    rounds = []
    for i in range(changes):
        last = horizon - changes + i
        drawn = int(np.floor(uniforms[i] * last)) + 1
        rounds.append(last if drawn in rounds else drawn)
    return [0, *sorted(rounds)]


def plain_means(settings, seed, episode, n_arms, horizon):
    """One replicate's means (T, K), round by round."""
    starts = plain_starts(settings.get("changes", 0), seed, episode, horizon)
    arms = Stream([seed], ENVIRONMENT, ARMS, episode)
    steps = Stream([seed], ENVIRONMENT, CHANGES, episode)
    order = np.arange(n_arms)
    if settings.get("shuffled"):
        order = sorted(order, key=lambda k: arms.uniform(0, (n_arms,))[0, k])
    rates = np.asarray(settings.get("rotting", 0.0))
    if rates.ndim:
        rates = rates[order]
    else:
        rates = rates * Stream([seed], ENVIRONMENT, THETA, episode).uniform(0, (n_arms,))[0]
    rounds = []
    for t in range(horizon):
        segment = max(s for s, start in enumerate(starts) if start <= t)
        if t in starts:
            walk = arms.uniform(segment, (n_arms,))[0]
            if "means" in settings:
                walk = np.atleast_2d(settings["means"])[segment][order].astype(float)
        else:
            walk = walk + settings.get("walk_std", 0.0) * steps.normal(t, (n_arms,))[0]
            if settings.get("noise") != "gaussian":
                while ((walk < 0) | (walk > 1)).any():  # reflected until it is inside
                    walk = np.where(walk < 0, -walk, walk)
                    walk = np.where(walk > 1, 2 - walk, walk)
        rounds.append(walk * np.exp(-rates * (t - starts[segment])))
    return np.array(rounds)


CASES = [
    {"changes": [1, 4, 5]},
    {"changes": 3, "n_arms": 1},
    {"changes": 11, "n_arms": 5},
    {"means": ROWS, "changes": [2, 7]},
    {"means": ROWS, "changes": 2, "shuffled": True},
    {"means": [-3.0, 5.0], "walk_std": 2.0, "noise": "gaussian", "noise_std": 0.7},
    {"changes": 0, "walk_std": 0.2, "n_arms": 6},
    {"changes": 0, "walk_std": 3.0, "n_arms": 2},
    {"changes": 0, "rotting": 0.3},
    {"means": ROWS[0], "rotting": [0.0, 1.0, 0.02], "shuffled": True},
    {"changes": 4, "walk_std": 0.1, "rotting": 0.2, "n_arms": 3},
    {"means": ROWS, "changes": [3, 8], "walk_std": 0.3, "rotting": [0.5, 0.0, 0.1]},
]


@pytest.mark.parametrize("settings", CASES)
def test_rewards_and_regret_are_those_of_the_definition(settings):
    seeds, horizon = [3, 2**70, 0], 12
    envs = make(horizon=horizon, **settings)
    n_arms = envs.unwrapped.task.n_arms
    rng = np.random.default_rng(0)
    envs.reset(seed=seeds)
    for episode in range(3):
        if episode:
            assert not envs.step([0, 0, 0])[0].any()
        means = np.array([plain_means(settings, s, episode, n_arms, horizon) for s in seeds])
        noise = Stream(seeds, ENVIRONMENT, NOISE, episode)
        for t in range(horizon):
            arms = rng.integers(n_arms, size=3)
            observation, reward, _, _, info = envs.step(arms)
            chosen = means[range(3), t, arms]
            if settings.get("noise") == "gaussian":
                expected = chosen + settings["noise_std"] * noise.normal(t)
                np.testing.assert_allclose(reward, expected, rtol=0, atol=1e-12)
            else:
                np.testing.assert_array_equal(reward, noise.uniform(t) < chosen)
            lost = means[:, t].max(axis=1) - chosen
            np.testing.assert_allclose(info["regret"], lost, rtol=0, atol=1e-12)
            assert (info["regret"] >= 0).all()
            assert (observation.shape, observation.dtype) == ((3,), np.int64)


def path(n, n_arms, rounds, **settings):
    """The means (rounds, n, K) as blocks have them."""
    envs = make(n, horizon=rounds, n_arms=n_arms, **settings)
    envs.reset(seed=0)
    return envs.unwrapped._rounds(0, rounds).means


def test_drawn_means_are_uniform_after_every_change():
    means = path(4000, 2, 3, changes=[1, 2]).transpose(1, 0, 2).reshape(4000, 6)
    for own in means.T:
        assert stats.kstest(own, "uniform").pvalue > 1e-4
    # 15 correlations of 4000 draws, each within 5 standard errors.
    assert np.abs(np.corrcoef(means.T) - np.eye(6)).max() < 5 / 4000**0.5


@pytest.mark.parametrize("walk_std", [0.05, 0.6])
def test_reflected_walks_stay_uniform_and_take_gaussian_steps(walk_std):
    means = path(4000, 2, 60, changes=0, walk_std=walk_std)
    assert means.min() >= 0
    assert means.max() <= 1
    for t in (1, 10, 59):
        for arm in range(2):
            assert stats.kstest(means[t, :, arm], "uniform").pvalue > 1e-4
        assert abs(np.corrcoef(means[t].T)[0, 1]) < 5 / 4000**0.5
    free = path(4000, 2, 3, walk_std=walk_std, **QUIET)
    steps = np.diff(free, axis=0).transpose(1, 0, 2).reshape(4000, 4) / walk_std
    for own in steps.T:
        assert stats.kstest(own, "norm").pvalue > 1e-4
    assert np.abs(np.corrcoef(steps.T) - np.eye(4)).max() < 5 / 4000**0.5


def test_rates_are_uniform_each_arms_own_and_stay_in_an_episode():
    means = path(4000, 2, 5, rotting=0.5, changes=[2])
    rates = np.log(means[0] / means[1])
    for t in (2, 3):
        np.testing.assert_allclose(np.log(means[t] / means[t + 1]), rates, rtol=0, atol=1e-9)
    for own in rates.T:
        assert stats.kstest(own, stats.uniform(0, 0.5).cdf).pvalue > 1e-4
    # Rates do not depend on one another, or on the means.
    both = np.concatenate([rates, means[0]], axis=1)
    assert np.abs(np.corrcoef(both.T) - np.eye(4)).max() < 5 / 4000**0.5


def test_how_often_it_changes_by_default():
    def count(rounds=200, **settings):
        means = path(1, 2, rounds, **settings)
        return int((np.diff(means, axis=0) != 0).any(axis=2).sum())

    assert count() == 1
    assert count(1) == 0
    assert count(walk_std=1e-3) == count(rotting=1e-3) == 199
    assert count(means=[0.5, 0.2]) == 0
    assert count(means=[[0.5, 0.2], [0.1, 0.2], [0.5, 0.3]]) == 2


def run(envs, arms):
    envs.reset(seed=7)
    steps = []
    for own in arms:
        observation, reward, _, _, info = envs.step(own)
        steps.append((observation, reward, info.get("regret", np.zeros(3))))
    return [np.array(column) for column in zip(*steps, strict=True)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"n_arms": 4, "noise": "gaussian", "noise_std": 0.3},
        {"means": [0.2, 0.9, 0.4], "shuffled": True},
    ],
)
def test_without_drift_it_is_the_armed_bandit(settings):
    arms = np.random.default_rng(0).integers(3, size=(20, 3))
    plain = make(env_id="ArmedBandit-v0", horizon=9, **settings)
    for still in ({"changes": 0}, {"changes": []}, {"changes": 0, "walk_std": 0, "rotting": 0.0}):
        envs = make(horizon=9, **still, **settings)
        for one, two in zip(run(plain, arms), run(envs, arms), strict=True):
            assert one.tobytes() == two.tobytes()
        plain.reset(seed=3)
        envs.reset(seed=3)
        one, two = plain.unwrapped.block(5), envs.unwrapped.block(5)
        for name in ("means", "best", "noise"):
            assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
        assert envs.unwrapped._round_bytes == plain.unwrapped._round_bytes


def test_environments_that_differ_in_their_drift_alone_are_paired():
    arms = np.random.default_rng(0).integers(10, size=(30, 3))
    settings = {"horizon": 30, "noise": "gaussian", "noise_std": 1.0}
    _, rewards, regrets = run(make(env_id="ArmedBandit-v0", **settings), arms)
    quiet = settings | {"noise_std": 0.0}
    still = run(make(env_id="ArmedBandit-v0", **quiet), arms)[1]
    for drift, common in (
        ({"changes": [12]}, 12),
        ({"changes": [12, 20]}, 12),
        ({"walk_std": 0.1}, 1),
        ({"rotting": 0.1}, 1),
    ):
        _, reward, regret = run(make(**settings, **drift), arms)
        assert reward[:common].tobytes() == rewards[:common].tobytes()
        assert regret[:common].tobytes() == regrets[:common].tobytes()
        assert (reward[common] != rewards[common]).all()
        moved = run(make(**quiet, **drift), arms)[1]
        np.testing.assert_allclose(reward - moved, rewards - still, rtol=0, atol=1e-12)


@pytest.mark.parametrize("settings", [*CASES[:1], CASES[6], CASES[-1]])
def test_rounds_are_the_same_in_any_order_and_number(settings):
    envs = make(horizon=12, **settings)
    envs.reset(seed=0)
    env = envs.unwrapped
    whole = env._rounds(0, 13)
    for t, rounds in ((3, 4), (3, 2), (7, 3), (0, 2), (9, 1), (12, 1), (2, 11), (5, 1), (4, 3)):
        part = env._rounds(t, rounds)
        assert part.means.tobytes() == whole.means[t : t + rounds].tobytes()
        assert part.best.tobytes() == whole.best[t : t + rounds].tobytes()
    np.testing.assert_array_equal(whole.best, whole.means.max(axis=2))
    env._rounds(6, 2)
    copied = pickle.loads(pickle.dumps(env))
    assert copied._rounds(8, 3).means.tobytes() == whole.means[8:11].tobytes()


@pytest.mark.parametrize("settings", CASES)
def test_single_environments_are_the_replicates(settings):
    arms = np.random.default_rng(0).integers(1, size=12) if settings.get("n_arms") == 1 else (
        np.random.default_rng(0).integers(2, size=12)
    )  # fmt: skip
    envs = make(horizon=12, **settings)
    envs.reset(seed=[5, 6, 7])
    batch = [envs.step([arm] * 3) for arm in arms]
    for i in range(3):
        env = gymnasium.make("DriftingArmedBandit-v0", horizon=12, **settings)
        env.reset(seed=5 + i)
        for t, arm in enumerate(arms):
            _, reward, _, _, info = env.step(int(arm))
            assert (reward, info["regret"]) == (batch[t][1][i], batch[t][4]["regret"][i])


@pytest.mark.parametrize("settings", [{"changes": 5}, {"walk_std": 0.05}, {"problem": "PB2"}])
@pytest.mark.parametrize("n", [1, 3])
def test_agents_play_it_in_blocks_as_round_by_round(settings, n):
    horizon = {"horizon": 600}
    for agent in (agents.UCB1(), agents.BetaThompson()):
        envs = make(n, **horizon, **settings)
        envs.reset(seed=2)
        assert envs.unwrapped.block(50).playable
        blocks = agents.play(envs, agent, seed=2)

        class Stepwise(type(envs.unwrapped)):
            def block(self, rounds):
                return None

        steps = agents.play(Stepwise(n, **horizon, **settings), agent, seed=2)
        np.testing.assert_array_equal(blocks.regret, steps.regret)
        np.testing.assert_array_equal(blocks.reward, steps.reward)
        assert blocks.regret[0, -1] > 0


def test_rounds_count_the_memory_of_their_means():
    envs = make(10, n_arms=500, horizon=6000, walk_std=0.01).unwrapped
    envs.reset(seed=0)
    assert envs.block_bytes() == 10 * (24 + 8 * 500)
    tracemalloc.start()
    for _ in range(3):
        block = envs.block(6000)
        envs.step_block(block, np.zeros((len(block), 10), int))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20  # two blocks and the rounds that are played one by one


def test_agents_know_nothing_of_the_drift():
    plain = vars(make(env_id="ArmedBandit-v0", n_arms=3).unwrapped.task)
    for drift in ({}, {"changes": 9}, {"walk_std": 0.1}, {"means": ROWS}, {"rotting": 1.0}):
        task = make(n_arms=3, **drift).unwrapped.task
        assert vars(task) == plain
        assert task.regret == BEST_ARM


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"changes": -1}, "changes, where .*, must be an integer >= 0, got -1"),
        ({"changes": "often"}, "changes, where .*, must be an integer >= 0, got 'often'"),
        ({"changes": 1000}, "changes must be <= horizon - 1 = 999, got 1000"),
        ({"changes": [5, 3]}, r"changes must be increasing rounds, got \[5, 3\]"),
        ({"changes": [0, 3]}, "each round of changes must be an integer >= 1, got 0"),
        ({"walk_std": -0.1}, "walk_std must lie within 0 .. 1e150 .*, got -0.1"),
        ({"walk_std": np.nan}, "walk_std must lie within .*got nan"),
        ({"walk_std": np.inf}, "walk_std must lie within .*got inf"),
        ({"walk_std": "far"}, "walk_std must be a number, got 'far'"),
        ({"rotting": -1.0}, "rotting must be >= 0, got -1.0"),
        ({"rotting": [0.1, -0.2], "n_arms": 2}, "rotting must be >= 0, got -0.2"),
        ({"rotting": [0.1, 0.2]}, r"rotting must be a number or of shape \(10,\), got \(2,\)"),
        ({"rotting": np.nan}, "rotting must be finite, got nan"),
        ({"rotting": "fast"}, "rotting must be an array of real numbers"),
        ({"means": []}, r"means must be of shape \(S \+ 1, K\) or \(K,\), got \(0,\)"),
        ({"means": 0.5}, r"means must be of shape \(S \+ 1, K\) or \(K,\), got \(\)"),
        ({"means": [[[0.5]]]}, r"means must be of shape .*got \(1, 1, 1\)"),
        ({"means": [[0.5], [1.5]]}, r"means must be probabilities in \[0, 1\], got 1.5"),
        ({"means": [[0.5], [np.nan]]}, "means must be finite, got nan"),
        ({"means": [[0.5], [0.1, 0.2]]}, "means must be an array of numbers"),
        ({"means": ROWS, "n_arms": 2}, "n_arms is 2, but means has 3"),
        ({"means": ROWS, "changes": 1}, "means must have a row for each of 2 segments, got 3"),
        ({"means": ROWS, "horizon": 2}, "changes must be <= horizon - 1 = 1, got 2"),
        ({"problem": "PB5"}, "problem must be one of PB1, PB2, PB3, PB4, got 'PB5'"),
        ({"problem": 1}, "problem must be one of PB1, PB2, PB3, PB4, got 1"),
        ({"problem": "PB1", "changes": 3}, "changes is a part of the problem; leave it out, got 3"),
        ({"problem": "PB1", "means": [0.1]}, "means is a part of the problem; leave it out, got"),
        ({"problem": "PB3", "n_arms": 3}, "n_arms is 3, but means has 5"),
        ({"noise_std": 0.1}, "Bernoulli rewards take no noise_std, got 0.1"),
        ({"rate": 0.1}, "has no setting 'rate'"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


def test_extreme_walks_and_decays_stay_finite():
    means = path(2, 3, 400, changes=0, walk_std=1e150)
    assert ((means >= 0) & (means <= 1)).all()
    assert np.isfinite(path(2, 3, 400, walk_std=1e150, **QUIET)).all()
    decayed = path(2, 3, 400, means=[0.9, 0.5, 1.0], rotting=[1e308, 0.0, 1e-300])
    np.testing.assert_array_equal(decayed[1:], np.tile([0.0, 0.5, 1.0], (399, 2, 1)))


@pytest.mark.parametrize("settings", [{}, *CASES[4:-1], {"problem": "PB4"}])
def test_the_checkers_pass(settings):
    check_env("DriftingArmedBandit-v0", **settings)
    env = gymnasium.make("DriftingArmedBandit-v0", horizon=20, **settings).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasiums_check_env(env)
