"""Lattimore, Szepesvari 2017: optimism and Thompson sampling are far from optimal."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.lattimore2017 import batched_instances, counterexample

PAPER = Paper(
    name="lattimore2017",
    title="The End of Optimism? An Asymptotic Analysis of Finite-Armed Linear Bandits",
    authors="T. Lattimore, C. Szepesvari",
    published="AISTATS 2017",
    link="https://arxiv.org/abs/1610.04491",
    claims=counterexample.CLAIMS + batched_instances.CLAIMS,
)
