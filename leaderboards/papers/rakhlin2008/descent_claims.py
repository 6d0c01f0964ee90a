"""The claims of rakhlin2008 on gradient descent that adapts to curvature."""

from functools import partial

import numpy as np

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Numbers, Origin, Sample
from leaderboards.papers.rakhlin2008.descent_runs import (
    ADVERSARIES,
    DESCENT,
    LATE,
    LINEAR,
    LOGARITHMIC,
    SIGNS,
)
from leaderboards.papers.rules import above, below_if_above, each, given, if_possible, never, within
from leaderboards.papers.verdicts import Parts, Verdict
from leaderboards.rank.interval_estimates import Estimate

MARGIN = 0.1  # of exponents
ROUNDING = 1e-6  # of ratios that are 1 by a proof
# The order of the least regret that an algorithm can guarantee: log T, T^a and sqrt(T).
RATES = {
    **dict.fromkeys(LOGARITHMIC, 0.0),
    "signs, a = 0.25": 0.25,
    **dict.fromkeys(("signs, a = 0.5", "signs, a = 0.75", LINEAR, "late signs"), 0.5),
}
# The proofs' inequalities are equalities: isotropic quadratic losses, and no point is projected.
QUADRATIC = ("curved", "alternating", *SIGNS, "late signs")
MET = ("CurvatureDescent", "AdaptiveDescent", "FollowTheRegularizedLeader")
# Where Lemma 2.3 gives a finite bound.
CURVED = tuple(adversary for adversary in ADVERSARIES if adversary != LINEAR)


