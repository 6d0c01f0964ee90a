"""BKB with a linear kernel against SOFUL: section 5 of calandriello2019."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents import BKB, OFUL, SOFUL, Agent
from banditgym.functions.covariances import Linear
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import KernelTask, LinearTask
from banditgym.vector_env import ARMS
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.fixed_sizes import LINEAR, SUBLINEAR
from leaderboards.papers.calandriello2019.sketching import DIM
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, panels
from leaderboards.papers.rules import above, below, each, together, within
from leaderboards.papers.simulations import Run, curves, environments, recorded

SIZES = (5, 10)
N_ARMS = 50


@dataclass(kw_only=True, eq=False)
class WithLinearKernel(Agent):
    """Plays a linear task with given arms by a kernelized agent, to which they are points.

    Parameters
    ----------
    agent : Agent
        Of kernelized tasks; its covariance is the linear one.
    """

    accepts: ClassVar = (LinearTask,)

    agent: Any

    def _start(self) -> None:
        task = self.task
        as_kernel = KernelTask(
            n_arms=task.n_arms,
            dim=task.dim,
            horizon=task.horizon,
            noise_std=task.noise_std,
            subgaussian=task.subgaussian,
            covariance=Linear(),
            param_norm=task.param_norm,
            fixed_arms=True,
            arms=task.arms,
        )
        self.agent.reset(as_kernel, n=self.n, seed=self.seeds)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        arms = self.agent._choose(None)
        self.agent.decisions += 1
        return arms

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.agent.answered = self.answered
        self.agent._learn(None, actions, reward, observed)


AGENTS = {
    "BKB": WithLinearKernel(agent=BKB(radius="released")),
    "OFUL": OFUL(),
    **{f"SOFUL, m = {size}": SOFUL(size=size) for size in SIZES},
}


def sphere(n_arms: int, dim: int) -> np.ndarray:
    """Arms (K, d) drawn uniformly from the unit sphere, the same for all seeds."""
    points = Stream([0], ENVIRONMENT, ARMS, 0).normal(0, (n_arms, dim))[0]
    return points / np.sqrt((points * points).sum(axis=1, keepdims=True))


def linear(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret of BKB with a linear kernel, of OFUL and of SOFUL; BKB's dictionary and its rank."""
    settings = {"arms": sphere(N_ARMS, DIM), "horizon": horizon}

    def notes(agent, contexts, arms, reward):
        return {"size": agent.agent.model.count, "rank": agent.agent.model.rank}

    envs = environments("LinearBandit-v0", seeds, **settings)
    trace, kept = recorded(AGENTS["BKB"], notes, envs, seeds)
    own = {f"BKB, {what}": values[:, trace.rounds - 1] for what, values in kept.items()}
    others = {name: agent for name, agent in AGENTS.items() if name != "BKB"}
    runs = {name: Run(agent, "LinearBandit-v0", settings) for name, agent in others.items()}
    own["BKB"] = trace.measures["regret"]
    return Sample(trace.rounds, own | curves(seeds, runs).measures)


def compared(sample: Sample) -> Numbers:
    numbers = {f"exponent, {name}": estimates.late_exponent(sample, name) for name in AGENTS} | {
        f"{name} / BKB": estimates.ratio_at_end(sample, name, "BKB") for name in AGENTS
    }
    del numbers["BKB / BKB"]
    for what in ("size", "rank"):
        numbers[f"{what} of S at T"] = estimates.mean(sample.at_end(f"BKB, {what}"))
    numbers["largest rank of S"] = estimates.mean(sample.measures["BKB, rank"].max(axis=1))
    return numbers


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        [f"Linear rewards in {DIM} dimensions"], ylabel="cumulative regret", **LOG_LOG
    )
    lines(axes, sample.rounds, {name: sample.measures[name] for name in AGENTS})
    axes.set(xlim=(10, sample.rounds[-1]))
    legend_below(figure, columns=2)
    return figure


CLAIMS = (
    Claim(
        id="linear-kernel",
        statement="""Where SOFUL may suffer linear regret for lack of a way to tune m, BKB with a
            linear kernel has regret O~(d sqrt(T)), since it chooses its size adaptively""",
        source="section 5",
        origin=Origin.REMARK,
        paper="exponent 1/2 for BKB, 1 for SOFUL with too few rows",
        experiment=Experiment(
            name="linear-kernel",
            simulate=linear,
            quick=Size(seeds=20, settings={"horizon": 3000}, seeds_per_call=5),
            full=Size(seeds=40, settings={"horizon": 30_000}, seeds_per_call=4),
            draw=draw,
            caption="Mean regret; both axes are logarithmic, so linear regret has slope 1.",
        ),
        setting="""The paper has no experiment on it; all sizes are ours. `LinearBandit-v0`: 50 arms
            drawn uniformly from the unit sphere in 20 dimensions, the same for all seeds, theta
            uniform on the sphere, Gaussian noise of sd 0.1, T = 3000 in the quick form and 30 000
            in the full one. BKB has the kernel <x, y>, qbar = 5 and the radius of the released
            code, and plays the same environment; SOFUL (m = 5; m = 10 is shown beside it) and OFUL
            have the radius of their theorems.""",
        measure="""growth exponents of the mean regret over T/10 .. T; regret at T divided by BKB's,
            ratio of means; the size of BKB's dictionary and the rank of its embedding at T, and the
            largest rank at any round of a grid of twelve per decade, means over the seeds.""",
        rule="""four parts: the whole interval of BKB's exponent lies below 0.75, that of SOFUL's
            with m = 5 above 0.9, that of their regrets' ratio above 1, and that of the largest rank
            within 19 .. 20: the rank is not fixed in advance, and reaches d = 20.""",
        numbers=compared,
        judge=together(
            each(below, SUBLINEAR, of="exponent, BKB"),
            each(above, LINEAR, of=f"exponent, SOFUL, m = {SIZES[0]}"),
            each(above, 1.0, of=f"SOFUL, m = {SIZES[0]} / BKB"),
            each(within, DIM - 1, DIM, of="largest rank of S"),
        ),
        headline=["exponent, BKB", "exponent, SOFUL, m = 5"],
    ),
)
