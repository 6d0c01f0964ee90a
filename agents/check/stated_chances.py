"""Checks of propensities: they are the frequencies of acts, and giving them changes nothing."""

import copy
from typing import Any

import numpy as np

from agents.check.late import known_keys, redraw
from agents.check.short_runs import ROUNDS, SEEDS, Trial, task_of
from agents.parts.wrapping import Wrapping
from agents.storage.states import state_of
from banditgym.check import expect_error
from banditgym.rounds.kinds import ARM

WAITING = 10  # rounds whose rewards come together, after the last of them
MANY, SOME, LARGE = 300, 20, 100  # replicates; some if propensities are sampled, or K d is large
ACTS = 20  # in the last round, where propensities are sampled: they cost much, and are given once,
# or before each of a quarter of the acts of an agent that wraps another
# All replicates learn the same, so that in a round the plays of an arm are a sum of independent
# indicators, of which p are the probabilities. By Bernstein's inequality a sum with the variance V,
# the sum of p (1 - p), is off its mean by more than L / 3 + sqrt(L^2 / 9 + 2 L V) with probability
# 2 exp(-L) at most; and Freedman's says the same of the sums over rounds, which are martingales.
# An agent has some 1,000 sums. With L = 24 a legal one is refused with probability 1e-7 at most.
# Sampled frequencies add ACTS / 10,000 of V to it.
_L = 24.0


def check_propensities(trial: Trial) -> None:
    """Propensities sum to 1, change no state, and are the frequencies of acts."""
    agent = trial.agent
    task: Any = task_of(trial.env_id, trial.settings)
    if task.plays is not ARM or not agent.gives_propensities:
        _, observation = trial.begin(SEEDS)
        what = f"{trial.where}: propensities that it does not give"
        expect_error(ValueError, lambda: agent.propensities(observation), what)
        return
    exact, n_arms = agent.exact_propensities, task.n_arms
    wraps = isinstance(agent, Wrapping)  # whose schedule of plays may count decisions
    sampled = [ROUNDS - 1], ACTS // 4 if wraps else ACTS
    rounds, acts = (range(3, ROUNDS, 4), 1) if exact else sampled
    n = MANY if exact and n_arms * getattr(task, "dim", 1) < LARGE else SOME
    env, observation = trial.begin(range(n), alike=True)
    waiting: list[Any] = []
    # By rank, of the likeliest arm of each round, of the second, ..: plays, their mean and variance
    totals = np.zeros((3, n_arms))
    for t in range(ROUNDS):
        if t in rounds:
            sums, p, arms = np.zeros((3, n_arms)), np.empty((n, n_arms)), np.empty(n, np.int64)
            for act in range(acts):
                if act == 0 or wraps:
                    p = _given(trial, observation, (n, n_arms))
                arms = agent.act(observation)
                sums[0] += np.bincount(arms, minlength=n_arms)
                sums[1:] += p.sum(axis=0), (p * (1.0 - p)).sum(axis=0)
            _expect_near(trial, sums, f"in round {t + 1} the plays of arms")
            totals += sums[:, np.argsort(-sums[1], kind="stable")]
        else:
            arms = agent.act(observation)
        alike = np.broadcast_to(arms[:1], arms.shape).copy()
        following, reward, *_, info = env.step(alike)
        waiting.append((observation, alike, reward, trial.feedback(info), t))
        observation = following
        for shown, action, reward, feedback, decision in waiting if t + 1 >= WAITING else ():
            try:
                agent.observe(shown, action, reward, feedback=feedback, decision=decision)
            except ValueError:
                trial.expect(decision < t, "it refuses a reward")  # a late one it may refuse
        waiting = waiting if t + 1 < WAITING else []
    _expect_near(trial, totals, "by rank, the plays of all rounds")
    if exact:  # numbers that are drawn to learn may matter, but not those of an act alone
        p, rekeyed, later = agent.propensities(observation), *map(copy.deepcopy, [agent] * 2)
        redraw(rekeyed, known_keys(agent.seeds[0]), 1)
        later.decisions += 1
        others = [other.propensities(observation) for other in (rekeyed, later)]
        what = "its propensities depend on the random numbers of the coming act"
        trial.expect(any(np.array_equal(p, other) for other in others), what)


def _given(trial: Trial, observation: Any, shape: tuple[int, int]) -> np.ndarray:
    """The propensities, which are legal."""
    state = state_of(trial.agent)
    p = trial.agent.propensities(observation)
    what = "giving its propensities changes its state, in "
    trial.expect_unchanged(state, vars(trial.agent), what)
    legal = isinstance(p, np.ndarray) and p.dtype == np.float64 and p.shape == shape
    trial.expect(legal, f"propensities must be floats of shape {shape}, got {p!r}")
    legal = bool((p >= 0.0).all() and (abs(p.sum(axis=1) - 1.0) <= 1e-12).all())
    trial.expect(legal, f"propensities must be >= 0 and sum to 1, got {p.min()}, {p.sum(axis=1)}")
    return p


def _expect_near(trial: Trial, sums: np.ndarray, what: str) -> None:
    plays, expected, variance = sums
    width = _L / 3.0 + np.sqrt(_L * _L / 9.0 + 2.0 * _L * variance)
    width[variance < 1e-9] = 1e-6  # nothing but rounding
    trial.expect(
        bool((abs(plays - expected) <= width).all()),
        f"{what} are {plays.astype(int)}, where its propensities say {np.round(expected, 1)}",
    )
