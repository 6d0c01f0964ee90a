"""Sutton, Barto 2018, chapter 2: agents on the ten-armed testbed."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.sutton2018 import exploration, gradients, optimism

PAPER = Paper(
    name="sutton2018",
    title="Reinforcement Learning: An Introduction, chapter 2",
    authors="R. S. Sutton, A. G. Barto",
    published="2nd edition, MIT Press 2018",
    link="http://incompleteideas.net/book/the-book-2nd.html",
    claims=(*exploration.CLAIMS, *optimism.CLAIMS, *gradients.CLAIMS),
)
