"""Zimmert, Seldin 2021: Tsallis-INF, against adversaries and with stochastic rewards."""

from leaderboards.papers.claim import Paper
from leaderboards.papers.zimmert2021 import two_regimes

PAPER = Paper(
    name="zimmert2021",
    title="Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial Bandits",
    authors="J. Zimmert, Y. Seldin",
    published="Journal of Machine Learning Research 22, 2021",
    link="https://arxiv.org/abs/1807.07623",
    claims=two_regimes.CLAIMS,
)
