"""Fused loops with the arithmetic of our agents and environments, beside those of the textbook.

One compiled function draws, plays, learns and sums, many rounds at a time, by the kernels that
``agents.play`` calls from Python. So all measures are the same to the last bit. What ``play`` takes
longer than such a loop is the cost of the interface; what the loop takes longer than the textbook's
is the cost of the arithmetic.
"""

import numpy as np

from agents.numerics.ridge.factor_across import play_fixed_arms_block_across
from agents.numerics.ridge.fixed_arms_across import play_few_arms_block_across
from agents.parts.estimators.forward_ridge import count_as_played
from banditgym.compiled import compiled, inlined
from banditgym.envs.noise import reward_arms
from banditgym.envs.regression import fill_outcomes, score_rounds
from banditgym.linalg.triangular_rounds import absorb_rows
from banditgym.streams import each_normal_of_rounds
from tools.speed.fused_linear import CHUNK, NOISE_STD
from tools.speed.fused_regression import draw

_ROWS = 32  # rounds of regression: the rows of a hundred replicates stay in the second cache


@compiled
def few_fixed_same(model, problem, keys, kept, curves, pulls):
    """LinUCB with K <= d fixed arms.

    ``model`` are the arrays of a ``FewFixedArms`` that knows its arms, which are overwritten;
    ``problem`` the radius (n,), the means (1, n, K), the best of them (1, n), and how many
    replicates play side by side.
    """
    radius, means, best, together = problem
    sums, column = np.zeros((2, pulls.shape[0])), 0
    for t in range(0, kept[-1], CHUNK):
        noise = _noise(keys, t, min(CHUNK, kept[-1] - t))
        arms = np.empty(noise.shape, np.int64)
        play_few_arms_block_across(model, radius, means, noise, arms, together)
        column = _reward(means, best, noise, arms, (t, kept, column, sums, curves), pulls)


@compiled
def fixed_same(model, problem, keys, kept, curves, pulls):
    """LinUCB with K > d fixed arms: the same with the arrays of a ``FixedArms``."""
    radius, means, best, together = problem
    sums, column = np.zeros((2, pulls.shape[0])), 0
    for t in range(0, kept[-1], CHUNK):
        noise = _noise(keys, t, min(CHUNK, kept[-1] - t))
        arms = np.empty(noise.shape, np.int64)
        play_fixed_arms_block_across(model, radius, means, noise, arms, together)
        column = _reward(means, best, noise, arms, (t, kept, column, sums, curves), pulls)


@compiled
def regression_same(factor, model, forward, keys, kept, curves, pulls):
    """OnlineRidge, or Forward; ``factor`` is its factor before any data, which is overwritten.

    ``model`` is that of an ``OnlineRegression``, whose best fit is overwritten too.
    """
    theta, fit = model[0][2], model[1][0]
    fit[:] = 0.0
    n, dim = theta.shape
    words, x, scale = keys[0].T.copy(), np.empty((dim + dim % 2, n)), 1.0 / np.sqrt(dim)
    sums, column = np.zeros((3, n)), 0
    for t in range(0, kept[-1], _ROWS):
        noise = _noise(keys[1], t, min(_ROWS, kept[-1] - t))
        rounds = noise.shape[0]
        rows, shares = np.empty((rounds, dim, n)), np.empty((4, rounds, n))
        for s in range(rounds):
            draw(words, t + s, x)
            for j in range(dim):
                for i in range(n):
                    rows[s, j, i] = scale * x[j, i]
        drawn, (mean, variance) = np.empty((3, rounds, n)), np.empty((2, rounds, n))
        drawn[1] = noise
        fill_outcomes(rows, theta, drawn)
        absorb_rows(factor, rows, 1.0, drawn[2], mean, variance, None)
        if forward:
            count_as_played(mean, variance, mean, variance)
        score_rounds(model, rows, drawn, 0, mean, shares)
        column = _add(shares[1:], (t, kept, column, sums, curves))


@inlined
def _noise(keys, t, rounds):
    """The noise (m, n) of m rounds from t on."""
    noise = np.empty((rounds, keys.shape[0]))
    each_normal_of_rounds(keys, t, NOISE_STD, noise)
    return noise


@inlined
def _reward(means, best, noise, arms, sums, pulls):
    measures = np.empty((2, *noise.shape))
    places = np.arange(arms.shape[0])
    reward_arms(False, means, best, noise, places, arms, measures[0], measures[1])
    for s in range(arms.shape[0]):
        for i in range(arms.shape[1]):
            pulls[i, arms[s, i]] += 1
    return _add(measures, sums)


@inlined
def _add(measures, sums):
    """Add measures (c, m, n) to the sums (c, n), round by round; returns the next column."""
    t, kept, column, totals, curves = sums
    for s in range(measures.shape[1]):
        for c in range(measures.shape[0]):
            for i in range(measures.shape[2]):
                totals[c, i] += measures[c, s, i]
        if t + s + 1 == kept[column]:
            curves[:, :, column] = totals
            column += 1
    return column
