"""Figure 2 of calandriello2019: variance starvation of sparse posteriors of a Gaussian process."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from agents.parts.posteriors import Exact, Nystrom
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.beside_exact import begun
from leaderboards.papers.calandriello2019.definitions import posterior
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import COLOURS, legend_below, panels
from leaderboards.papers.rules import above, below, each
from leaderboards.papers.simulations import environments
from leaderboards.papers.verdicts import Parts, Verdict

TIMES = (6, 63, 215)
EVALUATED = 0.5  # all evaluations are to its left
QBAR = 5.0
ALPHA = 3.0  # (1 + eps) / (1 - eps) at eps = 1/2
WIDTH = 3.0  # width of the bands, in standard deviations
# What "bandwidth sigma^2 = 100" may mean, and the length scale of either.
READINGS = {"exp(-100 r^2)": 200**-0.5, "exp(-50 r^2)": 0.1}
RIDGES = (0.01, 0.1)
CASES = {
    f"{reading}, lambda = {ridge:g}": (length_scale, ridge)
    for reading, length_scale in READINGS.items()
    for ridge in RIDGES
}
DRAWN = next(iter(CASES))


def function_values(env: str, seeds: Sequence[int], **settings) -> np.ndarray:
    """f at every arm, (n, K): the noiseless rewards of an environment with these seeds."""
    envs = environments(env, seeds, noise_std=0.0, horizon=settings["n_arms"], **settings)
    envs.reset(seed=list(seeds))
    return np.stack(
        [envs.step(np.full(len(seeds), arm))[1] for arm in range(settings["n_arms"])], axis=1
    )


def figure_2(seeds: Sequence[int], times: Sequence[int], n_arms: int) -> Sample:
    """Means and variances of the arms on a grid of [0, 1] after evaluations on its left half."""
    measures: dict[str, np.ndarray] = {}
    for case, (length_scale, ridge) in CASES.items():
        covariance = {"kind": "rbf", "length_scale": length_scale}
        found = _case(seeds, times, covariance, ridge, n_arms=n_arms)
        measures |= {f"{case}, {name}": values for name, values in found.items()}
    return Sample(np.array(times), measures)


def _case(
    seeds: Sequence[int], times: Sequence[int], covariance: Any, ridge: float, *, n_arms: int
) -> dict[str, np.ndarray]:
    settings = {"n_arms": n_arms, "covariance": covariance}
    envs = environments(
        "StarvationBandit-v0", seeds, noise_std=ridge**0.5, horizon=times[-1], **settings
    )
    task = envs.unwrapped.task
    places = np.flatnonzero(task.arms[:, 0] <= EVALUATED)
    pulled = np.stack(
        [np.random.default_rng([seed, 2]).choice(places, size=times[-1]) for seed in seeds]
    )
    exact = begun(Exact(), task, seeds, ridge)
    sparse = begun(Nystrom(qbar=QBAR), task, seeds, ridge)
    gram = task.covariance(task.arms, task.arms)
    yes, rewards, kept, left_out = np.ones(len(seeds), bool), [], [], []
    envs.reset(seed=list(seeds))
    for t in range(1, times[-1] + 1):
        arms = np.ascontiguousarray(pulled[:, t - 1])
        _, reward, _, _, _ = envs.step(arms)
        rewards.append(reward)
        for state in (exact, sparse):
            state.update(None, arms, reward, yes)
        if t in times:
            counts = [np.bincount(row[:t], minlength=n_arms) for row in pulled]
            starved = [
                posterior(gram, inducing[:size], count, np.zeros(n_arms), ridge)[2]
                for inducing, size, count in zip(sparse.inducing, sparse.count, counts, strict=True)
            ]
            own = (*exact.predict(None), *sparse.predict(None), np.stack(starved))
            kept.append([values.copy() for values in own])  # a state overwrites its arrays
            left_out.append(1 - sparse.count / np.count_nonzero(counts, axis=1))
    names = ("exact, mean", "exact, variance", "BKB, mean", "BKB, variance", "SoR, variance")
    return {
        **{name: np.stack([row[j] for row in kept], axis=1) for j, name in enumerate(names)},
        "left out": np.stack(left_out, axis=1),  # (n, times); the above are (n, times, K)
        "x": np.tile(task.arms[:, 0], (len(seeds), 1)),
        "f": function_values("StarvationBandit-v0", seeds, **settings),
        "pulled": pulled,
        "reward": np.stack(rewards, axis=1),
    }


def share_of_exact(sample: Sample, case: str, method: str) -> dict[str, np.ndarray]:
    """Variance over the exact one, median over the arms left and right of 0.5: (n, times)."""
    own = sample.of(case)
    ratio = own[f"{method}, variance"] / own["exact, variance"]
    right = own["x"][0] > EVALUATED
    return {
        "right": np.median(ratio[..., right], axis=-1),
        "left": np.median(ratio[..., ~right], axis=-1),
    }


def starvation(sample: Sample) -> Numbers:
    return {
        f"SoR / exact, {side}, t = {t}, {case}": estimates.median(values[:, j])
        for case in CASES
        for side, values in share_of_exact(sample, case, "SoR").items()
        for j, t in enumerate(sample.rounds)
    }


def avoided(sample: Sample) -> Numbers:
    numbers = {}
    for case in CASES:
        own = sample.of(case)
        ratio = own["BKB, variance"] / own["exact, variance"]
        worst = np.maximum(ratio, 1 / ratio).max(axis=-1)  # (n, times)
        for j, t in enumerate(sample.rounds):
            at = f"t = {t}, {case}"
            numbers[f"seeds within a factor {ALPHA:g}, {at}"] = estimates.share(
                worst[:, j] <= ALPHA
            )
            numbers[f"worst factor, {at}"] = estimates.median(worst[:, j])
            numbers[f"pulled arms outside S, {at}"] = estimates.mean(own["left out"][:, j])
    return numbers


def judge_avoided(numbers: Numbers) -> Parts:
    """Within the factor on nearly all seeds; VACUOUS where S has every arm that was pulled."""
    parts = {}
    for case in CASES:
        for t in TIMES:
            at = f"t = {t}, {case}"
            test = above(numbers[f"seeds within a factor {ALPHA:g}, {at}"], 0.9)
            exact = bool(numbers[f"pulled arms outside S, {at}"].value == 0)
            # With all pulled arms in S the posterior is the exact one: its control is that factor.
            alike = bool(numbers[f"worst factor, {at}"].value <= 1 + 1e-6)
            name = f"seeds within a factor {ALPHA:g}, {at}"
            parts[name] = Verdict.VACUOUS if exact and alike else test
    return parts


def draw(sample: Sample) -> Figure:
    """f and the bands of the first seed, with a panel for each t."""
    own = {name: values[0] for name, values in sample.of(DRAWN).items()}
    x, ridge = own["x"], CASES[DRAWN][1]
    figure, grid = panels(
        [f"t = {t}" for t in sample.rounds],
        height=3.8,
        xlabel="x",
        ylabel="f, and mean ± 3 standard deviations",
    )
    for j, (axes, t) in enumerate(zip(grid, sample.rounds, strict=True)):
        half = WIDTH * np.sqrt(ridge * own["exact, variance"][j])
        mean = own["exact, mean"][j]
        axes.fill_between(x, mean - half, mean + half, color="#d5d5d5", lw=0, label="exact")
        for method, colour, dashes in (
            ("BKB", COLOURS[0], "solid"),
            ("SoR", COLOURS[1], (0, (4, 1.5))),
        ):
            mean, half = own["BKB, mean"][j], WIDTH * np.sqrt(ridge * own[f"{method}, variance"][j])
            axes.plot(x, mean - half, color=colour, ls=dashes, lw=1.3, label=method)
            axes.plot(x, mean + half, color=colour, ls=dashes, lw=1.3)
        axes.plot(x, own["f"], color="#000000", lw=1.1, label="f")
        axes.plot(
            x[own["pulled"][:t]],
            own["reward"][:t],
            ".",
            color="#000000",
            ms=3.5,
            alpha=0.5,
            label="evaluations",
        )
        axes.axvline(EVALUATED, color="#767676", lw=0.8, ls="dotted")
        axes.set(xlim=(0, 1), ylim=(-4.5, 4.5))
    legend_below(figure, columns=5)
    return figure


_FIGURE_2 = Experiment(
    name="figure-2",
    simulate=figure_2,
    quick=Size(seeds=40, settings={"times": TIMES, "n_arms": 400}, seeds_per_call=10, of_paper=1.0),
    full=Size(
        seeds=100, settings={"times": TIMES, "n_arms": 1000}, seeds_per_call=10, of_paper=1.0
    ),
    draw=draw,
    caption="""Figure 2 redrawn for the first seed, with exp(-100 r^2) and lambda = 0.01: f, the
        evaluations on the left half, and bands of three standard deviations about the means. SoR
        has BKB's inducing points and mean.""",
)
_SETTING = """`StarvationBandit-v0`: the arms are a grid on [0, 1] (400 points in the quick form,
    1000 in the full one). t = 6, 63, 215 evaluations, the paper's numbers, are at grid points drawn
    uniformly from [0, 0.5], with Gaussian noise. qbar = 5 is ours. SoR (subset of regressors) is
    what the paper remarks on: BKB's variance with k(x, x) replaced by z(x).z(x), so it has the same
    inducing points and the same mean. It is computed beside the agent, by operations with equal
    bits on every CPU. Bands are drawn with sqrt(lambda) sigma."""
