"""Kannan et al. 2018: greedy play where contexts are perturbed, and where they are not."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.kannan2018 import perturbed_contexts

PAPER = Paper(
    name="kannan2018",
    title="A Smoothed Analysis of the Greedy Algorithm for the Linear Contextual Bandit Problem",
    authors="S. Kannan, J. Morgenstern, A. Roth, B. Waggoner, Z. S. Wu",
    published="NeurIPS 2018",
    link="https://arxiv.org/abs/1801.03423",
    claims=perturbed_contexts.CLAIMS,
)
