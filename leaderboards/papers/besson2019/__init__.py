"""Besson, Kaufmann, Maillard, Seznec 2019: KL-UCB restarted by a test for changes."""

from leaderboards.papers.besson2019 import first_problems, rate_of_restarts
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="besson2019",
    title="Efficient Change-Point Detection for Tackling Piecewise-Stationary Bandits",
    authors="L. Besson, E. Kaufmann, O.-A. Maillard, J. Seznec",
    published="arXiv 2019; Journal of Machine Learning Research 23, 2022",
    link="https://arxiv.org/abs/1902.01575",
    claims=(*first_problems.CLAIMS, *rate_of_restarts.CLAIMS),
)