_SWEPT = """two things that the figure does not say. "Gaussian kernel with bandwidth sigma^2 = 100"
    is read as exp(-100 r^2), of length scale 0.071, and as exp(-50 r^2), of length scale 0.1.
    lambda, which is the variance of the noise, is 0.01 and 0.1."""
_claim = partial(Claim, experiment=_FIGURE_2, setting=_SETTING, swept=_SWEPT, origin=Origin.FIGURE)

CLAIMS = (
    _claim(
        id="starvation",
        statement="""With k(x, x) replaced by its Nystrom approximation (subset of regressors) the
            variance far from the inducing points is severely underestimated""",
        source="section 3.1 and Figure 2",
        paper="a band that vanishes on (0.5, 1]",
        measure="""SoR's variance divided by the exact one: the median over the arms in (0.5, 1]
            (right) and in [0, 0.5] (left), then the median over the seeds.""",
        rule="""a part for every t, reading and lambda: the whole interval on the right lies below
            0.1.""",
        numbers=starvation,
        judge=each(below, 0.1, of="SoR / exact, right, *"),
        headline=[f"SoR / exact, right, t = {t}, {DRAWN}" for t in TIMES],
        varied="""the reading of the kernel, and lambda. With the longer length scale the median arm
            on the right is so near to the evaluations that its variance is underestimated only by
            half.""",
    ),
    _claim(
        id="starvation-avoided",
        statement="BKB's variance estimates are close to the exact ones: it does not starve",
        source="section 3.2, Figure 2",
        paper="within a small constant factor",
        measure="""share of seeds on which BKB's variance is within a factor 3 of the exact one at
            every arm, above or below it (the theorem has alpha = 3 at eps = 1/2); the largest
            factor over the arms, in either direction, as the median over the seeds; the share of
            pulled arms that are not in the dictionary S.""",
        rule="""a part for every t, reading and lambda: the whole interval of the share lies above
            0.9. Vacuous if S contains every pulled arm on every seed and the variance equals the
            exact one to 1e-6, because then nothing was approximated.""",
        numbers=avoided,
        judge=judge_avoided,
        headline=[f"worst factor, t = {t}, {DRAWN}" for t in TIMES[1:]],
    ),
)
