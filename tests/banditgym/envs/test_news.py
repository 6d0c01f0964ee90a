"""News replay: what is shown, what matches, and that the estimate is that of the policy."""

import copy
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env

from banditgym.check import check_env
from banditgym.data import yahoo
from banditgym.data.simulated_logs import MadeLog
from banditgym.data.yahoo import REASONS
from banditgym.envs.news import NewsReplay
from banditgym.rounds.blocks import SlotsBlock
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.vector_env import NOISE

SIX = (2, 3, 4, 5, 6, 1)
# Article k has the features k, k/2, .., k/6; user t the features t + 1, .., t + 6.
EVENTS = [
    (7, 1, [5, 7, 6]),
    (6, 0, [6, 7]),
    (8, 1, [7, 8, 5, 6]),
    (8, 0, [8, 6, 9]),
    (6, 1, [6, 7, 9]),
    (7, 0, [7, 6, 5, 8]),
    (5, 1, [8, 5]),
]


def user(t):
    return [float(t + j) for j in range(1, 7)]


def article(k):
    return [k / 2 ** (j - 1) for j in range(1, 7)]


def write(path, described, end="\n"):
    """The events as a log, one line malformed."""
    lines = []
    for t, (shown, click, pool) in enumerate(EVENTS):
        if described:
            words = [f"{100 + t} {shown} {click} |user", *(f"{j}:{user(t)[j - 1]}" for j in SIX)]
            for k in pool:
                words += [f"|{k}", *(f"{j}:{article(k)[j - 1]}" for j in SIX)]
        else:
            words = [f"{100 + t} id-{shown} {click} |user 1 {t + 2}", *(f"|id-{k}" for k in pool)]
        lines.append(" ".join(words))
    lines.insert(3, "nothing")
    path.write_text(end.join(lines) + end)
    return str(path)


def slots_by_definition(n_arms):
    """{slot: article} of every event."""
    held, expected = [-1] * n_arms, []
    for _, _, pool in EVENTS:
        free = [slot for slot in range(n_arms) if held[slot] not in pool]
        for k in pool:
            if k not in held:
                held[free.pop(0)] = k
        expected.append({held.index(k): k for k in pool})
    return expected


def x_by_definition(kind, t, k, slot, n_arms):
    if kind in ("outer", "article", "user"):
        u, a = np.array(user(t)), np.array(article(k))
        return {"outer": np.outer(u, a).ravel(), "article": a, "user": u}[kind]
    u = np.array([float(j in (1, t + 2)) for j in range(1, 137)])
    return np.concatenate([u, np.eye(n_arms)[slot]]) if kind == "offset" else u


def make(n=2, **settings):
    return gymnasium.make_vec("NewsReplay-v0", num_envs=n, **settings)


KINDS = [
    ("outer", True, "outer"), (None, True, "outer"), ("article", True, "article"),
    ("user", True, "user"), ("offset", False, "offset"), (None, False, "offset"),
    ("user", False, "binary"),
]  # fmt: skip


@pytest.mark.parametrize("n_arms", [None, 6])
@pytest.mark.parametrize(("features", "described", "kind"), KINDS)
def test_rounds_are_those_of_the_definition(features, described, kind, n_arms, tmp_path):
    path = write(tmp_path / "log", described)
    envs = make(3, data=path, features=features, n_arms=n_arms, keep=0.4)
    task, k_arms = envs.unwrapped.task, n_arms or 4
    assert (task.n_arms, task.horizon, task.regret) == (k_arms, 7, None)
    assert envs.unwrapped.dropped == dict.fromkeys(REASONS, 0) | {"malformed": 1}
    seeds, rng = [3, 2**70, 0], np.random.default_rng(1)
    observation, _ = envs.reset(seed=seeds)
    lengths = []
    for episode in range(2):
        keys = Stream(seeds, ENVIRONMENT, NOISE, episode)
        for t, there in enumerate(slots_by_definition(k_arms)):
            arms, mask = np.zeros((k_arms, task.dim)), np.zeros(k_arms, np.int8)
            ids = np.full(k_arms, -1)
            for slot, k in there.items():
                arms[slot], mask[slot], ids[slot] = x_by_definition(kind, t, k, slot, k_arms), 1, k
                lengths.append(np.linalg.norm(arms[slot]))
            for i in range(3):
                np.testing.assert_array_equal(observation["arms"][i], arms)
                np.testing.assert_array_equal(observation["action_mask"][i], mask)
                np.testing.assert_array_equal(observation["ids"][i], ids)
            assert observation in envs.observation_space
            shown, click, _ = EVENTS[t]
            action = rng.choice(list(there), size=3)
            kept = keys.uniform(t) < 0.4
            observed = kept & (ids[action] == shown)
            observation, reward, _, truncated, info = envs.step(action)
            np.testing.assert_array_equal(reward, observed * float(click))
            np.testing.assert_array_equal(info["observed"], observed)
            np.testing.assert_array_equal(info["matched"], observed.astype(float))
            np.testing.assert_array_equal(info["clicks"], reward)
            assert {key.lstrip("_") for key in info} == {"observed", "matched", "clicks"}
            assert truncated.all() == (t == 6)
        assert not observation["action_mask"].any()
        assert not observation["arms"].any()
        assert (observation["ids"] == -1).all()
        observation, reward, _, truncated, info = envs.step([99, -1, 0])  # this step only resets
        assert (reward.any(), truncated.any(), info) == (False, False, {})
    assert max(lengths) <= task.feature_norm * (1 + 1e-12)
    assert task.feature_norm < 1.6 * max(lengths)


