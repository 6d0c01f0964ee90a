"""An agent learns from a log before it serves, bit for bit as from its own play."""

import dataclasses

import gymnasium
import numpy as np
import pandas
import pytest

import agents
from agents.storage.states import changed, state_of
from banditgym.logs import made_log, open_log

T = 40
LINEAR, ARMED = {"n_arms": 4, "dim": 2}, {"n_arms": 3}
PER_ARM = {"n_arms": 3, "dim": 2, "parameters": "per_arm"}
COMING = {"kind": "drawn", "mean_life": 4.0}
PLAYS = {
    "LinUCB": ("LinearBandit-v0", LINEAR, agents.LinUCB(alpha=0.7)),
    "LinTS": ("LinearBandit-v0", LINEAR, agents.LinTS()),
    "EpsilonGreedy": ("LinearBandit-v0", LINEAR | {"available": COMING}, agents.EpsilonGreedy()),
    "DisjointLinUCB": ("LogisticBandit-v0", PER_ARM, agents.DisjointLinUCB()),
    "LinUCB in blocks": ("LogisticBandit-v0", PER_ARM, agents.LinUCB()),
    "UCB1": ("ArmedBandit-v0", ARMED, agents.UCB1()),
    "BetaThompson": ("ArmedBandit-v0", ARMED, agents.BetaThompson()),
    "EpsilonGreedy of arms": (
        "ArmedBandit-v0",
        ARMED | {"available": COMING},
        agents.EpsilonGreedy(),
    ),
    "EXP3": ("ArmedBandit-v0", ARMED, agents.EXP3()),
    "TsallisINF": ("ArmedBandit-v0", ARMED, agents.TsallisINF()),
    "EXP3IX": ("ArmedBandit-v0", ARMED, agents.EXP3IX()),
    "SquareCB": ("MulticlassBandit-v0", {"data": "iris"}, agents.SquareCB()),
}


@pytest.mark.parametrize("solo", [False, True])
@pytest.mark.parametrize("name", PLAYS)
def test_a_log_of_its_own_play_gives_the_state_of_the_play(tmp_path, name, solo):
    env_id, settings, agent = PLAYS[name]
    make = gymnasium.make if solo else gymnasium.make_vec
    env = make(env_id, horizon=T, **settings, **({} if solo else {"num_envs": 3}))
    agents.play(env, agent, seed=5, log=tmp_path / "x.parquet")
    n = None if solo else 3
    learned = dataclasses.replace(agent)
    learned.reset(env.unwrapped.task, n=n, seed=agents.derived_seeds(5, n or 1))
    assert agents.learn(learned, tmp_path / "x.parquet") is learned
    # What an act computes anew is no knowledge: both act once more.
    observation = env.reset(seed=8)[0]
    np.testing.assert_array_equal(learned.act(observation), agent.act(observation))
    assert changed(state_of(agent), state_of(learned)) == ""


def test_an_agent_without_a_task_gets_that_of_the_log():
    frame = made_log(60)
    agent = agents.learn(agents.DisjointLinUCB(), frame)
    assert agent.solo
    assert (agent.task.n_arms, agent.task.context_dim, agent.task.horizon) == (4, 3, None)
    assert agent.decisions.tolist() == [60]
    same = agents.DisjointLinUCB().reset(agent.task)
    for _, row in frame.iterrows():
        same.observe(row["context"], row["action"], row["reward"])
    theirs, ours = state_of(same), state_of(agent)
    assert changed(theirs | {"decisions": 0}, ours | {"decisions": 0}) == ""
    agents.learn(agent, open_log(frame))  # and learns on
    assert agent.decisions.tolist() == [120]


def test_columns_are_named_and_rewards_that_never_came_are_not_learned():
    frame = made_log(60).rename(columns={"action": "shown"})
    frame["arrival"] = [0.0, np.nan] * 30
    agent = agents.learn(agents.DisjointLinUCB(), frame, columns={"action": "shown"})
    half = agents.learn(
        agents.DisjointLinUCB().reset(agent.task), frame[::2], columns={"action": "shown"}
    )
    assert agent.decisions.tolist() == [60]
    assert half.decisions.tolist() == [30]
    theirs, ours = state_of(half), state_of(agent)
    assert changed(theirs | {"decisions": 0}, ours | {"decisions": 0}) == ""


