"""Logs with known truth, as frames for ``open_log``."""

import numpy as np
import pandas

from banditgym.logs import open_log

THETA = np.array([[1.0, -0.5], [0.2, 0.8], [-1.0, 0.1]])
COLUMNS = {"context": ["x0", "x1"]}
N_ARMS = 3


def rows(n=600, seed=0):
    """Contexts, propensities and expected rewards (n, K); rewards are 0 or 1."""
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(n, 2))
    scores = contexts @ THETA.T
    odds = np.exp(scores[:, [1, 2, 0]])
    propensities = 0.7 * odds / odds.sum(axis=1, keepdims=True) + 0.1
    means = 1 / (1 + np.exp(-scores))
    above = rng.random((n, 1)) > propensities.cumsum(axis=1)
    actions = np.minimum(above.sum(axis=1), N_ARMS - 1)
    rewards = (rng.random(n) < means[np.arange(n), actions]).astype(float)
    return contexts, propensities, means, actions, rewards


def frame(n=600, seed=0, *, table=True, propensity=True, context=True):
    """The log as a frame."""
    contexts, propensities, _, actions, rewards = rows(n, seed)
    found = pandas.DataFrame({"action": actions, "reward": rewards})
    if context:
        found["x0"], found["x1"] = contexts.T
    if propensity:
        found["propensity"] = propensities[np.arange(n), actions]
        if table:
            found["propensities"] = list(propensities)
    return found


def policy(n=600, seed=0):
    """A policy of the contexts (n, K)."""
    best = (rows(n, seed)[0] @ THETA.T).argmax(axis=1)
    return 0.8 * np.eye(N_ARMS)[best] + 0.2 / N_ARMS


def log(n=600, seed=0, **without):
    """The log, opened."""
    given = COLUMNS if without.get("context", True) else None
    return open_log(frame(n, seed, **without), given, n_arms=N_ARMS)
