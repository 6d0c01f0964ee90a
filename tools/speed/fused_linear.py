r"""LinUCB and LinTS on ``LinearBandit-v0`` with Gaussian features, each in one compiled loop.

Environment, decision and update of a round stand together, and one replicate plays all rounds
before the next one begins, so that its state stays in the first cache. The state follows the
textbook: the inverse of the Gram matrix by Sherman--Morrison, or its triangular factor where a
parameter is sampled; with fixed arms the means and variances of the arms themselves. Random numbers
are those of the environment and of the agent, drawn for many rounds at once where a round needs
few: so the arms, the rewards and the regret are those of ``agents.play``.

Every loop takes ``theta`` (n, d), the keys (n, 2) of its streams, and ``kept`` (c,), the rounds
after which measures are kept, as in ``agents.play``. It writes ``curves`` (2, n, c), the sums of
reward and regret, and counts ``pulls`` (n, K). What it does not do is no part of the definitions:
features are not checked; no state is left to go on from; and variances that only fall by
subtractions keep the rounding errors of their first values, where the agent computes them anew.
"""

import math

import numpy as np

from agents.drivers.rule import first_largest
from banditgym.compiled import compiled, inlined
from banditgym.streams import box_muller, fill_normal, uniform_pair

# Rounds for which a loop draws at once, a multiple of the lanes of any processor.
CHUNK = 256
NOISE_STD = 0.1  # the environments' default


@inlined
def draw_noise(key, t, noise):
    """Fill ``noise`` (2, m) with the first normal of rounds t, .., t + m - 1; row 1 is scratch."""
    k0, k1 = key[0], key[1]
    drawn, angle = noise[0], noise[1]
    for s in range(noise.shape[1]):
        drawn[np.uint64(s)], angle[np.uint64(s)] = uniform_pair(k0, k1, t + s, 0)
    for s in range(noise.shape[1]):
        drawn[np.uint64(s)], _ = box_muller(drawn[np.uint64(s)], angle[np.uint64(s)])


