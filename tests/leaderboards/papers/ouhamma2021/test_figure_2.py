"""The rules of Figure 2, and its experiment at a tiny size."""

from leaderboards.papers.ouhamma2021 import figure_2 as paper
from leaderboards.papers.verdicts import Verdict

YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def every(**numbers):
    """Numbers by the norm of theta, with spaces for underscores."""
    return {
        paper.key(norm, name.replace("_", " ")): x
        for name, values in numbers.items()
        for norm, x in zip(paper.NORMS, values, strict=True)
    }


def test_ridge_depends(judged):
    of = every(spread_of_medians=(3, 1.5, 9), spread_of_means=(9, 9, 1.9))
    assert list(judged("figure-2a", of).values()) == [YES, YES, NO, YES, YES, NO]


def test_early_rounds(judged):
    of = every(ridge=(5, 1, 5), forward=(1, 1, 5))
    assert list(judged("figure-2-early", of).values()) == [YES, NO, NO]


def test_forward_is_robust(judged):
    of = every(spread_of_medians=(1.2, 1.2, 6)) | {
        paper.key(norm, "spread of the other's medians"): x
        for norm, x in zip(paper.NORMS, (9, 1.1, 9), strict=True)
    }
    assert list(judged("figure-2b", of).values()) == [YES, YES, YES, NO, NO, YES]


def test_the_other_is_the_other(tiny):
    sample = tiny("figure-2", {"horizon": 30})
    ridge, forward = (paper.dependence(sample, name) for name in ("ridge", "forward"))
    for norm in paper.NORMS:
        own, other = (
            paper.key(norm, f"spread of {of}") for of in ("medians", "the other's medians")
        )
        assert ridge[own] == forward[other]
        assert ridge[other] == forward[own]
