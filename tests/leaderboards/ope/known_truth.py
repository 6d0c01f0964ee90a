"""Logs of small environments whose policies have a known value."""

import numpy as np

from leaderboards.ope import Log

# Three contexts, all as likely, and three actions with rewards 0 or 1.
MEANS = np.array([[0.8, 0.4, 0.3], [0.2, 0.6, 0.5], [0.5, 0.1, 0.7]])
LOGGING = np.array([[0.2, 0.5, 0.3], [0.5, 0.25, 0.25], [0.4, 0.4, 0.2]])
TARGET = np.array([[0.9, 0.1, 0.0], [0.1, 0.7, 0.2], [0.0, 0.3, 0.7]])
VALUE = (TARGET * MEANS).sum() / 3
WRONG_MODEL = np.array([[0.1, 0.9, 0.5], [0.9, 0.1, 0.2], [0.3, 0.3, 0.1]])


def stationary_log(seed, n_rounds, *, model=WRONG_MODEL, propensities=LOGGING):
    """A log of `LOGGING`, and the probabilities of `TARGET` (T, K).

    The predictions, and the propensities that are logged, are those of two tables.
    """
    rng = np.random.default_rng(seed)
    contexts = rng.integers(3, size=n_rounds)
    actions = drawn(rng, LOGGING[contexts])
    rewards = (rng.random(n_rounds) < MEANS[contexts, actions]).astype(float)
    log = Log(actions, rewards, propensities[contexts], model[contexts])
    return log, TARGET[contexts]


def adaptive_log(seed, n_rounds=1000, n_batches=4, *, decay=4.0, mean=1.0):
    """A log of an agent that plays ever more what was best, and the policy "always action 0".

    Both actions earn ``mean`` at both contexts, with standard normal noise, so that the value of
    every policy is ``mean``. In batch b of 1 .. n_batches the agent plays the action that seems
    worse with probability b ** -decay / 2. The predictions are 0, as a model's without data.
    """
    rng = np.random.default_rng(seed)
    contexts = rng.integers(2, size=n_rounds)
    batches = np.arange(n_rounds) * n_batches // n_rounds
    noise, uniforms = rng.standard_normal(n_rounds), rng.random(n_rounds)
    counts, totals = np.zeros((2, 2)), np.zeros((2, 2))  # (context, action)
    policies = np.full((n_batches, 2, 2), 0.5)
    actions = np.empty(n_rounds, int)
    for batch in range(n_batches):
        least = (batch + 1) ** -decay / 2
        policies[batch] = least
        best = (totals / np.maximum(counts, 1)).argmax(axis=1)
        policies[batch, [0, 1], best] = 1 - least
        now = batches == batch
        actions[now] = uniforms[now] > policies[batch, contexts[now], 0]
        np.add.at(counts, (contexts[now], actions[now]), 1)
        np.add.at(totals, (contexts[now], actions[now]), noise[now] + mean)
    log = Log(
        actions,
        noise + mean,
        predictions=np.zeros((n_rounds, 2)),
        logging_policies=policies[:, contexts],
        policy_of_round=batches,
    )
    return log, np.tile([1.0, 0.0], (n_rounds, 1))


def drawn(rng, probabilities):
    """An action for each row of probabilities (T, K)."""
    above = rng.random((len(probabilities), 1)) > probabilities.cumsum(axis=1)
    return np.minimum(above.sum(axis=1), probabilities.shape[1] - 1)
