"""Faults of agents and environments that the claims of auer2002 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/armed/ucb1.py
    UCB1's bonus does not grow [theorem-1, tuned-beats-ucb1]
    - growth = 2.0 * (rule.scale * rule.scale) * log(max(rule.t[i], 1))
    + growth = 0.08

    UCB1's bonus has the number of pulls upside down [theorem-1, tuned-beats-ucb1]
    - math.sqrt(growth / pulls)
    + math.sqrt(growth * pulls)

    --- agents/armed/ucb1_tuned.py
    UCB1-Tuned takes the variance for known [tuned-beats-ucb1, tuned-is-comparable]
    -  + math.sqrt(2.0 * growth / pulls)

    UCB1-Tuned has UCB1's bonus [tuned-beats-ucb1, ucb2-slightly-worse]
    - math.sqrt(growth / pulls * min(0.25, variance))
    + math.sqrt(2.0 * growth / pulls)

    --- agents/armed/ucb2.py
    UCB2's epochs never grow [ucb2-slightly-worse, tuned-greedy-is-best]
    -     epochs[k] += 1
    -     while
    +     return 1
    +     while

    UCB2's bonus is a tenth [ucb2-slightly-worse, tuned-greedy-is-best]
    - 2.0 * rule.noise_std * bonus
    + 0.2 * rule.noise_std * bonus

    --- agents/armed/epsilon_n_greedy.py
    epsilon_n-greedy explores for ever [tuned-greedy-is-best, tuned-is-comparable]
    -  * (decision + 1) < rule.weight
    +  * 100 < rule.weight

    epsilon_n-greedy forgets the gap [constant-matters, tuned-greedy-is-best]
    - self.c * self.task.n_arms / (self.gap * self.gap)
    + self.c * self.task.n_arms

    --- banditgym/envs/noise.py
    the regret of a Bernoulli reward leaves out the arm's mean [theorem-1]
    - regret[j, i] = best[shown, i] - mean
    + regret[j, i] = best[shown, i]

    --- banditgym/envs/armed.py
    all means are 0.1 too high [tuned-beats-ucb1, variance-does-not-matter]
    - means = np.tile(given, (self.num_envs, 1))
    + means = np.tile(given + 0.1, (self.num_envs, 1))
    """
)
