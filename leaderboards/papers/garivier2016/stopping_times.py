"""The claims of garivier2016 on the number of rounds until Track-and-Stop stops."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import scipy  # whose parts are imported where they are first used

from agents import LUCB, TTUCB, TrackAndStop, play
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import above, below, each, within
from leaderboards.papers.simulations import environments

PROBLEMS = {
    "four arms": (0.5, 0.45, 0.43, 0.4),
    "five arms": (0.3, 0.21, 0.2, 0.19, 0.18),
}
AGENTS = {"Track-and-Stop": TrackAndStop(), "TTUCB": TTUCB(), "LUCB": LUCB()}
HORIZON = 1_000_000  # by far later than any run stops


def stops(seeds: Sequence[int], deltas: Sequence[float]) -> Sample:
    """Rounds until each agent stops, and whether it errs, (n, c) each: a column for every delta.

    LUCB plays the first delta alone. The rounds of the sample are the values of 1 / delta.
    """
    columns: dict[str, list[np.ndarray]] = {}
    for problem, means in PROBLEMS.items():
        for delta in deltas:
            place = {"means": means, "shuffled": True, "objective": "best_arm", "delta": delta}
            for name, agent in AGENTS.items():
                if name == "LUCB" and delta != deltas[0]:
                    continue
                envs = environments("ArmedBandit-v0", seeds, **place, horizon=HORIZON)
                trace = play(envs, agent, seed=seeds, rounds=[HORIZON])
                for measure, of in (("stopping_time", ""), ("error", "errors of ")):
                    column = trace.measures[measure][:, -1]
                    columns.setdefault(f"{of}{name}, {problem}", []).append(column)
    inverse = np.rint(1 / np.array(deltas)).astype(int)
    return Sample(inverse, {name: np.stack(of, axis=1) for name, of in columns.items()})


def divergence(p: float | np.ndarray, q: float | np.ndarray) -> np.ndarray:
    """Of the Bernoulli laws with these means."""
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


def characteristic_time(means: Sequence[float]) -> tuple[float, np.ndarray]:
    """T* and the optimal shares w*, by Theorem 5; the first arm is the best one.

    With one pull of the best arm and x_k(y) of arm k, each pair of arms has the information y. At
    the best y the ratios of the two divergences sum to 1.
    """
    best, others = means[0], np.array(means[1:])

    def information(x, other):
        middle = (best + x * other) / (1 + x)
        return divergence(best, middle) + x * divergence(other, middle)

    def pulls(y):
        roots = [
            scipy.optimize.brentq(lambda x, k=other: information(x, k) - y, 0, 1e6)
            for other in others
        ]
        return np.array(roots)

    def surplus(y):
        x = pulls(y)
        middle = (best + x * others) / (1 + x)
        return (divergence(best, middle) / divergence(others, middle)).sum() - 1

    most = divergence(best, others).min()
    y = scipy.optimize.brentq(surplus, 1e-4 * most, (1 - 1e-4) * most, xtol=1e-12 * most)
    shares = np.array([1, *pulls(y)])
    return shares.sum() / y, shares / shares.sum()


def slopes(sample: Sample) -> Numbers:
    """Growth of the mean number of rounds with log(1 / delta), over T*; least squares."""
    steps = np.log(sample.rounds)
    steps = (steps - steps.mean()) / ((steps - steps.mean()) ** 2).sum()
    return {
        f"{agent}, {problem}": estimates.mean(
            sample.measures[f"{agent}, {problem}"] @ steps / characteristic_time(means)[0]
        )
        for problem, means in PROBLEMS.items()
        for agent in ("Track-and-Stop", "TTUCB")
    }


def over_lower_bound(sample: Sample) -> Numbers:
    """Mean number of rounds over T* d(delta, 1 - delta), for each delta that an agent plays."""
    numbers = {}
    for problem, means in PROBLEMS.items():
        for agent in AGENTS:
            for inverse, rounds in zip(
                sample.rounds, sample.measures[f"{agent}, {problem}"].T, strict=False
            ):
                delta = 1 / inverse
                bound = characteristic_time(means)[0] * divergence(delta, 1 - delta)
                numbers[f"{agent}, {problem}, {delta:.4g}"] = estimates.mean(rounds / bound)
    return numbers


def errors(sample: Sample) -> Numbers:
    """Share of wrong recommendations for the first delta."""
    return {
        f"{agent}, {problem}": estimates.share(
            sample.measures[f"errors of {agent}, {problem}"][:, 0]
        )
        for problem in PROBLEMS
        for agent in AGENTS
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels(
        PROBLEMS, xlabel="1 / delta", ylabel="mean rounds until the end", shared=False, xscale="log"
    )
    for axes, (problem, means) in zip(grid, PROBLEMS.items(), strict=True):
        values = {
            agent: sample.measures[f"{agent}, {problem}"] for agent in ("Track-and-Stop", "TTUCB")
        }
        bound = characteristic_time(means)[0] * np.log(sample.rounds)
        lines(axes, sample.rounds, values | {"T* log(1 / delta)": bound[None]}, marker="o")
        axes.set_ylim(bottom=0)
    legend_below(figure, columns=3)
    return figure


_EXPERIMENT = Experiment(
    name="stopping-times",
    simulate=stops,
    quick=Size(seeds=150, settings={"deltas": [0.1, 0.001]}, seeds_per_call=50),
    full=Size(seeds=400, settings={"deltas": [0.1, 0.01, 0.001, 0.0001]}, seeds_per_call=50),
    draw=draw,
    caption="""Mean number of rounds until an agent stops, for several delta. The theorem is
        about the slope: it says nothing on the distance to T* log(1/delta).""",
)
_SETTING = """`ArmedBandit-v0` with `objective="best_arm"` and Bernoulli rewards of means 0.5, 0.45,
    0.43, 0.4, and 0.3, 0.21, 0.2, 0.19, 0.18, in an order drawn for each run. Later papers' code,
    which repeats the experiments, says that these are the paper's two problems; of the paper, we
    had only the abstract and the authors' code of the algorithms. The values of delta are ours.
    `TrackAndStop` is D-Tracking with the threshold log((1 + log t)/delta) of that code, which no
    theorem covers. """
_claim = partial(Claim, experiment=_EXPERIMENT)

CLAIMS = (
    _claim(
        id="optimal-slope",
        statement="Track-and-Stop is asymptotically optimal",
        source="abstract",
        origin=Origin.THEOREM,
        paper="E[tau] / log(1/delta) tends to T* as delta tends to 0",
        setting=_SETTING
        + """T* is computed apart from the agent. TTUCB, whose stopping rule is that of Gaussian
            rewards, is shown beside. Top-two Thompson sampling is not run: near its end, a round of
            it takes hundreds of samples.""",
        measure="""slope of the mean number of rounds against log(1/delta), by least squares over
            all delta, divided by T*.""",
        rule="""a problem holds if the whole interval lies in 0.8 .. 1.25. Because of log t in the
            threshold, and because the shares of pulls are still being learned, the slope at these
            delta may be above T*.""",
        numbers=slopes,
        judge=each(within, 0.8, 1.25, of="Track-and-Stop, *"),
        headline=[f"Track-and-Stop, {problem}" for problem in PROBLEMS],
    ),
    _claim(
        id="lower-bound",
        statement="""An agent that errs with probability delta at most plays T* kl(delta, 1 - delta)
            rounds or more on average""",
        source="abstract, Theorem 1",
        origin=Origin.THEOREM,
        paper="ratio at least 1",
        setting=_SETTING + """LUCB plays delta = 0.1 alone.""",
        measure="mean number of rounds until the end, divided by T* kl(delta, 1 - delta).",
        rule="a part holds if the whole interval lies above 1.",
        numbers=over_lower_bound,
        judge=each(above, 1.0),
        headline=[f"Track-and-Stop, {problem}, 0.1" for problem in PROBLEMS],
    ),
    _claim(
        id="errors",
        statement="""With the threshold of the authors' code, Track-and-Stop errs with probability
            delta at most""",
        source="none",
        origin=Origin.OURS,
        paper="none: no theorem covers this threshold",
        setting=_SETTING,
        measure="share of wrong recommendations at delta = 0.1; other agents are shown beside.",
        rule="a problem holds if the whole interval lies below 0.1.",
        numbers=errors,
        judge=each(below, 0.1, of="Track-and-Stop, *"),
    ),
)
