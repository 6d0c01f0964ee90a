"""Faults of agents and environments that the claims of garivier2011 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/armed/klucb.py
    KL-UCB: a level that does not grow [optimal, balance]
    - level = log(now)
    + level = 1.0

    KL-UCB: log log t has no weight [balance, optimal]
    - level += c * log(max(level, 1.0))
    + level += 0.0

    KL-UCB: half of the level [balance, optimal]
    - share[k] = level / pulls[i, k]
    + share[k] = 0.5 * level / pulls[i, k]

    KL-UCB: Pinsker's bound in place of the divergence [better-than-ucb, balance, optimal]
    -             _bernoulli_bounds(mean, share, bound, entropy, moves)
    +             for k in range(n_arms):
    +                 bound[k] = mean[k] + math.sqrt(share[k] / 2.0)

    KL-UCB: only the half of failures counts in the divergence [balance, optimal]
    - excess -= p * log_of_normal(q) if p > 0.0 else 0.0
    + excess -= 0.0

    KL-UCB: the worst index is played [better-than-ucb, optimal]
    - if bound[k] > bound[best]:
    + if bound[k] < bound[best]:

    --- agents/armed/ucb1.py
    UCB: a bonus without its root [balance]
    - math.sqrt(growth / pulls[i, k])
    + growth / pulls[i, k]

    UCB: half of the logarithm [balance, ucb-constant]
    - growth = 8.0 * log(
    + growth = 4.0 * log(

    --- agents/parts/pulled_arms.py
    the last reward for the sum of rewards [optimal, ucb-constant]
    - sums[i, arms[i]] += reward[i]
    + sums[i, arms[i]] = reward[i]

    --- banditgym/envs/armed.py
    means are 0.05 too high [balance]
    - self._means = self._given_means[np.argsort(draws, axis=1, kind="stable")]
    + self._means = 0.05 + self._given_means[np.argsort(draws, axis=1, kind="stable")]
    """
)
