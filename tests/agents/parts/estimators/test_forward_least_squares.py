"""The unregularised forward estimate against numpy's least squares on awkward rows too."""

import numpy as np
import pytest

from agents.parts.estimators import ForwardLeastSquares
from banditgym.tasks import LinearTask, RegressionTask

EPS = 2.2e-16


def _task(dim):
    return RegressionTask(
        dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None, param_norm=1.0
    )


def _rows(kind, rng, t, n, dim):
    x = rng.standard_normal((n, dim))
    if kind == "repeated":
        x[:] = np.random.default_rng(t % 3).standard_normal(dim)
    elif kind == "deficient":
        basis = np.random.default_rng(5).standard_normal((1 + dim // 2, dim))
        x = rng.standard_normal((n, len(basis))) @ basis
    elif kind == "widening":  # a new direction every fifth round
        basis = np.random.default_rng(5).standard_normal((dim, dim))[: 1 + t // 5]
        x = rng.standard_normal((n, len(basis))) @ basis
    return {"large": 1e6, "small": 1e-6}.get(kind, 1.0) * x


@pytest.mark.parametrize("kind", ["random", "repeated", "deficient", "widening", "large", "small"])
@pytest.mark.parametrize("dim", [1, 2, 5, 10])
def test_is_least_squares_with_the_row_at_zero(kind, dim):
    """Rows x_1, .., x_t, outcomes y_1, .., y_{t-1}, 0. Both sides are backward stable: they err by
    rounds times d eps times the condition number of the columns that a factor has a pivot in, of
    the size of the outcomes; a thousandfold of eps is allowed.

    Outside the span of the past rows the definition is 0, and that is what must come out.
    """
    n, rng = 3, np.random.default_rng(dim)
    model = ForwardLeastSquares().reset(_task(dim), n)
    rows, seen = [np.zeros((0, dim)) for _ in range(n)], [np.zeros(0) for _ in range(n)]
    outside = 0
    for t in range(40):
        x, y = _rows(kind, rng, t, n, dim), rng.standard_normal(n)
        contexts = np.ascontiguousarray(x)[:, :, None]
        contexts.flags.writeable = False
        mean, variance = model.predict(contexts)
        observed = rng.random(n) < 0.8
        for i in range(n):
            full, target = np.vstack([rows[i], x[i]]), np.r_[seen[i], 0.0]
            theta, _, rank, _ = np.linalg.lstsq(full, target, rcond=1e-10)
            if rank > (np.linalg.matrix_rank(rows[i], rtol=1e-10) if len(rows[i]) else 0):
                assert mean[i, 0] == 0.0
                assert variance[i, 0] == 1.0
                assert abs(x[i] @ theta) <= 1e-9 * np.linalg.norm(target)
                outside += 1
            else:
                room = 1000 * EPS * _condition(full)
                assert abs(mean[i, 0] - x[i] @ theta) <= room * np.linalg.norm(target)
                _, s, vt = np.linalg.svd(full, full_matrices=False)
                z = (vt @ x[i])[:rank] / s[:rank]
                assert abs(variance[i, 0] - z @ z) <= room
        model.update(contexts, np.zeros(n, np.int64), np.where(observed, y, np.nan), observed)
        for i in np.flatnonzero(observed):
            rows[i], seen[i] = np.vstack([rows[i], x[i]]), np.r_[seen[i], y[i]]
    assert outside >= n


def _condition(rows):
    # of the columns that are no combination of those before them
    ranks = [0] + [
        np.linalg.matrix_rank(rows[:, : c + 1], rtol=1e-10) for c in range(rows.shape[1])
    ]
    return np.linalg.cond(rows[:, np.flatnonzero(np.diff(ranks))])


def test_what_counts_as_inside_the_span():
    """A thousandth of a row's length is left: no more than rcond = 0.01, more than 1e-10."""
    for rcond, mean in ((0.01, 0.5), (1e-10, 0.0)):
        model = ForwardLeastSquares(rcond=rcond).reset(_task(2), 1)
        for entry in (0.0, 1e-3):
            x = np.array([[[1.0], [entry]]])
            x.flags.writeable = False
            predicted = model.predict(x)[0][0, 0]
            model.update(x, np.zeros(1, np.int64), np.ones(1), np.ones(1, bool))
        assert predicted == mean


def test_one_row_a_round():
    task = LinearTask(
        n_arms=3, dim=2, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
    )
    with pytest.raises(ValueError, match="one row a round, got 3"):
        ForwardLeastSquares().reset(task, 1)


def test_rows_too_long_are_named():
    model = ForwardLeastSquares().reset(_task(2), 2)
    x = np.ones((2, 2, 1))
    x[1] = 1e150
    x.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 are too long"):
        model.predict(x)
    with pytest.raises(ValueError, match="replicate 1 are too long"):
        model.update(x, np.zeros(2, np.int64), np.ones(2), np.ones(2, bool))


@pytest.mark.parametrize("rcond", [-1e-10, 1.0, float("nan")])
def test_rcond_is_a_share(rcond):
    with pytest.raises(ValueError, match=f"rcond.*{rcond}"):
        ForwardLeastSquares(rcond=rcond)
