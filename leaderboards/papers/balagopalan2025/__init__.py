"""Balagopalan, Jun 2025: LinMED, whose draws have known probabilities."""

from leaderboards.papers.balagopalan2025 import comparisons
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="balagopalan2025",
    title="Minimum Empirical Divergence for Sub-Gaussian Linear Bandits",
    authors="K. Balagopalan, K.-S. Jun",
    published="AISTATS 2025",
    link="https://arxiv.org/abs/2411.00229",
    claims=comparisons.CLAIMS,
)
