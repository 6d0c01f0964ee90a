"""Policies of a log's rows: tables, agents that learn first, and saved agents."""

import re

import numpy as np
import pandas
import pytest

import agents
from banditgym.logs import open_log
from banditgym.logs.log_tasks import task_of_log as task_of
from leaderboards.ope import policies
from leaderboards.ope.policies import policy_of

from .small_logs import frame, log, policy, rows


def probabilities(found, opened, size=130):
    return np.concatenate([found.probabilities(chunk) for chunk in opened.chunks(size)])


def table(tmp_path, values, name="pi.csv"):
    path = tmp_path / name
    written = pandas.DataFrame(values)
    written.to_csv(path, index=False) if name.endswith("csv") else written.to_parquet(path)
    return str(path)


def test_a_table_is_read_in_step_with_the_log_and_again(tmp_path):
    opened, expected = log(), policy()
    found = policy_of(table(tmp_path, expected), opened)
    for size in (130, 600, 7):
        np.testing.assert_allclose(probabilities(found, opened, size), expected)
    last = [chunk for chunk in opened.chunks(250) if chunk.first_row > 250]
    part = np.concatenate([found.probabilities(chunk) for chunk in last])
    np.testing.assert_allclose(part, expected[250:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p[:, :2], "pi.csv has 2 columns: give one for each of the 3 actions"),
        (lambda p: p[:500], "pi.csv has 500 rows and the frame 600: give the same"),
        (lambda p: np.where(np.arange(600)[:, None] == 4, 0.5, p), "pi.csv, row 5: probabilities"),
        (
            lambda p: np.where(np.arange(600)[:, None] == 9, np.nan, p),
            "pi.csv, row 10: the column '0' is missi",
        ),
        (lambda p: p * 2 - 1 / 3, "pi.csv, row 1: probabilities must be within 0 and 1"),
    ],
)
def test_a_malformed_table(change, message, tmp_path):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        policy_of(table(tmp_path, change(policy())), log())
    assert "\n" not in str(error.value)


SPECS = (
    "LinUCB(alpha=0.5)", "UniformRandom", "EpsilonGreedy(epsilon=0.3)", "DisjointLinUCB",
    "DisjointLinTS",
)  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_an_agent_learns_from_the_first_rows_and_is_then_frozen(spec):
    opened, (contexts, _, _, actions, rewards) = log(), rows()
    found = policy_of(spec, opened)
    assert found.learns
    found.learn(opened, 200)
    agent = agents.naming.resolve(spec).reset(task_of(opened))
    for t in range(200):
        agent.act(contexts[t])
        agent.observe(contexts[t], int(actions[t]), float(rewards[t]))
    tried = [0, 1, 199, 200, 400, 599]
    expected = [agent.propensities(contexts[t]) for t in tried]
    np.testing.assert_allclose(probabilities(found, opened)[tried], expected, atol=1e-9)
    assert found._wide  # many rows at once, which is equal


@pytest.mark.parametrize("spec", ["UCB1", "BetaThompson", "EpsilonGreedy(epsilon=0.2)"])
def test_agents_without_contexts(spec):
    opened = log(context=False)
    found = policy_of(spec, opened)
    found.learn(opened, 300)
    table = probabilities(found, opened)
    assert (table == table[0]).all()
    assert table[0].sum() == pytest.approx(1)
    mean = [rows()[4][:300][rows()[3][:300] == arm].mean() for arm in range(3)]
    assert table[0].argmax() == np.argmax(mean) or spec == "UCB1"


def test_what_cannot_learn_from_a_log_says_why():
    opened = log(context=False)
    with pytest.raises(ValueError, match="Pending cannot learn from the frame: it plays by"):
        policy_of("Pending(UCB1())", opened).learn(opened, 300)


def test_rows_whose_reward_never_arrived_are_not_learned():
    told = frame()
    told["arrival"] = np.where(np.arange(600) % 2, np.nan, np.arange(600))
    full = open_log(told, {"context": ["x0", "x1"]}, n_arms=3)
    half = open_log(told[::2].drop(columns="arrival"), {"context": ["x0", "x1"]}, n_arms=3)
    found, other = (policy_of("LinUCB", one) for one in (full, half))
    found.learn(full, 400)
    other.learn(half, 200)
    expected = probabilities(other, half, 300)
    np.testing.assert_array_equal(probabilities(found, full, 600)[::2], expected)


def test_an_agent_whose_replicates_cannot_be_spread_is_asked_row_by_row(monkeypatch):
    opened = log()
    found = policy_of("LinUCB", opened)
    found.learn(opened, 200)
    expected = probabilities(found, opened)
    monkeypatch.setattr(policies, "put_rows", lambda *_: None)  # so that nothing is known
    found._wide = None
    np.testing.assert_array_equal(probabilities(found, opened), expected)
    assert found._wide is False


def test_a_saved_agent_plays_on_as_it_is(tmp_path):
    opened, (contexts, _, _, actions, rewards) = log(), rows()
    agent = agents.EpsilonGreedy(epsilon=0.2).reset(task_of(opened), seed=3)
    for t in range(50):
        agent.act(contexts[t])
        agent.observe(contexts[t], int(actions[t]), float(rewards[t]))
    agent.save(tmp_path / "agent.npz")
    found = policy_of(str(tmp_path / "agent.npz"), opened)
    assert not found.learns
    expected = [agent.propensities(contexts[t]) for t in range(20)]
    np.testing.assert_allclose(probabilities(found, opened)[:20], expected, atol=1e-12)


def test_what_cannot_be_a_policy(tmp_path):
    opened = log()
    (tmp_path / "other.npz").write_bytes(b"nothing")
    two = agents.UCB1().reset(task_of(log(context=False)), n=2)
    two.save(tmp_path / "two.npz")
    cases = {
        "LinUBC": "LinUCB",
        "TopTwoThompson": "cannot play this task",
        str(tmp_path / "other.npz"): "other.npz is neither a saved agent",
        str(tmp_path / "two.npz"): "two.npz must be one replicate of an agent that plays the log's",
        "nowhere.csv": "no such file: nowhere.csv",
    }
    for what, message in cases.items():
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            policy_of(what, opened)
        assert "\n" not in str(error.value)
    opened.metadata["context"] = "played"
    with pytest.raises(ValueError, match="features of the arm played alone"):
        policy_of("LinUCB", opened)
