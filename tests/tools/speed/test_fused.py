"""The fused loops play as the agents do: the same rounds, decisions and measures."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.trace import default_rounds
from leaderboards.speed.benchmarks import ROWS
from tools.speed.fused import FUSED_AGENTS, fused, fused_same
from tools.speed.ratios import FUSED, TARGETS

N = 9  # no multiple of what a register holds
# From the first round on, and across the numbers of rounds that a loop draws at once (256).
ROUNDS = (1, 2, 3, 11, 101, 255, 256, 257, 650)
JUDGED = [row for row in ROWS if row.name in TARGETS and TARGETS[row.name].of == FUSED]


def test_every_light_row_has_a_loop_and_every_loop_a_row():
    assert {row.agent for row in JUDGED} == FUSED_AGENTS.keys()
    light = [row for row in JUDGED if row.n == 100]
    agents_of = {row.agent for row in light}
    assert agents_of == FUSED_AGENTS.keys()
    # Those of 100 replicates with a target and no loop are shares of another agent's speed.
    rest = [row for row in ROWS if row.n == 100 and row.name in TARGETS and row not in light]
    assert {TARGETS[row.name].of for row in rest} == {"OFUL"}


@pytest.mark.nightly
@pytest.mark.parametrize("row", JUDGED, ids=lambda row: row.name)
def test_a_fused_loop_has_the_measures_of_play_after_every_round(row):
    env = gymnasium.make_vec(row.env, num_envs=N, horizon=ROUNDS[-1], **row.settings)
    trace = agents.play(env, agents.resolve(row.agent), rounds=ROUNDS)
    loop = fused(row.agent, row.settings, N)
    measures = loop(ROUNDS[-1], ROUNDS)
    np.testing.assert_array_equal(measures.pop("pulls", None), trace.pulls)
    assert measures.keys() == trace.measures.keys() - {"accuracy"}
    for name, values in measures.items():
        expected = trace.measures[name]
        if row.env == "OnlineRegression-v0":
            # A prediction is a real number, and its rounding that of another formula: an error
            # of some 1e-16 a round, times the rows' condition number, which in 9 replicates of
            # 10 rows in 10 dimensions is 1e4 at most or so.
            np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)
        else:
            # Bits: rewards and regret depend on draws and decisions alone, and these are equal
            # unless two scores are within rounding of each other.
            np.testing.assert_array_equal(values, expected, name)
    usual = loop(300)
    assert {len(values.T) for name, values in usual.items() if name != "pulls"} == {
        len(default_rounds(300))
    }


@pytest.mark.nightly
@pytest.mark.parametrize("row", JUDGED, ids=lambda row: row.name)
def test_a_loop_with_the_same_arithmetic_has_every_bit_of_play(row):
    """And no other row has one: those of regression and of fixed arms are all."""
    env = gymnasium.make_vec(row.env, num_envs=N, horizon=ROUNDS[-1], **row.settings)
    loop = fused_same(row.agent, env.unwrapped)
    meant = row.env == "OnlineRegression-v0" or row.settings.get("fixed_arms", False)
    assert (loop is not None) == meant
    if loop is None:
        return
    played = [loop(ROUNDS[-1], ROUNDS) for _ in range(2)]  # nothing is left from the first
    trace = agents.play(env, agents.resolve(row.agent), rounds=ROUNDS)
    for found in played:
        np.testing.assert_array_equal(found.pop("pulls", None), trace.pulls)
        assert found.keys() == trace.measures.keys()
        for name, values in found.items():
            np.testing.assert_array_equal(values, trace.measures[name], name)


@pytest.mark.parametrize("agent", ["LinUCB", "OnlineRidge", "PEGE", "Banditron"])
def test_a_replicate_does_not_depend_on_the_others(agent):
    row = next(row for row in JUDGED if row.agent == agent)
    few, many = (fused(agent, row.settings, n)(300) for n in (2, 11))
    for name, values in few.items():
        np.testing.assert_array_equal(values, many[name][:2])
