"""Garivier, Kaufmann 2016: Track-and-Stop finds the best arm with given confidence."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.garivier2016 import stopping_times

PAPER = Paper(
    name="garivier2016",
    title="Optimal Best Arm Identification with Fixed Confidence",
    authors="A. Garivier, E. Kaufmann",
    published="COLT 2016",
    link="https://arxiv.org/abs/1602.04589",
    claims=stopping_times.CLAIMS,
)
