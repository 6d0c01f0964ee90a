"""Logs of bandits, replayed: against a plain loop, and against the truth."""

import gymnasium
import numpy as np
import pandas
import pyarrow.parquet as parquet
import pytest

import agents
from banditgym.check import check_env
from banditgym.envs.logged import LoggedBandit
from banditgym.logs import bandit_log, made_log
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.vector_env import NOISE
from tests.banditgym.logs.log_examples import as_arrow, as_csv

N, T = 3, 200


def without(*columns, rows=T):
    return made_log(rows).drop(columns=list(columns))


def masked(rows=T):
    """Arm 3 is away in every other round; the others have its probability."""
    frame = made_log(rows)
    mask = np.ones((rows, 4), int)
    mask[::2, 3] = 0
    p = np.array([*frame["propensities"]]) * mask
    p /= p.sum(axis=1, keepdims=True)
    frame["action"] = np.where(mask[np.arange(rows), frame["action"]], frame["action"], 2)
    frame["propensities"], frame["action_mask"] = list(p), list(mask)
    return frame.drop(columns="propensity")


def arms(rows=T):
    frame, rng = made_log(rows), np.random.default_rng(1)
    frame["context"] = [[list(x) for x in rng.normal(size=(4, 2))] for _ in range(rows)]
    return frame


def placed(frame):
    return frame.assign(position=np.arange(len(frame)) % 3 + 5)


