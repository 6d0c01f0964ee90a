"""The factor against numpy's, pivots at their bound, and independence of neighbours."""

import numpy as np
import pytest

from agents.numerics.ridge import cholesky as kernels
from agents.parts.estimators import Discounted, Window
from banditgym.tasks import LinearTask

ONE, FIRST = np.ones(1, bool), np.zeros(1, int)
DIMS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 26]


@pytest.mark.parametrize("dim", DIMS)
def test_is_numpys_factor(dim):
    """A factorisation errs by d eps times the condition number, here below 1e4."""
    rng = np.random.default_rng(dim)
    x = rng.standard_normal((3 * dim, dim))
    gram, factor = 0.5 * np.eye(dim) + x.T @ x, np.full((dim, dim), np.nan)
    kernels.factorise(gram, 0.5, factor)
    upper = np.triu(factor, 1) + np.diag(1 / np.diag(factor))
    np.testing.assert_allclose(upper, np.linalg.cholesky(gram).T, rtol=1e-10, atol=1e-10)


def test_pivots_are_at_least_the_ridge():
    """1e20 + 1e-6 is 1e20: V is singular as stored, and its Schur complement at least 1e-6."""
    gram, factor = np.full((2, 2), 1e20), np.zeros((2, 2))
    kernels.factorise(gram, 1e-6, factor)
    assert factor[1, 1] == pytest.approx(1e3, rel=1e-12)


@pytest.mark.parametrize(("dim", "n_arms"), [(1, 1), (5, 7), (9, 8), (26, 9)])
def test_a_replicate_does_not_depend_on_its_neighbours(dim, n_arms):
    n, rng = 5, np.random.default_rng(dim)
    x = rng.standard_normal((n, dim, n_arms))
    x.flags.writeable = False
    rows = rng.standard_normal((n, 2 * dim, dim))
    gram = np.eye(dim) + rows.transpose(0, 2, 1) @ rows
    moment, squared = rng.standard_normal((n, dim)), gram @ gram
    squared = (squared + squared.transpose(0, 2, 1)) / 2

    def predicted(part):
        out = [np.full((len(gram[part]), n_arms), np.nan) for _ in range(3)]
        sums = gram[part].copy(), squared[part].copy(), moment[part].copy()
        assert kernels.predict_factored(sums, 1.0, x[part], tuple(out)) == -1
        return out

    together = predicted(slice(None))
    for i in range(n):
        for whole, alone in zip(together, predicted(slice(i, i + 1)), strict=True):
            assert whole[i].tobytes() == alone[0].tobytes()
        mean, variance, form = (values[i] for values in together)
        u = np.linalg.solve(gram[i], x[i])
        near = {"rtol": 1e-10, "atol": 1e-12}
        np.testing.assert_allclose(mean, u.T @ moment[i], **near)
        np.testing.assert_allclose(variance, np.einsum("dk,dk->k", u, x[i]), **near)
        np.testing.assert_allclose(form, np.einsum("dk,de,ek->k", u, squared[i], u), **near)


def task(dim):
    return LinearTask(
        n_arms=1, dim=dim, horizon=None, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("part", "absorb"),
    [(Discounted, kernels.absorb_discounted), (Window, kernels.absorb_window)],
)
def test_samples_too_long_to_be_summed_are_refused(part, absorb):
    """The square of the length may be 1e10 times the ridge, here 1e7."""
    model, x = part(ridge=1e-3).reset(task(1), 1), np.empty((1, 1, 1))
    for length, answer in ((3165.0, -2), (3160.0, -1)):
        x[:] = length
        assert absorb(model, x, FIRST, np.ones(1), ONE) == answer
        assert bool(model.moment.any()) == (answer == -1)


@pytest.mark.parametrize("window", [1, 2, 5])
def test_a_window_counts_what_it_has_moved(window):
    """``size`` and ``moved`` against a plain count. Long features and large rewards come in
    different rounds, so that sums are made anew because of either."""
    rng = np.random.default_rng(window)
    model = Window(window=window, ridge=0.5).reset(task(2), 1)
    held, size, moved = [], np.zeros(2), np.zeros(2)
    causes = np.zeros(2, int)
    for t in range(400):
        x = rng.standard_normal((1, 2, 1)) * (30.0 if t % 50 < 2 else 1.0)
        reward = rng.standard_normal(1) * (100.0 if t % 37 < 2 else 1.0)
        assert kernels.absorb_window(model, x, FIRST, reward, ONE) == -1
        length = np.linalg.norm(x)
        one = np.array([length**2, abs(reward[0]) * length])
        steps = [-held.pop(0)] if len(held) == window else []
        for step in (*steps, one):
            before, size = size, np.maximum(size + step, 0.0)
            moved = moved + np.maximum(before, size)
        held.append(one)
        over = moved > 4 * window * size
        causes += over
        if over.any():
            size, moved = np.sum(held, axis=0), np.zeros(2)
        np.testing.assert_allclose(model.size[0], size, rtol=1e-9)
        np.testing.assert_allclose(model.moved[0], moved, rtol=1e-9)
    assert causes.min() > 5
