"""Faults of agents and environments that the claims of audibert2010 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/best_arm/successive_rejects.py
    the best arm is rejected [theorem-bound]
    - mean <= rule.sums[i, worst]
    + mean >= rule.sums[i, worst]

    half of the pulls in every phase [better-than-uniform]
    - np.ceil(share / np.arange
    + np.ceil(0.5 * share / np.arange

    all phases are as short as the first [better-than-uniform, exponential-decay]
    - np.ceil(share / np.arange(n_arms, 1, -1))
    + np.ceil(share / np.full(n_arms - 1, n_arms))

    --- agents/drivers/pulls.py
    the last reward for the sum of rewards [theorem-bound]
    - rule.sums[i, arm] += reward
    + rule.sums[i, arm] = reward

    --- agents/parts/best_arm_agent.py
    a rejected arm is recommended [theorem-bound]
    - np.where(self.still, super()
    + np.where(~self.still, super()

    --- agents/recommendations.py
    an error is counted as none [better-than-uniform]
    - "error": lost > 0.0
    + "error": lost <= 0.0
    """
)