def growth_exponent(sample: Sample, name: str) -> Estimate:
    """Decimal logarithm of ``estimates.growth_by_decades``: 0 for log T, p for T^p."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Estimate(*map(np.log10, estimates.growth_by_decades(sample, name)))


def at_rate(exponent: Estimate, rate: float, power: Verdict = Verdict.REPRODUCED) -> Verdict:
    """Whether regret grows no faster than a rate, given that the adversary is as hard as any."""
    return given(power, below_if_above(exponent, rate - MARGIN, rate + MARGIN))


def bound_numbers(sample: Sample) -> Numbers:
    measures, numbers, beside = sample.measures, {}, {}
    for agent, adversaries in (("CurvatureDescent", CURVED), ("AdaptiveDescent", ADVERSARIES)):
        outside, broken, sizes = [], [], []
        for name in (f"{agent}, {adversary}" for adversary in adversaries):
            regret, bound = measures[name], measures[f"bound, {name}"]
            outside.append(measures[f"farthest point, {name}"] > 1 + 1e-9)
            # Regret may equal the bound but for rounding.
            broken.append((regret > bound * (1 + ROUNDING)).any(axis=1))
            sizes.append(bound[:, -1] / measures[f"possible, {name}"])
            beside[f"{name}: regret / bound at T"] = estimates.mean(regret[:, -1] / bound[:, -1])
        numbers[f"{agent}: seeds above"] = estimates.share(np.any(broken, axis=0))
        numbers[f"{agent}: seeds outside the ball"] = estimates.share(np.any(outside, axis=0))
        numbers[f"{agent}: bound / possible"] = estimates.mean(np.max(sizes, axis=0))
    name = f"CurvatureDescent, {LINEAR}"
    size = measures[f"bound, {name}"][:, -1] / measures[f"possible, {name}"]
    numbers[f"{name}: bound / possible"] = estimates.mean(np.minimum(size, 1.0))
    return numbers | beside


def judge_bounds(numbers: Numbers) -> Parts:
    parts = {}
    for agent in ("CurvatureDescent", "AdaptiveDescent"):
        inside = never(numbers[f"{agent}: seeds outside the ball"])
        test = given(inside, never(numbers[f"{agent}: seeds above"]))
        parts[f"{agent}: seeds above"] = if_possible(
            numbers[f"{agent}: bound / possible"], 1.0, test
        )
    linear = f"CurvatureDescent, {LINEAR}: bound / possible"
    parts[linear] = if_possible(numbers[linear], 1.0, Verdict.NOT_REPRODUCED)
    return parts


def met_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for agent in MET:
        ratios = [sample.measures[f"met, {agent}, {adversary}"] for adversary in QUADRATIC]
        off = [~(np.abs(ratio - 1) <= ROUNDING).all(axis=1) for ratio in ratios]
        numbers[f"{agent}: seeds off"] = estimates.share(np.any(off, axis=0))
    return numbers


def balance_numbers(sample: Sample) -> Numbers:
    numbers, off = {}, []
    for adversary in ADVERSARIES:
        ratio = sample.measures[f"balance, AdaptiveDescent, {adversary}"]
        numbers[f"ratio, {adversary}"] = estimates.mean(ratio)
        off.append(~(np.abs(ratio - 1) <= ROUNDING))
    return {"seeds off": estimates.share(np.any(off, axis=0)), **numbers}


def logarithm_numbers(sample: Sample) -> Numbers:
    return {name: growth_exponent(sample, f"CurvatureDescent, {name}") for name in LOGARITHMIC}


def late_numbers(sample: Sample) -> Numbers:
    numbers = {
        "bound": growth_exponent(sample, "bound, CurvatureDescent, late signs"),
        "regret, signs": growth_exponent(sample, "CurvatureDescent, late signs"),
    }
    last = int(sample.rounds[-1])
    for name in LATE:
        regret = sample.at_end(f"CurvatureDescent, {name}")
        numbers[f"regret / T, {name}"] = estimates.mean(regret / last)
    return numbers


def interpolation_numbers(sample: Sample) -> Numbers:
    numbers = {name: growth_exponent(sample, f"AdaptiveDescent, {name}") for name in RATES}
    numbers["without lambda_t, signs, a = 0.75"] = growth_exponent(
        sample, "CurvatureDescent, signs, a = 0.75"
    )
    numbers["step 1/sqrt(t), signs, a = 0"] = growth_exponent(
        sample, "OnlineGradientDescent, signs, a = 0"
    )
    return numbers


def judge_interpolation(numbers: Numbers) -> Parts:
    powers = {
        "signs, a = 0.75": above(numbers["without lambda_t, signs, a = 0.75"], 0.5 + MARGIN),
        "signs, a = 0": above(numbers["step 1/sqrt(t), signs, a = 0"], MARGIN),
    }
    return {
        name: at_rate(numbers[name], rate, powers.get(name, Verdict.REPRODUCED))
        for name, rate in RATES.items()
    }


def root_numbers(sample: Sample) -> Numbers:
    names = (*SIGNS, LINEAR, "late signs")
    runs = {name: sample.measures[f"OnlineGradientDescent, {name}"] for name in names}
    bound = 3 * np.sqrt(sample.rounds)
    broken = [(regret > bound).any(axis=1) for regret in runs.values()]
    exponents = {name: growth_exponent(sample, f"OnlineGradientDescent, {name}") for name in names}
    return {"seeds above": estimates.share(np.any(broken, axis=0)), **exponents}


def judge_root(numbers: Numbers) -> Parts:
    rates = {name: at_rate(numbers[name], 0.5) for name in numbers if name != "seeds above"}
    return {"seeds above": never(numbers["seeds above"]), **rates}


_SETTING = """The lecture has no experiment; all sizes are ours. Losses are on the unit ball of d =
    5 dimensions, with T = 10 000 in the quick form and 100 000 in the full one. The lecture calls D
    the diameter of the set of points; its proof uses D as a bound on ||x_t||, so D = 1. Two
    adversaries are those of `OnlineConvex-v0` with H = 1: `curved` (random centres) and
    `alternating`. The others have gradients of norm 1 and a chosen curvature H_t: l_t(x) = <s_t, x>
    + H_t/2 ||x - x_t||^2, where s_t = sign(x_t - c)/sqrt(d) is the slope at the played point x_t,
    and c lies on the sphere of radius 1/2. `signs, a` has H_t = t^-a; `signs, linear` has H_t = 0;
    the `late` adversaries have H_t = 1 for 10 rounds and 0 afterwards, with the slopes above (`late
    signs`), random signs (`late coins`) or a fixed slope (`late fixed`). Points are projected onto
    the ball. The agent with step 1/H_{1:t} does not move until it has seen curvature. The formula
    for lambda_t has lambda_{1:t-1} on its right side, as in Bartlett, Hazan, Rakhlin 2007; the
    lecture prints lambda_{1:t}. """
_EXPONENT = """growth exponent: the decimal logarithm of the ratio of two growths of mean regret,
    over the last decade of rounds and over the decade before. It is 0 for log T and p for T^p.
    Where all seeds are alike the interval is a point. """
_claim = partial(Claim, experiment=DESCENT)

CLAIMS = (
    _claim(
        id="descent-bounds",
        statement="Regret is at most the sums that Lemma 2.3 and section 2.4 state",
        source="Lemma 2.3, section 2.4",
        origin=Origin.THEOREM,
        paper="0 seeds above the bound",
        setting=_SETTING
        + """All ten adversaries play. The proof of section 2.4 needs ||x_t|| <= D, so points
            outside the ball are counted.""",
        measure="""share of seeds on which regret lies above the bound against any adversary, at any
            round of a grid of twelve per decade; the bound is computed from the observed gradients
            and curvatures, independently of the agent. Share of seeds with a point outside the
            ball. Largest bound at T divided by the most that could be lost, 2 D (G_1 + .. + G_T);
            for 1/H_{1:t} against `signs, linear` this ratio is capped at 1. Regret divided by the
            bound at T is shown beside them.""",
        rule="""a bound holds if no seed lies above it; one such seed refutes it. Inconclusive if a
            point is outside the ball. Vacuous if a bound at T is at least what could be lost, as it
            is for 1/H_{1:t} on losses that never have curvature.""",
        any_size="a bound holds after every number of rounds.",
        numbers=bound_numbers,
        judge=judge_bounds,
        headline=("CurvatureDescent: seeds above", "AdaptiveDescent: seeds above"),
    ),
    _claim(
        id="bounds-met",
        statement="Every step of the two proofs is an equality for isotropic quadratic losses",
        source="proof of Lemma 2.3; equations (2) and (5)",
        origin=Origin.OURS,
        paper="none: it proves inequalities, for all convex losses",
        setting=_SETTING
        + """All adversaries except `signs, linear`, `late coins` and `late fixed`, against which
            points are projected.""",
        measure="""share of seeds on which regret differs from 1/2 (G_1^2/H_{1:1} + .. +
            G_T^2/H_{1:T}) by more than 1e-6 relative at any round of the grid. For AdaptiveDescent,
            lambda_t/2 ||x||^2 is added to each loss, with lambda_t computed independently of the
            agent; for FollowTheRegularizedLeader, the agent of equation (1), the regulariser is
            added before the first round.""",
        rule="an agent holds if regret differs on no seed.",
        any_size="the equality holds after every number of rounds.",
        numbers=met_numbers,
        judge=each(never),
    ),
    _claim(
        id="balance",
        statement="lambda_t balances the two terms of the bound",
        source="section 2.4",
        origin=Origin.REMARK,
        paper="two equal halves",
        setting=_SETTING + "All ten adversaries.",
        measure="""3/2 D^2 lambda_{1:T} of the agent divided by the sum of G_t^2/(H_{1:t} +
            lambda_{1:t}): these are the two terms of the bound after (G + lambda D)^2 is bounded by
            2 G^2 + 2 lambda^2 D^2; share of seeds on which this ratio differs from 1 by more than
            1e-6 against any adversary.""",
        rule="reproduced if the ratio differs from 1 on no seed.",
        any_size="the equality holds after every number of rounds.",
        numbers=balance_numbers,
        judge=each(never, of="seeds off"),
    ),
    _claim(
        id="logarithm",
        statement="With step 1/H_{1:t}, regret is O(log T) if all losses are curved",
        source="section 2.3",
        origin=Origin.THEOREM,
        paper="log T",
        setting=_SETTING + "Three adversaries with H_t = 1.",
        measure=_EXPONENT,
        rule="""an adversary holds if the whole interval lies below 0.1. It is inconclusive unless
            the interval lies above -0.1, because no algorithm can guarantee less than log T.""",
        numbers=logarithm_numbers,
        judge=each(at_rate, 0.0),
    ),
    _claim(
        id="late-linear",
        statement="""If the adversary begins to play linear functions, step 1/H_{1:t} loses its
            guarantee: the regret bound grows like O(T)""",
        source="section 2.3",
        origin=Origin.REMARK,
        paper="exponent 1",
        setting=_SETTING,
        measure="exponents of Lemma 2.3's bound, and of regret against `late signs`: "
        + _EXPONENT
        + "Mean regret per round against all three `late` adversaries is shown beside them.",
        rule="a number holds if its whole interval lies in 0.9 .. 1.1.",
        swept="""the linear functions, which the lecture does not specify: signs chosen by an
            adversary that sees the played point, coins, and one fixed function. The bound is at
            least T/20 for each of them; regret itself is linear only against the first, and this
            case is judged.""",
        numbers=late_numbers,
        judge=each(within, 1 - MARGIN, 1 + MARGIN, of=["bound", "regret, signs"]),
    ),
    _claim(
        id="random-linear",
        statement="Step 1/H_{1:t} does not fail on random linear losses: regret grows as sqrt(T)",
        source="section 2.3, which does not say which linear functions",
        origin=Origin.OURS,
        paper="none",
        setting=_SETTING
        + """Adversary `late coins`. Nobody can foresee coins, so the expected loss of every agent
            is 0, and regret is what the best fixed point gains.""",
        measure=_EXPONENT,
        rule="reproduced if the whole interval lies in 0.4 .. 0.6.",
        amended="""the first rule judged the least-squares slope of log regret against log t. The 10
            curved rounds still affected it at T = 10 000, because they keep the best point inside
            the ball until about round 100. It found 0.60 [0.57, 0.63], inconclusive. The growth
            exponent, which all other claims use, does not depend on where regret begins.""",
        numbers=lambda sample: {
            "exponent": growth_exponent(sample, "CurvatureDescent, late coins")
        },
        judge=each(within, 0.5 - MARGIN, 0.5 + MARGIN),
    ),
    _claim(
        id="interpolation",
        statement="""The adaptive algorithm has regret between O(log T) and O(sqrt T), depending on
            the curvature""",
        source="section 2.4",
        origin=Origin.REMARK,
        paper="exponents 0 (log), a, 1/2",
        setting=_SETTING
        + """All adversaries except `late coins` and `late fixed`. For curvature that decays as
            t^-a, Lemma 2.3 gives T^a; the lecture does not state this case.""",
        measure=_EXPONENT
        + """Two more agents, with steps 1/H_{1:t} and Zinkevich's 1/sqrt(t), are controls: they
            show that the adversaries can tell rates apart.""",
        rule="""an adversary holds if the whole interval lies below the rate plus 0.1. The rate is 0
            where the curvature is constant, a where it decays as t^-a with a <= 1/2, and 1/2
            otherwise. An adversary is inconclusive unless the interval lies above the rate minus
            0.1, because no algorithm can guarantee less; for a = 0.75 also unless the algorithm
            without lambda_t lies above 0.6, and for a = 0 also unless step 1/sqrt(t) lies above
            0.1.""",
        numbers=interpolation_numbers,
        judge=judge_interpolation,
        headline=("signs, a = 0", "signs, a = 0.25", "signs, linear"),
    ),
    _claim(
        id="square-root",
        statement="A step of order 1/sqrt(t) has regret O(sqrt T) on any convex losses",
        source="section 2.3, which calls this regret optimal; Zinkevich 2003, Theorem 1",
        origin=Origin.OTHER_PAPER,
        paper="exponent 1/2",
        setting=_SETTING + "The step is D/(G sqrt(t)), against all `signs` adversaries.",
        measure="""share of seeds with a regret above 3 D G sqrt(t) at any round of the grid, and
            the """
        + _EXPONENT,
        rule="""the bound holds if no seed lies above it. An adversary holds if the whole interval
            lies below 0.6, and is inconclusive unless it lies above 0.4, because this step makes no
            use of curvature.""",
        numbers=root_numbers,
        judge=judge_root,
        headline=("seeds above", "signs, a = 0", "signs, linear"),
    ),
)
