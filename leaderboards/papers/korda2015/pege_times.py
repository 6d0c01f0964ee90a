"""The claim of korda2015 on the run times of PEGE and fPEGE-GD, by the number of dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from agents import PEGE, FastPEGE
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.korda2015.sample_times import draw, sherman_morrison
from leaderboards.papers.panels import COLOURS
from leaderboards.papers.rules import above, below, each, together
from leaderboards.papers.simulations import environments

DIMS = (8, 32, 128, 256, 512)
LONG = 128  # exponents use dimensions from here on, where the cost of a call is negligible


@dataclass(kw_only=True, eq=False)
class MatrixPEGE(PEGE):
    """PEGE as the paper counts it: each sample updates the inverse in O(d²), so O(d³) a cycle."""

    def _start(self) -> None:
        super()._start()
        dim = self.task.dim
        self.inverse = np.tile(1e8 * np.eye(dim), (self.n, 1, 1))  # before data, a ridge of 1e-8
        self.fitted = np.zeros((self.n, dim))

    def _fit(self, samples: np.ndarray, rewards: np.ndarray, estimates: np.ndarray) -> None:
        first, counts, ended = samples  # of one round: a replicate has one sample, or none
        rows, dim = self.task.action_set.basis, self.task.dim
        for i in np.flatnonzero(counts):
            row = np.array(rows[first[i] % dim])[None]
            sherman_morrison(self.inverse[i], self.fitted[i], row, rewards[i, :1].copy())
        for i in np.flatnonzero(ended):
            self.theta[i] = estimates[0, i] = self.fitted[i]


@dataclass(kw_only=True, eq=False)
class SolvingPEGE(PEGE):
    """PEGE that solves its normal equations anew after each exploration, O(d³), by LAPACK."""

    def _fit(self, samples: np.ndarray, rewards: np.ndarray, estimates: np.ndarray) -> None:
        super()._fit(samples, rewards, estimates)
        rows = self.task.action_set.basis
        for i in np.flatnonzero(samples[2]):
            weight = self.cycle[i]
            theta = np.linalg.solve(weight * rows.T @ rows, weight * rows.T @ self.mean[i])
            self.theta[i] = estimates[0, i] = theta


FAST = "fPEGE-GD"
AGENTS = {
    "PEGE, inverse updated": MatrixPEGE(),
    "PEGE, solved anew": SolvingPEGE(),
    "PEGE, inverted once": PEGE(),
    FAST: FastPEGE(),
}
EXACT = [name for name in AGENTS if name != FAST]
# Many replicates where the time of Python's calls would otherwise be most of it.
REPLICATES = {"PEGE, inverse updated": 2, "PEGE, solved anew": 2}
MANY = 64


def explored(agent: Any, task: Any, replicates: int, cycles: int, seed: int) -> np.ndarray:
    """CPU seconds (cycles,) of a replicate's exploration, to act and to learn, in each cycle."""
    rng = np.random.default_rng([seed, 18])
    theta = np.full(task.dim, task.dim**-0.5)
    agent.reset(task, n=replicates, seed=np.arange(replicates) + seed)
    seconds = np.zeros(cycles)
    for m in range(cycles):
        for s in range(task.dim + m + 1):
            noise = rng.normal(size=replicates)
            start = process_time()
            points = agent.act(None)
            spent = process_time() - start
            reward = points @ theta + noise
            start = process_time()
            agent.observe(None, points, reward)
            if s < task.dim:
                seconds[m] += spent + process_time() - start
    return seconds / replicates


def times(seeds: Sequence[int], cycles: int) -> Sample:
    """CPU seconds of a cycle's exploration, (n, dims): the shortest cycle after the first."""
    measures = {name: np.empty((len(seeds), len(DIMS))) for name in AGENTS}
    with threadpool_limits(1):
        for j, dim in enumerate(DIMS):
            settings = {"dim": dim, "condition": 2.0, "horizon": 10}
            task = environments("EllipsoidBandit-v0", [0], **settings).unwrapped.task
            for i, seed in enumerate(seeds):
                for name, agent in AGENTS.items():
                    many = REPLICATES.get(name, MANY)
                    own = explored(agent, task, many, cycles, seed)  # the first one compiles
                    measures[name][i, j] = own[1:].min()
    return Sample(np.array(DIMS), measures)


def numbers(sample: Sample) -> Numbers:
    found = {}
    for name in EXACT:
        found[f"exponent in d of {name} / {FAST}"] = estimates.exponent(
            sample.rounds, sample.measures[name] / sample.measures[FAST], LONG, DIMS[-1]
        )
        for j, dim in enumerate(DIMS):
            found[f"{FAST} / {name}, d = {dim}"] = estimates.ratio_of_means(
                sample.measures[FAST][:, j], sample.measures[name][:, j]
            )
    return found


CLAIMS = (
    Claim(
        id="pege-time",
        statement="""After m exploration phases PEGE has incurred a complexity of O(m d³), and
            fPEGE-GD of only O(m d²)""",
        source="background for PEGE",
        origin=Origin.REMARK,
        paper="a gain of order d",
        setting="""EllipsoidBandit with a basis of condition number 2 that is not along the
            coordinate axes, d = 8 to 512; four cycles, of which the first compiles. Acting and
            learning are timed. fPEGE-GD and the PEGE that inverts once play 64 replicates per call,
            so that Python's share is small. CPU time of the process, linear algebra on one
            thread.""",
        measure="""CPU seconds of a cycle's exploration, the shortest of three cycles: the slope
            against log d, from d = 128 to 512, of the log of the ratio of PEGE's time to
            fPEGE-GD's; and fPEGE-GD's time divided by PEGE's.""",
        rule="""each form of PEGE has two parts: the whole interval of the slope lies above 0.7, and
            that of the ratio at d = 512 below 1.""",
        experiment=Experiment(
            name="pege-time",
            measures_times=True,
            simulate=times,
            quick=Size(seeds=5, settings={"cycles": 4}, seeds_per_call=5),
            full=Size(seeds=10, settings={"cycles": 4}, seeds_per_call=5),
            draw=partial(
                draw,
                title="Exploration of a cycle",
                xlabel="dimensions d",
                unit="ms",
                per_second=1e3,
                colours=("#000000", *COLOURS),
            ),
            caption="""CPU time of a cycle's exploration by the dimension, medians; both axes are
                logarithmic.""",
        ),
        numbers=numbers,
        judge=together(
            each(above, 0.7, of=f"exponent in d of * / {FAST}"),
            each(below, 1, of=f"{FAST} / *, d = {DIMS[-1]}"),
        ),
        headline=[f"{FAST} / {name}, d = 512" for name in EXACT],
        swept="""how PEGE is computed, which the paper leaves open: the inverse updated with each
            sample, the equations solved after each exploration, or the constant basis inverted
            once, which takes O(d³ + m d²) in all.""",
        varied="how PEGE is computed, and d.",
        any_size="both forms have the same sizes.",
    ),
)