NOTHING = ("context", "mean", "propensities")
LOGS = {
    "shared": (made_log(T), {}),
    "arms": (arms(), {}),
    "nothing": (without(*NOTHING), {}),
    "masked": (masked(), {}),
    "masked arms": (masked().assign(context=arms()["context"]), {}),
    "masked nothing": (masked().drop(columns="context"), {}),
    "positions": (placed(made_log(T)), {}),
    "positions of arms": (placed(arms()), {}),
    "positions alone": (placed(without(*NOTHING)), {}),
    "other names": (
        made_log(T).rename(columns={"action": "shown", "context": "x"}),
        {"columns": {"action": "shown", "context": "x"}},
    ),
    "rewards": (made_log(T).assign(reward=np.linspace(-2, 3, T)), {}),
    "short": (made_log(T), {"horizon": 50}),
    "more arms": (without("propensities", "mean"), {"n_arms": 6}),
    "late": (made_log(T).assign(arrival=[0.0, np.nan] * (T // 2)), {}),
}


def made(n=N, **settings):
    return gymnasium.make_vec("LoggedBandit-v0", num_envs=n, **settings)


@pytest.mark.parametrize("name", LOGS)
def test_a_replay_is_a_plain_loop(name):
    frame, settings = LOGS[name]
    env = made(data=frame, **settings).unwrapped
    seen, _ = env.reset(seed=4)
    u = Stream([4, 5, 6], ENVIRONMENT, NOISE, 0)
    p = [row.get("propensity", row["propensities"][row["action"]] if "propensities" in frame else 0)
         for _, row in frame.rename(columns={"shown": "action"}).iterrows()]  # fmt: skip
    table = np.array([*frame["propensities"]]) if "propensities" in frame else np.array(p)
    least = table[table > 0].min()
    assert env.acceptance == least
    assert env.task.horizon == settings.get("horizon", T)
    rng = np.random.default_rng(0)
    features = "x" if "x" in frame else "context"
    for t in range(env.task.horizon):
        row = frame.iloc[t]
        expected = np.array([*row[features]]) if features in frame else None
        if "position" in frame:
            where = np.eye(3)[t % 3]
            if expected is None:
                expected = where
            else:
                where = np.broadcast_to(where, (*expected.shape[:-1], 3))
                expected = np.concatenate([expected, where], axis=-1)
        shown = seen
        if "action_mask" in frame:
            np.testing.assert_array_equal(seen["action_mask"], [row["action_mask"]] * N)
            shown = seen.get("arms", seen.get("context"))
        if expected is None:
            assert shown is None or shown.shape == (N,)
        else:
            np.testing.assert_array_equal(shown, [expected] * N)
        there = np.flatnonzero(row.get("action_mask", np.ones(4)))
        actions = np.where(
            rng.random(N) < 0.6, row.get("action", row.get("shown")), rng.choice(there, N)
        )
        actions = actions.astype(int)
        kept = u.uniform(t) < least / p[t]
        observed = kept & (actions == row.get("action", row.get("shown")))
        observed &= not np.isnan(row.get("arrival", 0.0))
        seen, reward, _, truncated, info = env.step(actions)
        np.testing.assert_array_equal(reward, np.where(observed, row["reward"], 0.0))
        np.testing.assert_array_equal(info["observed"], observed)
        np.testing.assert_array_equal(info["matched"], observed.astype(float))
        np.testing.assert_array_equal(info["earned"], reward)
        assert truncated.all() == (t + 1 == env.task.horizon)


@pytest.mark.parametrize(
    "name", ["arms", "nothing", "masked arms", "masked nothing", "positions", "rewards"]
)
def test_it_is_an_environment(name):
    frame, settings = LOGS[name]
    check_env("LoggedBandit-v0", data=frame, **settings)


def test_chunks_change_nothing(monkeypatch):
    traces = []
    for size in (7, 65_536):
        monkeypatch.setattr(bandit_log, "CHUNK", size)
        env = made(data=made_log(T))
        traces.append(agents.play(env, agents.LinUCB(), seed=1).measures)
        again = agents.play(env, agents.LinUCB(), seed=1).measures  # from the beginning again
        for name, curve in again.items():
            assert curve.tobytes() == traces[-1][name].tobytes()
    for name, curve in traces[0].items():
        assert curve.tobytes() == traces[1][name].tobytes()


def test_the_form_of_a_log_changes_nothing(tmp_path):
    frame = made_log(T)
    columns = {name: np.array([*frame[name]]) for name in frame}
    parquet.write_table(as_arrow(columns), tmp_path / "x.parquet")
    names = as_csv(tmp_path / "x.csv", columns)
    traces = [
        agents.play(made(data=data, columns=of), agents.DisjointLinUCB(), seed=2).measures
        for data, of in [
            (frame, None), (tmp_path / "x.parquet", None), (as_arrow(columns), None),
            (str(tmp_path / "x.csv"), names),
        ]
    ]  # fmt: skip
    for other in traces[1:]:
        for name, curve in other.items():
            assert curve.tobytes() == traces[0][name].tobytes()


def test_the_mean_of_observed_rounds_is_that_of_the_policy():
    """A policy that plays arm 1 where the second feature is positive, and else arm 2.

    The share of T n rounds that is observed is p within 5 standard deviations. The estimate's
    variance is at most 1/4 over the number observed. Without the rejection the estimate weighs the
    rounds by their propensities, and its limit differs from the truth by more than the interval.
    """
    rows = 30_000
    frame = made_log(rows)
    # An arm's mean depends on the first feature, by which the log's policy chooses.
    x = np.array([*frame["context"]])
    means = np.stack(
        [0.5 + 0.4 * x[:, 0], 0.5 + 0.4 * x[:, 0], 0.5 - 0.4 * x[:, 0], x[:, 0] * 0], 1
    )
    played = np.stack([x[:, 1] > 0, x[:, 1] <= 0], 1) @ [1, 2]
    rng = np.random.default_rng(5)
    frame["reward"] = rng.random(rows) < means[np.arange(rows), frame["action"]]
    env = made(4, data=frame.drop(columns="mean")).unwrapped
    env.reset(seed=0)
    matched, earned, agreed = np.zeros(4), np.zeros(4), []
    for t in range(rows):
        _, _, _, _, info = env.step([played[t]] * 4)
        matched += info["matched"]
        earned += info["earned"]
        if played[t] == frame["action"][t]:
            agreed.append(frame["reward"][t])
    truth = means[np.arange(rows), played].mean()
    assert (abs(matched - 0.15 * rows) < 5 * np.sqrt(0.15 * 0.85 * rows)).all()
    assert (abs(earned / matched - truth) < 5 * 0.5 / np.sqrt(matched)).all()
    assert abs(np.mean(agreed) - truth) > 5 * 0.5 / np.sqrt(len(agreed))


def test_uniform_logs_lose_no_round_at_random():
    frame = without("propensities", "propensity", "mean").assign(propensity=0.25)
    env = made(data=frame).unwrapped
    assert env.determined
    assert not made(data=made_log(T)).unwrapped.determined
    env.reset(seed=0)
    for t in range(T):
        *_, info = env.step([frame["action"][t]] * N)
        assert info["observed"].all()


def test_a_replicate_of_a_play_is_replayed(tmp_path):
    source = gymnasium.make_vec("LinearBandit-v0", num_envs=4, horizon=60, n_arms=3, dim=2)
    agents.play(source, agents.UniformRandom(), seed=3, log=tmp_path / "x.parquet")
    rows = pandas.read_parquet(tmp_path / "x.parquet")
    rows = rows[rows["replicate"] == 2].reset_index()
    env = made(data=tmp_path / "x.parquet", replicate=2).unwrapped
    assert env.task.horizon == 60
    seen, _ = env.reset(seed=0)
    for t in range(60):
        np.testing.assert_array_equal(seen[1], np.stack(rows["context"][t]))
        seen, reward, *_ = env.step([rows["action"][t]] * N)
        assert (reward == rows["reward"][t]).all()
    with pytest.raises(
        ValueError, match="x.parquet has rows of 4 replicates, which are episodes of"
    ):
        made(data=tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"x.parquet has no replicate 9: \[0, 1, 2, 3\]"):
        made(data=tmp_path / "x.parquet", replicate=9)


def test_logs_of_agents_that_learned_are_refused(tmp_path):
    source = gymnasium.make_vec("LinearBandit-v0", num_envs=1, horizon=60, n_arms=3, dim=2)
    agents.play(source, agents.EpsilonGreedy(epsilon=0.3), log=tmp_path / "x.parquet")
    reason = "replayed, because 'EpsilonGreedy.epsilon=0.3.' learned as it went: which rows"
    with pytest.raises(ValueError, match=reason):
        made(data=tmp_path / "x.parquet")
    assert made(data=tmp_path / "x.parquet", adaptive=False).unwrapped.acceptance == 0.3 / 3
    frame = without("context", "mean")
    with pytest.raises(
        ValueError, match="because its propensities change although it shows nothing"
    ):
        made(data=frame)
    made(data=frame, adaptive=False)
    made(data=placed(frame))  # a position is shown
    with pytest.raises(ValueError, match="because its policy learned as it went"):
        made(data=made_log(T), adaptive=True)


def test_what_else_cannot_be_replayed(tmp_path):
    source = gymnasium.make_vec("LinearBandit-v0", num_envs=1, horizon=60, n_arms=3, dim=2)
    with agents.LogFile(tmp_path / "played.parquet", "played") as log:
        agents.play(source, agents.UniformRandom(), log=log)
    twice = pandas.concat([made_log(5).assign(agent=name) for name in "ab"], ignore_index=True)
    never = made_log(T)
    never["propensities"] = list(np.eye(4)[never["action"]])
    never = never.drop(columns="propensity")
    seeds = pandas.concat([made_log(5).assign(seed=seed) for seed in (1, 2)], ignore_index=True)
    for settings, message in [
        ({"data": tmp_path / "played.parquet"}, "has the features of the arm played alone, which"),
        (
            {"data": without("propensity", "propensities")},
            "the frame has no propensities: name thei",
        ),
        ({"data": twice}, "has rows of 2 replicates, .*: keep the rows of one agent"),
        ({"data": seeds}, "has rows of 2 replicates, .*: keep the rows of one seed"),
        (
            {"data": never},
            "gives probability 0 to an arm that could be played, so that a policy th",
        ),
        ({"data": made_log(5), "replicate": 0}, "has no replicate 0: it does not say which"),
        ({"data": made_log(5), "horizon": 6}, "horizon 6 is above the number of rows, 5"),
        ({"data": "none.csv"}, "no such file: none.csv"),
        ({"columns": {"actoin": "a"}}, "did you mean action?"),
        ({"n_arms": 3}, "propensities must have an entry for each of the 3 arms"),
    ]:
        with pytest.raises(ValueError, match=message) as caught:
            LoggedBandit(**settings)
        assert "\n" not in str(caught.value)
    env = made(data=masked())
    env.reset(seed=0)
    with pytest.raises(ValueError, match="arm 3 of replicate 1 is not available in this round"):
        env.step([0, 3, 1])


def test_the_rate_of_rewards_is_that_of_matched_rounds():
    trace = agents.play(made(), agents.UniformRandom(), seed=0)
    earned, matched = trace.measures["earned"], trace.measures["matched"]
    rate = trace.measures["reward_per_match"]
    np.testing.assert_array_equal(rate, earned / np.maximum(matched, 1))
    np.testing.assert_array_equal(earned, trace.measures["reward"])
