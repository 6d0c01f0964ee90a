"""Lee, Yun, Jun 2024: optimism in logistic bandits, by a new confidence sequence."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.lee2024 import flat_slopes, norms_of_theta

PAPER = Paper(
    name="lee2024",
    title="A Unified Confidence Sequence for Generalized Linear Models, with Applications to "
    "Bandits",
    authors="J. Lee, S.-Y. Yun, K.-S. Jun",
    published="NeurIPS 2024",
    link="https://arxiv.org/abs/2407.13977",
    claims=(*norms_of_theta.CLAIMS, *flat_slopes.CLAIMS),
)
