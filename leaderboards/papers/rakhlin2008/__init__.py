"""Rakhlin 2008, lecture 24: online ridge regression, and gradient descent adaptive to curvature."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.rakhlin2008 import descent_claims, ridge_bounds

PAPER = Paper(
    name="rakhlin2008",
    title="Online convex optimization: ridge regression, adaptivity",
    authors="A. Rakhlin",
    published=(
        "Lecture 24 of CS281B/Stat241B, Statistical Learning Theory, Berkeley 2008. Scribes: "
        "A. Agarwal, L. Mackey"
    ),
    link="https://people.eecs.berkeley.edu/~bartlett/courses/281b-sp08/",
    claims=(*ridge_bounds.CLAIMS, *descent_claims.CLAIMS),
)
