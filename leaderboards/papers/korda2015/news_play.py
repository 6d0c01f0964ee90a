"""Every variant of LinUCB plays the news by itself: clicks, and distances from the ridge solution.

The experiment of the claims on clicks and of Figures 2(a) to 2(c).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import FastLinUCB, LinUCB, UniformRandom, derived_seeds
from agents.parts.estimators import SAG, SVRG, GradientDescent
from leaderboards.papers.claim import Sample
from leaderboards.papers.simulations import environments

ALPHA, RIDGE = 0.1, 1.0
# The paper's schemes, each with steps from short to long; the second is the package's default.
SCHEMES = {
    "fLinUCB-GD": {
        f"c = {c}": GradientDescent(step=float(c), ridge=RIDGE) for c in (10, 100, 1000)
    },
    "fLinUCB-SVRG": {
        f"η = {rate}": SVRG(learning_rate=rate, ridge=RIDGE) for rate in (0.02, 0.1, 0.5)
    },
    "fLinUCB-SAG": {
        f"η = {name}": SAG(learning_rate=rate, ridge=RIDGE)
        for name, rate in {"1/64": 1 / 64, "1/16": 1 / 16, "1": 1.0}.items()
    },
}
FAST = {
    f"{scheme}, {step}": FastLinUCB(estimator=own, alpha=ALPHA)
    for scheme, steps in SCHEMES.items()
    for step, own in steps.items()
}
DEFAULTS = {scheme: f"{scheme}, {list(steps)[1]}" for scheme, steps in SCHEMES.items()}
EXACT = {"uniform": UniformRandom(), "LinUCB": LinUCB(alpha=ALPHA, ridge=RIDGE)}
POINTS = 40  # of a curve
PER_SAMPLE = 60  # events: about 40 match a choice of which the log shows one


class Played(NamedTuple):
    """What an agent did.

    Attributes
    ----------
    rates : ndarray of shape (n, c)
        Clicks per 10,000 matched events so far.
    theta, ridge : ndarray of shape (n, p, d), or None
        The estimate after counts of samples, and the ridge solution of the same samples.
    """

    rates: np.ndarray
    theta: np.ndarray | None
    ridge: np.ndarray | None


def ridge_solutions(rows: np.ndarray, outcomes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(ridge I + sum x x')^-1 sum x y of the first rows (m, d), for each of the counts (p,)."""
    dim = rows.shape[1]
    gram, moment, done, found = RIDGE * np.eye(dim), np.zeros(dim), 0, []
    for count in counts.tolist():
        new = rows[done:count]
        gram, moment, done = gram + new.T @ new, moment + new.T @ outcomes[done:count], count
        found.append(np.linalg.solve(gram, moment))
    return np.array(found)


def learned(agent: Any, i: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows (m, d) and outcomes (m,) that replicate i of a FastLinUCB has learned."""
    samples = agent.model.samples
    kept = np.concatenate([chunk[i] for chunk in samples.chunks])[: samples.count[i]]
    return kept[:, :dim], kept[:, dim]


def played(
    agent: Any, seeds: Sequence[int], at: np.ndarray, counts: np.ndarray, data: str
) -> Played:
    """Play the first events of a log; rates after events ``at``, estimates after ``counts``."""
    n = len(seeds)
    envs = environments("NewsReplay-v0", seeds, data=data, keep=0.5, horizon=int(at[-1]))
    agent.reset(envs.unwrapped.task, n=n, seed=derived_seeds(list(seeds), n))
    matched, clicked, place = np.zeros(n, int), np.zeros(n), np.zeros(n, int)
    ends, follows = np.append(counts, np.iinfo(np.int64).max), isinstance(agent, FastLinUCB)
    dim = envs.unwrapped.task.dim
    rates, theta = [], np.full((n, len(counts), dim), np.nan)
    observation, _ = envs.reset(seed=list(seeds))
    wanted = set(at.tolist())
    for t in range(1, int(at[-1]) + 1):
        slots = agent.act(observation)
        following, reward, _, _, info = envs.step(slots)
        observed = info["observed"]
        agent.observe(observation, slots, reward, observed=observed)
        observation = following
        matched += observed
        clicked += reward
        if follows and observed.any():
            for i in np.flatnonzero(observed & (matched == ends[place])):
                theta[i, place[i]] = agent.model.theta[i]
                place[i] += 1
        if t in wanted:
            rates.append(1e4 * clicked / np.maximum(matched, 1))
    if not follows:
        return Played(np.stack(rates, axis=1), None, None)
    ridge = np.stack([ridge_solutions(*learned(agent, i, dim), counts) for i in range(n)])
    return Played(np.stack(rates, axis=1), theta, ridge)


def news(seeds: Sequence[int], events: int, data: str = "R6A") -> Sample:
    """Clicks of every agent along the log, and distances of estimates from the ridge solution."""
    at = np.arange(1, POINTS + 1) * events // POINTS
    counts = np.arange(1, POINTS + 1) * (events // PER_SAMPLE) // POINTS
    measures = {"samples": np.tile(counts, (len(seeds), 1))}
    for name, agent in (EXACT | FAST).items():
        rates, theta, ridge = played(agent, seeds, at, counts, data)
        measures[f"{name}, clicks"] = rates
        if theta is not None and ridge is not None:
            error = np.linalg.norm(theta - ridge, axis=2)
            length = np.linalg.norm(ridge, axis=2)
            measures[f"{name}, error"] = error
            measures[f"{name}, error of 0"] = length
    return Sample(at, measures)
