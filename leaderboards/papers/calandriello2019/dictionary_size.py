"""How BKB chooses its dictionary: section 3.2 of calandriello2019, and Figure 1's sampling."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents.parts.posteriors import Exact, Nystrom
from agents.trace import default_rounds
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.beside_exact import ALPHA, begun
from leaderboards.papers.calandriello2019.variance_theorem import NOISE_STD, RIDGE
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, panels
from leaderboards.papers.rules import each, within
from leaderboards.papers.simulations import environments
from leaderboards.papers.verdicts import Parts

QBARS = (1, 2, 5, 10)


def dictionaries(seeds: Sequence[int], horizon: int) -> Sample:
    """Dictionaries of pulls that are all distinct, so that S counts every pull, as the paper does.

    Each of ``horizon`` arms is pulled once, in a random order.
    """
    settings = {"n_arms": horizon, "dim": 1, "noise_std": NOISE_STD, "horizon": horizon}
    task = environments("KernelBandit-v0", seeds, **settings).unwrapped.task
    n, rounds = len(seeds), default_rounds(horizon)
    each, yes, nothing = np.arange(n), np.ones(n, bool), np.zeros(n)
    order = np.stack([np.random.default_rng([seed, 11]).permutation(horizon) for seed in seeds])
    measures = {}
    for qbar in QBARS:
        exact, sparse = (
            begun(posterior, task, seeds, RIDGE)
            for posterior in (Exact(), Nystrom(qbar=float(qbar)))
        )
        counted: dict[str, list[np.ndarray]] = {}
        pulled = np.zeros((n, horizon), bool)
        for t in range(horizon):
            arms = np.ascontiguousarray(order[:, t])
            pulled[each, arms] = True
            variance = np.where(pulled, sparse.predict(None)[1], 0.0)  # before this pull
            chance = np.minimum(1.0, qbar * variance)
            for state in (exact, sparse):
                state.update(None, arms, nothing, yes)
            inside = np.zeros((n, horizon), bool)
            for row, inducing, size in zip(inside, sparse.inducing, sparse.count, strict=True):
                row[inducing[:size]] = True
            for name, values in {
                "size": inside.sum(axis=1),
                "expected": chance.sum(axis=1),
                "weight": (inside * variance).sum(axis=1),
                "expected weight": (chance * variance).sum(axis=1),
                "d_eff": exact.effective_dimension().copy(),
            }.items():
                counted.setdefault(name, []).append(np.array(values, dtype=float))
        kept = {name: np.stack(values, axis=1) for name, values in counted.items()}
        rest = kept["size"] - kept["expected"]
        measures |= {
            f"qbar = {qbar}, size": kept["size"][:, rounds - 1],
            f"qbar = {qbar}, d_eff": kept["d_eff"][:, rounds - 1],
            f"qbar = {qbar}, again": (rest[:, 1:] * rest[:, :-1]).sum(axis=1),
            f"qbar = {qbar}, square": (rest * rest).sum(axis=1),
        } | {
            f"qbar = {qbar}, all {name}": kept[name].sum(axis=1)
            for name in ("size", "expected", "weight", "expected weight")
        }
    return Sample(rounds, measures)


def sizes(sample: Sample) -> Numbers:
    numbers = {}
    for qbar in QBARS:
        own = sample.of(f"qbar = {qbar}")
        numbers |= {
            f"m / sum of p, qbar = {qbar}": estimates.ratio_of_means(
                own["all size"], own["all expected"]
            ),
            f"the same by variance, qbar = {qbar}": estimates.ratio_of_means(
                own["all weight"], own["all expected weight"]
            ),
            f"correlation of rounds, qbar = {qbar}": estimates.ratio_of_means(
                own["again"], own["square"]
            ),
            f"m / (qbar d_eff), qbar = {qbar}": estimates.ratio_of_means(
                own["size"][:, -1], qbar * own["d_eff"][:, -1]
            ),
        }
    numbers["d_eff"] = estimates.mean(sample.at_end(f"qbar = {QBARS[0]}, d_eff"))
    return numbers


def judge_inclusion(numbers: Numbers) -> Parts:
    """As many pulls as their probabilities say, the right ones, drawn anew in every round."""
    parts = {}
    for qbar in QBARS:
        at = f"qbar = {qbar}"
        for ratio in ("m / sum of p", "the same by variance"):
            parts[f"{ratio}, {at}"] = within(numbers[f"{ratio}, {at}"], 0.98, 1.02)
        again = f"correlation of rounds, {at}"
        parts[again] = within(numbers[again], -0.1, 0.1)
    return parts


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(["Inducing points of distinct pulls"], ylabel="|S|", **LOG_LOG)
    later = sample.rounds > 1
    values = {f"qbar = {q}": sample.measures[f"qbar = {q}, size"][:, later] for q in QBARS}
    values["effective dimension"] = sample.measures[f"qbar = {QBARS[0]}, d_eff"][:, later]
    lines(axes, sample.rounds[later], values)
    legend_below(figure, columns=3)
    return figure


_DICTIONARIES = Experiment(
    name="dictionaries",
    simulate=dictionaries,
    quick=Size(seeds=20, settings={"horizon": 500}, seeds_per_call=10),
    full=Size(seeds=40, settings={"horizon": 1500}, seeds_per_call=5),
    draw=draw,
    caption="""Mean size of the dictionary at each qbar, and the effective dimension of the pulls;
        both axes are logarithmic.""",
)
_SETTING = """The paper has no experiment on it; all sizes are ours. The kernel of
    `KernelBandit-v0`, length scale 0.2, lambda = 0.01, with as many arms uniform on [0, 1] as
    rounds, 500 in the quick form and 1500 in the full one. Every arm is pulled once, in a random
    order, so the dictionary S counts every pull, as the paper does; with repeated pulls our S would
    count an arm only once. The posterior is the one that BKB uses."""
_claim = partial(
    Claim,
    experiment=_DICTIONARIES,
    setting=_SETTING,
    origin=Origin.REMARK,
    swept="qbar = 1, 2, 5 and 10; the theorem asks for 713 at T = 500.",
    numbers=sizes,
)

CLAIMS = (
    _claim(
        id="inclusion",
        statement="""Every pull is drawn anew for the dictionary in every round, with probability p
            = qbar sigma~^2, so its size m_t is close to the sum of the probabilities""",
        source="Figure 1, and section 3.2, bounding the size of S",
        paper="m_t close to qbar sum sigma~^2",
        measure="""|S_t| divided by the sum of p = min(1, qbar sigma~_{t-1}^2(x_i)) over the pulls,
            both summed over all rounds; its mean given the past is 1. The same ratio with each pull
            weighted by its variance, which would detect a wrong choice of pulls. The correlation of
            |S_t| - sum p in consecutive rounds, which is 0 if S is drawn anew in every round.
            Ratios are of means over the seeds.""",
        rule="""three parts for every qbar: the whole interval of the two ratios lies within 0.98 ..
            1.02, and that of the correlation within -0.1 .. 0.1.""",
        judge=judge_inclusion,
        headline=["m / sum of p, qbar = 5", "correlation of rounds, qbar = 5"],
    ),
    _claim(
        id="size-in-practice",
        statement="""The sum of the probabilities, and so m_t = |S_t|, is about qbar times the
            effective dimension: the size adapts to the problem""",
        source="section 3.2, bounding the size of S",
        paper="m_t close to qbar d_eff",
        measure="|S_T| divided by qbar d_eff, ratio of means over the seeds.",
        rule="""a part for every qbar: the whole interval lies within 1/alpha .. alpha, 1/3 .. 3,
            because variances may be off by the factor alpha.""",
        judge=each(within, 1 / ALPHA, ALPHA, of="m / (qbar d_eff), *"),
        headline=[f"m / (qbar d_eff), qbar = {qbar}" for qbar in (1, 5)],
        varied="""qbar: below 5 the dictionary is often so small that the next variances, and with
            them the next dictionary, are far too large.""",
        amended="""The first form of this claim had only an upper limit on the number of distinct
            arms in S, twice qbar d_eff, which nothing could exceed.""",
    ),
)
