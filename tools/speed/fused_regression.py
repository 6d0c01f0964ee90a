r"""OnlineRidge and Forward on ``OnlineRegression-v0`` with Gaussian rows, in one compiled loop.

As in ``tools.speed.fused_linear``, with the random numbers of the environment. But a row of
few features fills no register, so that the replicates play in lockstep: they are the last axis of
every array, along which the inner loops run.
"""

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.streams import box_muller, uniform_pair
from tools.speed.fused_linear import NOISE_STD


@compiled
def regression(theta, forward, keys, kept, curves, pulls):
    """Write ``curves`` (3, n, c) of ``Forward`` or ``OnlineRidge``: reward, regret, regret_batch.

    ``theta`` (n, d), keys (n, 2) of the rows and of the noise. The inverse of the Gram matrix is
    updated by Sherman--Morrison, and the environment's best fit without a ridge by rotations.
    """
    n, dim = theta.shape
    row_words, noise_words = keys[0].T.copy(), keys[1].T.copy()
    own, x, noise = theta.T.copy(), np.empty((dim + dim % 2, n)), np.empty((2, n))
    inverse, estimate, u = np.zeros((dim, dim, n)), np.zeros((dim, n)), np.empty((dim, n))
    fit, pivots = np.zeros((dim, dim + 1, n)), np.zeros((dim, n))
    mean, predicted, form, outcome, growth, weight = np.empty((6, n))
    scale = 1.0 / np.sqrt(dim)
    for j in range(dim):
        inverse[j, j] = 1.0
    sums, column = np.zeros((3, n)), 0
    for t in range(kept[-1]):
        draw(row_words, t, x)
        draw(noise_words, t, noise)
        mean[:] = 0.0
        predicted[:] = 0.0
        for j in range(dim):
            for i in range(n):
                x[j, i] *= scale
                mean[i] += own[j, i] * x[j, i]
                predicted[i] += estimate[j, i] * x[j, i]
        _project(inverse, x, u, form)
        for i in range(n):
            growth[i] = 1.0 / (1.0 + form[i])
            outcome[i] = mean[i] + NOISE_STD * noise[0, i]
            weight[i] = growth[i] * (outcome[i] - predicted[i])
            if forward:
                predicted[i] *= growth[i]
            miss, off = predicted[i] - outcome[i], predicted[i] - mean[i]
            sums[0, i] -= miss * miss
            sums[1, i] += off * (off - 2.0 * NOISE_STD * noise[0, i])
            sums[2, i] += miss * miss
        for r in range(dim):
            for i in range(n):
                estimate[r, i] += weight[i] * u[r, i]
            for j in range(r, dim):
                for i in range(n):
                    inverse[r, j, i] -= growth[i] * u[r, i] * u[j, i]
        _rotate(fit, pivots, x, outcome, weight, growth)
        for i in range(n):
            sums[2, i] -= weight[i] * outcome[i] * outcome[i]
        if t + 1 == kept[column]:
            curves[:, :, column] = sums
            column += 1


@inlined
def draw(words, t, draws):
    """Fill ``draws`` (2 b, n) with the first normals of round t, for keys (2, n)."""
    for block in range(draws.shape[0] // 2):
        even, odd = draws[2 * block], draws[2 * block + 1]
        for i in range(draws.shape[1]):
            k0, k1 = words[0, i], words[1, i]
            even[np.uint64(i)], odd[np.uint64(i)] = uniform_pair(k0, k1, t, block)
        for i in range(draws.shape[1]):
            u, v = box_muller(even[np.uint64(i)], odd[np.uint64(i)])
            even[np.uint64(i)], odd[np.uint64(i)] = u, v


@inlined
def _project(inverse, x, u, form):
    """Write u = P x and x^T u; of P, which is symmetric, the upper half is read."""
    dim, n = u.shape
    u[:] = 0.0
    form[:] = 0.0
    for r in range(dim):
        for i in range(n):
            u[r, i] += inverse[r, r, i] * x[r, i]
        for j in range(r + 1, dim):
            for i in range(n):
                u[r, i] += inverse[r, j, i] * x[j, i]
                u[j, i] += inverse[r, j, i] * x[r, i]
        for i in range(n):
            form[i] += u[r, i] * x[r, i]


@inlined
def _rotate(fit, pivots, x, outcome, weight, step):
    """Rotate the rows and their outcomes, both overwritten, into the best fit.

    It leaves the share ``weight`` (n,) of the squared outcome that no parameter explains.
    """
    dim, n = pivots.shape
    weight[:] = 1.0
    for j in range(dim):
        for i in range(n):
            entry, old = x[j, i], pivots[j, i]
            new = old + weight[i] * entry * entry
            # A pivot is 0 until the rows span its direction, and then nothing is left of a row.
            share = 1.0 / new if new > 0.0 else 0.0
            step[i] = weight[i] * entry * share
            weight[i] *= old * share
            pivots[j, i] = new
        for c in range(j + 1, dim):
            for i in range(n):
                x[c, i] -= x[j, i] * fit[j, c, i]
                fit[j, c, i] += step[i] * x[c, i]
        for i in range(n):
            outcome[i] -= x[j, i] * fit[j, dim, i]
            fit[j, dim, i] += step[i] * outcome[i]
