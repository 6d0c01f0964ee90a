"""Korda, Prashanth, Munos 2015: gradient descent that tracks drifting least squares."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.korda2015 import (
    click_rates,
    equation_11,
    error_bound,
    least_squares_tracking,
    listed_step,
    pege_regret,
    pege_times,
    ridge_tracking,
    sample_times,
)

PAPER = Paper(
    name="korda2015",
    title=(
        "Fast Gradient Descent for Drifting Least Squares Regression, with Application to Bandits"
    ),
    authors="N. Korda, L. A. Prashanth, R. Munos",
    published="AAAI 2015",
    link="https://doi.org/10.1609/aaai.v29i1.9619",
    claims=(
        *click_rates.CLAIMS,  # the longest experiment, so that others run beside it
        *least_squares_tracking.CLAIMS,
        *error_bound.CLAIMS,
        *pege_regret.CLAIMS,
        *listed_step.CLAIMS,
        *ridge_tracking.CLAIMS,
        *equation_11.CLAIMS,
        *sample_times.CLAIMS,
        *pege_times.CLAIMS,
    ),
)
