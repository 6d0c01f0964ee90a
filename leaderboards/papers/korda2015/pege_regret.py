"""The claims of korda2015 on the regret of PEGE with gradient descent: Theorem 2."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import PEGE, FastPEGE, play
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import COLOURS, curve, legend, panels
from leaderboards.papers.rules import each, together, within
from leaderboards.papers.simulations import environments
from leaderboards.rank.interval_estimates import Estimate

DIM, NOISE_STD = 5, 0.5
RHOS = {"1": 1.0, "4/3": 4 / 3, "1.6": 1.6}
FAST = {f"rho = {name}": FastPEGE(rho=rho) for name, rho in RHOS.items()}
AGENTS = {"PEGE": PEGE(), **FAST}
AXES = {"sphere": np.ones(DIM), "ellipsoid": np.array([1.0, 0.95, 0.9, 0.85, 0.8])}
THETA = np.full(DIM, DIM**-0.5)


def factors(axes: np.ndarray, rho: float) -> np.ndarray:
    r"""Factors by which gradient descent's variance along each axis exceeds least squares'.

    .. math:: \frac{\rho_k (\rho_k + 2)}{2 \rho_k - 1}, \qquad
        \rho_k = \rho\, a_k^2 / \min_j a_j^2
    """
    own = rho * (axes / axes.min()) ** 2
    return own * (own + 2) / (2 * own - 1)


def exploiting(axes: np.ndarray, factor: np.ndarray) -> float:
    r"""The limit of exploitation's loss per cycle, on an ellipsoid with these semi-axes.

    .. math:: \frac{\sigma^2}{2 \lVert\varphi\rVert} \sum_k v_k
        \Bigl(1 - \frac{\varphi_k^2}{\lVert\varphi\rVert^2}\Bigr), \qquad \varphi_k = a_k \theta_k

    with v_k = 1 for PEGE and the factors for FastPEGE: a cycle's m rounds lose
    :math:`\lVert\varphi\rVert (1 - \cos)` each, and the estimate of :math:`\varphi_k` has the
    variance :math:`v_k \sigma^2 / m`.
    """
    image = axes * THETA
    length = np.linalg.norm(image)
    return float(NOISE_STD**2 / (2 * length) * (factor * (1 - (image / length) ** 2)).sum())


def exploring(axes: np.ndarray) -> float:
    """What a cycle's exploration loses: d times the best reward, less that of the basis."""
    image = axes * THETA
    return float(DIM * np.linalg.norm(image) - image.sum())


def ends(cycles: np.ndarray) -> np.ndarray:
    """The rounds after which cycles have ended."""
    return cycles * DIM + cycles * (cycles + 1) // 2


