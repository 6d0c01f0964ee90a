"""BKB with a linear kernel: the wrapper plays as BKB does, verdict rules, and a tiny run."""

import gymnasium
import numpy as np
import pytest

from agents import BKB, play
from banditgym.functions.covariances import Linear
from leaderboards.papers.calandriello2019 import linear_kernel as paper
from leaderboards.papers.calandriello2019.plain_gp import refit
from leaderboards.papers.claim import Finding
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import number

(CLAIM,) = paper.CLAIMS
SEEDS = [3, 4, 7]


def test_arms_lie_on_the_sphere():
    arms = paper.sphere(6, 4)
    np.testing.assert_allclose((arms * arms).sum(axis=1), 1)
    assert abs(arms.mean()) < 0.3
    assert len(np.unique(arms)) == 24


def test_the_wrapped_agent_has_the_posterior_of_its_pulls():
    arms = paper.sphere(8, 3)
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=1, arms=arms, horizon=30)
    wrapped = paper.WithLinearKernel(agent=BKB(qbar=1e9))  # S has all pulled arms
    pulled, rewards = [], []
    wrapped.reset(envs.unwrapped.task, n=1, seed=[5])
    seen, _ = envs.reset(seed=[5])
    for _ in range(30):
        arm = wrapped.act(seen)
        after, reward, _, _, _ = envs.step(arm)
        wrapped.observe(seen, arm, reward)
        seen = after
        pulled.append(int(arm[0]))
        rewards.append(float(reward[0]))
    ridge = wrapped.agent.model.ridge
    mean, variance = refit(Linear(), arms, np.array(pulled), np.array(rewards), ridge)
    np.testing.assert_allclose(wrapped.agent.model.mean[0], mean, atol=1e-7)
    np.testing.assert_allclose(wrapped.agent.model.variance[0], variance, rtol=1e-5)


@pytest.fixture(scope="module")
def sample():
    return paper.linear(SEEDS, horizon=40)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.linear([4], horizon=40)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    assert Finding.of(CLAIM, sample, True).verdict in Verdict
    assert (sample.measures["BKB, rank"] <= paper.DIM).all()
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_curves_are_of_that_agent(sample):
    envs = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=1, arms=paper.sphere(paper.N_ARMS, paper.DIM), horizon=40
    )
    trace = play(envs, paper.AGENTS["SOFUL, m = 10"], seed=[7])
    np.testing.assert_array_equal(sample.measures["SOFUL, m = 10"][2], trace.regret[0])


def test_rules():
    good = {
        "exponent, BKB": 0.5,
        "exponent, SOFUL, m = 5": 0.95,
        "SOFUL, m = 5 / BKB": 3.0,
        "largest rank of S": 19.9,
    }

    def of(**changed):
        return whole(CLAIM.judge({k: number(v) for k, v in (good | changed).items()}))

    assert of() is Verdict.REPRODUCED
    for name, bad in {
        "exponent, BKB": 0.9,
        "exponent, SOFUL, m = 5": 0.5,
        "SOFUL, m = 5 / BKB": 0.5,
        "largest rank of S": 5.0,
    }.items():
        assert of(**{name: bad}) is Verdict.PARTLY
