"""Forward on awkward data, and its regret against the paper's equality."""

import numpy as np
import pytest

from agents.regression.forward import Forward

EPS = 2.2e-16


def direct(rows, y, x, ridge):
    """x' theta by the rows past, x and sqrt(ridge) I with outcomes y, 0 and 0; with a triangular
    factor, never the Gram matrix."""
    dim = len(x)
    stacked = np.vstack([np.sqrt(ridge) * np.eye(dim), rows, x])
    r = np.asarray(np.linalg.qr(np.column_stack([stacked, np.r_[np.zeros(dim), y, 0.0]]), mode="r"))
    return x @ np.linalg.solve(r[:dim, :dim], r[:dim, dim])


def form(rows, x, ridge):
    """x' (ridge I + rows' rows)^-1 x."""
    r = np.asarray(np.linalg.qr(np.vstack([np.sqrt(ridge) * np.eye(len(x)), rows]), mode="r"))
    z = np.linalg.solve(r.T, x)
    return z @ z


def room_of(kind, rows, ridge):
    """On random data 1e-10; else a hundred eps times the condition number of G on the span."""
    if kind == "random":
        return 1e-10
    singular = np.linalg.svd(rows, compute_uv=False)
    kept = singular[singular > 1e-12 * singular[0]]
    return 100 * EPS * (ridge + kept[0] ** 2) / (ridge + kept[-1] ** 2)


KINDS = ["random", "repeated", "deficient", "large", "small"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [1, 5])
def test_is_the_direct_solve_on_awkward_data(data, play, kind, dim):
    """Relative to the outcomes' norm: ‖G^-1/2 x‖ ‖G^-1/2 sum y x‖ <= ‖y‖ for the row x in G."""
    ridge = 0.3
    rows, y = data(kind, dim)

    def inspect(t, i, past, outcomes, predicted):
        room = room_of(kind, rows[: t + 1, i], ridge)
        expected = direct(past, outcomes, rows[t, i], ridge)
        assert abs(predicted - expected) <= room * (np.linalg.norm(outcomes) + 1e-300)

    play(Forward(ridge=ridge), rows, y, inspect=inspect)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [1, 5])
def test_regret_is_the_papers_equality(data, play, kind, dim):
    """Eq. (5) of Ouhamma et al. with theta_0 = 0, where theta_t is the forward estimate of round t:

    sum_t (ŷ_t - y_t)² - min_theta [sum_t (y_t - x_t.theta)² + ridge ‖theta‖²]
        = sum_t y_t² x_t' G_t^-1 x_t - sum_{t<T} (x_{t+1}.theta_{t+1})² x_{t+1}' G_t^-1 x_{t+1},

    theta_{t+1} having x_{t+1} in its Gram matrix: ŷ_{t+1} squared times the leverage before it.
    """
    ridge = 0.3
    rows, y = data(kind, dim)
    played = play(Forward(ridge=ridge), rows, y)
    for i in range(rows.shape[1]):
        x = rows[:, i]
        loss = ((played[:, i] - y[:, i]) ** 2).sum()
        dims = np.sqrt(ridge) * np.eye(dim)
        q, _ = np.linalg.qr(np.vstack([x, dims]))
        target = np.r_[y[:, i], np.zeros(dim)]
        rest = target - q @ (q.T @ target)
        rest -= q @ (q.T @ rest)
        after = np.array([form(x[: t + 1], x[t], ridge) for t in range(len(x))])
        before = np.array([form(x[:t], x[t], ridge) for t in range(len(x))])
        first, second = (y[:, i] ** 2 * after).sum(), (played[:, i] ** 2 * before).sum()
        terms = loss + rest @ rest + first + second
        error = loss - rest @ rest - first + second
        assert abs(error) <= room_of(kind, x, ridge) * terms


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan")])
def test_ridge_is_positive(ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        Forward(ridge=ridge)
