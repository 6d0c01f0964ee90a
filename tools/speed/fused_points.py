r"""PEGE and FastPEGE on the unit sphere of ``SphereBandit-v0``, each in one compiled loop.

As in ``tools.speed.fused_linear``: one replicate plays all rounds before the next begins,
with the random numbers of the environment and of the agent. A round of exploration costs O(1), and
the expected reward of a point that is played again and again is computed once.
"""

import numpy as np

from banditgym.action_sets.ball import stretch_rows
from banditgym.compiled import compiled, inlined
from banditgym.linalg.ball_geometry import inner
from banditgym.streams import uniform_pair
from tools.speed.fused_linear import CHUNK, NOISE_STD, draw_noise


@compiled
def pege(theta, best, keys, kept, curves, pulls):
    """Write the ``curves`` (2, n, c) of PEGE; best points (n, d), keys of the noise; no pulls."""
    noise_keys = keys[0]
    n, dim = theta.shape
    noise, estimate, point = np.empty((2, CHUNK)), np.empty(dim), np.empty((1, dim))
    for i in range(n):
        estimate[:] = 0.0
        most = inner(best, theta, i)
        place, cycle, mean, paid, lost, column = 0, 1, 0.0, 0.0, 0.0, 0
        for t in range(kept[-1]):
            s = t % CHUNK
            if s == 0:
                draw_noise(noise_keys[i], t, noise)
            explores = place < dim
            if explores:
                mean = theta[i, place]
            reward = mean + NOISE_STD * noise[0, s]
            paid += reward
            lost += most - mean
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = paid, lost
                column += 1
            if explores:
                estimate[place] += (reward - estimate[place]) / cycle
            place += 1
            if place == dim:
                mean = _best_mean(estimate, point, theta[i : i + 1])
            elif place == dim + cycle:
                place = 0
                cycle += 1


@compiled
def fast_pege(theta, best, keys, kept, curves, pulls):
    """The same for FastPEGE with its default step; keys of the noise and of the agent."""
    noise_keys, agent_keys = keys
    n, dim = theta.shape
    noise, estimate, point = np.empty((2, CHUNK)), np.empty(dim), np.empty((1, dim))
    outcomes, uniforms = np.empty(kept[-1]), np.empty(CHUNK)
    pace = 1.0 / (4.0 * (4.0 / 3.0) * dim)
    for i in range(n):
        estimate[:] = 0.0
        most = inner(best, theta, i)
        place, cycle, mean, samples, paid, lost, column = 0, 1, 0.0, 0, 0.0, 0.0, 0
        for t in range(kept[-1]):
            s = t % CHUNK
            if s == 0:
                draw_noise(noise_keys[i], t, noise)
            explores = place < dim
            if explores:
                mean = theta[i, place]
            reward = mean + NOISE_STD * noise[0, s]
            paid += reward
            lost += most - mean
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = paid, lost
                column += 1
            if explores:
                if samples % CHUNK == 0:
                    _draw_uniforms(agent_keys[i], samples + 1, uniforms)
                uniform = uniforms[samples % CHUNK]
                outcomes[samples] = reward
                samples += 1
                drawn = int(uniform * samples)
                arm = drawn % dim
                step = min(0.25 / (1.0 + samples * pace), 1.0)
                estimate[arm] += step * (outcomes[drawn] - estimate[arm])
            place += 1
            if place == dim:
                mean = _best_mean(estimate, point, theta[i : i + 1])
            elif place == dim + cycle:
                place = 0
                cycle += 1


@inlined
def _draw_uniforms(key, t, draws):
    """Fill ``draws`` (m,) with the first uniform of rounds t, .., t + m - 1."""
    k0, k1 = key[0], key[1]
    for s in range(draws.shape[0]):
        draws[np.uint64(s)], _ = uniform_pair(k0, k1, t + s, 0)


@inlined
def _best_mean(estimate, point, theta):
    """The expected reward of the point that is best by the estimate (d,); theta is (1, d)."""
    point[0] = estimate
    stretch_rows(point, 1.0)
    return inner(point, theta, 0)
