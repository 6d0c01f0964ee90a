r"""Gradient steps towards :math:`\phi = V^{-1} x`, :math:`V = \lambda I + \sum_s x_s x_s^\top`.

With n samples and i uniform on 1..n a step is

.. math:: \phi \leftarrow \phi + \gamma \Bigl(\frac{x}{n} - (x_i^\top\phi) x_i
    - \frac{\lambda}{n} \phi\Bigr),

and :math:`x^\top\phi`, clipped at 0, approximates the variance :math:`x^\top V^{-1} x`. The i of a
step is the same for all arms of a replicate. A step is at most 1/L, where L is the square of the
``longest`` row, and at most :math:`n / \lambda`. For samples see ``sample_chunks.py``.
"""

import numpy as np

from agents.numerics.steps.sample_chunks import add_row, along, dot, drawn, sample_at
from banditgym.compiled import compiled
from banditgym.linalg.product import row_product


@compiled
def variance_by_descent(samples, steps, step, ridge, features, variance):
    r"""Write :math:`x^\top\phi` (n, K) after ``steps`` steps from :math:`x / (\lambda + n ‖x‖^2)`.

    Step s is of length ``step`` and takes draw s of round n. Without samples it is
    :math:`‖x‖^2 / \lambda`.

    Every :math:`\phi` is a combination of its x and the rows drawn, and only its coefficients are
    kept: O(steps (steps + K) d) per replicate, with one pass over the features.
    """
    chunks, table, count, longest, keys = samples
    n, dim, n_arms = features.shape
    rows, gram = np.zeros((steps, dim)), np.empty((steps, steps))
    cross, along = np.empty((steps, n_arms)), np.empty((steps, n_arms))
    own, square = np.empty(n_arms), np.empty(n_arms)
    for i in range(n):
        x = features[i]
        for k in range(n_arms):
            square[k] = 0.0
        for j in range(dim):
            for k in range(n_arms):
                square[k] += x[j, k] * x[j, k]
        if count[i] == 0:
            for k in range(n_arms):
                variance[i, k] = square[k] / ridge
            continue
        share = ridge / count[i]
        gamma = min(step, 1.0 / longest[i], 1.0 / share)
        shrink = 1.0 - gamma * share
        for k in range(n_arms):
            own[k] = 1.0 / (ridge + count[i] * square[k])
        for s in range(steps):
            sample = sample_at(chunks, i, drawn(keys, count, i, s + 1))
            add_row(1.0, sample, table, i, 0.0, rows[s])
            row_product(rows[s], x, cross[s])
            for before in range(s):
                gram[before, s] = dot(rows[before], rows[s])
            for k in range(n_arms):
                product = own[k] * cross[s, k]
                for before in range(s):
                    product += along[before, k] * gram[before, s]
                    along[before, k] *= shrink
                along[s, k] = -gamma * product
                own[k] = own[k] * shrink + gamma / count[i]
        for k in range(n_arms):
            form = own[k] * square[k]
            for s in range(steps):
                form += along[s, k] * cross[s, k]
            variance[i, k] = max(form, 0.0)


@compiled
def step_fixed_inverses(samples, inverses, variance, step, decay, ridge, observed):
    r"""Make a step of every :math:`\phi`, ``inverses`` (n, K, d), of the arms (n, K, d) in a table.

    The step is made where ``observed`` (n,), after the sample was kept. Its size is ``step``
    c / (c + n) with c ``decay``; it uses draw 1 of round n. ``variance`` (n, K) becomes
    :math:`x^\top\phi`.
    """
    chunks, table, count, longest, keys = samples
    n, n_arms, dim = inverses.shape
    for i in range(n):
        if not observed[i]:
            continue
        share = ridge / count[i]
        gamma = min(step * decay / (decay + count[i]), 1.0 / longest[i], 1.0 / share)
        shrink, pull = 1.0 - gamma * share, gamma / count[i]
        sample = sample_at(chunks, i, drawn(keys, count, i, 1))
        for k in range(n_arms):
            x, phi = table[i, k], inverses[i, k]
            weight = gamma * along(sample, table, i, phi)
            for j in range(dim):
                phi[j] = shrink * phi[j] + pull * x[j]
            add_row(-weight, sample, table, i, 1.0, phi)
            variance[i, k] = max(dot(x, phi), 0.0)
