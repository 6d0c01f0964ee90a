"""Kakade, Shalev-Shwartz, Tewari 2008: the Banditron."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.kakade2008 import figure_1_claims, halving_claims, mistake_bounds

PAPER = Paper(
    name="kakade2008",
    title="Efficient Bandit Algorithms for Online Multiclass Prediction",
    reference=(
        "S. M. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online "
        "Multiclass Prediction. ICML 2008."
    ),
    claims=(
        *figure_1_claims.CLAIMS,
        *mistake_bounds.CLAIMS,
        *halving_claims.CLAIMS,
        figure_1_claims.REUTERS4,
    ),
)
