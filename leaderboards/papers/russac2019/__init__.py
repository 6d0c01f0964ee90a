"""Russac, Vernade, Cappé 2019: linear bandits that discount the past."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.russac2019 import changing_environments, regret_rate, widths

PAPER = Paper(
    name="russac2019",
    title="Weighted Linear Bandits for Non-Stationary Environments",
    authors="Y. Russac, C. Vernade, O. Cappé",
    published="NeurIPS 2019",
    link="https://arxiv.org/abs/1909.09146",
    claims=(*changing_environments.CLAIMS, *regret_rate.CLAIMS, *widths.CLAIMS),
)
