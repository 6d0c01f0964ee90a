"""ArmedBandit against a plain recomputation, and the settings that it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ARM
from banditgym.vector_env import ARMS, NOISE


def make(n=3, **settings):
    return gymnasium.make_vec("ArmedBandit-v0", num_envs=n, **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 4},
        {"means": [0.2, 0.9, 0.9]},
        {"n_arms": 4, "noise": "gaussian", "noise_std": 0.7},
        {"means": [-5.0, 3.0], "noise": "gaussian", "noise_std": 2.0},
    ],
)
def test_rewards_and_regret_are_those_of_the_definition(settings):
    seeds, horizon = [3, 2**70, 0], 6
    envs = make(horizon=horizon, **settings)
    n_arms = envs.unwrapped.task.n_arms
    rng = np.random.default_rng(0)
    envs.reset(seed=seeds)
    for episode in range(3):
        if episode:
            observation, *_ = envs.step([0, 0, 0])
            assert not observation.any()
        means = Stream(seeds, ENVIRONMENT, ARMS, episode).uniform(0, (n_arms,))
        if "means" in settings:
            means = np.tile(settings["means"], (3, 1))
        noise = Stream(seeds, ENVIRONMENT, NOISE, episode)
        for t in range(horizon):
            arms = rng.integers(n_arms, size=3)
            observation, reward, _, _, info = envs.step(arms)
            chosen = means[range(3), arms]
            if settings.get("noise") == "gaussian":
                expected = chosen + settings["noise_std"] * noise.normal(t)
            else:
                expected = (noise.uniform(t) < chosen).astype(float)
            np.testing.assert_array_equal(reward, expected)
            np.testing.assert_array_equal(info["regret"], means.max(axis=1) - chosen)
            assert (observation.shape, observation.dtype) == ((3,), np.int64)


def test_one_uniform_decides_the_clicks_of_all_arms():
    means = np.linspace(0, 1, 11)
    envs = make(11, means=means, horizon=50)
    envs.reset(seed=[5] * 11)
    thresholds = []
    for _ in range(50):
        clicks = envs.step(np.arange(11))[1]
        assert set(clicks) <= {0.0, 1.0}
        # Arms above the uniform click, those below do not: the clicks are a step.
        assert (np.diff(clicks) >= 0).all()
        thresholds.append(clicks.sum())
    assert (clicks[0], clicks[-1]) == (0.0, 1.0)
    assert len(set(thresholds)) > 5


def test_click_rates_are_the_means():
    envs = make(4000, means=[0.3, 0.8], horizon=10)
    envs.reset(seed=0)
    for arm, mean in ((0, 0.3), (1, 0.8)):
        clicks = sum(envs.step(np.full(4000, arm))[1].sum() for _ in range(5))
        # Five deviations of 20 000 coins.
        assert abs(clicks - 20_000 * mean) < 5 * (20_000 * mean * (1 - mean)) ** 0.5


def test_drawn_means_are_uniform_and_independent():
    envs = make(2000, n_arms=5, noise="gaussian", noise_std=0.0)
    envs.reset(seed=0)
    means = np.array([envs.step(np.full(2000, arm))[1] for arm in range(5)])
    assert stats.kstest(means.ravel(), "uniform").pvalue > 1e-4
    assert np.abs(np.corrcoef(means) - np.eye(5)).max() < 5 / 2000**0.5


def test_what_agents_may_know():
    bernoulli = make(n_arms=7, horizon=9).unwrapped.task
    assert vars(bernoulli) == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": 7, "horizon": 9, "noise_std": None, "subgaussian": 0.5, "bernoulli": True,
        "bounds": None, "objective": None, "delta": None,
    }  # fmt: skip
    gaussian = make(means=[1, 2], noise="gaussian").unwrapped.task
    assert vars(gaussian) == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": 2, "horizon": 1000, "noise_std": 0.1, "subgaussian": 0.1, "bernoulli": False,
        "bounds": None, "objective": None, "delta": None,
    }  # fmt: skip
    assert bernoulli.regret == BEST_ARM
    assert make().unwrapped.task.n_arms == 10


def test_given_means_are_the_environments_own():
    means = np.array([0.2, 0.8])
    envs = make(means=means)
    means[:] = 0.0
    envs.reset(seed=0)
    np.testing.assert_allclose(envs.step([0, 1, 0])[4]["regret"], [0.6, 0, 0.6])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 0}, "n_arms must be an integer >= 1, got 0"),
        ({"n_arms": True}, "n_arms must be an integer >= 1, got True"),
        ({"n_arms": 2.0}, "n_arms must be an integer >= 1, got 2.0"),
        ({"n_arms": 3, "means": [0.5, 0.2]}, "n_arms is 3, but means has 2"),
        ({"n_arms": 2.0, "means": [0.5, 0.2]}, "n_arms must be an integer >= 1, got 2.0"),
        ({"means": []}, r"means must be of shape \(K,\), got \(0,\)"),
        ({"means": 0.5}, r"means must be of shape \(K,\), got \(\)"),
        ({"means": [[0.5]]}, r"means must be of shape \(K,\), got \(1, 1\)"),
        ({"means": [0.5, 1.1]}, r"means must be probabilities in \[0, 1\], got 1.1"),
        ({"means": [-1e-9]}, r"means must be probabilities in \[0, 1\], got -1e-09"),
        ({"means": [0.5, np.nan]}, "means must be finite, got nan at"),
        ({"means": [0, np.inf], "noise": "gaussian"}, "means must be finite, got inf at"),
        ({"means": "abc"}, "means must be an array of real numbers"),
        ({"means": [".5"]}, "means must be an array of real numbers"),
        ({"means": [0.5, [0.3]]}, "means must be an array of numbers"),
        ({"noise": "cauchy"}, "noise must be one of bernoulli, gaussian, .*got 'cauchy'"),
        ({"noise": None}, "noise must be one of bernoulli, gaussian, .*got None"),
        ({"noise": np.array(["gaussian", "a"])}, "noise must be one of bernoulli, gaussian, .*got"),
        ({"noise": "exponential", "noise_std": 0.1}, "Exponential rewards take no noise_std"),
        (
            {"noise": "exponential", "means": [0.1, -0.2]},
            "exponential rewards must be >= 0, .*-0.2",
        ),
        ({"noise": "clipped_gaussian", "noise_std": 0.0}, "noise_std must be .*> 0, got 0.0"),
        (
            {"noise": "clipped_gaussian", "noise_std": 1e15},
            r"noise_std .* <= 1e\+09, got 1000000000000000.0",
        ),
        (
            {"noise": "clipped_gaussian", "means": [0.5, -1e15]},
            r"means .* <= 1e\+09, got 1000000000000000.0",
        ),
        (
            {"noise": "clipped_gaussian", "means": {"kind": "normal", "mean": 0.0, "std": 1e15}},
            r"means .* <= 1e\+09, got 1000000000000000.0",
        ),
        ({"samples": [[0.0, 1e308], [-1e308, 0.0]]}, r"samples must lie in .*, got 1e\+308"),
        ({"noise": "gaussian", "noise_df": 4.0}, "noise_df is a setting of student_t and pareto"),
        ({"noise": "pareto", "noise_df": 2.0}, "noise_df .*> 2 .*got 2"),
        ({"means": {"kind": "normal"}}, "normal means may be negative, which bernoulli rewards"),
        ({"means": {"kind": "beta"}}, "unknown means 'beta'"),
        ({"means": {"kind": "normal", "std": -1.0}, "noise": "gaussian"}, "std of means .*got -1"),
        ({"means": {"kind": "normal", "mean": np.nan}, "noise": "gaussian"}, "mean of means"),
        ({"samples": [0.1, 0.2]}, r"samples must be of shape \(K, m\), got \(2,\)"),
        ({"samples": [[0.1, 0.2]], "n_arms": 2}, "n_arms does not go with samples, got 2"),
        ({"samples": [[0.1, 0.2]], "noise": "gaussian"}, "noise does not go with samples"),
        ({"noise_std": 0.1}, "Bernoulli rewards take no noise_std, got 0.1"),
        (
            {"noise": "gaussian", "noise_std": -1.0},
            "noise_std .* must be finite and >= 0, .* got -1",
        ),
        ({"noise": "gaussian", "noise_std": np.nan}, "noise_std .*got nan"),
        ({"noise": "gaussian", "noise_std": "0.3"}, "noise_std must be a number, got '0.3'"),
        ({"noise": "gaussian", "noise_std": True}, "noise_std must be a number, got True"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


def test_shuffled_means_are_the_same_arms_in_an_order_of_the_seeds_own():
    means = [0.9, 0.5, 0.1, 0.3]
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=400, means=means, shuffled=True)
    envs.reset(seed=0)
    shown = envs.unwrapped._means
    np.testing.assert_array_equal(np.sort(shown, axis=1), np.tile(np.sort(means), (400, 1)))
    # Where the best arm lies is uniform: 100 of 400 each, standard deviation sqrt(75) = 8.7; within
    # four of them all but one seed in 4000 by the union over four arms.
    counts = np.bincount(np.argmax(shown, axis=1), minlength=4)
    assert np.abs(counts - 100).max() <= 35
    envs.reset()
    assert (envs.unwrapped._means != shown).any()  # each episode anew
    envs.reset(seed=0)
    np.testing.assert_array_equal(envs.unwrapped._means, shown)


def test_shuffled_must_be_a_flag():
    with pytest.raises(ValueError, match="shuffled must be true or false, got 'yes'"):
        gymnasium.make_vec("ArmedBandit-v0", num_envs=1, means=[0.1, 0.2], shuffled="yes")


BOUNDED = {
    "exponential": {"means": [0.2, 0.9, 3.0, 0.0], "noise": "exponential"},
    "gaussian": {"means": [0.2, 0.9, -0.7, 1.4], "noise": "clipped_gaussian", "noise_std": 0.5},
    "samples": {"samples": [[0.0, 2.0, 5.0], [1.0, 1.0, -7.0]]},
}


@pytest.mark.parametrize("settings", BOUNDED.values(), ids=list(BOUNDED))
def test_bounded_rewards_are_made_of_one_draw_and_regret_counts_their_means(settings):
    n, horizon = 2000, 20
    envs = make(n, horizon=horizon, **settings)
    task = envs.unwrapped.task
    low, high = task.reward_range
    assert (task.bernoulli, task.noise_std, task.subgaussian) == (False, None, (high - low) / 2)
    envs.reset(seed=0)
    noise, sums = Stream(range(n), ENVIRONMENT, NOISE, 0), np.zeros((task.n_arms, 2))
    for t in range(horizon):
        arm, u, z = t % task.n_arms, noise.uniform(t), noise.normal(t)
        _, reward, *_, info = envs.step(np.full(n, arm))
        if "samples" in settings:
            expected = np.array(settings["samples"])[arm, (u * 3).astype(int)]
        elif settings["noise"] == "exponential":
            expected = np.minimum(-settings["means"][arm] * np.log1p(-u), 1.0)
        else:
            expected = np.clip(settings["means"][arm] + 0.5 * z, 0.0, 1.0)
        np.testing.assert_allclose(reward, expected, rtol=1e-12, atol=1e-15)
        sums[arm] += reward.sum() / n / (horizon // task.n_arms), info["regret"][0]
        np.testing.assert_array_equal(info["optimal"], info["regret"] == 0)
    means = envs.unwrapped._means[0]
    if "samples" in settings:
        exact = np.mean(settings["samples"], axis=1)
    elif settings["noise"] == "exponential":
        exact = [
            stats.expon(scale=m or 1e-9).expect(lambda x: np.minimum(x, 1.0))
            for m in [0.2, 0.9, 3.0, 0.0]
        ]
    else:
        exact = [
            stats.norm(m, 0.5).expect(lambda x: x, lb=0.0, ub=1.0) + stats.norm(m, 0.5).sf(1.0)
            for m in settings["means"]
        ]
    np.testing.assert_allclose(means, exact, atol=1e-8)
    np.testing.assert_allclose(
        sums[:, 1], (means.max() - means) * (horizon // task.n_arms), atol=1e-9
    )
    # Averages of 10,000 rewards and more, whose deviation is at most half their range: five errors.
    assert np.abs(sums[:, 0] - means).max() < 5 * (high - low) / 2 / 100


def test_means_may_be_drawn_from_a_normal_distribution():
    law = {"kind": "normal", "mean": 4, "std": 0.5}
    envs = make(2000, n_arms=5, means=law, noise="gaussian", noise_std=1.0)
    envs.reset(seed=0)
    means = envs.unwrapped._means
    np.testing.assert_array_equal(
        means, 4 + 0.5 * Stream(range(2000), ENVIRONMENT, ARMS, 0).normal(0, (5,))
    )
    assert stats.kstest(means.ravel(), stats.norm(4, 0.5).cdf).pvalue > 1e-4


def test_heavy_tails_have_no_subgaussian_constant_and_the_noise_of_the_stream():
    envs = make(3, means=[1.0, 2.0], noise="pareto", noise_std=0.4, noise_df=2.5)
    assert (envs.unwrapped.task.subgaussian, envs.unwrapped.task.noise_std) == (None, 0.4)
    envs.reset(seed=5)
    u = Stream([5, 6, 7], ENVIRONMENT, NOISE, 0).uniform(0)
    scale = 0.4 * 1.5 * (0.5 / 2.5) ** 0.5
    expected = 2.0 + scale * ((1 - u) ** (-1 / 2.5) - 2.5 / 1.5)
    np.testing.assert_allclose(envs.step([1, 1, 1])[1], expected, rtol=1e-12)


def test_shuffled_samples_are_the_same_arms():
    envs = make(200, samples=[[0.0, 1.0], [2.0, 4.0], [9.0, 9.0]], shuffled=True)
    envs.reset(seed=0)
    np.testing.assert_array_equal(np.sort(envs.unwrapped._means, axis=1), [[0.5, 3.0, 9.0]] * 200)
    assert len(np.unique(envs.unwrapped._means, axis=0)) == 6


def test_where_the_best_arm_is_to_be_found_the_task_says_so_and_gives_no_mean():
    made = {delta: make(objective="best_arm", delta=delta, n_arms=3) for delta in (None, 0.05)}
    for delta, envs in made.items():
        assert (envs.unwrapped.task.objective, envs.unwrapped.task.delta) == ("best_arm", delta)
    assert make(objective="regret").unwrapped.task == make().unwrapped.task
    envs, single = made[0.05], gymnasium.make("ArmedBandit-v0", n_arms=3, objective="best_arm")
    other = make(n_arms=3)
    for each in (envs, other):
        each.reset(seed=4)
    single.reset(seed=5)
    arms = np.array([2, 0, 1])
    lost = envs.unwrapped.regret_of(arms)
    _, rewards, *_, info = envs.step(arms)
    np.testing.assert_array_equal(lost, info["regret"])
    np.testing.assert_array_equal(rewards, other.step(arms)[1])  # nothing else differs
    assert single.unwrapped.regret_of(0) == lost[1]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"delta": 0.1}, 'delta needs objective="best_arm", got 0.1'),
        ({"objective": "best_arm", "delta": 1.0}, r"delta must lie in \(0, 1\), got 1.0"),
        ({"objective": "best_arm", "delta": np.nan}, r"delta must lie in \(0, 1\), got nan"),
        ({"objective": "best"}, "objective must be one of regret, best_arm, got 'best'"),
        (
            {"objective": "best_arm", "available": [[0, [0, 1]]]},
            "the best arm is sought among arms that stay: leave out available",
        ),
    ],
)
def test_impossible_objectives_are_refused(settings, reason):
    with pytest.raises(ValueError, match=reason):
        make(**settings)
    if settings.get("objective") == "best_arm":
        with pytest.raises(ValueError, match="no arm stays the best while means drift"):
            gymnasium.make_vec("DriftingArmedBandit-v0", num_envs=1, objective="best_arm")