@pytest.mark.parametrize("described", [True, False])
def test_keep_is_a_probability_and_1_keeps_all(described, tmp_path):
    path = write(tmp_path / "log", described, end="\r\n")
    envs = make(4000, data=path, keep=0.3, horizon=1)
    observation, _ = envs.reset(seed=0)
    shown = int(np.flatnonzero(observation["ids"][0] == 7)[0])
    _, reward, _, _, info = envs.step(np.full(4000, shown))
    # Binomial of 4000 and 0.3: 1200, of standard deviation 29.
    assert abs(info["matched"].sum() - 1200) < 145
    assert np.array_equal(reward, info["matched"])
    env = make(5, data=path, keep=1).unwrapped
    assert env.determined
    assert not envs.unwrapped.determined
    env.reset(seed=0)
    assert env.step(np.full(5, shown))[4]["observed"].all()


@pytest.mark.parametrize("settings", [{"keep": 1.0}, {"n_arms": 23}, {"data": "R6B"}])
def test_environments_are_checked(settings):
    check_env("NewsReplay-v0", **settings)


@pytest.mark.parametrize("features", ["outer", "user"])
def test_environments_of_files_are_checked(features, tmp_path):
    MadeLog(n_articles=3, lifetime=10).write(tmp_path / "made.gz", 40)
    check_env("NewsReplay-v0", data=str(tmp_path / "made.gz"), features=features)


def test_gymnasiums_checker_passes():
    env = gymnasium.make("NewsReplay-v0", data="R6B", disable_env_checker=True).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*render modes.*")
        gymnasium_check_env(env, skip_render_check=True)


def test_stable_baselines3_takes_it():
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="stable-baselines3 is not installed"
    )
    env = gymnasium.make("NewsReplay-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*unconventional shape.*")
        checker.check_env(env)


def test_a_block_has_the_observations_and_rewards_of_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(yahoo, "_TEXT", 40_000)  # bytes, at whose end a block ends too
    path = tmp_path / "made"
    MadeLog(n_articles=6, lifetime=30).write(path, 400)
    for n, settings in [(1, {"keep": 1.0}), (3, {"keep": 0.6, "n_arms": 9})]:
        envs, plain = (make(n, data=str(path), **settings).unwrapped for _ in range(2))
        for each in (envs, plain):
            observation, _ = each.reset(seed=8)
            for _ in range(3):
                plain_action = np.flatnonzero(observation["action_mask"][0])[:1].repeat(n)
                observation, *_ = each.step(plain_action)
        t, sizes, rng = 3, [], np.random.default_rng(0)
        while t < 400:
            block = envs.block(400)
            assert (type(block), block.start) == (SlotsBlock, t)
            m = len(block.kept)
            again = envs.block(1)  # changes nothing
            np.testing.assert_array_equal(again.features[0], block.features[0])
            actions, brought = np.empty((m, n), np.int64), []
            for s in range(m):
                np.testing.assert_array_equal(
                    block.features[s].transpose(0, 2, 1), observation["arms"]
                )
                np.testing.assert_array_equal(block.mask[s], observation["action_mask"])
                np.testing.assert_array_equal(block.ids[s], observation["ids"])
                follow = rng.random(n) < 0.5
                shown, click = block.events[s]
                actions[s] = np.where(follow, shown, np.argmax(block.mask[s], axis=1))
                observation, reward, _, truncated, info = plain.step(actions[s])
                matched = block.kept[s] & (actions[s] == shown)
                np.testing.assert_array_equal(info["observed"], matched)
                np.testing.assert_array_equal(reward, np.where(matched, float(click), 0.0))
                brought.append((reward, info))
            following, reward, info = envs.step_block(block, actions)
            np.testing.assert_equal(following, observation)
            np.testing.assert_array_equal(reward, [each for each, _ in brought])
            for name in ("observed", "matched", "clicks"):
                np.testing.assert_array_equal(info[name], [told[name] for _, told in brought])
                assert info[name].dtype == brought[0][1][name].dtype
            t += m
            sizes.append(m)
        assert truncated.all()
        assert len(sizes) > 1
        assert envs.block(1) is None
        np.testing.assert_equal(envs.step(actions[-1])[0], plain.step(actions[-1])[0])


