"""Rates are quotients of an environment's sums, and say which way is better."""

import gymnasium
import numpy as np

import agents
from banditgym.measures import RATES, higher_is_better, with_rates


def test_a_rate_is_its_quotient_and_0_before_anything_counts():
    sums = {
        "clicks": np.array([[0.0, 1.0, 1.0, 2.0]]), "matched": np.array([[0.0, 1.0, 4.0, 16.0]])
    }  # fmt: skip
    found = with_rates(sums)
    assert found["clicks_per_10000"].tolist() == [[0.0, 10_000.0, 2500.0, 1250.0]]
    assert found.keys() == {"clicks", "matched", "clicks_per_10000"}


def test_without_both_sums_there_is_no_rate():
    assert with_rates({"clicks": np.ones(2)}).keys() == {"clicks"}


def test_much_is_wanted_of_rewards_and_rates_and_little_of_regret():
    assert all(map(higher_is_better, [*RATES, "reward", "clicks"]))
    assert not higher_is_better("regret")
    assert not higher_is_better("simple_regret")


def test_traces_have_rates_from_rounds_and_from_blocks():
    for n, keep in ((3, 0.5), (1, 1.0)):  # one replicate of LinUCB plays in blocks
        envs = gymnasium.make_vec("NewsReplay-v0", num_envs=n, keep=keep, horizon=300)
        measures = agents.play(envs, agents.LinUCB(), seed=0).measures
        matched = measures["matched"][:, -1]
        assert (matched > 0).all()
        expected = 10_000 * measures["clicks"][:, -1] / matched
        assert measures["clicks_per_10000"][:, -1].tolist() == expected.tolist()
