"""BKB beside the exact posterior of its own pulls."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents.parts.posteriors import Exact
from banditgym.elementary import each_expm1, each_log1p
from leaderboards.papers.simulations import recorded

EPSILON = 0.5  # the theorems' accuracy on this page
ALPHA = (1 + EPSILON) / (1 - EPSILON)
Also = Callable[[Any, np.ndarray, np.ndarray, np.ndarray], dict[str, np.ndarray]]


def beside_exact(
    agent: Any, envs: Any, seeds: Sequence[int], also: Also | None = None
) -> tuple[np.ndarray, dict]:
    """Play an agent with an adaptive dictionary, and compute the exact posterior of its pulls.

    ``also`` takes the agent, its means, its variances and the counts of pulls, (n, K) each, and
    returns named values (n,); the running maximum of each is kept.

    Returns
    -------
    rounds : ndarray of shape (c,)
    curves : dict of str to ndarray of shape (n, c)
        Values before each of these rounds: ``factor``, the largest ratio so far, up or down, of any
        arm's variance to the exact one; ``outside``, the share of rounds so far in which that ratio
        exceeded alpha; ``size`` of the dictionary; ``left out``, the share of rounds so far in
        which a pulled arm was not in it; ``effective dimension`` of the pulls (``dimension after``
        the round). ``sizes`` and
        ``expected`` are sums over the rounds so far, of the sizes of the dictionary and of what
        they are in the mean: the sum over arms of 1 - (1 - min(1, qbar variance))^pulls, with the
        variance before the last pull. Also the ``regret`` after the round.
    """
    task, n = envs.unwrapped.task, len(seeds)
    exact = begun(Exact(), task, seeds, agent.ridge)
    yes, each = np.ones(n, bool), np.arange(n)
    counts, expected = np.zeros((n, task.n_arms)), np.zeros(n)
    largest: dict[str, None] = {}

    def notes(agent, contexts, arms, reward):
        mean, variance = agent.model.predict(contexts)
        ratio = variance / exact.predict(contexts)[1]
        size, dimension = agent.model.count, exact.effective_dimension().copy()
        noted = {
            "factor": np.maximum(ratio, 1 / ratio).max(axis=1),
            "size": size,
            "sizes": size,
            "expected": expected,
            "left out": size < np.count_nonzero(counts, axis=1),
            "effective dimension": dimension,
        }
        further = also(agent, mean, variance, counts) if also else {}
        largest.update(dict.fromkeys(("factor", *further)))
        noted = {name: np.array(values) for name, values in (noted | further).items()}
        exact.update(contexts, arms, reward, yes)
        noted["dimension after"] = exact.effective_dimension().copy()
        counts[each, arms] += 1
        expected[:] = 1.0 if counts.sum() == n else drawn(variance, counts, agent.qbar).sum(axis=1)
        return noted

    trace, kept = recorded(agent, notes, envs, seeds)
    so_far = np.arange(1, kept["factor"].shape[1] + 1)
    kept["outside"] = np.cumsum(kept["factor"] > ALPHA, axis=1) / so_far
    kept["left out"] = np.cumsum(kept["left out"], axis=1) / so_far
    for name in largest:
        kept[name] = np.maximum.accumulate(kept[name], axis=1)
    for name in ("sizes", "expected"):
        kept[name] = np.cumsum(kept[name], axis=1)
    curves = {name: values[:, trace.rounds - 1] for name, values in kept.items()}
    return trace.rounds, {**curves, "regret": trace.measures["regret"]}


def begun(posterior: Any, task: Any, seeds: Sequence[int], ridge: float) -> Any:
    """The state of a posterior, with a replicate for each seed."""
    return posterior.reset(
        task, n=len(seeds), seeds=list(seeds), covariance=task.covariance, ridge=ridge
    )


def drawn(variance: np.ndarray, counts: np.ndarray, qbar: float) -> np.ndarray:
    """Probabilities that arms of so many pulls are in S, of Figure 1: one draw for each pull."""
    chance = qbar * variance
    certain = chance >= 1
    missed = each_log1p(-np.where(certain, 0.0, chance))
    return np.where(certain, counts > 0, -each_expm1(counts * missed))
