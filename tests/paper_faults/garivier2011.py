"""Faults of agents and environments that the claims of garivier2011 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/armed/klucb.py
    KL-UCB: a level that does not grow [optimal, balance]
    - level = log(rule.t[i] + 1.0)
    + level = 1.0

    KL-UCB: log log t has no weight [balance, optimal]
    - level += rule.c * log(max(level, 1.0))
    + level += 0.0

    KL-UCB: half of the level [balance, optimal]
    - share[k] = level / rule.pulls[i, k]
    + share[k] = 0.5 * level / rule.pulls[i, k]

    KL-UCB: Pinsker's bound in place of the divergence [better-than-ucb, balance, optimal]
    -         bernoulli_bounds(mean, share, bound, rule.scratch[3], rule.moves)
    +         for k in range(mean.shape[0]):
    +             bound[k] = mean[k] + math.sqrt(share[k] / 2.0)

    KL-UCB: the worst index is played [better-than-ucb, optimal]
    - bound[k] > bound[best]
    + bound[k] < bound[best]

    --- agents/numerics/bernoulli_bounds.py
    KL-UCB: only the half of failures counts in the divergence [balance, optimal]
    - excess -= p * log_of_normal(q) if p > 0.0 else 0.0
    + excess -= 0.0

    --- agents/armed/ucb1.py
    UCB: a bonus without its root [balance]
    - math.sqrt(growth / pulls)
    + growth / pulls

    UCB: half of the logarithm [balance, ucb-constant]
    - growth = 2.0 * (
    + growth = 1.0 * (

    --- agents/drivers/pulls.py
    the last reward for the sum of rewards [optimal, ucb-constant]
    - rule.sums[i, arm] += reward
    + rule.sums[i, arm] = reward

    --- banditgym/envs/armed.py
    means are 0.05 too high [balance]
    - means = given[np.argsort(draws, axis=1, kind="stable")]
    + means = 0.05 + given[np.argsort(draws, axis=1, kind="stable")]
    """
)
