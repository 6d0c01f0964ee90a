"""Vernade, Carpentier, Lattimore, Zappella, Ermis, Brueckner 2020: linear bandits with delays."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.vernade2020 import growth

PAPER = Paper(
    name="vernade2020",
    title="Linear Bandits with Stochastic Delayed Feedback",
    authors="C. Vernade, A. Carpentier, T. Lattimore, G. Zappella, B. Ermis, M. Brueckner",
    published="ICML 2020",
    link="https://arxiv.org/abs/1807.02089",
    claims=growth.CLAIMS,
)
