"""Korda, Prashanth, Munos 2015: gradient descent that tracks drifting least squares."""

from leaderboards.papers import (
    korda2014_clicks,
    korda2014_listing,
    korda2014_pege,
    korda2014_ridge,
    korda2014_time,
    korda2014_tracking,
)
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="korda2014",
    title=(
        "Fast Gradient Descent for Drifting Least Squares Regression, with Application to Bandits"
    ),
    reference=(
        "N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares "
        "Regression, with Application to Bandits. AAAI 2015."
    ),
    claims=(
        *korda2014_clicks.CLAIMS,  # the longest experiment, so that others run beside it
        *korda2014_tracking.CLAIMS,
        *korda2014_pege.CLAIMS,
        *korda2014_listing.CLAIMS,
        *korda2014_ridge.CLAIMS,
        *korda2014_time.CLAIMS,
    ),
)
