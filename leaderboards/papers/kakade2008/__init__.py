"""Kakade, Shalev-Shwartz, Tewari 2008: the Banditron."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.kakade2008 import (
    halving_claims,
    mistake_bounds,
    reference,
    reuters4,
    synnonsep_claims,
    synsep_claims,
    update_claims,
)

PAPER = Paper(
    name="kakade2008",
    title="Efficient Bandit Algorithms for Online Multiclass Prediction",
    authors="S. M. Kakade, S. Shalev-Shwartz, A. Tewari",
    published="ICML 2008",
    link="https://doi.org/10.1145/1390156.1390212",
    claims=(
        *synsep_claims.CLAIMS,
        *synnonsep_claims.CLAIMS,
        *update_claims.CLAIMS,
        *mistake_bounds.CLAIMS,
        *halving_claims.CLAIMS,
        reuters4.CLAIM,
        reference.CLAIM,
    ),
)
