"""Calandriello et al. 2019: Gaussian process optimization with adaptive sketching, BKB."""

from leaderboards.papers.calandriello2019 import (
    algorithm,
    dictionary_size,
    fixed_sizes,
    linear_kernel,
    posterior_times,
    regret_by_qbar,
    round_cost,
    sketching,
    starvation,
    variance_sums,
    variance_theorem,
)
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="calandriello2019",
    title="Gaussian Process Optimization with Adaptive Sketching: Scalable and No Regret",
    authors="D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco",
    published="COLT 2019",
    link="https://arxiv.org/abs/1903.05594",
    claims=(
        *starvation.CLAIMS,
        *variance_theorem.CLAIMS,
        *variance_sums.CLAIMS,
        *regret_by_qbar.CLAIMS,
        *dictionary_size.CLAIMS,
        *fixed_sizes.CLAIMS,
        *sketching.CLAIMS,
        *linear_kernel.CLAIMS,
        *round_cost.CLAIMS,
        *posterior_times.CLAIMS,
        *algorithm.CLAIMS,
    ),
)
