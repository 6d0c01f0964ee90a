"""Ouhamma, Maillard, Perchet 2021: the forward algorithm to replace ridge."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.ouhamma2021 import forward_bandits, forward_regression

PAPER = Paper(
    name="ouhamma2021",
    title="Stochastic Online Linear Regression: the Forward Algorithm to Replace Ridge",
    reference=(
        "R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward "
        "Algorithm to Replace Ridge. NeurIPS 2021."
    ),
    claims=(*forward_regression.CLAIMS, *forward_bandits.CLAIMS),
)
