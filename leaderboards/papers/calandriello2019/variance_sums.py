"""The claims of calandriello2019 on sums of variances: appendix B, (6), information gain."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import GPUCB, UniformRandom
from agents.parts.posteriors import Exact
from banditgym.elementary import each_log1p
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.beside_exact import begun
from leaderboards.papers.calandriello2019.definitions import eigenvalues, log_det, solve
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, curve, legend_below, lines, panels
from leaderboards.papers.rules import each, given, never
from leaderboards.papers.simulations import environments, recorded
from leaderboards.papers.verdicts import Parts

RIDGES = (1.0, 0.01)
AGENTS = ("GPUCB", "UniformRandom")
RUNS = tuple(f"{name}, lambda = {ridge:g}" for ridge in RIDGES for name in AGENTS)
SLACK = 1e-9  # relative, for rounding
IDENTITY = 1e-6  # likewise, of the control
STEPS = 300
DRAWN = {"d_eff": "effective dimension", "sum": "sum of variances", "logdet": "log det"}


def information_gain(gram: np.ndarray, rounds: np.ndarray, ridge: float) -> np.ndarray:
    r"""Upper bounds (c,) of gamma_t, the greatest information gain.

    :math:`f(n) = \frac12 \log\det(I + K D_n / \lambda)` is concave in the pulls n of each arm, so
    for any real n with sum t,

    .. math:: \gamma_t \le f(n) + \tfrac12 \Bigl(t \max_i \sigma_n^2(x_i)
        - \sum_i n_i \sigma_n^2(x_i)\Bigr),

    where the bracket tends to 0 as n tends to the optimum. n is found by the multiplicative
    algorithm of optimal design.

    Parameters
    ----------
    gram : ndarray of shape (K, K)
    rounds : ndarray of shape (c,)
    ridge : float
    """
    bounds, n_arms, unit = [], len(gram), np.eye(len(gram))
    for t in rounds:
        weights = np.full(n_arms, t / n_arms)
        least = t * each_log1p(gram.diagonal().max() / ridge) / 2  # a first pull gains most
        for _ in range(STEPS):
            roots = np.sqrt(weights)
            inner = unit + gram * roots * roots[:, None] / ridge
            solved = solve(inner, gram * roots[:, None])
            variance = (
                gram.diagonal() - (gram * roots[:, None] * solved).sum(axis=0) / ridge
            ) / ridge
            used = float((weights * variance).sum())
            least = min(least, (log_det(inner) + t * variance.max() - used) / 2)
            weights = weights * variance * (t / used)
        bounds.append(least)
    return np.array(bounds)


def spectra(gram: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Eigenvalues (n, c, K) of the kernel matrices of pulls with these counts (n, c, K)."""
    values = np.zeros(counts.shape)
    for place in np.ndindex(counts.shape[:-1]):
        pulled = np.flatnonzero(counts[place])
        roots = np.sqrt(counts[place][pulled])
        own = gram[np.ix_(pulled, pulled)] * roots * roots[:, None]
        values[place][-len(pulled) :] = eigenvalues(own)
    return values


