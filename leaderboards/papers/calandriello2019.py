"""Calandriello et al. 2019: Gaussian process optimization with adaptive sketching, BKB."""

from leaderboards.papers import (
    calandriello2019_fixed,
    calandriello2019_regret,
    calandriello2019_sketching,
    calandriello2019_starvation,
    calandriello2019_sums,
    calandriello2019_time,
    calandriello2019_variance,
)
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="calandriello2019",
    title="Gaussian Process Optimization with Adaptive Sketching: Scalable and No Regret",
    reference=(
        "D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process "
        "Optimization with Adaptive Sketching: Scalable and No Regret. COLT 2019."
    ),
    claims=(
        *calandriello2019_starvation.CLAIMS,
        *calandriello2019_variance.CLAIMS,
        *calandriello2019_sums.CLAIMS,
        *calandriello2019_regret.CLAIMS,
        *calandriello2019_fixed.CLAIMS,
        *calandriello2019_sketching.CLAIMS,
        *calandriello2019_time.CLAIMS,
    ),
)
