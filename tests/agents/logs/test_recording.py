"""What a log has of the rounds of a play, against a plain loop."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.drivers.frequencies import DRAWS
from agents.inputs.late_rewards import LateRewards
from agents.logs.recording import logged_propensities
from banditgym.logs import open_log

T = 30
GEOMETRIC, COMING = {"kind": "geometric", "mean": 3.0}, {"kind": "drawn", "mean_life": 4.0}
SMALL = {"n_arms": 4, "dim": 2}
PER_ARM = {"n_arms": 3, "dim": 2, "shared_context": True}
CASES = {
    "arms": ("LinearBandit-v0", SMALL, agents.EpsilonGreedy(epsilon=0.3)),
    "sampled": ("LinearBandit-v0", SMALL, agents.LinTS()),
    "one_hot": ("LinearBandit-v0", SMALL, agents.LinUCB()),
    "nothing": ("ArmedBandit-v0", {"n_arms": 3}, agents.BetaThompson()),
    "late": ("ArmedBandit-v0", {"n_arms": 3, "delay": GEOMETRIC}, agents.EXP3()),
    "masked": ("LinearBandit-v0", {**SMALL, "available": COMING}, agents.EpsilonGreedy()),
    "labels": ("MulticlassBandit-v0", {"data": "iris"}, agents.EpsilonGreedyLogistic()),
    "slots": ("NewsReplay-v0", {"features": "article"}, agents.UniformRandom()),
    "best_arm": (
        "ArmedBandit-v0",
        {"n_arms": 3, "objective": "best_arm"},
        agents.SuccessiveRejects(),
    ),
    "drifting": ("DriftingArmedBandit-v0", {"n_arms": 3}, agents.Softmax()),
}


def replayed(env, agent, n, seed):
    """The rows of a play, by a plain loop."""
    agent.reset(env.unwrapped.task, n=n, seed=agents.derived_seeds(seed, n or 1))
    observation, _ = env.reset(seed=seed)
    late = LateRewards(agent.task, n or 1, n is None, "feedback")
    rows = []
    for t in range(T):
        p, means = agent.propensities(observation), env.unwrapped.expected_rewards()
        action = agent.act(observation)
        following, reward, *_, info = env.step(action)
        for i in range(n or 1):

            def of(value, i=i):
                return value if n is None else value[i]

            arm, stated = of(action), of(p)
            if not agent.exact_propensities:
                stated = (stated * DRAWS + np.eye(len(stated))[arm]) / (DRAWS + 1)
            row = {"seed": seed + i, "replicate": i, "episode": 0, "round": t, "action": arm}
            row |= {"propensity": stated[arm], "propensities": stated, "arrival": t}
            row |= {"reward": of(reward), "mean": None if means is None else of(means)}
            if isinstance(observation, dict):
                row |= {"action_mask": of(observation["action_mask"])}
                features = observation.get("arms")
            else:
                features = (
                    None
                    if observation is None or np.ndim(observation) < 1 + (n is not None)
                    else observation
                )
            row["context"] = None if features is None else of(features)
            if "arrival" in info:
                due = of(info["arrival"])
                row |= {"reward": of(info["reward"]), "arrival": due if 0 <= due < T else np.nan}
            elif "observed" in info and not of(info["observed"]):
                row["arrival"] = np.nan
            rows.append(row)
        if "arrival" in info:
            late.learn(agent, observation, action, info)
        else:
            agent.observe(observation, action, reward, observed=info.get("observed"))
        observation = following
    return rows


@pytest.mark.parametrize("solo", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_a_log_has_every_round(tmp_path, case, solo):
    name, settings, agent = CASES[case]
    make = gymnasium.make if solo else gymnasium.make_vec
    size = {} if solo else {"num_envs": 2}
    env = make(name, horizon=T, **size, **settings)
    trace = agents.play(env, agent, seed=7, log=tmp_path / "x.parquet")
    [chunk] = open_log(tmp_path / "x.parquet").chunks()
    n = None if solo else 2
    rows = replayed(env, agent, n, 7)
    for kind in rows[0]:
        found = getattr(chunk, kind)
        if rows[0][kind] is None:
            assert found is None, kind
        else:
            np.testing.assert_array_equal(found, [row[kind] for row in rows], kind)
    plain = agents.play(env, agent, seed=7)  # in blocks, where there are some
    for measure, curve in plain.measures.items():
        assert trace.measures[measure].tobytes() == curve.tobytes(), measure


@pytest.mark.parametrize("solo", [False, True])
@pytest.mark.parametrize("case", ["arms", "labels", "nothing"])
def test_features_of_the_arm_played_or_none(tmp_path, case, solo):
    name, settings, agent = CASES[case]
    env = (
        gymnasium.make(name, horizon=T, **settings)
        if solo
        else gymnasium.make_vec(name, num_envs=2, horizon=T, **settings)
    )
    logs = {}
    for context in ("all", "played", "none"):
        with agents.LogFile(tmp_path / f"{context}.parquet", context) as file:
            agents.play(env, agent, log=file)
        logs[context] = open_log(tmp_path / f"{context}.parquet")
    assert logs["none"].context == "none"
    [every], [played], [none] = (log.chunks() for log in logs.values())
    assert none.context is None
    if case == "arms":
        assert (logs["all"].context, logs["played"].context) == ("arms", "played")
        expected = every.context[np.arange(len(every)), every.action]
        np.testing.assert_array_equal(played.context, expected)
    elif case == "labels":  # arms share their features
        assert (logs["all"].context, logs["played"].context) == ("shared", "shared")
        np.testing.assert_array_equal(played.context, every.context)
    else:
        assert every.context is played.context is None


def test_weights_of_sampled_propensities_have_the_mean_of_one_over_them():
    """By enumeration of the number c of D draws that have the arm of the act."""
    from scipy.stats import binom

    p, c = 0.0007, np.arange(DRAWS + 1)
    stated = np.stack([c, DRAWS - c], axis=1) / DRAWS
    found = logged_propensities(stated, np.zeros(len(c), int), False)
    np.testing.assert_allclose(found[:, 0], (c + 1) / (DRAWS + 1), rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    mean = (binom.pmf(c, DRAWS, p) / found[:, 0]).sum()
    np.testing.assert_allclose(mean, (1 - (1 - p) ** (DRAWS + 1)) / p, rtol=1e-9)


def test_an_arm_that_could_not_be_played():
    stated = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert logged_propensities(stated, np.array([0, 0]), True) is stated
    with pytest.raises(
        ValueError, match="replicate 1 played arm 1, to which the agent gave probabi"
    ):
        logged_propensities(stated, np.array([0, 1]), True)


class Silent(agents.UniformRandom):
    def _choose(self, contexts):
        return super()._choose(contexts)


@pytest.mark.parametrize(
    ("name", "agent", "message"),
    [
        ("ArmedBandit-v0", Silent(), "Silent does not say with which probabilities it plays"),
        (
            "SphereBandit-v0",
            agents.PEGE(),
            "strongly_convex tasks have no arms or labels, of which",
        ),
        ("SynSep-v0", agents.UniformRandom(), "features are sparse: give context='none'"),
    ],
)
def test_agents_and_tasks_without_propensities(tmp_path, name, agent, message):
    env = gymnasium.make_vec(name, num_envs=2, horizon=T)
    with pytest.raises(ValueError, match=f"cannot be logged: {message}"):
        agents.play(env, agent, log=tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_seeds_that_no_column_holds(tmp_path):
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=T, n_arms=3)
    with pytest.raises(
        ValueError, match="seeds of a log must be below 2.63, got 9223372036854775809"
    ):
        agents.play(env, agents.UniformRandom(), seed=2**63, log=tmp_path / "x.parquet")


def test_threads_play_in_one_batch(tmp_path):
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=4, horizon=T, n_arms=3)
    agents.play(env, agents.UCB1(), threads=2, log=tmp_path / "x.parquet")
    [chunk] = open_log(tmp_path / "x.parquet").chunks()
    assert chunk.replicate.tolist() == [0, 1, 2, 3] * T
    assert set(chunk.propensity) == {1.0}