def sums(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """The terms of appendix B along runs of GP-UCB and of uniform play, at two levels of noise."""
    rounds, measures, n = np.empty(0), {}, len(seeds)
    yes = np.ones(n, bool)
    for ridge in RIDGES:
        for name, agent in (
            ("GPUCB", GPUCB(ridge=ridge, radius="released")),
            ("UniformRandom", UniformRandom()),
        ):
            settings = {"n_arms": n_arms, "dim": 1, "noise_std": ridge**0.5, "horizon": horizon}
            envs = environments("KernelBandit-v0", seeds, **settings)
            task = envs.unwrapped.task
            exact = begun(Exact(), task, seeds, ridge)

            def notes(agent, contexts, arms, reward, exact=exact):
                each = np.arange(n)
                before = exact.predict(contexts)[1][each, arms]  # a copy
                exact.update(contexts, arms, reward, yes)
                after = exact.predict(contexts)[1][each, arms]
                return {"arm": arms, "before": before, "after": after}

            trace, kept = recorded(agent, notes, envs, seeds)
            rounds, run = trace.rounds, f"{name}, lambda = {ridge:g}"
            at = rounds - 1
            gram = task.covariance(task.arms, task.arms)
            pulled = np.cumsum(kept["arm"][..., None] == np.arange(n_arms), axis=1)[:, at]
            values = np.maximum(spectra(gram, pulled), 0)
            measures |= {
                f"{run}, d_eff": (values / (values + ridge)).sum(axis=-1),
                f"{run}, sum": np.cumsum(kept["after"], axis=1)[:, at],
                f"{run}, sum before": np.cumsum(kept["before"], axis=1)[:, at],
                f"{run}, logdet": each_log1p(values / ridge).sum(axis=-1),
                f"{run}, by pulls": np.cumsum(each_log1p(kept["before"]), axis=1)[:, at],
                f"{run}, update": np.abs(
                    kept["after"] * (1 + kept["before"]) / kept["before"] - 1
                ).max(axis=1),
                f"{run}, norm": values[..., -1],
                f"{run}, proposition fails": proposition_fails(
                    kept["before"], kept["after"], ridge
                ).any(axis=1),
            }
        most = np.tile(information_gain(gram, rounds, ridge), (n, 1))  # the same for all runs
        measures |= {f"{name}, lambda = {ridge:g}, gamma": most for name in AGENTS}
    return Sample(rounds, measures)


def exceeds(small: np.ndarray, large: np.ndarray) -> np.ndarray:
    """Where ``small <= large`` fails by more than rounding."""
    return small > large * (1 + SLACK)


def proposition_fails(before: np.ndarray, after: np.ndarray, ridge: float) -> np.ndarray:
    """Where appendix B's bounds between the variances before and after a pull fail, kappa = 1."""
    shrunk = before / (before + 1)
    return (
        exceeds(before / (1 / ridge + 1), shrunk) | exceeds(shrunk, after) | exceeds(after, before)
    )


def gain(sample: Sample) -> Numbers:
    numbers = {}
    for run in RUNS:
        own = sample.of(run)
        total, most = own["sum"], own["gamma"]
        numbers[f"runs above gamma, {run}"] = estimates.share(exceeds(total, most).any(axis=1))
        numbers[f"sum / gamma, most, {run}"] = estimates.mean((total / most).max(axis=1))
        numbers[f"runs above 2 gamma, {run}"] = estimates.share(
            exceeds(total, 2 * most).any(axis=1)
        )
        numbers[f"other reading / gamma, most, {run}"] = estimates.mean(
            (own["sum before"] / most).max(axis=1)
        )
    return numbers


def links(sample: Sample, run: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The inequalities of appendix B, as pairs of smaller and larger side, (n, c) each."""
    own = sample.of(run)
    ridge = float(run.split()[-1])
    last = own["d_eff"] * (1 + np.log(own["norm"] / ridge + 1))
    return {
        "d_eff <= sum": (own["d_eff"], own["sum"]),
        "sum <= logdet": (own["sum"], own["logdet"]),
        "(6)": (own["logdet"], last),
    }


def chain(sample: Sample) -> Numbers:
    numbers = {}
    for run in RUNS:
        own = sample.of(run)
        fails = own["proposition fails"].astype(bool)
        for small, large in links(sample, run).values():
            fails = fails | exceeds(small, large).any(axis=1)
        numbers[f"runs that fail, {run}"] = estimates.share(fails)
        for name, (small, large) in links(sample, run).items():
            numbers[f"{name}: ratio at T, {run}"] = estimates.mean(small[:, -1] / large[:, -1])
        off = (np.abs(own["by pulls"] / own["logdet"] - 1) > IDENTITY).any(axis=1)
        off = off | (own["update"] > IDENTITY)
        numbers[f"runs of other variances, {run}"] = estimates.share(off)
    return numbers


def judge_chain(numbers: Numbers) -> Parts:
    """No run fails, of the variances that the control confirms."""
    return {
        f"runs that fail, {run}": given(
            never(numbers[f"runs of other variances, {run}"]),
            never(numbers[f"runs that fail, {run}"]),
        )
        for run in RUNS
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels([f"GPUCB, lambda = {ridge:g}" for ridge in RIDGES], **LOG_LOG)
    for axes, ridge in zip(grid, RIDGES, strict=True):
        run = f"GPUCB, lambda = {ridge:g}"
        values = {label: sample.measures[f"{run}, {name}"] for name, label in DRAWN.items()}
        lines(axes, sample.rounds, values, quartiles=True)
        most = sample.measures[f"{run}, gamma"]
        curve(axes, sample.rounds, most, "gamma, at most", color="#000000", ls="dashed")
    legend_below(figure, columns=4)
    return figure


_SUMS = Experiment(
    name="sums",
    simulate=sums,
    quick=Size(seeds=40, settings={"horizon": 500, "n_arms": 30}, seeds_per_call=10),
    full=Size(seeds=40, settings={"horizon": 5000, "n_arms": 60}, seeds_per_call=10),
    draw=draw,
    caption="""Means over runs of GP-UCB, with bands between the quartiles; both axes are
        logarithmic. The paper states that the sum of variances is below gamma (dashed).""",
)
_SETTING = """`KernelBandit-v0`, f drawn from the Gaussian process (length scale 0.2, k(x, x) = 1),
    30 arms uniform on [0, 1] and T = 500 in the quick form, 60 and 5000 in the full one; Gaussian
    noise of variance lambda. sigma_i^2(x_i) is the variance just after pull i, which is the smaller
    of two readings, in units of lambda; the sum is over pulls, including repeated ones."""
_claim = partial(
    Claim,
    experiment=_SUMS,
    swept="lambda = 1 and 0.01; and the agent that pulls, GP-UCB and uniform play.",
)

CLAIMS = (
    _claim(
        id="gamma",
        statement="The sum over i <= t of sigma_i^2(x_i) is at most gamma_t",
        source="section 3.2, from Srinivas et al. 2010",
        origin=Origin.REMARK,
        paper="never above gamma_t",
        setting=_SETTING
        + """ gamma_t is the largest value of half of log det(K/lambda + I) over all choices of t
            pulls. We take an upper bound on it, from a concave relaxation to real numbers of pulls
            and its duality gap, so a run above it is certainly a counterexample.""",
        measure="""share of runs whose sum lies above gamma_t at any round of a grid of twelve per
            decade; the largest ratio of the sum to gamma_t; the share of runs above 2 gamma_t,
            which appendix B excludes; the largest ratio to gamma_t of the sum in the other reading,
            sigma_{i-1}^2(x_i). Already at t = 1, where the claim is 1/(1 + lambda) <= log(1 +
            1/lambda)/2, it fails at lambda = 1.""",
        rule="a part for each agent and lambda: no run lies above. One counterexample refutes it.",
        numbers=gain,
        judge=each(never, of="runs above gamma, *"),
        headline=[f"sum / gamma, most, GPUCB, lambda = {ridge:g}" for ridge in RIDGES],
        varied="""lambda, the agent, and the reading of sigma_i: the other reading gives a larger
            sum. No run exceeds twice gamma, as appendix B proves.""",
        any_size="A run above is a counterexample, whatever follows.",
    ),
    _claim(
        id="appendix-b",
        statement="""d_eff <= sum of sigma_t^2(x_t) <= log det(K/lambda + I) <= d_eff (1 +
            log(||K||/lambda + 1)); sigma_{t-1}^2/(kappa^2/lambda + 1) <=
            sigma_{t-1}^2/(sigma_{t-1}^2 + 1) <= sigma_t^2 <= sigma_{t-1}^2 at x_t""",
        source="appendix B, equation (6)",
        origin=Origin.THEOREM,
        paper="without exception",
        setting=_SETTING,
        measure="""share of runs in which any inequality fails by more than 1e-9 relative: those
            before the semicolon at any round of a grid of twelve per decade, those after it at
            every round; and at T, the smaller side divided by the larger one for the former. d_eff,
            log det and the norm are computed from eigenvalues, and the sum from the incremental
            posterior. A control confirms its variances by two identities, to 1e-6: log det is the
            sum of log(1 + sigma_{t-1}^2(x_t)), and sigma_t^2 = sigma_{t-1}^2/(1 + sigma_{t-1}^2) at
            x_t.""",
        rule="""a part for each agent and lambda: no run fails. One counterexample refutes it.
            Inconclusive if the control fails in any run.""",
        numbers=chain,
        judge=judge_chain,
        headline=[f"runs that fail, {run}" for run in RUNS[:1]],
    ),
)
