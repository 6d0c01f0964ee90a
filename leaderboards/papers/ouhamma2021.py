"""Ouhamma, Maillard, Perchet 2021: the forward algorithm to replace ridge."""

from leaderboards.papers import ouhamma2021_bandits, ouhamma2021_regression
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="ouhamma2021",
    title="Stochastic Online Linear Regression: the Forward Algorithm to Replace Ridge",
    reference=(
        "R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward "
        "Algorithm to Replace Ridge. NeurIPS 2021."
    ),
    claims=(*ouhamma2021_regression.CLAIMS, *ouhamma2021_bandits.CLAIMS),
)
