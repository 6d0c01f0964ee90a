"""Run time per round, on the same pulls, of the posteriors that calandriello2019 compares."""

from collections.abc import Sequence
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from agents import BBKB, BKB, GPUCB
from agents.trace import default_rounds
from banditgym.tasks import KernelTask
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.plain_gp import refit
from leaderboards.papers.calandriello2019.variance_theorem import NOISE_STD, RIDGE
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, panels
from leaderboards.papers.rules import above, below, each
from leaderboards.papers.simulations import environments, recorded
from leaderboards.report.styles import style

AGENTS = {"incremental": GPUCB, "BKB": BKB, "BBKB": BBKB}
FORMS = ("refit", *AGENTS)
# Agent that pulls, index of the number of arms, dimension, length scale.
TRACES = {
    "GP-UCB, few arms": ("GP-UCB", 0, 2, 0.2),
    "GP-UCB, many arms": ("GP-UCB", 1, 2, 0.2),
    "uniform, many arms": ("uniform", 1, 2, 0.2),
    "uniform, smooth f": ("uniform", 1, 1, 0.5),
}
GROWING = ("GP-UCB, many arms", "uniform, many arms", "uniform, smooth f")
WARM_UP = 5


def pulls(pulled: str, envs: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Arms (T,) and rewards (T,) of GP-UCB, or of arms drawn uniformly."""
    task = envs.unwrapped.task
    if pulled == "GP-UCB":

        def notes(agent, contexts, arms, reward):
            return {"arm": arms, "reward": reward}

        _, kept = recorded(GPUCB(ridge=RIDGE, radius="released"), notes, envs, [seed])
        return kept["arm"][0], kept["reward"][0]
    arms = np.random.default_rng([seed, 7]).integers(task.n_arms, size=task.horizon)
    envs.reset(seed=[seed])
    return arms, np.array([envs.step(arms[t : t + 1])[1][0] for t in range(task.horizon)])


def clocked(
    agent: GPUCB | BKB | BBKB, task: KernelTask, seed: int, arms: np.ndarray, rewards: np.ndarray
):
    """CPU seconds (T,) of each round of an agent whose choices are replaced by the given pulls.

    Also returns the number of its inducing points (T,), 0 if it has none.
    """
    agent.reset(task, n=1, seed=[seed])
    nothing, seconds, sizes = np.zeros(1, np.int64), np.empty(len(arms)), np.zeros(len(arms))
    for t in range(len(arms)):
        arm, reward = arms[t : t + 1], rewards[t : t + 1]
        start = process_time()
        agent.act(nothing)
        agent.observe(nothing, arm, reward)
        seconds[t] = process_time() - start
        sizes[t] = getattr(agent.model, "count", [0])[0]
    return seconds, sizes


def refit_clocked(task: Any, arms: np.ndarray, rewards: np.ndarray, rounds: np.ndarray):
    """CPU seconds (c,) of the rounds (c,) if the posterior is recomputed from all pulls."""
    seconds = np.empty(len(rounds))
    for j, t in enumerate(rounds):
        start = process_time()
        mean, variance = refit(task.covariance, task.arms, arms[:t], rewards[:t], RIDGE)
        np.argmax(mean + np.sqrt(variance))
        seconds[j] = process_time() - start
    return seconds


def mean_seconds(seconds: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """Means (c,) of seconds (T,) over the rounds since the last of the rounds (c,)."""
    total = np.cumsum(seconds)[rounds - 1]
    return np.diff(total, prepend=0) / np.diff(rounds, prepend=0)


def times(seeds: Sequence[int], horizon: int, n_arms: Sequence[int]) -> Sample:
    """Seconds of a round on a grid of rounds; BKB's inducing points and the arms pulled so far."""
    rounds, measures = default_rounds(horizon), {}
    for trace, (pulled, place, dim, length_scale) in TRACES.items():
        for seed in seeds:
            envs = environments(
                "KernelBandit-v0",
                [seed],
                n_arms=n_arms[place],
                dim=dim,
                horizon=horizon,
                noise_std=NOISE_STD,
                covariance={"kind": "rbf", "length_scale": length_scale},
            )
            task = envs.unwrapped.task
            arms, rewards = pulls(pulled, envs, seed)
            row = {}
            with threadpool_limits(1):
                for name, kind in AGENTS.items():
                    given = {"ridge": RIDGE, "radius": "released"}
                    clocked(kind(**given), task, seed, arms[:WARM_UP], rewards)  # compiles
                    seconds, size = clocked(kind(**given), task, seed, arms, rewards)
                    row[name] = mean_seconds(seconds, rounds)
                    if name == "BKB":
                        row["size"] = size[rounds - 1]
                row["refit"] = refit_clocked(task, arms, rewards, rounds)
            row["unique"] = np.array([len(np.unique(arms[:t])) for t in rounds])
            for name, value in row.items():
                measures.setdefault(f"{trace}, {name}", []).append(value)
    return Sample(rounds, {name: np.array(values) for name, values in measures.items()})


def totals(sample: Sample, trace: str, form: str) -> np.ndarray:
    """Seconds (n,) of all rounds; those of unmeasured rounds are interpolated."""
    every = np.arange(1, sample.rounds[-1] + 1)
    own = sample.measures[f"{trace}, {form}"]
    if form == "refit":
        return np.array([np.interp(every, sample.rounds, row).sum() for row in own])
    return own @ np.diff(sample.rounds, prepend=0)


def against_refit(sample: Sample) -> Numbers:
    numbers = {}
    for trace in TRACES:
        plain = totals(sample, trace, "refit")
        for form in AGENTS:
            own = totals(sample, trace, form)
            numbers[f"{form} / refit, {trace}"] = estimates.ratio_of_means(own, plain)
        numbers[f"refit, seconds, {trace}"] = estimates.mean(plain)
    return numbers


def against_incremental(sample: Sample) -> Numbers:
    numbers = {}
    for trace in TRACES:
        exact = totals(sample, trace, "incremental")
        for form in ("BKB", "BBKB"):
            own = totals(sample, trace, form)
            numbers[f"{form} / incremental, {trace}"] = estimates.ratio_of_means(own, exact)
        every = sample.of(trace)
        late = sample.rounds > sample.rounds[-1] / 2
        last, before = (every[form][:, late].mean(axis=1) for form in ("BKB", "incremental"))
        numbers[f"BKB / incremental, second half, {trace}"] = estimates.ratio_of_means(last, before)
        unique, size = every["unique"], every["size"]
        numbers[f"u, {trace}"] = estimates.mean(unique[:, -1])
        numbers[f"u / |S|^2, {trace}"] = estimates.ratio_of_means(unique[:, -1], size[:, -1] ** 2)
        at = wins_from(sample, trace)
        if at is not None:
            numbers[f"BKB wins from u, {trace}"] = estimates.mean(unique[:, at])
            numbers[f"BKB wins from u / |S|^2, {trace}"] = estimates.ratio_of_means(
                unique[:, at], size[:, at] ** 2
            )
    return numbers


def wins_from(sample: Sample, trace: str) -> int | None:
    """The index of the round from which on BKB's median round is cheaper; None if there is none."""
    every = sample.of(trace)
    own, exact = (np.median(every[form], axis=0) for form in ("BKB", "incremental"))
    dearer = np.flatnonzero(own >= exact)
    at = dearer[-1] + 1 if dearer.size else 0
    return int(at) if at < len(own) else None


def growth(sample: Sample) -> Numbers:
    return {
        f"exponent, {form}, {trace}": estimates.late_exponent(sample, f"{trace}, {form}")
        for trace in GROWING[:2]
        for form in FORMS
    }


def constancy(sample: Sample) -> Numbers:
    """BKB's exponents, and how much its dictionary grew in the last decade of rounds."""
    numbers = {}
    tenth = int(np.searchsorted(sample.rounds, sample.rounds[-1] // 10))
    for trace in GROWING:
        numbers[f"exponent, BKB, {trace}"] = estimates.late_exponent(sample, f"{trace}, BKB")
        size = sample.measures[f"{trace}, size"]
        numbers[f"|S_T| / |S_(T/10)|, {trace}"] = estimates.ratio_of_means(
            size[:, -1], size[:, tenth]
        )
    return numbers


def draw(sample: Sample) -> Figure:
    figure, grid = panels(TRACES, columns=2, ylabel="ms of CPU time a round", **LOG_LOG)
    own = {form: {"color": style(kind.__name__).colour} for form, kind in AGENTS.items()}
    own = {"refit": {"color": "#000000"}, **own}
    for axes, trace in zip(grid, TRACES, strict=True):
        values = {form: 1e3 * sample.measures[f"{trace}, {form}"][:, 4:] for form in own}
        lines(axes, sample.rounds[4:], values, own, middle=np.median)
    legend_below(figure, columns=4)
    return figure


_TIMES = Experiment(
    name="time",
    measures_times=True,
    simulate=times,
    quick=Size(seeds=4, settings={"horizon": 1000, "n_arms": (200, 1000)}, seeds_per_call=1),
    full=Size(seeds=4, settings={"horizon": 1500, "n_arms": (500, 2000)}, seeds_per_call=1),
    draw=draw,
    caption="""CPU time of a round, medians; both axes are logarithmic. Few and many arms are 200
        and 1000 in the quick form, 500 and 2000 in the full one.""",
)
_SETTING = """The paper has no experiment on it; all sizes are ours. `KernelBandit-v0`, f drawn from
    the Gaussian process on [0, 1]^2, length scale 0.2, noise of sd 0.1, lambda = 0.01; smooth f is
    on [0, 1], with length scale 0.5. All forms get the same pulls: those of GP-UCB with the radius
    of the released code, or uniform ones, which no agent would choose. 200 and 1000 arms with T =
    1000 in the quick form, 500 and 2000 arms with T = 1500 in the full one. The form refit computes
    the posterior anew from all pulls in every round, as the paper describes GP-UCB, in O(t^3 + t^2
    A); it is timed on a grid of twelve rounds per decade and interpolated. The form incremental is
    `GPUCB`, which adds one pull on a finite set of arms in O(A u), where u is the number of
    distinct arms pulled so far. BKB and BBKB have qbar = 5. Times are CPU times of the process,
    BLAS on one thread, everything in one run."""
_claim = partial(Claim, experiment=_TIMES, setting=_SETTING, origin=Origin.REMARK)

CLAIMS = (
    _claim(
        id="time-refit",
        statement="""GP-UCB's O(t^3 A) quickly becomes prohibitive; BKB's O(T A d_eff^2) is
            dramatically smaller""",
        source="abstract, sections 3.2 and 4",
        paper="a small fraction",
        measure="seconds of T rounds divided by those of refit, ratio of means over the seeds.",
        rule="a part for each kind of pulls: the whole interval of BKB's ratio lies below 1/2.",
        numbers=against_refit,
        judge=each(below, 0.5, of="BKB / refit, *"),
        headline=[f"BKB / refit, {trace}" for trace in list(TRACES)[1:3]],
        varied="the pulls, the number of arms and the smoothness of f.",
    ),
    _claim(
        id="time-incremental",
        statement="BKB's run time is a significant improvement over that of GP-UCB",
        source="section 1.1",
        paper="below GP-UCB's, for which the paper gives O(A t^2) per round",
        measure="""seconds divided by those of the incremental exact form, for all T rounds and for
            the second half, ratios of means over the seeds. Shown beside them: u, the number of
            distinct arms pulled, at T, and u / |S|^2, because a round costs about A u in the exact
            form and A |S|^2 in BKB; and both at the round from which BKB's median round is cheaper,
            if there is one.""",
        rule="""a part for each kind of pulls: the whole interval of BKB's ratio over T rounds lies
            below 1. This comparison is ours: the paper compares with the form refit.""",
        origin=Origin.OURS,
        numbers=against_incremental,
        judge=each(below, 1, of=[f"BKB / incremental, {trace}" for trace in TRACES]),
        headline=[f"BKB / incremental, {trace}" for trace in list(TRACES)[1:4:2]],
        varied="the pulls, the number of arms and the smoothness of f.",
    ),
    _claim(
        id="time-growth",
        statement="GP-UCB requires Omega(A t^2) time to select each new point",
        source="sections 1 and 2.1",
        paper="exponent 2",
        measure="""slope of the log of the mean seconds of a round against log t, by least squares
            over T/10 .. T, with a bootstrap over the seeds; the slopes of BKB and BBKB are shown
            beside it.""",
        rule="""a part for each form of GP-UCB and kind of pulls, with many arms: the whole interval
            lies above 1.5, midway between t and t^2.""",
        numbers=growth,
        judge=each(above, 1.5, of=[f"exponent, {form}, *" for form in FORMS[:2]]),
        headline=[f"exponent, {form}, {GROWING[1]}" for form in FORMS[:2]],
        varied="""the form of the exact posterior (the paper's and the incremental one), and the
            pulls.""",
        any_size="""A round of the incremental form costs O(A u), and the number u of distinct arms
            is at most A.""",
    ),
    _claim(
        id="near-constant",
        statement="BKB has near-constant per-iteration complexity",
        source="abstract",
        paper="exponent 0",
        measure="""slopes of BKB, as in time-growth; the size of its dictionary at T divided by that
            at T/10 is shown beside them.""",
        rule="""a part for each kind of pulls: the whole interval lies below 0.5, midway between
            constant and t.""",
        numbers=constancy,
        judge=each(below, 0.5, of="exponent, BKB, *"),
        varied="the pulls and the smoothness of f.",
    ),
)
