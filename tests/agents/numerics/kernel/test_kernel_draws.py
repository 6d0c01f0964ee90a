"""Draws of the prior turned into draws of the posterior, by Matheron's rule on a dense solve."""

import numpy as np

from agents.numerics.kernel.kernel_draws import condition_draws
from agents.numerics.kernel.kernel_posterior import KernelPulls
from agents.parts.posteriors import Exact
from banditgym.functions.covariances import RBF
from banditgym.tasks import KernelTask


def test_draws_are_conditioned_on_noisy_pulls():
    n, n_arms, ridge, rng = 3, 12, 0.3, np.random.default_rng(5)
    covariance, arms = RBF(), rng.uniform(size=(n_arms, 2))
    facts = {"horizon": None, "noise_std": 0.1, "subgaussian": 0.1, "param_norm": 1.0}
    task = KernelTask(n_arms=n_arms, dim=2, covariance=covariance, arms=arms, **facts)
    state = Exact().reset(task, n=n, seeds=list(range(n)), covariance=covariance, ridge=ridge)
    pulled, reward = rng.integers(6, size=(20, n)), rng.standard_normal((20, n))
    for t in range(20):
        state.update(None, pulled[t], reward[t], np.array([True, t % 2 == 0, t == 0]))
    state.predict(None)
    arrays = tuple(getattr(state, name) for name in KernelPulls._fields)
    unit, scale = 0.7, np.array([1.0, 2.0, 0.5])
    prior, normals = rng.standard_normal((n, n_arms)), rng.standard_normal((n, 30))
    draws = prior.copy()
    condition_draws(arrays, normals, scale, unit, draws)
    gram = covariance(arms, arms) / ridge
    noise = normals[:, -state.pulled.shape[1] :]
    for i in range(n):
        count = state.n_pulled[i]
        distinct, counts = state.pulled[i, :count], state.counts[i, :count]
        matrix = gram[np.ix_(distinct, distinct)] + np.diag(1 / counts)
        rest = unit * prior[i, distinct] + noise[i, :count] / np.sqrt(counts)
        centred = unit * prior[i] - gram[:, distinct] @ np.linalg.solve(matrix, rest)
        np.testing.assert_allclose(draws[i], state.mean[i] + scale[i] * centred, rtol=1e-9)
