"""Ouhamma, Maillard, Perchet 2021: the forward algorithm to replace ridge."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.ouhamma2021 import (
    adversarial_bounds,
    confidence_sets,
    drift,
    fading_terms,
    figure_2,
    figure_3,
    growing_rows,
    regret_bounds,
    stochastic_regret,
)

PAPER = Paper(
    name="ouhamma2021",
    title="Stochastic Online Linear Regression: the Forward Algorithm to Replace Ridge",
    authors="R. Ouhamma, O.-A. Maillard, V. Perchet",
    published="NeurIPS 2021",
    link="https://arxiv.org/abs/2111.01602",
    claims=(
        *fading_terms.CLAIMS,
        *adversarial_bounds.CLAIMS,
        *growing_rows.CLAIMS,
        *stochastic_regret.CLAIMS,
        *figure_2.CLAIMS,
        *figure_3.CLAIMS,
        *confidence_sets.CLAIMS,
        *regret_bounds.CLAIMS,
        *drift.CLAIMS,
    ),
)
