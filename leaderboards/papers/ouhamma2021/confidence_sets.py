"""The claims of ouhamma2021 on confidence sets, at radii that are nearly tight."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents import OFUL, ForwardOFUL
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.rules import above, below, given, within
from leaderboards.papers.simulations import environments, recorded
from leaderboards.papers.verdicts import Parts
from leaderboards.rank import scores_and_ranks
from leaderboards.rank.interval_estimates import Estimate

DELTA, RIDGE, DIM = 0.1, 10.0, 2
SETS: dict[str, tuple[type[OFUL] | type[ForwardOFUL], str]] = {
    "OFUL": (OFUL, "theory"),
    "OFUL, closed": (OFUL, "closed"),
    "ForwardOFUL": (ForwardOFUL, "theory"),
    "ForwardOFUL, tight": (ForwardOFUL, "tight"),
}
CASES: dict[str, dict[str, Any]] = {
    "noise alone": {"theta": [0.0, 0.0], "noise_std": 1.0},
    "bias alone": {"theta": [0.6, 0.8], "noise_std": 0.0},
    "both": {"theta": [0.6, 0.8], "noise_std": 0.5},
}
# Largest error over bound before any data and without noise, for the arm along theta, of norm 1.
_START = (1 + RIDGE) ** 0.5
AT_START = {
    "OFUL": 1.0,
    "OFUL, closed": 1.0,
    "ForwardOFUL": _START / (RIDGE**0.5 + 1),
    "ForwardOFUL, tight": _START / (RIDGE**0.5 + 1 / _START),
}
CEILING = 100.0  # of a ratio, which is infinite where a radius is 0
ROUNDING = 1 + 1e-9


def coverage(seeds: Sequence[int], horizon: int) -> Sample:
    """Largest error of an arm over its bound, (n,), with and without the log-determinant."""
    common = {"dim": DIM, "n_arms": 20, "horizon": horizon}
    measures = {}
    for case, settings in CASES.items():
        theta = np.asarray(settings["theta"])
        bare = float(np.linalg.norm(theta)) * RIDGE**0.5
        bare += settings["noise_std"] * (2 * np.log(1 / DELTA)) ** 0.5

        def notes(agent, contexts, actions, outcome, theta=theta, bare=bare):
            away = np.abs(agent.model.mean - np.einsum("ndk,d->nk", contexts, theta))
            spread = np.sqrt(agent.model.variance)
            radii = agent.radii(contexts).reshape(len(away), -1)
            return {
                "ratio": over(away, radii * spread),
                "bare": over(away, bare * spread),
            }

        for name, (kind, radius) in SETS.items():
            agent = kind(ridge=RIDGE, delta=DELTA, radius=radius)
            envs = environments("LinearBandit-v0", seeds, **common, **settings)
            _, kept = recorded(agent, notes, envs, seeds)
            for measure, values in kept.items():
                measures[f"{case}, {name}: {measure}"] = values.max(axis=1)
    return Sample(np.array([horizon]), measures)


def over(errors: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The largest error over its bound, of errors and bounds (n, K): (n,), at most CEILING."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(errors > 0, errors / bounds, 0.0)
    return np.minimum(ratios.max(axis=1), CEILING)


def quantile(values: np.ndarray) -> Estimate:
    """The 1 - δ quantile of values (n,)."""
    return scores_and_ranks.stratified_bootstrap_interval(
        values[:, None], lambda scores: np.quantile(scores[..., 0], 1 - DELTA, axis=-1)
    )


def leaving(sample: Sample) -> Numbers:
    numbers = {}
    for case in CASES:
        for name in SETS:
            of = sample.measures[f"{case}, {name}: ratio"]
            numbers[f"{case}, {name}"] = estimates.share(of > ROUNDING)
    for name in SETS:
        of = sample.measures[f"noise alone, {name}: bare"]
        numbers[f"without the log-determinant, {name}"] = estimates.share(of > ROUNDING)
    return numbers


def judge_leaving(numbers: Numbers) -> Parts:
    parts = {}
    for name in SETS:
        control = above(numbers[f"without the log-determinant, {name}"], DELTA)
        for case in CASES:
            parts[f"{case}, {name}"] = given(control, below(numbers[f"{case}, {name}"], DELTA))
    return parts


def tightness(sample: Sample) -> Numbers:
    numbers = {}
    for name in SETS:
        noise, bias = (
            sample.measures[f"{case} alone, {name}: ratio"] for case in ("noise", "bias")
        )
        numbers[f"noise alone, {name}"] = quantile(noise)
        numbers[f"bias alone, {name}"] = estimates.mean(bias / AT_START[name])
    return numbers


def judge_tightness(numbers: Numbers) -> Parts:
    return {
        name: within(number, *((0.9, 1.0) if name.startswith("noise") else (0.98, ROUNDING)))
        for name, number in numbers.items()
    }


_COVERAGE = Experiment(
    name="coverage",
    simulate=coverage,
    quick=Size(seeds=2000, settings={"horizon": 1000}, seeds_per_call=500),
    full=Size(seeds=4000, settings={"horizon": 5000}, seeds_per_call=250),
)
_SETTING = """The paper has no experiment on it. 2 features, 20 fresh arms per round on the unit
    circle, δ = 0.1, λ = 10; the agents know the noise level and S = ‖theta‖. There are three cases:
    theta = 0 and Gaussian noise of sd 1 (noise alone), where the radius has no term for bias; theta
    = (0.6, 0.8) and no noise (bias alone); and theta = (0.6, 0.8) with noise of sd 0.5. `OFUL` has
    the log-determinant in its radius, and `closed` an upper bound on it; `ForwardOFUL` has the
    paper's radius, and `tight` a smaller one that is also valid. 1000 rounds in the quick form,
    5000 in the full one."""

CLAIMS = (
    Claim(
        id="coverage",
        statement="With probability 1 - δ, the confidence sets contain theta in all rounds at once",
        source="section 4, Algorithm 3, Theorem 4.1",
        origin=Origin.THEOREM,
        paper="theta leaves the set in at most δ = 0.1 of the runs",
        setting=_SETTING,
        measure="""share of runs in which, for any arm in any round, the estimate is further from
            the truth than radius times width; with the interval of Clopper and Pearson.""",
        rule="""a part is a case and a set, and holds if the whole interval of the share lies below
            δ. As a control, the share with noise alone and a radius without the log-determinant
            must be above δ; otherwise the parts of that set are inconclusive.""",
        experiment=_COVERAGE,
        numbers=leaving,
        judge=judge_leaving,
        any_size="""The sets are for all rounds at once: once theta has left one, later rounds do
            not matter.""",
        headline=["noise alone, OFUL", "noise alone, ForwardOFUL"],
        amended="""The first version had 5 features, 10 arms, λ = 1, noise of sd 0.5 and ‖theta‖ =
            1. There theta left the set in none of 400 runs, because the radius is so large that the
            set would cover even with errors in its formula. With two dimensions, λ = 10 and noise
            alone the radius is nearly tight. λ = 10 was chosen among 1 and 10 after 1000 runs of
            each, because single samples then change the ratio less.""",
    ),
    Claim(
        id="coverage-tight",
        statement="The radii are no larger than necessary, up to the effect of single samples",
        source="not in the paper; from the proof of the self-normalised bound",
        origin=Origin.OURS,
        paper="1",
        setting=_SETTING,
        measure="""the largest ratio in a run of an arm's estimation error to radius times width.
            With noise alone: its 0.9 quantile over the runs. With bias alone: its mean, divided by
            the exact value before any data of an arm along theta.""",
        rule="""noise alone: within 0.9 .. 1. The bound is Ville's inequality for a martingale that
            tends to 0, which is an equality if the paths are continuous; discrete samples and a
            finite number of rounds make the ratio smaller. Bias alone: within 0.98 .. 1, because
            the arm closest to theta's line, of 20, has a cosine of 0.995 on average.""",
        experiment=_COVERAGE,
        numbers=tightness,
        judge=judge_tightness,
        headline=["noise alone, OFUL", "noise alone, ForwardOFUL"],
        amended="""The limits were set after 1000 runs, which gave 0.94 and 0.93 with noise alone
            and 0.996 with bias alone.""",
    ),
)
