"""The terms of (4) and (5) against their definition, and the rules of Figure 1."""

import numpy as np
import pytest

from leaderboards.papers.ouhamma2021 import fading_terms as paper
from leaderboards.papers.verdicts import Verdict, whole

YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def every(name, values):
    """Numbers by the norm of theta."""
    return {paper.key(norm, name): x for norm, x in zip(paper.NORMS, values, strict=True)}


@pytest.mark.parametrize("ridge", [0.3, 2.0])
def test_terms_are_the_papers_and_sum_to_its_regret(ridge):
    rng = np.random.default_rng(3)
    rows, outcomes = rng.normal(size=(1, 12, 3)), rng.normal(size=(1, 12))
    x, y = rows[0], outcomes[0]
    gram, moment = ridge * np.eye(3), np.zeros(3)
    of_ridge, of_forward = np.empty(12), np.empty(12)
    for t in range(12):
        of_ridge[t] = x[t] @ np.linalg.solve(gram, moment)
        gram = gram + np.outer(x[t], x[t])
        of_forward[t] = x[t] @ np.linalg.solve(gram, moment)
        moment = moment + y[t] * x[t]
    least = y @ y - moment @ np.linalg.solve(gram, moment)  # of the regularised losses
    first, _, _ = paper.terms(rows, of_ridge[None], outcomes, ridge)
    assert first.sum() == pytest.approx(((of_ridge - y) ** 2).sum() - least)  # (4), an equality
    _, first, second = paper.terms(rows, of_forward[None], outcomes, ridge)
    regret = ((of_forward - y) ** 2).sum() - least
    assert first.sum() - second.sum() == pytest.approx(regret)  # (5), likewise
    assert (first[0] >= 0).all()
    assert second[0, 0] == 0


def test_ridge_fades(judged):
    parts = judged("figure-1-ridge", every("late / early", (0.005, 0.0095, 0.02, 0.005, 0.005)))
    assert list(parts.values()) == [YES, OPEN, NO, YES, YES]
    assert whole(parts) is Verdict.PARTLY


def test_forward_does_not(judged):
    of = every("late / early", (0.5, 0.1005, 0.05, 0.5, 0.5))
    parts = judged("figure-1-forward", of | every("forward / ridge, late", [50.0] * 5))
    assert list(parts.values()) == [YES, OPEN, NO, YES, YES]


def test_terms_cancel(judged):
    of = every("all rounds", (1.0, 0.7, 0.9005, 1.0995, 1.3))
    parts = judged("figure-1-cancel", of | every("second half", [1.0] * 5))
    assert list(parts.values()) == [YES, NO, OPEN, OPEN, NO]


def test_par(judged):
    of = every("regret (6)", (1.0, 0.9, 1.3, 0.7, 1.8)) | every("regret (1)", [1.0] * 5)
    parts = judged("figure-1-par", of)
    assert [*parts.values()].count(YES) == 7
    assert parts["‖θ‖ = 0.5: regret (6)"] is NO
    assert whole(parts) is Verdict.PARTLY


def test_the_experiment_at_a_tiny_size(tiny):
    sample = tiny("figure-1", {"horizon": 40})
    # Regret (1) is against the best fit without a ridge, so (4) leaves less than it.
    regret, terms = (
        sample.measures[paper.key(1.0, f"ridge, {name}")] for name in ("regret (1)", "first term")
    )
    gap = regret - terms.cumsum(axis=1)
    assert (gap > -1e-12).all()
    assert gap[:, -1].max() < 1.0  # at most λ times the squared norm of the best fit, about 1
    small, large = (
        sample.measures[paper.key(norm, "forward, first term")].sum() for norm in (0.1, 2.0)
    )
    assert large > 50 * small  # outcomes are of the size of theta
