"""Calandriello et al. 2019: Gaussian process optimization with adaptive sketching, BKB."""

from leaderboards.papers.calandriello2019 import (
    fixed_sizes,
    posterior_times,
    regret_by_qbar,
    sketching,
    starvation,
    variance_sums,
    variance_theorem,
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
        *starvation.CLAIMS,
        *variance_theorem.CLAIMS,
        *variance_sums.CLAIMS,
        *regret_by_qbar.CLAIMS,
        *fixed_sizes.CLAIMS,
        *sketching.CLAIMS,
        *posterior_times.CLAIMS,
    ),
)
