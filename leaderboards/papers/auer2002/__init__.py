"""Auer, Cesa-Bianchi, Fischer 2002: finite-time analysis of the multiarmed bandit problem."""

from leaderboards.papers.auer2002 import seven_problems
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="auer2002",
    title="Finite-time Analysis of the Multiarmed Bandit Problem",
    authors="P. Auer, N. Cesa-Bianchi, P. Fischer",
    published="Machine Learning 47, 2002",
    link="https://doi.org/10.1023/A:1013689704352",
    claims=seven_problems.CLAIMS,
)
