"""Zhan et al. 2021: adaptive weights evaluate policies on logs of agents that learned meanwhile."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.zhan2021 import coverage

PAPER = Paper(
    name="zhan2021",
    title="Off-Policy Evaluation via Adaptive Weighting with Data from Contextual Bandits",
    authors="R. Zhan, V. Hadad, D. A. Hirshberg, S. Athey",
    published="KDD 2021",
    link="https://arxiv.org/abs/2106.02029",
    claims=coverage.CLAIMS,
)