def test_a_block_refuses_empty_slots():
    envs = make(2, n_arms=21).unwrapped
    observation, _ = envs.reset(seed=0)
    before = copy.deepcopy(observation)
    block = envs.block(5)
    for slot, message in [(20, "slot 20 of replicate 1 has no article"), (21, "arm 21 of")]:
        actions = np.zeros(block.kept.shape, np.int64)
        actions[0, 1] = slot
        with pytest.raises(ValueError, match=message):
            envs.step_block(block, actions)
    np.testing.assert_equal(observation, before)
    for actions, message in [
        ([0, 20], r"slot 20 of replicate 1 has no article in this round, those with one are \["),
        ([21, 0], "arm 21 of replicate 0"),
        ([0, -1], "arm -1 of replicate 1"),
        ([0.0, 1.0], "expected 2 arms"),
    ]:
        with pytest.raises(ValueError, match=message):
            envs.step(actions)


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_the_replay_estimate_is_that_of_the_policy(format, tmp_path):
    """Of a policy that looks at user and articles; the model says how often it is clicked."""
    rounds, n = 20_000, 4
    log = MadeLog(format=format, seed=6, n_articles=5, lifetime=500)
    log.write(tmp_path / "made", rounds)
    envs = make(n, data=str(tmp_path / "made"), keep=0.8)
    weights = np.random.default_rng(3).normal(size=envs.unwrapped.task.dim)
    observation, _ = envs.reset(seed=1)
    clicks, matched, on_policy, weight = np.zeros(n), np.zeros(n), 0.0, 0.0
    for events in log.events(rounds):
        chances = log.probabilities(events)
        for t in range(len(events)):
            score = observation["arms"][0] @ weights
            score[observation["action_mask"][0] == 0] = -np.inf
            slot = int(score.argmax())
            place = int(np.flatnonzero(events.ids[t] == observation["ids"][0, slot])[0])
            # A round counts with the probability that the log shows what the policy chose.
            share = 1.0 / (events.ids[t] >= 0).sum()
            on_policy += share * chances[t, place]
            weight += share
            observation, _, _, _, info = envs.step(np.full(n, slot))
            clicks += info["clicks"]
            matched += info["matched"]
    rate = on_policy / weight
    # Rounds match with probability 0.8 / 5 to 0.8, and are clicked with their own: both numbers
    # are sums of independent variables, the first of a variance below 0.8 weight, that of clicks
    # given the matches below matched * rate, up to how the rates of the matched rounds vary, which
    # adds less than a tenth. Beyond 4.5 deviations is one replicate in 150,000.
    assert (np.abs(matched - 0.8 * weight) < 4.5 * np.sqrt(0.8 * weight)).all()
    deviation = np.sqrt(1.1 * rate / matched)
    assert (np.abs(clicks / matched - rate) < 4.5 * deviation).all()
    assert len(set(matched)) > 1
    # The interval tells this policy from one that is clicked one and a half times as often.
    assert 0.5 * rate > 4.5 * deviation.max()


