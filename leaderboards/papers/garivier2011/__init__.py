"""Garivier, Cappé 2011: KL-UCB on two Bernoulli bandits."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.garivier2011 import scenarios

PAPER = Paper(
    name="garivier2011",
    title="The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond",
    authors="A. Garivier, O. Cappé",
    published="COLT 2011",
    link="https://arxiv.org/abs/1102.2490",
    claims=scenarios.CLAIMS,
)
