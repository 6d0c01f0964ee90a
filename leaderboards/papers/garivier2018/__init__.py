"""Garivier, Hadiji, Ménard, Stoltz 2018: KL-UCB-switch, optimal in two senses."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.garivier2018 import notebook_figures, order_of_regret

PAPER = Paper(
    name="garivier2018",
    title="KL-UCB-Switch: Optimal Regret Bounds for Stochastic Bandits from Both a "
    "Distribution-Dependent and a Distribution-Free Viewpoints",
    authors="A. Garivier, H. Hadiji, P. Ménard, G. Stoltz",
    published="arXiv 2018; Journal of Machine Learning Research 23, 2022",
    link="https://arxiv.org/abs/1805.05071",
    claims=(*order_of_regret.CLAIMS, *notebook_figures.CLAIMS),
)