def test_horizons_and_slots_are_those_of_the_log(tmp_path):
    path = write(tmp_path / "log", True)
    assert make(data=path, horizon=1).unwrapped.task.n_arms == 3
    short = make(data=path, horizon=2)
    assert short.unwrapped.task.n_arms == 4  # the third event is shown too
    short.reset(seed=0)
    for _ in range(2):
        observation, _, _, truncated, _ = short.step([1, 1])
    assert truncated.all()
    assert set(observation["ids"][0]) == {7, 8, 5, 6}
    assert make(data=path, horizon=7).unwrapped.task.horizon == 7
    assert make(data=path, max_episode_steps=2).unwrapped.dropped["malformed"] == 0
    assert make().unwrapped.task.horizon == 1000
    assert make(data=path, param_norm=2.5).unwrapped.task.param_norm == 2.5
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "ydata-1", False)
    write(folder / "ydata-2", False)
    assert make(data=folder).unwrapped.task.horizon == 14
    single = gymnasium.make("NewsReplay-v0", data=path).unwrapped
    assert single.batched.dropped["malformed"] == 1
    for settings, message in [
        ({"data": path, "horizon": 8}, "horizon 8 is above the number of rows, 7"),
        ({"data": path, "n_arms": 3}, "n_arms must be at least .*, 4, got 3"),
        ({"n_arms": 19}, "n_arms must be at least .*, 20, got 19"),
        ({"data": path, "log_seed": 1}, "log_seed is a setting of simulated logs"),
        ({"data": path, "features": "offset"}, "features must be one of outer, article, user"),
        ({"data": "R6B", "features": "outer"}, "features must be one of offset, user"),
        ({"data": 3}, "data must be R6A, R6B or a path, got 3"),
        ({"keep": 0.0}, r"keep must be a probability in \(0, 1\], got 0.0"),
        ({"keep": float("nan")}, "keep must be"),
        ({"keep": 1.1}, "keep must be"),
        ({"param_norm": 0}, "param_norm must be"),
        ({"log_seed": -1}, "log_seed must be"),
        ({"data": path, "n_articles": 5}, "n_articles is a setting of simulated logs"),
        ({"data": path, "lifetime": 50}, "lifetime is a setting of simulated logs"),
        ({"n_articles": 0}, "n_articles must be"),
        ({"lifetime": 9}, "lifetime must be"),
        ({"n_articles": 8, "n_arms": 7}, "n_arms must be at least .*, 8, got 7"),
    ]:
        with pytest.raises(ValueError, match=message):
            NewsReplay(**settings)
    with pytest.raises(FileNotFoundError, match="Webscope"):
        NewsReplay(data=str(tmp_path / "none"))


def test_made_logs_differ_by_their_seed_alone():
    one, two, other = (make(log_seed=seed).reset(seed=0)[0]["arms"] for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    np.testing.assert_array_equal(make(2).reset(seed=9)[0]["arms"], one)
    assert make(log_seed=2).unwrapped.task.param_norm == 1.0


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_articles_of_made_logs_are_as_many_and_stay_as_long_as_set(format):
    settings = {"log_seed": 3, "n_articles": 4, "lifetime": 60}
    log = MadeLog(format=format, seed=3, n_articles=4, lifetime=60)
    envs = make(data=format, horizon=200, keep=1.0, **settings)
    assert envs.unwrapped.task.n_arms == 4
    observation, _ = envs.reset(seed=0)
    for events in log.events(200):
        for ids, shown, click in zip(events.ids, events.shown, events.clicks, strict=True):
            slots = observation["ids"][0]
            assert sorted(slots[slots >= 0]) == sorted(ids[ids >= 0])
            slot = int(np.flatnonzero(slots == ids[shown])[0])
            observation, reward, _, _, info = envs.step([slot] * envs.num_envs)
            assert info["observed"][0]
            assert reward[0] == click
    assert make(data=format).unwrapped.task.n_arms == 20


def test_a_log_that_changed_is_reported(tmp_path):
    path = tmp_path / "made"
    MadeLog(n_articles=3).write(path, 50)
    env = NewsReplay(data=str(path), horizon=50)
    MadeLog(n_articles=3).write(path, 20)
    env.reset(seed=0)
    for _ in range(19):
        env.step([0])
    with pytest.raises(ValueError, match="50 events were scanned, now there are 20"):
        env.step([0])
    MadeLog(n_articles=9).write(path, 60)
    with pytest.raises(ValueError, match="an event has 8 articles, there are 3 slots"):
        env.reset(seed=0)