@inlined
def _draw_rounds(key, t, draws):
    """Fill ``draws`` (2 b, m): in column s the first normals of round t + s."""
    k0, k1 = key[0], key[1]
    for block in range(draws.shape[0] // 2):
        even, odd = draws[2 * block], draws[2 * block + 1]
        for s in range(even.shape[0]):
            even[np.uint64(s)], odd[np.uint64(s)] = uniform_pair(k0, k1, t + s, block)
        for s in range(even.shape[0]):
            u, v = box_muller(even[np.uint64(s)], odd[np.uint64(s)])
            even[np.uint64(s)], odd[np.uint64(s)] = u, v


@inlined
def _show(key, t, scale, features, theta, means):
    """Draw the features (d, K) of round t, and write the expected rewards (K,)."""
    dim, n_arms = features.shape
    flat = features.reshape(dim * n_arms)
    fill_normal(key[0], key[1], t, flat)
    means[:] = 0.0
    for j in range(dim):
        weight = theta[j]
        for k in range(n_arms):
            features[j, k] *= scale
            means[k] += weight * features[j, k]


@inlined
def _largest(values):
    largest = values[0]
    for k in range(1, values.shape[0]):
        largest = max(largest, values[k])
    return largest


@compiled
def linucb_fresh(theta, n_arms, keys, kept, curves, pulls):
    """LinUCB, fresh features in each round; keys of the features and of the noise."""
    feature_keys, noise_keys = keys
    n, dim = theta.shape
    scale, noise = 1.0 / math.sqrt(dim), np.empty((2, CHUNK))
    x, means, scores = np.empty((dim, n_arms)), np.empty(n_arms), np.empty(n_arms)
    forms, product = np.empty(n_arms), np.empty(n_arms)
    inverse, estimate, u = np.empty((dim, dim)), np.empty(dim), np.empty(dim)
    for i in range(n):
        inverse[:] = np.eye(dim)
        estimate[:] = 0.0
        paid, lost, column = 0.0, 0.0, 0
        for t in range(kept[-1]):
            if t % CHUNK == 0:
                draw_noise(noise_keys[i], t, noise)
            _show(feature_keys[i], t, scale, x, theta[i], means)
            scores[:] = 0.0
            forms[:] = 0.0
            for r in range(dim):  # half of x^T P x: P is symmetric
                diagonal, weight = 0.5 * inverse[r, r], estimate[r]
                for k in range(n_arms):
                    product[k] = diagonal * x[r, k]
                j = r + 1
                while j + 3 < dim:  # four entries for each load and store of a sum
                    e0, e1 = inverse[r, j], inverse[r, j + 1]
                    e2, e3 = inverse[r, j + 2], inverse[r, j + 3]
                    for k in range(n_arms):
                        product[k] += (e0 * x[j, k] + e1 * x[j + 1, k]) + (
                            e2 * x[j + 2, k] + e3 * x[j + 3, k]
                        )
                    j += 4
                while j < dim:
                    entry = inverse[r, j]
                    for k in range(n_arms):
                        product[k] += entry * x[j, k]
                    j += 1
                for k in range(n_arms):
                    forms[k] += product[k] * x[r, k]
                    scores[k] += weight * x[r, k]
            for k in range(n_arms):
                product[k] = scores[k] + math.sqrt(2.0 * forms[k])
            arm = first_largest(product)
            reward = means[arm] + NOISE_STD * noise[0, t % CHUNK]
            paid += reward
            lost += _largest(means) - means[arm]
            pulls[i, arm] += 1
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = paid, lost
                column += 1
            growth, error = 1.0 / (1.0 + 2.0 * forms[arm]), reward - scores[arm]
            u[:] = 0.0
            for j in range(dim):
                entry = x[j, arm]
                for r in range(dim):
                    u[r] += entry * inverse[j, r]
            for j in range(dim):
                share = growth * u[j]
                estimate[j] += error * share
                for r in range(dim):
                    inverse[j, r] -= share * u[r]


@compiled
def lints_fresh(theta, n_arms, keys, kept, curves, pulls):
    """LinTS; keys of the features, of the noise and of the agent."""
    feature_keys, noise_keys, agent_keys = keys
    n, dim = theta.shape
    scale, even = 1.0 / math.sqrt(dim), dim + dim % 2
    noise, normals = np.empty((2, CHUNK)), np.empty((even, CHUNK))
    x, means, scores = np.empty((dim, n_arms)), np.empty(n_arms), np.empty(n_arms)
    upper, pivots, moment = np.empty((dim, dim)), np.empty(dim), np.empty(dim)
    row, sample = np.empty(dim), np.empty(dim)
    for i in range(n):
        upper[:] = np.eye(dim)
        pivots[:] = 1.0
        moment[:] = 0.0
        paid, lost, column = 0.0, 0.0, 0
        for t in range(kept[-1]):
            s = t % CHUNK
            if s == 0:
                draw_noise(noise_keys[i], t, noise)
                _draw_rounds(agent_keys[i], t, normals)
            _show(feature_keys[i], t, scale, x, theta[i], means)
            scores[:] = 0.0
            for r in range(dim - 1, -1, -1):  # U sample = moment + scale D^{-1/2} normals
                weight = moment[r] + NOISE_STD / math.sqrt(pivots[r]) * normals[r, s]
                for j in range(r + 1, dim):
                    weight -= upper[r, j] * sample[j]
                sample[r] = weight
                for k in range(n_arms):
                    scores[k] += weight * x[r, k]
            arm = first_largest(scores)
            outcome = means[arm] + NOISE_STD * noise[0, s]
            paid += outcome
            lost += _largest(means) - means[arm]
            pulls[i, arm] += 1
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = paid, lost
                column += 1
            for j in range(dim):
                row[j] = x[j, arm]
            _rotate(upper, pivots, moment, row, outcome)


@inlined
def _rotate(upper, pivots, moment, row, outcome):
    """Rotate a row (d,), which is overwritten, and its outcome into V = U^T D U and U theta."""
    dim, weight = row.shape[0], 1.0
    for j in range(dim):
        entry, old = row[j], pivots[j]
        pivots[j] = old + weight * entry * entry
        inverse = 1.0 / pivots[j]
        step = weight * entry * inverse
        for c in range(j + 1, dim):
            row[c] -= entry * upper[j, c]
            upper[j, c] += step * row[c]
        outcome -= entry * moment[j]
        moment[j] += step * outcome
        weight *= old * inverse


@compiled
def linucb_few_fixed(theta, n_arms, keys, kept, curves, pulls):
    """LinUCB with K <= d fixed arms, by the products of the arms alone: no round depends on d.

    Keys of the arms and of the noise.
    """
    feature_keys, noise_keys = keys
    n, dim = theta.shape
    scale, noise = 1.0 / math.sqrt(dim), np.empty((2, CHUNK))
    x, means, scores = np.empty((dim, n_arms)), np.empty(n_arms), np.empty(n_arms)
    kernel, estimates, row = np.empty((n_arms, n_arms)), np.empty(n_arms), np.empty(n_arms)
    for i in range(n):
        _show(feature_keys[i], 0, scale, x, theta[i], means)
        kernel[:] = 0.0
        for j in range(dim):
            for r in range(n_arms):
                for k in range(n_arms):
                    kernel[r, k] += x[j, r] * x[j, k]
        estimates[:] = 0.0
        paid, lost, column, best = 0.0, 0.0, 0, _largest(means)
        for t in range(kept[-1]):
            if t % CHUNK == 0:
                draw_noise(noise_keys[i], t, noise)
            for k in range(n_arms):
                scores[k] = estimates[k] + math.sqrt(max(kernel[k, k], 0.0))
            arm = first_largest(scores)
            reward = means[arm] + NOISE_STD * noise[0, t % CHUNK]
            paid += reward
            lost += best - means[arm]
            pulls[i, arm] += 1
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = paid, lost
                column += 1
            growth = 1.0 / (1.0 + kernel[arm, arm])
            step = growth * (reward - estimates[arm])
            for k in range(n_arms):
                row[k] = kernel[arm, k]
                estimates[k] += step * row[k]
            for r in range(n_arms):
                share = growth * row[r]
                for k in range(n_arms):
                    kernel[r, k] -= share * row[k]


@compiled
def linucb_fixed(theta, n_arms, keys, kept, curves, pulls):
    """LinUCB with K > d fixed arms, whose means and variances are updated; keys as before."""
    feature_keys, noise_keys = keys
    n, dim = theta.shape
    scale, noise = 1.0 / math.sqrt(dim), np.empty((2, CHUNK))
    x, means, scores = np.empty((dim, n_arms)), np.empty(n_arms), np.empty(n_arms)
    estimates, variances, c = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    inverse, u = np.empty((dim, dim)), np.empty(dim)
    for i in range(n):
        _show(feature_keys[i], 0, scale, x, theta[i], means)
        inverse[:] = np.eye(dim)
        estimates[:] = 0.0
        variances[:] = (x * x).sum(axis=0)
        paid, lost, column, best = 0.0, 0.0, 0, _largest(means)
        for t in range(kept[-1]):
            if t % CHUNK == 0:
                draw_noise(noise_keys[i], t, noise)
            for k in range(n_arms):
                scores[k] = estimates[k] + math.sqrt(max(variances[k], 0.0))
            arm = first_largest(scores)
            reward = means[arm] + NOISE_STD * noise[0, t % CHUNK]
            paid += reward
            lost += best - means[arm]
            pulls[i, arm] += 1
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = paid, lost
                column += 1
            growth = 1.0 / (1.0 + variances[arm])
            step = growth * (reward - estimates[arm])
            u[:] = 0.0
            for j in range(dim):
                entry = x[j, arm]
                for r in range(dim):
                    u[r] += entry * inverse[j, r]
            c[:] = 0.0
            for j in range(dim):
                share = growth * u[j]
                for r in range(dim):
                    inverse[j, r] -= share * u[r]
                entry = u[j]
                for k in range(n_arms):
                    c[k] += entry * x[j, k]
            for k in range(n_arms):
                estimates[k] += step * c[k]
                variances[k] -= growth * c[k] * c[k]
