"""The claims of ouhamma2021's section 2: bounds for bounded outcomes, and what they suggest."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.ouhamma2021.fading_terms import AGENTS
from leaderboards.papers.panels import LOG_LOG, legend, lines, panels
from leaderboards.papers.rules import below, each, never, within
from leaderboards.papers.simulations import environments, of_predictions, recorded
from leaderboards.papers.verdicts import Parts

RIDGES = ("1/T", "1")
CONSTANTS = {"ridge": 4.0, "forward": 1.0}  # c of Theorems 2.1 and 2.2
ROUNDING = 1 + 1e-9


def sequences(horizon: int) -> dict[str, dict[str, Any]]:
    """Settings of the environments, all with outcomes -1 and 1."""
    sphere = {"dim": 5, "contexts": "sphere"}
    weak = horizon**-0.5  # squares of the weak direction add up to 1 over all rounds
    rows = np.array([[1.0, weak], [1.0, -weak]])
    return {
        "coins": {**sphere, "outcomes": "random"},
        "adaptive": {**sphere, "outcomes": "adaptive"},
        "weak direction": {"contexts": rows, "theta": [0.0, 1 / weak], "noise_std": 0.0},
    }


def bounded_outcomes(seeds: Sequence[int], horizon: int) -> Sample:
    """Regrets against regularised and other best fits, and the bounds on them."""
    measures: dict[str, np.ndarray] = {}
    rounds = np.empty(0)
    for sequence, settings in sequences(horizon).items():
        for ridge, value in zip(RIDGES, (1 / horizon, 1.0), strict=True):
            for name, kind in AGENTS.items():
                envs = environments("OnlineRegression-v0", seeds, horizon=horizon, **settings)
                trace, kept = recorded(kind(ridge=value), of_predictions, envs, seeds)
                rounds, run = trace.rounds, key(name, sequence, ridge)
                found = bounds(kept, rounds, value, CONSTANTS[name], bounded=name == "forward")
                measures |= {f"{run}: {measure}": x for measure, x in found.items()}
                measures[f"{run}: regret (1)"] = trace.measures["regret_batch"]
    return Sample(rounds, measures)


def key(agent: str, sequence: str, ridge: str) -> str:
    return f"{agent}, {sequence}, λ = {ridge}"


def bounds(
    kept: dict[str, np.ndarray], rounds: np.ndarray, ridge: float, constant: float, bounded: bool
) -> dict[str, np.ndarray]:
    r"""Regularised regret and the bounds on it and on regret (1), (n, c) at these rounds.

    .. math:: c\, Y^2 d \log(1 + t X^2 / (\lambda d)), \qquad
        \text{plus } \lambda Y^2 t / \lambda_{r_t}(G_t(0)) \text{ for Corollary 2.3.1}

    X and Y are the largest values up to round t; Y includes the predictions unless ``bounded``.
    """
    rows, predictions, outcomes = kept["row"], kept["prediction"], kept["outcome"]
    dim = rows.shape[-1]
    regularised, gram = best_fits(rows, outcomes, rounds, ridge)
    loss = np.cumsum((predictions - outcomes) ** 2, axis=1)[:, rounds - 1]
    sizes = np.abs(outcomes) if bounded else np.maximum(np.abs(outcomes), np.abs(predictions))
    largest = np.maximum.accumulate(sizes, axis=1)[:, rounds - 1] ** 2
    longest = np.maximum.accumulate((rows**2).sum(axis=2), axis=1)[:, rounds - 1]
    bound = constant * largest * dim * np.log1p(rounds * longest / (ridge * dim))
    values = np.linalg.eigvalsh(gram)
    values = np.where(values > 1e-10 * values[..., -1:], values, np.inf).min(axis=-1)
    return {
        "regularised regret": loss - regularised,
        "bound": bound,
        "corollary": bound + ridge * largest * rounds / values,
        "worst": 4 * largest * rounds,
    }


def best_fits(rows: np.ndarray, outcomes: np.ndarray, rounds: np.ndarray, ridge: float):
    """Regularised loss of the best fit (n, c), and the Gram matrices G(0) (n, c, d, d)."""
    gram = np.cumsum(rows[..., :, None] * rows[..., None, :], axis=1)[:, rounds - 1]
    moment = np.cumsum(outcomes[..., None] * rows, axis=1)[:, rounds - 1]
    square = np.cumsum(outcomes**2, axis=1)[:, rounds - 1]
    theta = np.linalg.solve(gram + ridge * np.eye(rows.shape[-1]), moment[..., None])[..., 0]
    return square - np.einsum("nci,nci->nc", moment, theta), gram


def theorem_numbers(sample: Sample, agent: str, of: str, bound: str) -> Numbers:
    """For every sequence and ridge: runs above a bound in any round, and means at T."""
    numbers: dict[str, Any] = {}
    for sequence in sequences(1):
        for ridge in RIDGES:
            run, case = key(agent, sequence, ridge), f"{sequence}, λ = {ridge}"
            regret, limit = (sample.measures[f"{run}: {name}"] for name in (of, bound))
            exceeded = regret > limit * ROUNDING + 1e-9
            numbers[f"{case}: runs above"] = estimates.share(exceeded.any(axis=1))
            numbers[f"{case}: regret / bound"] = estimates.mean(regret[:, -1] / limit[:, -1])
            worst = sample.at_end(f"{run}: worst")
            numbers[f"{case}: bound / worst"] = estimates.mean(limit[:, -1] / worst)
    return numbers


def rigid(sample: Sample) -> Numbers:
    last, numbers = sample.rounds[-1], {}
    for agent in AGENTS:
        linear, small = (
            sample.at_end(f"{key(agent, 'weak direction', ridge)}: regret (1)")
            for ridge in ("1", "1/T")
        )
        numbers[f"{agent}, λ = 1: regret / T"] = estimates.mean(linear / last)
        numbers[f"{agent}, λ = 1/T: regret / (2 log T)"] = estimates.mean(
            small / (2 * math.log(last))
        )
    return numbers


def judge_rigid(numbers: Numbers) -> Parts:
    return {
        name: within(number, 0.4, 0.6) if "λ = 1:" in name else below(number, 1)
        for name, number in numbers.items()
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels(
        [f"{sequence}, λ = 1/T" for sequence in sequences(1)],
        ylabel="mean regularised regret",
        **LOG_LOG,
    )
    for axes, sequence in zip(grid, sequences(1), strict=True):
        own = {}
        for agent in AGENTS:
            run = key(agent, sequence, "1/T")
            own[agent] = sample.measures[f"{run}: regularised regret"]
            own[f"bound on {agent}"] = sample.measures[f"{run}: bound"]
        lines(axes, sample.rounds, own)
    legend(grid[0], "upper left")
    return figure


_BOUNDED = Experiment(
    name="bounded-outcomes",
    simulate=bounded_outcomes,
    quick=Size(seeds=50, settings={"horizon": 1000}, seeds_per_call=25),
    full=Size(seeds=200, settings={"horizon": 10_000}, seeds_per_call=20),
    draw=draw,
    caption="""Mean regret against the best regularised fit, and the bounds of Theorems 2.1 and 2.2;
        both axes are logarithmic.""",
)
_SETTING = """The paper has no experiment on it. Outcomes are -1 and 1, so forward's Y is 1; ridge's
    Y is the largest outcome or prediction so far. There are three sequences: fair coins on rows
    uniform on the unit sphere in 5 dimensions; the same rows with outcomes opposite to the
    prediction's sign; and rows (1, ±1/sqrt(T)) with the sign of the second feature as outcome,
    whose best fit has a large norm. λ = 1/T, which section 2.2 suggests, and λ = 1. T = 1000 in the
    quick form, 10 000 in the full one. No prediction is clipped."""
_ABOVE = """share of runs in which {} is above the bound at any of the kept rounds, and its mean at
    T over the bound. The worst that any predictions within ±Y can suffer is 4 Y² T."""
_RULE = """a part is a sequence and a value of λ. It holds if no run is ever above the bound, and is
    vacuous if the bound is above this worst case."""
_RATIOS = [f"{sequence}, λ = 1/T: regret / bound" for sequence in sequences(1)]
_claim = partial(
    Claim,
    experiment=_BOUNDED,
    origin=Origin.THEOREM,
    setting=_SETTING,
    rule=_RULE,
    judge=each(never, of="*: runs above", bound="*: bound / worst"),
    headline=_RATIOS,
    any_size="The bounds are for all T: a run above them is a counterexample at any size.",
)

CLAIMS = (
    _claim(
        id="theorem-2-1",
        statement="""Ridge regression: L_T - min (L_T(θ) + λ‖θ‖²) <= 4 Y² d log(1 + T X²/(λ d)),
            where Y bounds outcomes and predictions""",
        source="Theorem 2.1",
        paper="no run above the bound",
        measure=_ABOVE.format("the regularised regret"),
        numbers=partial(theorem_numbers, agent="ridge", of="regularised regret", bound="bound"),
    ),
    _claim(
        id="theorem-2-2",
        statement="""The forward algorithm: L_T - min (L_T(θ) + λ‖θ‖²) <= Y² d log(1 + T X²/(λ d)),
            where Y bounds the outcomes""",
        source="Theorem 2.2",
        paper="no run above the bound",
        measure=_ABOVE.format("the regularised regret"),
        numbers=partial(theorem_numbers, agent="forward", of="regularised regret", bound="bound"),
    ),
    *(
        _claim(
            id=f"corollary-2-3-1-{agent}",
            statement=f"""{words}: regret (1) is at most {constant}Y² d log(1 + T X²/(λ d)) + λ Y² T
                / λ_r(G_T(0)), where λ_r is the smallest positive eigenvalue""",
            source="Corollary 2.3.1",
            paper="no run above the bound",
            measure=_ABOVE.format("regret (1)"),
            numbers=partial(theorem_numbers, agent=agent, of="regret (1)", bound="corollary"),
        )
        for agent, words, constant in (
            ("ridge", "Ridge regression", "4 "),
            ("forward", "The forward algorithm", ""),
        )
    ),
    Claim(
        id="rigid-regularisation",
        statement="To obtain a log T bound, λ should not be larger than about log(T)/T",
        source="section 2.2, after Corollary 2.3.1",
        origin=Origin.REMARK,
        paper="λ = 1: not O(log T) for all rows; λ = 1/T: O(log T)",
        setting=_SETTING,
        measure="""regret (1) at T on the rows (1, ±1/sqrt(T)): divided by T for λ = 1, and by d log
            T for λ = 1/T.""",
        rule="""for λ = 1, the whole interval lies within 0.4 .. 0.6: the prediction in round t is
            t/(T + t) of the outcome up to O(1/t), so the regret is T/2 and not O(log T). For λ =
            1/T it lies below 1.""",
        experiment=_BOUNDED,
        numbers=rigid,
        judge=judge_rigid,
        headline=["ridge, λ = 1: regret / T", "forward, λ = 1: regret / T"],
    ),
)
