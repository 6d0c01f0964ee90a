"""The theorem of calandriello2019's section 3.2, and the regret bound of section 4."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents import BKB
from agents.parts.confidence import oversampling
from agents.parts.posteriors import Exact
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.starvation import function_values
from leaderboards.papers.claim import Claim, Experiment, Numbers, Sample, Size
from leaderboards.papers.panels import COLOURS, LOG_LOG, curve, legend, panels
from leaderboards.papers.rules import below, verdict
from leaderboards.papers.simulations import environments, recorded

EPSILON, DELTA = 0.5, 0.1
ALPHA = (1 + EPSILON) / (1 - EPSILON)
NOISE_STD = 0.1
RIDGE = NOISE_STD**2
NORM = 1.0  # F, the norm of f in the space of a kernel with k(x, x) = 1


def beside_exact(agent: Any, envs: Any, seeds: Sequence[int]) -> tuple[np.ndarray, dict]:
    """Play an agent with an adaptive dictionary, and compute the exact posterior of its pulls.

    Returns
    -------
    rounds : ndarray of shape (c,)
    curves : dict of str to ndarray of shape (n, c)
        Values before each of these rounds: ``factor``, the largest ratio so far, up or down, of any
        arm's variance to the exact one; ``outside``, the share of rounds so far in which that ratio
        exceeded alpha; ``size`` of the dictionary; ``effective dimension`` of the pulls. Also the
        ``regret`` after the round.
    """
    task, n = envs.unwrapped.task, len(seeds)
    exact = Exact().reset(
        task, n=n, seeds=list(seeds), covariance=task.covariance, ridge=agent.ridge
    )
    yes = np.ones(n, bool)

    def notes(agent, contexts, arms, reward):
        ratio = agent.model.predict(contexts)[1] / exact.predict(contexts)[1]
        dimension = exact.effective_dimension().copy()  # it may be the state's own array
        exact.update(contexts, arms, reward, yes)
        return {
            "factor": np.maximum(ratio, 1 / ratio).max(axis=1),
            "size": agent.model.count,
            "effective dimension": dimension,
        }

    trace, kept = recorded(agent, notes, envs, seeds)
    outside = np.cumsum(kept["factor"] > ALPHA, axis=1)
    kept["outside"] = outside / np.arange(1, outside.shape[1] + 1)
    kept["factor"] = np.maximum.accumulate(kept["factor"], axis=1)
    curves = {name: values[:, trace.rounds - 1] for name, values in kept.items()}
    return trace.rounds, {**curves, "regret": trace.measures["regret"]}


def size_bound(dimension: np.ndarray, qbar: float) -> np.ndarray:
    """3 (1 + kappa²/lambda) alpha qbar d_eff, for kernels with k(x, x) = 1."""
    return 3 * (1 + 1 / RIDGE) * ALPHA * qbar * dimension


def regret_bound(rounds: np.ndarray, dimension: np.ndarray) -> np.ndarray:
    """The bound of section 4 at each of the rounds (c,), from effective dimensions (n, c)."""
    grown = dimension * np.log(rounds)
    inner = NOISE_STD * grown + np.sqrt(RIDGE * NORM**2 * grown) + NOISE_STD * math.log(1 / DELTA)
    return 2 * (2 * ALPHA) ** 1.5 * np.sqrt(rounds) * inner


def theorems(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """BKB with the qbar of both theorems and the radius of the second."""
    settings = {"dim": 2, "n_arms": n_arms, "function": "rkhs", "param_norm": NORM}
    envs = environments("KernelBandit-v0", seeds, noise_std=NOISE_STD, horizon=horizon, **settings)
    qbar = oversampling(horizon, accuracy=EPSILON, delta=DELTA)
    agent = BKB(qbar=qbar, radius="theory", delta=DELTA, ridge=RIDGE)
    rounds, measures = beside_exact(agent, envs, seeds)
    values = function_values("KernelBandit-v0", seeds, **settings)
    return Sample(rounds, {**measures, "widest gap": np.ptp(values, axis=1)})


def accuracy(sample: Sample) -> Numbers:
    factor = sample.at_end("factor")
    return {
        "runs outside": estimates.share(factor > ALPHA),
        "worst factor": estimates.median(factor),
    }


def size(sample: Sample) -> Numbers:
    sizes, dimension = sample.measures["size"], sample.measures["effective dimension"]
    qbar = oversampling(int(sample.rounds[-1]), accuracy=EPSILON, delta=DELTA)
    bound = size_bound(dimension, qbar)
    later = sample.rounds > 1  # before any pull all values are 0
    return {
        "runs above": estimates.share((sizes > bound)[:, later].any(axis=1)),
        "bound / |S| at T": estimates.median(bound[:, -1] / sizes[:, -1]),
        "|S| / d_eff at T": estimates.mean(sizes[:, -1] / dimension[:, -1]),
    }


def regret(sample: Sample) -> Numbers:
    rounds, measures = sample
    own, bound = measures["regret"], regret_bound(rounds, measures["effective dimension"])
    most = measures["widest gap"] * rounds[-1]
    later = rounds > 1  # log 1 = 0, and there was no pull
    return {
        "runs above": estimates.share((own > bound)[:, later].any(axis=1)),
        "regret / bound at T": estimates.ratio_of_means(own[:, -1], bound[:, -1]),
        "bound / worst regret at T": estimates.median(bound[:, -1] / most),
        "exponent of the bound": estimates.exponent(rounds, bound, rounds[-1] // 10, rounds[-1]),
        "exponent of the regret": estimates.late_exponent(sample, "regret"),
    }


def draw_regret(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["BKB with the theorems' qbar and radius"], ylabel="cumulative regret", **LOG_LOG
    )
    later = sample.rounds > 1
    rounds, own = sample.rounds[later], sample.measures
    bound = regret_bound(sample.rounds, own["effective dimension"])
    worst = own["widest gap"][:, None] * rounds
    curve(axes, rounds, bound[:, later], "bound", color=COLOURS[0], ls="dotted")
    curve(axes, rounds, worst, "the worst arm in every round", color="#767676", ls="dashed")
    curve(axes, rounds, own["regret"][:, later], "regret", color=COLOURS[0], quartiles=True)
    legend(axes, "lower right")
    return figure


_THEOREMS = Experiment(
    name="theorems",
    simulate=theorems,
    quick=Size(seeds=40, settings={"horizon": 500, "n_arms": 100}),
    full=Size(seeds=40, settings={"horizon": 2000, "n_arms": 500}),
    seeds_per_call=5,
    draw=draw_regret,
    caption="""Mean regret, the bound of section 4, and what is lost at most; both axes logarithmic.
        Above the dashed line the bound says nothing.""",
)
_SETTING = """`KernelBandit-v0`, f of norm F = 1 in the space of the kernel (length scale 0.2, k(x,
    x) = 1), arms uniform on [0, 1]^2, Gaussian noise of sd 0.1, lambda = 0.01: 100 arms and T = 500
    in the quick form, 500 arms and T = 2000 in the full one. eps = 1/2 (alpha = 3), delta = 0.1,
    qbar = 6 alpha log(4T/delta)/eps^2: 713 at T = 500. **Up to T of about 740 this is trivial**:
    while qbar >= t + lambda every inclusion probability is 1, all pulled arms are inducing points,
    and BKB is GP-UCB. In the full form it is all but so: an arm of n pulls is left out with
    probability (1 - p)^n. The radius is that of the proof, (1 + 1/sqrt(1 - eps)) sqrt(lambda) F +
    xi sqrt(alpha (1 + log(kappa^2 t/lambda + 1)) s + 2 log(1/delta)), s the sum of the variances at
    the pulls: the printed form has lost lambda in the logarithm. What is compared before round t
    are posteriors of t - 1 pulls."""
_claim = partial(Claim, experiment=_THEOREMS, setting=_SETTING)

CLAIMS = (
    _claim(
        id="theorem-accuracy",
        statement="""With qbar >= 6 alpha log(4T/delta)/eps^2, with probability 1 - delta, BKB's
            variance is within a factor alpha of the exact one, for all arms and rounds at once""",
        source="section 3.2, theorem",
        paper="outside in at most delta = 0.1 of the runs",
        measure="""share of runs in which the variance of any arm leaves [1/3, 3] times the
            exact one in any round; the largest factor over arms and rounds, the median over the
            seeds.""",
        rule="""reproduced if the whole interval of the share lies below 0.1, else not. It is met
            trivially where all probabilities are 1.""",
        numbers=accuracy,
        judge=lambda numbers: verdict(below(numbers["runs outside"], DELTA)),
    ),
    _claim(
        id="theorem-size",
        statement="|S_t| <= 3 (1 + kappa^2/lambda) alpha qbar d_eff(lambda, X_t), likewise",
        source="section 3.2, theorem",
        paper="above in at most delta = 0.1 of the runs",
        setting=_SETTING
        + """ S holds each arm once, where the theorem counts a repeated arm
            again: ours is smaller.""",
        measure="""share of runs in which |S_t| lies above its bound at any round of a grid of
            twelve a decade; bound over |S_T|; |S_T| over the effective dimension.""",
        rule="reproduced if the whole interval of the share lies below 0.1, else not.",
        numbers=size,
        judge=lambda numbers: verdict(below(numbers["runs above"], DELTA)),
    ),
    _claim(
        id="theorem-regret",
        statement="""R_T <= 2 (2 alpha)^(3/2) sqrt(T) (xi d_eff log(kappa^2 T) + sqrt(lambda F^2
            d_eff log(kappa^2 T)) + xi log(1/delta)) with probability 1 - delta""",
        source="section 4, theorem",
        paper="above in at most delta = 0.1 of the runs",
        measure="""share of runs whose regret lies above the bound, with the effective dimension so
            far, at any round of a grid of twelve a decade, from 2; regret over bound; the bound
            over what the worst arm loses in T rounds: at 1 and more it says nothing. Growth
            exponents over T/10 .. T.""",
        rule="reproduced if the whole interval of the share lies below 0.1, else not.",
        numbers=regret,
        judge=lambda numbers: verdict(below(numbers["runs above"], DELTA)),
    ),
)
