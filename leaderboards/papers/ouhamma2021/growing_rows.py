"""The claim of ouhamma2021 that forward may be 4 times better than ridge regression."""

from collections.abc import Sequence

import numpy as np

from agents import Agent
from banditgym.tasks import RegressionTask
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.ouhamma2021.adversarial_bounds import best_fits
from leaderboards.papers.ouhamma2021.fading_terms import AGENTS
from leaderboards.papers.rules import above, each

GROWTH = 2.0  # of the lengths of an axis's rows


def growing_rows(seeds: Sequence[int], cycles: int) -> Sample:
    """Regularised regrets where each row of an axis is twice as long as its last.

    The axes, an orthonormal basis drawn for each seed, take turns, and the outcomes of an axis
    alternate between 1 and -1.
    """
    dim = 5
    lengths = GROWTH ** np.repeat(np.arange(cycles), dim)
    rows = np.empty((len(seeds), cycles * dim, dim))
    for i, seed in enumerate(seeds):
        basis = np.linalg.qr(np.random.default_rng([seed, 21]).normal(size=(dim, dim)))[0]
        rows[i] = lengths[:, None] * np.tile(basis, (cycles, 1))
    outcomes = np.tile(np.repeat((-1.0) ** np.arange(cycles), dim), (len(seeds), 1))
    rounds = np.arange(dim, cycles * dim + 1, dim)
    least, _ = best_fits(rows, outcomes, rounds, 1.0)
    measures = {}
    for name, kind in AGENTS.items():
        predictions = predicted(kind(ridge=1.0), rows, outcomes)
        loss = np.cumsum((predictions - outcomes) ** 2, axis=1)[:, rounds - 1]
        measures[name] = loss - least
    return Sample(rounds, measures)


def predicted(agent: Agent, rows: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Predictions (n, T) of given rows (n, T, d), clipped to ±1, each followed by its outcome."""
    n, horizon, dim = rows.shape
    task = RegressionTask(
        dim=dim,
        horizon=horizon,
        noise_std=None,
        subgaussian=None,
        feature_norm=None,
        param_norm=None,
        outcome_bound=1.0,
        bound=1.0,
    )
    agent.reset(task, n=n)
    predictions = np.empty((n, horizon))
    for t in range(horizon):
        row = np.ascontiguousarray(rows[:, t])
        predictions[:, t] = agent.act(row)
        miss = predictions[:, t] - outcomes[:, t]
        agent.observe(row, predictions[:, t], -(miss**2), feedback=outcomes[:, t])
    return predictions


def four_times(sample: Sample) -> Numbers:
    return {"ridge / forward": estimates.ratio_at_end(sample, "ridge", "forward")}


_GROWING = Experiment(
    name="growing-rows",
    simulate=growing_rows,
    quick=Size(seeds=20, settings={"cycles": 20}, seeds_per_call=20),
    full=Size(seeds=20, settings={"cycles": 20}, seeds_per_call=20),
)

CLAIMS = (
    Claim(
        id="four-times",
        statement="""Even if ridge's predictions are clipped to ±Y, forward may be 4 times better
            than ridge""",
        source="section 2.1, after Theorem 2.2",
        origin=Origin.REMARK,
        paper="4, by the bounds",
        setting="""The paper has no example; this one is ours. Rows lie along the 5 axes of an
            orthonormal basis in turn. The first row of an axis has length 1, and each later one is
            twice as long as the one before it; the outcomes of an axis alternate between 1 and -1.
            λ = 1, with 20 rows per axis. Both agents know Y = 1 and clip to it. The growth factor 2
            was chosen so that the limit of the ratio exceeds 4; a factor of 1.75 gives 3.75. With
            lengths of up to 2^19, the bounds themselves exceed the worst possible regret here.""",
        measure="""regularised regret of ridge at T, divided by that of forward. The limit for many
            rows is 16/3: ridge predicts the opposite of the outcome and loses 3 per row, while
            forward loses 9/16.""",
        rule="the whole interval of the ratio lies above 4.",
        experiment=_GROWING,
        numbers=four_times,
        judge=each(above, 4),
    ),
)
