"""The claims of ouhamma2021 on online regression: Figures 1 and 2."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from agents import Forward, OnlineRidge
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Sample, Size, Verdict
from leaderboards.papers.panels import COLOURS, LOG_LOG, curve, legend, lines, panels
from leaderboards.papers.rules import above, below, each, verdict, within
from leaderboards.papers.simulations import Run, curves, environments, of_predictions, recorded

AGENTS = {"ridge": OnlineRidge, "forward": Forward}
RIDGES = ("1/T", "1/log T", "1", "10")
REGRETS = {"regret (6)": "regret", "regret (1)": "regret_batch"}


def terms(rows: np.ndarray, predictions: np.ndarray, outcomes: np.ndarray, ridge: float):
    r"""The terms of (4) and (5), round by round, (n, T) each.

    .. math:: (\hat y_t - y_t)^2\, x_t^\top G_t^{-1} x_t, \qquad y_t^2\, x_t^\top G_t^{-1} x_t,
        \qquad \hat y_t^2\, x_t^\top G_{t-1}^{-1} x_t, \qquad
        G_t = \lambda I + \sum_{s \le t} x_s x_s^\top

    They are the first term of ridge and, if the predictions are forward's, its first and second.
    The paper's (5) counts the second term of round t + 1 in round t.

    Parameters
    ----------
    rows : ndarray of shape (n, T, d)
    predictions, outcomes : ndarray of shape (n, T)
    ridge : float
    """
    dim = rows.shape[-1]
    gram = ridge * np.eye(dim) + np.cumsum(rows[..., :, None] * rows[..., None, :], axis=1)
    with_row = np.einsum("ntd,ntd->nt", rows, np.linalg.solve(gram, rows[..., None])[..., 0])
    before = with_row / (1 - with_row)
    return (predictions - outcomes) ** 2 * with_row, outcomes**2 * with_row, predictions**2 * before


def figure_1(seeds: Sequence[int], horizon: int) -> Sample:
    """Terms of (4) and (5), and the regrets of both agents."""
    rounds, measures = np.arange(1, horizon + 1), {}
    settings = {"dim": 5, "contexts": "cube", "feature_norm": math.sqrt(5), "noise_std": 0.1}
    for name, kind in AGENTS.items():
        envs = environments("OnlineRegression-v0", seeds, horizon=horizon, **settings)
        trace, kept = recorded(kind(ridge=1.0), of_predictions, envs, seeds, rounds.tolist())
        own, first, second = terms(kept["row"], kept["prediction"], kept["outcome"], ridge=1.0)
        if name == "ridge":
            measures["ridge, first term"] = own
        else:
            measures["forward, first term"], measures["forward, second term"] = first, second
        for regret, key in REGRETS.items():
            measures[f"{name}, {regret}"] = trace.measures[key]
    return Sample(rounds, measures)


def left(term: np.ndarray) -> np.ndarray:
    """Decay of a term (n, T): its means over the first 10 and the last 20 rounds, (n, 2)."""
    return np.stack([term[:, :10].mean(axis=1), term[:, -20:].mean(axis=1)], axis=1)


def ridge_fades(sample: Sample) -> Numbers:
    early, late = left(sample.measures["ridge, first term"]).T
    return {"late / early": estimates.ratio_of_means(late, early)}


def forward_fades(sample: Sample) -> Numbers:
    early, late = left(sample.measures["forward, first term"]).T
    _, ridge_late = left(sample.measures["ridge, first term"]).T
    return {
        "late / early": estimates.ratio_of_means(late, early),
        "forward / ridge, late": estimates.ratio_of_means(late, ridge_late),
    }


def cancelling(sample: Sample) -> Numbers:
    first, second = (sample.measures[f"forward, {order} term"] for order in ("first", "second"))
    half = first.shape[1] // 2
    return {
        "all rounds": estimates.ratio_of_means(second.sum(axis=1), first.sum(axis=1)),
        "second half": estimates.ratio_of_means(
            second[:, half:].sum(axis=1), first[:, half:].sum(axis=1)
        ),
    }


def par_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for regret in REGRETS:
        both = [f"{name}, {regret}" for name in AGENTS]
        numbers |= {name: estimates.mean(sample.at_end(name)) for name in both}
        numbers[f"forward / {both[0]}"] = estimates.ratio_at_end(sample, both[1], both[0])
    return numbers


def draw_figure_1(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["Terms of (4) and (5)"], ylabel="mean of the instantaneous term", yscale="log",
        xlim=(0, sample.rounds[-1]),
    )  # fmt: skip
    # The second term of the first round is 0.
    values = {k: own[:, 1:] for k, own in sample.measures.items() if k.endswith("term")}
    lines(axes, sample.rounds[1:], values)
    legend(axes, "upper right")
    return figure


def figure_2(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (6) of both agents at every ridge."""
    values = {"1/T": 1 / horizon, "1/log T": 1 / math.log(horizon), "1": 1.0, "10": 10.0}
    settings = {"dim": 5, "contexts": "ball", "noise_std": 0.1, "horizon": horizon}
    runs = {
        f"{name}, λ = {ridge}": Run(kind(ridge=values[ridge]), "OnlineRegression-v0", settings)
        for name, kind in AGENTS.items()
        for ridge in RIDGES
    }
    return curves(seeds, runs)


