"""The experiment of korda2015 on news: its sizes, its figure, and Figures 2(a) to 2(c)."""

import numpy as np

from leaderboards.papers.claim import Experiment, Figure, Sample, Size
from leaderboards.papers.korda2015.news_play import DEFAULTS, SCHEMES, news
from leaderboards.papers.panels import COLOURS, curve, legend, lines, look, panels
from leaderboards.report.styles import style

PRINTED = {"fLinUCB-GD": "fRLS-GD", "fLinUCB-SVRG": "fRLS-SVRG", "fLinUCB-SAG": "fRLS-SAG"}


def draw(sample: Sample) -> Figure:
    """Relative tracking errors of every scheme and step, and clicks."""
    figure, grid = panels([*SCHEMES, "clicks"], columns=2, xlabel="samples n", ylim=(0, 1.5))
    counts = sample.measures["samples"][0]
    for axes, (scheme, steps) in zip(grid, SCHEMES.items(), strict=False):
        values = {}
        for step in steps:
            error, nothing = (
                sample.measures[f"{scheme}, {step}, {of}"] for of in ("error", "error of 0")
            )
            with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 before the first click
                values[step] = np.where(nothing > 0, error / nothing, 1.0)
        lines(axes, counts, values, quartiles=True)
        axes.set_ylabel("error / that of θ = 0", fontsize=9)
        legend(axes, "lower left", columns=3)
    axes = grid[-1]
    axes.set_xlabel("events of the log", fontsize=9)
    axes.set_ylabel("clicks per 10,000, over LinUCB's", fontsize=9)
    linucb = sample.measures["LinUCB, clicks"].mean(axis=0)
    own = {"uniform": look(style("UniformRandom"))}
    free = [{"color": colour} for colour in COLOURS if colour != own["uniform"]["color"]]
    own |= dict(zip(DEFAULTS.values(), free, strict=False))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = {name: sample.measures[f"{name}, clicks"] / linucb for name in own}
    lines(axes, sample.rounds, values, own)
    axes.axhspan(0.7, 0.8, color="#888888", alpha=0.2, lw=0, label="75 %")
    legend(axes, "lower left", columns=2)
    return figure


def draw_as_printed(sample: Sample) -> Figure:
    """The tracking error of one run of each scheme, both axes linear."""
    titles = [f"Tracking error: {name}" for name in PRINTED.values()]
    figure, grid = panels(titles, xlabel="iteration n", ylabel="‖θ_n - ridge solution‖")
    counts = sample.measures["samples"][0]
    for axes, scheme in zip(grid, PRINTED, strict=True):
        name = DEFAULTS[scheme]
        error = sample.measures[f"{name}, error"][:1]
        nothing = sample.measures[f"{name}, error of 0"][:1]
        curve(axes, counts, error, name.split(", ")[1], color=COLOURS[0])
        curve(axes, counts, nothing, "θ = 0", color="#888888", ls="dotted")
        legend(axes, "upper right")
    grid[0].set_ylim(0, None)
    return figure


NEWS = Experiment(
    name="news",
    simulate=news,
    quick=Size(seeds=12, settings={"events": 40_000, "data": "R6A"}, seeds_per_call=6),
    full=Size(seeds=24, settings={"events": 500_000, "data": "R6A"}, seeds_per_call=12),
    draw=draw,
    draw_as_printed=draw_as_printed,
    caption="""‖theta_n - ridge solution‖ / ‖ridge solution‖ of each scheme in its own play, against
        the samples learned: mean, with a band between the quartiles. Bottom right: clicks per
        10,000 matched rounds so far, divided by LinUCB's, means. In the form as printed: the
        distance itself in one run of each scheme; dotted, the distance of an estimate that stays at
        0.""",
)
