"""OnlineRidge as follow the regularised leader, and its regret against the papers' equalities."""

import numpy as np
import pytest

from agents.regression.online_ridge import OnlineRidge

EPS = 2.2e-16


def test_is_follow_the_regularized_leader(follow):
    """Eq. (7) of the lecture: the minimiser of eta times the losses, half squares, + ½ ‖w‖²."""
    eta = 2.5

    def prediction(past, outcomes, x):
        w = np.linalg.solve(np.eye(3) + eta * past.T @ past, eta * past.T @ outcomes)
        return x @ w

    follow(OnlineRidge(ridge=1 / eta), prediction)


def least(rows, y, ridge):
    """The least sum of squares with the ridge, and its condition number; no Gram matrix."""
    dim = rows.shape[1]
    stacked = np.vstack([rows, np.sqrt(ridge) * np.eye(dim)])
    target = np.r_[y, np.zeros(dim)]
    q, _ = np.linalg.qr(stacked)
    rest = target - q @ (q.T @ target)
    rest -= q @ (q.T @ rest)
    return rest @ rest


def leverages(rows, ridge):
    """x_t' G_t^-1 x_t, by a triangular factor of the rows up to t."""
    dim = rows.shape[1]
    forms = []
    for t in range(1, len(rows) + 1):
        r = np.asarray(np.linalg.qr(np.vstack([np.sqrt(ridge) * np.eye(dim), rows[:t]]), mode="r"))
        z = np.linalg.solve(r.T, rows[t - 1])
        forms.append(z @ z)
    return np.array(forms)


KINDS = ["random", "repeated", "deficient", "large", "small"]


@pytest.mark.parametrize("ridge", [0.3, 1.0])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [1, 5])
def test_regret_is_the_sum_of_losses_times_leverages(data, play, kind, dim, ridge):
    """Eq. (4) of Ouhamma et al., an equality with theta_0 = 0; with ridge 1 and halves it is the
    lecture's.

    To 1e-10 of the sum of the terms' absolute values on random data. On awkward data predictions
    err by 40 rounds' d eps times the condition number of G on the span, of which a hundredfold of
    eps is allowed.
    """
    rows, y = data(kind, dim)
    played = play(OnlineRidge(ridge=ridge), rows, y)
    for i in range(rows.shape[1]):
        loss = (played[:, i] - y[:, i]) ** 2
        best = least(rows[:, i], y[:, i], ridge)
        product = loss * leverages(rows[:, i], ridge)
        singular = np.linalg.svd(rows[:, i], compute_uv=False)
        kept = singular[singular > 1e-12 * singular[0]]
        condition = (ridge + kept[0] ** 2) / (ridge + kept[-1] ** 2)
        room = 1e-10 if kind == "random" else 100 * EPS * condition
        terms = loss.sum() + best + product.sum()
        assert abs(loss.sum() - best - product.sum()) <= room * terms
        if ridge == 1.0:
            half = loss.sum() / 2 - best / 2 - (loss / 2 * leverages(rows[:, i], 1.0)).sum()
            assert abs(half) <= room * terms


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan")])
def test_ridge_is_positive(ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        OnlineRidge(ridge=ridge)