def finals(sample: Sample, agent: str, ridges: Sequence[str] = RIDGES) -> np.ndarray:
    """Regret at T for each ridge, (n, ridges)."""
    return np.stack([sample.at_end(f"{agent}, λ = {ridge}") for ridge in ridges], axis=1)


def ridge_depends(sample: Sample) -> Numbers:
    ridge = finals(sample, "ridge")
    return {
        **{f"median, λ = {name}": estimates.median(ridge[:, j]) for j, name in enumerate(RIDGES)},
        "mean, λ = 1/T": estimates.mean(ridge[:, 0]),
        "spread of medians": estimates.spread(ridge),
        "spread of means": estimates.spread(ridge, np.mean),
    }


def early_rounds(sample: Sample) -> Numbers:
    place = int(np.flatnonzero(sample.rounds == 10)[0])
    numbers = {}
    for agent in AGENTS:
        small, one = (sample.measures[f"{agent}, λ = {name}"][:, place] for name in ("1/T", "1"))
        numbers[f"{agent}: λ = 1/T over λ = 1"] = estimates.ratio_of_means(small, one)
    return numbers


def judge_early(numbers: Numbers) -> Verdict:
    ridge, forward = (numbers[f"{name}: λ = 1/T over λ = 1"] for name in AGENTS)
    return verdict(above(ridge, 2) and below(forward, 2))


def forward_robust(sample: Sample) -> Numbers:
    forward = finals(sample, "forward")
    return {
        **{f"median, λ = {name}": estimates.median(forward[:, j]) for j, name in enumerate(RIDGES)},
        "spread of medians": estimates.spread(forward),
        "spread of means": estimates.spread(forward, np.mean),
        "spread of medians, λ <= 1": estimates.spread(forward[:, :3]),
        "spread of medians of ridge": estimates.spread(finals(sample, "ridge")),
    }


def judge_robust(numbers: Numbers) -> Verdict:
    robust = numbers["spread of medians"]
    return verdict(
        below(robust, 2), below(robust, float(numbers["spread of medians of ridge"].low))
    )


def draw_figure_2(sample: Sample) -> Figure:
    figure, grid = panels(["2a: ridge", "2b: forward"], ylabel="regret (6)", **LOG_LOG)
    for axes, agent in zip(grid, AGENTS, strict=True):
        for colour, ridge in zip(COLOURS, RIDGES, strict=False):
            drawn = partial(curve, axes, sample.rounds, sample.measures[f"{agent}, λ = {ridge}"])
            drawn(f"λ = {ridge}", color=colour)
            drawn("", color=colour, ls="dotted", quartiles=True, middle=np.median)
    legend(grid[1], "lower right")
    return figure


_FIGURE_1 = Experiment(
    name="figure-1",
    simulate=figure_1,
    quick=Size(seeds=100, settings={"horizon": 200}),
    full=Size(seeds=100, settings={"horizon": 200}),
    seeds_per_call=50,
    draw=draw_figure_1,
    caption="Mean of the instantaneous terms, y logarithmic.",
)
_SETTING_1 = """5 features uniform on [0, 1]^5, Gaussian noise of sd 0.1, λ = 1, T = 200, 100
    replicates in both forms. Open in the paper: theta, here uniform on the sphere of norm 1,
    another one in every replicate."""
