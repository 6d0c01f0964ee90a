"""Pull counts and reward sums of arms: the state that armed agents share."""

import numpy as np

from banditgym.compiled import compiled


@compiled
def absorb(pulls, sums, t, arms, reward, observed):
    """Add the rewards (n,) of the arms (n,) to pulls, sums (n, K) and the round counter t (n,)."""
    for i in range(arms.shape[0]):
        if observed[i]:
            pulls[i, arms[i]] += 1
            sums[i, arms[i]] += reward[i]
            t[i] += 1


def initial(n: int, n_arms: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pulls (n, K), reward sums (n, K) and finished rounds (n,), before any."""
    return np.zeros((n, n_arms), np.int64), np.zeros((n, n_arms)), np.zeros(n, np.int64)
