"""Faults of agents that the claims of garivier2011 must see."""

from leaderboards.papers.fault import Fault

_KL = "agents/armed/klucb.py"
_UCB1 = "agents/armed/ucb1.py"

FAULTS = (
    Fault(
        name="KL-UCB: a level that does not grow",
        file=_KL,
        old="level = log(now)",
        new="level = 1.0",
        claims=("optimal", "balance"),
    ),
    Fault(
        name="KL-UCB: log log t has no weight",
        file=_KL,
        old="level += c * log(max(level, 1.0))",
        new="level += 0.0",
        claims=("balance", "optimal"),
    ),
    Fault(
        name="KL-UCB: half of the level",
        file=_KL,
        old="share[k] = level / pulls[i, k]",
        new="share[k] = 0.5 * level / pulls[i, k]",
        claims=("balance", "optimal"),
    ),
    Fault(
        name="KL-UCB: Pinsker's bound in place of the divergence",
        file=_KL,
        old="            _bernoulli_bounds(mean, share, bound, entropy, moves)\n",
        new="            for k in range(n_arms):\n"
        "                bound[k] = mean[k] + math.sqrt(share[k] / 2.0)\n",
        claims=("better-than-ucb", "balance", "optimal"),
    ),
    Fault(
        name="KL-UCB: only the half of failures counts in the divergence",
        file=_KL,
        old="excess -= p * log_of_normal(q) if p > 0.0 else 0.0",
        new="excess -= 0.0",
        claims=("balance", "optimal"),
    ),
    Fault(
        name="KL-UCB: the worst index is played",
        file=_KL,
        old="if bound[k] > bound[best]:",
        new="if bound[k] < bound[best]:",
        claims=("better-than-ucb", "optimal"),
    ),
    Fault(
        name="UCB: a bonus without its root",
        file=_UCB1,
        old="math.sqrt(growth / pulls[i, k])",
        new="growth / pulls[i, k]",
        claims=("balance",),
    ),
    Fault(
        name="UCB: half of the logarithm",
        file=_UCB1,
        old="growth = 8.0 * log(",
        new="growth = 4.0 * log(",
        claims=("balance", "ucb-constant"),
    ),
    Fault(
        name="the last reward for the sum of rewards",
        file="agents/numerics/pull_counts.py",
        old="sums[i, arms[i]] += reward[i]",
        new="sums[i, arms[i]] = reward[i]",
        claims=("optimal", "ucb-constant"),
    ),
)