def test_exp3_weights_by_the_propensities_of_the_log():
    """The estimated loss of an arm is the sum of its losses over the log's propensities."""
    frame = made_log(50).drop(columns=["context"])
    task = gymnasium.make("ArmedBandit-v0", n_arms=4).unwrapped.task
    agent = agents.learn(agents.EXP3().reset(task), frame)
    expected = np.zeros(4)
    for _, row in frame.iterrows():
        expected[row["action"]] += (1.0 - row["reward"]) / row["propensity"]
    np.testing.assert_allclose(agent.losses[0], expected, rtol=1e-12)
    with pytest.raises(ValueError, match="propensities of all arms, which the log does not have"):
        agents.learn(agents.EXP3().reset(task), frame.drop(columns="propensities"))


def test_the_log_may_be_read_in_chunks(monkeypatch):
    whole = agents.learn(agents.DisjointLinUCB(), made_log(50))
    monkeypatch.setattr("banditgym.logs.bandit_log.CHUNK", 7)
    parts = agents.learn(agents.DisjointLinUCB(), made_log(50))
    assert changed(state_of(whole), state_of(parts)) == ""


def replicates(n=2, rows=20):
    frame = made_log(rows)
    frame["round"], frame["replicate"] = np.arange(rows) // n, np.arange(rows) % n
    return frame


def test_replicates_learn_from_their_own_rows():
    frame = replicates()
    both = agents.learn(agents.DisjointLinUCB(), frame)
    assert (both.solo, both.n) == (False, 2)
    for i in range(2):
        one = agents.learn(agents.DisjointLinUCB().reset(both.task), frame[frame["replicate"] == i])
        context = np.array([0.3, -0.5, 0.1])
        for arm in range(4):
            found = both.estimate(np.stack([context] * 2), [arm] * 2)[i]
            assert found == one.estimate(context, arm)


TASK = {
    name: gymnasium.make(name, **settings).unwrapped.task
    for name, settings in [
        ("ArmedBandit-v0", {"n_arms": 4}),
        ("LinearBandit-v0", {"n_arms": 4, "dim": 3}),
        ("OnlineRegression-v0", {}),
        ("MulticlassBandit-v0", {"data": "iris"}),
        ("NewsReplay-v0", {}),
    ]
}
MASKED = gymnasium.make("ArmedBandit-v0", n_arms=4, available=COMING).unwrapped.task


@pytest.mark.parametrize(
    ("agent", "task", "message"),
    [
        (agents.UCB2(), "ArmedBandit-v0", "its rule follows the choices that it makes itself"),
        (agents.Banditron(), "MulticlassBandit-v0", "it weights a reward by its own guess, which"),
        (agents.OnlineRidge(), "OnlineRegression-v0", "logs have rewards of arms, and it "),
        (agents.Pending(agents.UCB1()), "ArmedBandit-v0", "it plays by another agent: let"),
        (agents.UCB1(), MASKED, "its arms come and go, and the log has no action_mask"),
    ],
)  # fmt: skip
def test_agents_that_cannot_learn_from_a_log(agent, task, message):
    frame = made_log(20)
    frame["action"] %= 3
    agent.reset(TASK.get(task, task) if isinstance(task, str) else task)
    before = state_of(agent)
    with pytest.raises(ValueError, match=f"cannot learn from the frame: {message}"):
        agents.learn(agent, frame.drop(columns="propensity"), columns={"propensities": None})
    assert changed(before, state_of(agent)) == ""


def test_logs_that_do_not_fit():
    armed, linear = TASK["ArmedBandit-v0"], TASK["LinearBandit-v0"]
    frame, bare = made_log(20), made_log(20).drop(columns="context")
    for agent, log, message in [
        (agents.UCB1().reset(armed), replicates(), "it has 1 replicates, and the log has 2"),
        (agents.UCB1().reset(dataclasses.replace(armed, n_arms=3)), frame, "has 4 arms, and"),
        (agents.LinUCB().reset(linear), bare, "the log does not have the features of all arms"),
        (agents.LinUCB().reset(linear), frame, "expected features of shape .4, 3., got .3,."),
        (agents.UCB1(), frame, "UCB1 cannot play this task: it plays armed"),
        (agents.UCB1(), frame.assign(agent=list("ab") * 10), "rows of several agents: keep"),
        (agents.LinUCB, frame, "agent must be an Agent, such as agents.LinUCB.., got"),
        (agents.LinUCB(), frame.assign(action=9), "row 1: action must be one of 0 .. 3"),
        (agents.DisjointLinUCB(), replicates()[::-1].assign(round=0, replicate=[0] * 10 + [1] * 10),
         "occurs twice"),
        (agents.DisjointLinUCB(), pandas.concat([replicates()[::2], replicates()[1::2]]),
         "row 11: rows must be in the order of rounds, and within a round of the 2 replicates"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message) as caught:
            agents.learn(agent, log)
        assert "\n" not in str(caught.value)
