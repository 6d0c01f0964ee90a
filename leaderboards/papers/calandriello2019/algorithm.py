"""A control: BKB and GP-UCB as they play here, against the paper's formulas, step by step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents import BKB, GPUCB
from agents.trace import default_rounds
from banditgym.elementary import each_log
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.beside_exact import drawn
from leaderboards.papers.calandriello2019.definitions import log_det, posterior
from leaderboards.papers.calandriello2019.variance_theorem import (
    DELTA,
    NOISE_STD,
    RIDGE,
    theory_radius,
)
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.rules import never, within
from leaderboards.papers.simulations import environments, recorded
from leaderboards.papers.verdicts import Parts

QBAR = 2.0  # so small that S changes in every round
NORM = 1.0
AGENTS = {
    "BKB, released": BKB(qbar=QBAR, ridge=RIDGE, radius="released"),
    "BKB, theory": BKB(qbar=QBAR, ridge=RIDGE, radius="theory"),
    "GP-UCB, released": GPUCB(ridge=RIDGE, radius="released"),
    "GP-UCB, theory": GPUCB(ridge=RIDGE, radius="theory"),
}
CHECKS = ("mean", "variance", "radius", "choice")
ROUNDING = 1e-5  # of the largest mean and variance and of the radius: what rounding may change


def radius_of(
    name: str, dimension: float, pulls: float, gram: np.ndarray, counts: np.ndarray
) -> float:
    """The radius by its formula, from the sum of the variances over the pulls."""
    if name == "BKB, theory":
        own = np.array([dimension]), np.array([float(pulls)])
        return float(theory_radius(*own, NOISE_STD, NORM)[0])
    if name == "GP-UCB, theory":
        roots = np.sqrt(counts)
        inner = np.eye(len(gram)) + gram * roots * roots[:, None] / RIDGE
        under = log_det(inner) + 2 * each_log(1 / DELTA)
    else:
        under = dimension * each_log(max(float(pulls), 1.0)) + each_log(1 / DELTA)
    return RIDGE**0.5 * NORM + NOISE_STD * under**0.5


class Beside:
    """A run of one agent beside the formulas: its pulls so far, and the largest differences.

    Parameters
    ----------
    name : str
        The agent's name in `AGENTS`.
    gram : ndarray of shape (K, K)
        The covariances of the arms.
    n : int
        Replicates.
    rounds : ndarray of int
        The rounds in which all is computed again.
    """

    def __init__(self, name: str, gram: np.ndarray, n: int, rounds: np.ndarray):
        self.name, self.gram, self.rounds = name, gram, rounds
        self.counts, self.totals = np.zeros((2, n, len(gram)))
        self.expected, self.worst = np.zeros(n), {check: np.zeros(n) for check in CHECKS}

    def compared(self, i: int, arm: int, agent: Any, t: int) -> dict[str, float]:
        """What differs in round t of replicate i, relative to the size of each."""
        model, choice, counts = agent.model, agent.choice, self.counts[i]
        inducing = np.flatnonzero(counts)
        if isinstance(agent, BKB):
            inducing = model.inducing[i, : model.count[i]]
        mean, variance, _ = posterior(self.gram, inducing, counts, self.totals[i], RIDGE)
        radius = radius_of(self.name, float(counts @ variance), t - 1, self.gram, counts)
        score = mean + radius * np.sqrt(variance)
        own = model.mean[i], model.variance[i], choice.radius[i]
        return {
            "mean": np.abs(own[0] - mean).max() / max(1.0, np.abs(mean).max()),
            "variance": np.abs(own[1] - variance).max() / variance.max(),
            "radius": abs(own[2] / radius - 1),
            "choice": (score.max() - score[arm]) / score.max() if t > 1 else 0.0,
        }

    def notes(self, agent: Any, contexts: Any, arms: Any, reward: Any) -> dict[str, Any]:
        """The size of the dictionary and its mean given the past, of one round."""
        counts, n = self.counts, len(self.expected)
        noted: dict[str, Any] = {"expected": self.expected.copy()}
        noted["size"] = getattr(agent.model, "count", np.zeros(n)).copy()
        t = int(counts[0].sum()) + 1
        if t in self.rounds:
            for i, arm in enumerate(arms):
                for check, difference in self.compared(i, arm, agent, t).items():
                    self.worst[check][i] = np.fmax(self.worst[check][i], difference)
        counts[np.arange(n), arms] += 1
        self.totals[np.arange(n), arms] += reward
        variance = agent.model.predict(contexts)[1]
        self.expected[:] = 1.0 if t == 1 else drawn(variance, counts, QBAR).sum(axis=1)
        return noted


def recomputed(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """The largest differences of what the agents use from what the formulas say, on a grid."""
    rounds, measures = default_rounds(horizon), {}
    settings = {"n_arms": n_arms, "dim": 2, "noise_std": NOISE_STD, "horizon": horizon}
    for name, agent in AGENTS.items():
        envs = environments("KernelBandit-v0", seeds, param_norm=NORM, **settings)
        task = envs.unwrapped.task
        beside = Beside(name, task.covariance(task.arms, task.arms), len(seeds), rounds)
        _, kept = recorded(agent, beside.notes, envs, seeds)
        measures |= {f"{name}, {check}": own for check, own in beside.worst.items()}
        if isinstance(agent, BKB):
            measures |= {f"{name}, {what}": kept[what].sum(axis=1) for what in ("size", "expected")}
    return Sample(rounds, measures)


def differences(sample: Sample) -> Numbers:
    numbers = {}
    for name, agent in AGENTS.items():
        for check in CHECKS:
            own = sample.measures[f"{name}, {check}"]
            numbers[f"runs of another {check}, {name}"] = estimates.share(~(own <= ROUNDING))
        if isinstance(agent, BKB):
            own = sample.of(name)
            numbers[f"|S| / expected, {name}"] = estimates.ratio_of_means(
                own["size"], own["expected"]
            )
    return numbers


def judge(numbers: Numbers) -> Parts:
    """No run departs from the formulas, and S has the size that its probabilities give."""
    parts = {}
    for name, number in numbers.items():
        calibrated = name.startswith("|S|")
        parts[name] = within(number, 0.98, 1.02) if calibrated else never(number)
    return parts


CLAIMS = (
    Claim(
        id="algorithm",
        statement="""The agents play the paper's algorithms: equations (1) to (4) and Figure 1""",
        source="equations (1) to (4), Figure 1, section 4",
        origin=Origin.OURS,
        paper="the formulas",
        experiment=Experiment(
            name="algorithm",
            simulate=recomputed,
            quick=Size(seeds=20, settings={"horizon": 200, "n_arms": 60}, seeds_per_call=10),
            full=Size(seeds=40, settings={"horizon": 1000, "n_arms": 200}, seeds_per_call=4),
        ),
        setting="""This is a control for the other claims of this page, not a claim about the paper.
            `KernelBandit-v0`, f drawn from the Gaussian process of length scale 0.2, arms uniform
            on [0, 1]^2, noise of sd 0.1, lambda = 0.01: 60 arms and T = 200 in the quick form, 200
            and 1000 in the full one. The agents are BKB with qbar = 2 and GP-UCB, each with the
            radius of the released code and with that of its theorem. What this page computes beside
            the agents uses the project's own linear algebra and elementary functions, in a fixed
            order of operations, so that its measurements have equal bits on every CPU; an earlier
            form of the page used a BLAS, and its numbers differed by up to 4e-4 between two
            machines. Two things still depend on the machine: the claims on times, and the last
            digits of the statistics (logarithms, means and quantiles over the seeds), which numpy
            computes.""",
        measure="""at each round of a grid of twelve per decade, the formulas give the mean and
            variance of all arms from the pulls and BKB's dictionary, then the radius from these
            variances, then the scores. Measured is the share of runs in which mean, variance or
            radius ever differ by more than 1e-5, or in which the played arm has a score that is
            lower than the best by more than that. In every round, the size of BKB's dictionary is
            compared with its mean given the past, the sum over arms of 1 - (1 - min(1, qbar
            sigma~^2))^pulls.""",
        rule="""no run departs from any formula, and the whole interval of the dictionary's size
            divided by its mean lies within 0.98 .. 1.02.""",
        numbers=differences,
        judge=judge,
        headline=["|S| / expected, BKB, released"],
    ),
)
