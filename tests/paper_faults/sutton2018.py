"""Faults of agents and environments that the claims of sutton2018 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/linear/epsilon_greedy.py
    epsilon-greedy never explores [explorers-win, much-is-early]
    - if uniform_at(k0, k1, decision, 0) < epsilon:
    + if uniform_at(k0, k1, decision, 0) < 0.0:

    epsilon-greedy explores a tenth as often [little-is-late, much-is-early]
    - if uniform_at(k0, k1, decision, 0) < epsilon:
    + if uniform_at(k0, k1, decision, 0) < 0.1 * epsilon:

    --- agents/parts/estimators/arm_means.py
    estimates are the last rewards [greedy-level, greedy-found]
    - rule.mean[i, arm] = rule.sums[i, arm] / rule.pulls[i, arm]
    + rule.mean[i, arm] = reward

    a start is pessimistic [optimism, optimistic-spike]
    - first = np.full((n, n_arms), math.inf if start is None else float(start))
    + first = np.full((n, n_arms), math.inf if start is None else -float(start))

    an agent without rewards tries every arm [greedy-level, greedy-found]
    - first = np.full((n, n_arms), math.inf if start is None else float(start))
    + first = np.full((n, n_arms), math.inf)

    a constant step is a tenth of itself [optimism]
    - rule.mean[i, arm] += rule.step * (reward - rule.mean[i, arm])
    + rule.mean[i, arm] += 0.1 * rule.step * (reward - rule.mean[i, arm])

    --- agents/armed/ucb1.py
    UCB: a bonus three times as large [ucb]
    - growth = 2.0 * (
    + growth = 18.0 * (

    UCB: no bonus [ucb, ucb-spike]
    - growth = 2.0 * (
    + growth = 0.0 * (

    --- agents/armed/gradient_bandit.py
    the gradient bandit has no baseline [baseline, shift]
    - gain = rule.step * (reward - before if rule.baseline else reward)
    + gain = rule.step * reward

    the gradient bandit's baseline is twice the mean [baseline, shift]
    - before = reward if rule.t[i] == 0 else rewards / rule.t[i]
    + before = reward if rule.t[i] == 0 else 2.0 * rewards / rule.t[i]

    --- banditgym/envs/armed.py
    means are a quarter as far apart [greedy-level, greedy-found]
    - means = given.mean + given.std * arms.normal(0, (self.task.n_arms,))
    + means = given.mean + 0.25 * given.std * arms.normal(0, (self.task.n_arms,))

    --- banditgym/envs/noise.py
    noise is three times as loud [ucb-spike]
    - reward[j, i] = mean + drawn
    + reward[j, i] = mean + 3.0 * drawn
    """
)
