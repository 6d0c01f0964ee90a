"""BetaThompson: its decisions in law, and what it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import integrate, stats

import agents
from banditgym.tasks import ArmedTask


def _task(n_arms):
    return ArmedTask(n_arms=n_arms, horizon=10**5, noise_std=None, subgaussian=0.5, bernoulli=True)


POSTERIORS = {
    "prior": [(0, 0), (0, 0), (0, 0)],
    "small": [(1, 0), (0, 1), (2, 1)],
    "one-sided": [(7, 0), (0, 7), (3, 3)],
    "rare": [(2, 300), (0, 150), (5, 500)],
    "large": [(900, 100), (1770, 230), (440, 60)],
    "two": [(30, 50), (20, 45)],
}


@pytest.mark.parametrize("posterior", POSTERIORS.values(), ids=POSTERIORS)
def test_plays_an_arm_as_often_as_it_is_the_best(posterior):
    """P(arm k is the best) = integral of its Beta density times the others' distribution functions.

    Chi-square test over 20 000 replicates at level 1e-5, per posterior. Power: a shift of 1 % in a
    probability of 1/3 has noncentrality 20 000 * 1e-4 * 4.5 = 9; of 3 % it has 81: sure to show.
    """
    n, n_arms = 20_000, len(posterior)
    agent = agents.BetaThompson().reset(_task(n_arms), n=n, seed=3)
    nothing = np.zeros(n, int)
    for arm, counts in enumerate(posterior):
        for reward, times in zip((1.0, 0.0), counts, strict=True):
            for _ in range(times):
                agent.observe(nothing, np.full(n, arm), np.full(n, reward))
    laws = [stats.beta(1 + s, 1 + f) for s, f in posterior]

    def is_best(k):
        others = [law for j, law in enumerate(laws) if j != k]
        low, high = laws[k].ppf([1e-12, 1 - 1e-12])
        return integrate.quad(
            lambda q: laws[k].pdf(q) * np.prod([law.cdf(q) for law in others]), low, high, limit=200
        )[0]

    p = np.array([is_best(k) for k in range(n_arms)])
    np.testing.assert_allclose(p.sum(), 1, atol=1e-6)
    played = np.bincount(agent.act(nothing), minlength=n_arms)
    expected = n * p / p.sum()
    # arms expected less than 5 times are thrown together with the most frequent one
    rare = expected < 5
    keep = np.flatnonzero(~rare)
    observed = played[keep].astype(float)
    observed[np.argmax(expected[keep])] += played[rare].sum()
    expected_kept = expected[keep]
    expected_kept[np.argmax(expected_kept)] += expected[rare].sum()
    assert stats.chisquare(observed, expected_kept).pvalue > 1e-5


def test_rounds_are_independent():
    """Two arms of equal posteriors: what is played in one round says nothing of the next."""
    n = 8000
    agent = agents.BetaThompson().reset(_task(2), n=n, seed=1)
    nothing = np.zeros(n, int)
    first = agent.act(nothing)
    # the posteriors stay equal, one success for each arm, so arm 0 keeps probability 1/2
    for arm in (0, 1):
        agent.observe(nothing, np.full(n, arm), np.ones(n))
    second = agent.act(nothing)
    table = np.array([[np.sum((first == a) & (second == b)) for b in (0, 1)] for a in (0, 1)])
    assert stats.chi2_contingency(table).pvalue > 1e-5
    assert stats.binomtest(int((second == 0).sum()), n, 0.5).pvalue > 1e-5


def test_refuses_rewards_that_are_not_bernoulli():
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, noise="gaussian")
    reason = agents.BetaThompson().refusal(env.unwrapped.task)
    assert reason is not None
    assert "Bernoulli" in reason
    with pytest.raises(ValueError, match="BetaThompson cannot play this task: .*Bernoulli"):
        agents.play(env, agents.BetaThompson(), horizon=3)


def test_a_reward_that_is_no_success_or_failure_raises_and_changes_nothing():
    agent = agents.BetaThompson().reset(_task(2), n=2)
    with pytest.raises(ValueError, match="0 or 1|Bernoulli"):
        agent.observe(np.zeros(2, int), np.array([0, 1]), np.array([1.0, 0.5]))
    assert agent.pulls.sum() == 0
    assert agent.sums.sum() == 0