def cycle_grid(cycles: int) -> np.ndarray:
    """The cycles at whose ends regret is read, including all eighths of the total."""
    spaced = np.round(np.geomspace(1, cycles, 25)).astype(int)
    return np.unique(np.concatenate([spaced, cycles * np.array([1, 2, 4, 8]) // 8]))


def regret(seeds: Sequence[int], cycles: int) -> Sample:
    """Regret at the ends of cycles, and its parts from exploration and exploitation."""
    chosen, measures = cycle_grid(cycles), {}
    rounds = ends(chosen)
    settings = {"theta": THETA, "noise_std": NOISE_STD, "horizon": int(rounds[-1])}
    places = {
        "sphere": ("SphereBandit-v0", {}),
        "ellipsoid": (
            "EllipsoidBandit-v0",
            {"axes": AXES["ellipsoid"], "orientation": "identity"},
        ),
    }
    for name, (env, shape) in places.items():
        for label, agent in AGENTS.items():
            envs = environments(env, seeds, **settings, **shape)
            trace = play(envs, agent, seed=seeds, rounds=[DIM, *rounds.tolist()])
            own = trace.measures["regret"]
            exploration = own[:, :1] * chosen  # without noise, so equal in every cycle
            measures[f"{name}, {label}, regret"] = own[:, 1:]
            measures[f"{name}, {label}, exploitation"] = own[:, 1:] - exploration
    return Sample(chosen, measures)


def limit(name: str, label: str) -> float:
    """``exploiting`` for an agent on a set."""
    axes = AXES[name]
    factor = np.ones(DIM) if label == "PEGE" else factors(axes, FAST[label].rho)
    return exploiting(axes, factor)


def late(sample: Sample, key: str, first: int, last: int) -> np.ndarray:
    """Exploitation's mean loss (n,) per cycle, between the ends of two cycles."""
    before, after = (sample.at(f"{key}, exploitation", m) for m in (first, last))
    return (after - before) / (last - first)


def per_cycle(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    numbers = {}
    for name in AXES:
        for label in AGENTS:
            own = late(sample, f"{name}, {label}", last // 2, last) / limit(name, label)
            numbers[f"measured / limit, {name}, {label}"] = estimates.mean(own)
        whole, part = (sample.at_end(f"{name}, PEGE, {of}") for of in ("regret", "exploitation"))
        explored = (whole - part) / last / exploring(AXES[name])
        numbers[f"exploration / exact, {name}"] = estimates.mean(explored)
    return numbers


def worse(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    spans = {"early": (last // 8, last // 4), "late": (last // 2, last)}
    numbers = {}
    for name in AXES:
        for label in FAST:
            ratio = limit(name, label) / limit(name, "PEGE")
            for when, span in spans.items():
                own, pege = (late(sample, f"{name}, {of}", *span) for of in (label, "PEGE"))
                found = estimates.ratio_of_means(own, pege)
                key = f"{when} exploitation / PEGE's / limit, {name}, {label}"
                numbers[key] = Estimate(*(np.asarray(value / ratio) for value in found))
            numbers[f"regret / PEGE's, {name}, {label}"] = estimates.ratio_at_end(
                sample, f"{name}, {label}, regret", f"{name}, PEGE, regret"
            )
    return numbers


def growth(sample: Sample) -> Numbers:
    return {
        f"exponent, {name}, {label}": estimates.late_exponent(sample, f"{name}, {label}, regret")
        for name in AXES
        for label in AGENTS
    }


def draw_regret(sample: Sample) -> Figure:
    figure, grid = panels(
        AXES,
        xlabel="cycle m",
        ylabel="exploitation's mean loss per cycle so far",
        xscale="log",
        ylim=(0, 2.5),
    )
    for axes, name in zip(grid, AXES, strict=True):
        for colour, label in zip(("#000000", *COLOURS), AGENTS, strict=False):
            own = sample.measures[f"{name}, {label}, exploitation"]
            shown = "PEGE" if label == "PEGE" else "FastPEGE, " + label.replace("rho", "ρ")
            curve(axes, sample.rounds, own / sample.rounds, shown, color=colour)
            axes.axhline(limit(name, label), color=colour, ls="dotted", lw=1)
    legend(grid[0], "upper right")
    return figure


_REGRET = Experiment(
    name="regret",
    simulate=regret,
    quick=Size(seeds=800, settings={"cycles": 240}, seeds_per_call=200),
    full=Size(seeds=1000, settings={"cycles": 1000}, seeds_per_call=200),
    draw=draw_regret,
    caption=(
        """Mean loss of exploitation per cycle so far; dotted, the limits. The x axis is
        logarithmic."""
    ),
)
_SETTING = """d = 5, theta = (1, .., 1)/sqrt(5), Gaussian noise of sd 0.5. There are two sets of
    arms: the unit sphere with the basis b_i = e_i, and an ellipsoid whose basis is its semi-axes,
    1, 0.95, 0.9, 0.85, 0.8 along the coordinates. 240 cycles in the quick form, 1000 in the full
    one; we count cycles, not rounds, because T rounds have about sqrt(2 T) cycles. c = 4 rho d /
    lambda_min(sum_i b_i b_i'). FastPEGE, our fPEGE-GD, has Theorem 2's step c / (4 (c + n)). The
    theorem prints the condition c / (4 lambda_PEGE) in (2/3, 1); its proof needs c lambda_PEGE / (8
    d) there, which is rho in (4/3, 2). The paper gives no experiment on it."""
_claim = partial(
    Claim,
    experiment=_REGRET,
    setting=_SETTING,
    swept="""rho = 1, 4/3, 1.6, because no rho satisfies both of the paper's theorems; and the two
        sets of arms.""",
)
_SEEDS = """After a first look the number of seeds of the quick form was raised from 400 to 1600,
    because with 200 seeds one interval reached 1.159 where the limit is 1.15. It is 800 now, and
    1000 in the full form, to limit the total run time of all papers. """

CLAIMS = (
    _claim(
        id="regret-per-cycle",
        statement="""PEGE's regret is O(d sqrt(T)), and fPEGE-GD's has the same form: both losses
            per cycle tend to known limits""",
        source="not in the paper, whose Theorem 2 is a bound; the exact limits are derived here",
        origin=Origin.OURS,
        paper="O(1) per cycle",
        measure="""mean loss of exploitation per cycle over the second half of the cycles, divided
            by its limit sigma²/(2‖phi‖) sum_k v_k (1 - phi_k²/‖phi‖²), phi_k = a_k theta_k, v_k = 1
            for PEGE and rho_k (rho_k + 2)/(2 rho_k - 1), rho_k = rho a_k²/min a², for FastPEGE; on
            the sphere (d - 1) sigma²/2 times v. The loss of exploration divided by its exact value
            is shown beside it.""",
        rule="""a set of arms and an agent are reproduced if the whole interval lies in 0.85 ..
            1.15, and exploration if its whole interval lies in 0.99 .. 1.01.""",
        numbers=per_cycle,
        judge=together(
            each(within, 0.85, 1.15, of="measured / limit, *"),
            each(within, 0.99, 1.01, of="exploration / exact, *"),
        ),
        headline=[f"measured / limit, sphere, {own}" for own in ("PEGE", "rho = 4/3")],
        amended=_SEEDS + "Exploration was added as a part, with its rule, before it was run.",
    ),
    _claim(
        id="worse-by-a-factor",
        statement="fPEGE-GD's regret is worse than PEGE's only by a factor of O(log^4 n)",
        source="abstract, Theorem 2",
        origin=Origin.THEOREM,
        paper="O(log^4 n); a constant factor, which we test, implies it",
        measure="""loss of exploitation divided by PEGE's, paired by seeds, and then by the limit of
            this ratio, which is rho (rho + 2)/(2 rho - 1) = 3, 2.667, 2.618 on the sphere: from 1/8
            to 1/4 of the cycles (early) and over the second half (late). The ratio of all regret is
            shown beside it.""",
        rule="""a set of arms and a rho are reproduced if the whole late interval lies in 0.8 ..
            1.25: the factor is a constant, which neither grows nor falls.""",
        numbers=worse,
        judge=each(within, 0.8, 1.25, of="late exploitation / PEGE's / limit, *"),
        headline=[f"regret / PEGE's, sphere, rho = {r}" for r in RHOS],
        amended=_SEEDS,
    ),
    _claim(
        id="regret-growth",
        statement="Regret is O(n^(1/2)), up to logarithms for fPEGE-GD",
        source="Theorem 2",
        origin=Origin.THEOREM,
        paper="exponent 1/2 in rounds, so 1 in cycles",
        measure="slope of log mean regret against the log of the cycle, over the last decade.",
        rule="""a set of arms and an agent are reproduced if the whole interval lies in 0.95 ..
            1.05.""",
        numbers=growth,
        judge=each(within, 0.95, 1.05),
        headline=[f"exponent, sphere, {own}" for own in ("PEGE", "rho = 4/3")],
        amended=_SEEDS,
    ),
)