_FADING = "mean of the term over the last 20 rounds (late) over that of the first 10 (early)"
_FIGURE_2 = Experiment(
    name="figure-2",
    simulate=figure_2,
    quick=Size(seeds=100, settings={"horizon": 1000}),
    full=Size(seeds=100, settings={"horizon": 100_000}),
    seeds_per_call=50,
    draw=draw_figure_2,
    caption="""Regret (6), both axes logarithmic: mean (solid), median (dotted) and the band between
        the quartiles. The paper's band is one standard deviation, which outliers rule.""",
)
_SETTING_2 = """5 features uniform in the unit ball, Gaussian noise of sd 0.1, λ in {1/T, 1/log T,
    1, 10}, 100 replicates. Open in the paper: theta, here uniform on the sphere of norm 1; T, here
    1000 in the quick form and 100 000 in the full one; and which regret is shown, here (6)."""
_SPREAD = "largest over smallest of the four medians over the replicates of regret at T"
_claim_figure_1 = partial(Claim, experiment=_FIGURE_1, setting=_SETTING_1)
_claim_figure_2 = partial(Claim, experiment=_FIGURE_2, setting=_SETTING_2)

CLAIMS = (
    _claim_figure_1(
        id="figure-1-ridge",
        statement="The first terms of (4) vanish quickly for ridge regression",
        source="Figure 1",
        paper="vanish quickly",
        measure=_FADING + ".",
        rule="reproduced if the whole interval lies below 0.01, else not reproduced.",
        numbers=ridge_fades,
        judge=lambda numbers: verdict(below(numbers["late / early"], 0.01)),
    ),
    _claim_figure_1(
        id="figure-1-forward",
        statement="The first terms of (5) are quite stable for the forward algorithm",
        source="Figure 1",
        paper="quite stable",
        measure=_FADING + ". Beside it the late term over ridge's.",
        rule="""reproduced if the whole interval of late / early lies above 0.1, else not
            reproduced.""",
        numbers=forward_fades,
        judge=lambda numbers: verdict(above(numbers["late / early"], 0.1)),
    ),
    _claim_figure_1(
        id="figure-1-cancel",
        statement="They are essentially cancelled out by the second term",
        source="Figure 1",
        paper="second / first: about 1",
        measure="sum of the second terms over that of the first ones.",
        rule="""over all rounds: reproduced if the whole interval lies in 0.9 .. 1.1, else not
            reproduced.""",
        numbers=cancelling,
        judge=lambda numbers: verdict(within(numbers["all rounds"], 0.9, 1.1)),
    ),
    _claim_figure_1(
        id="figure-1-par",
        statement="Overall, the two strategies perform on par on this example",
        source="Figure 1",
        paper="forward / ridge: about 1",
        setting=_SETTING_1 + " Open as well: which regret; (6) and (1) are both taken.",
        measure="mean regret of forward over that of ridge after 200 rounds, paired by seeds.",
        rule="a regret holds if the whole interval lies in 0.8 .. 1.25. Both, one, none.",
        numbers=par_numbers,
        judge=each(within, 0.8, 1.25, of=[f"forward / ridge, {name}" for name in REGRETS]),
    ),
    _claim_figure_2(
        id="figure-2a",
        statement="Ridge regression depends on λ",
        source="Figure 2a",
        paper="depends on λ",
        measure=(_SPREAD + ", and of the means, which a few replicates dominate where λ is small."),
        rule="medians and means hold if the whole interval lies above 2. Both, one, none.",
        numbers=ridge_depends,
        judge=lambda numbers: verdict(
            above(numbers["spread of medians"], 2), above(numbers["spread of means"], 2)
        ),
    ),
    _claim_figure_2(
        id="figure-2-early",
        statement="In the first rounds ridge's regret depends on λ as 1/λ does, forward's does not",
        source="section 3.4, Theorem 3.2, Remark 1",
        paper="ridge: falls with λ; forward: does not",
        measure="""mean regret after 10 rounds at λ = 1/T over that at λ = 1, paired by seeds; a
            measure of ours, made up after a first look at Figure 2.""",
        rule="""reproduced if the whole interval lies above 2 for ridge and below 2 for forward,
            else not reproduced.""",
        numbers=early_rounds,
        judge=judge_early,
    ),
    _claim_figure_2(
        id="figure-2b",
        statement="The forward algorithm is robust to λ, contrarily to ridge",
        source="Figure 2b",
        paper="robust to λ",
        measure=_SPREAD + ". Beside it that of the means, that for λ <= 1, and ridge's.",
        rule="""the whole interval lies below 2, and below that of ridge. Reproduced if both hold,
            not reproduced if neither does, else partly.""",
        numbers=forward_robust,
        judge=judge_robust,
    ),
)
