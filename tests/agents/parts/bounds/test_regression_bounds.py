"""Bounds of regression against numbers worked out by hand, and over simulated runs."""

import math

import numpy as np
import pytest

from agents.parts import bounds

# d 2, ridge 0.5, X 2: d log(1 + t X² / (ridge d)) is 2 log 5 after one round, 2 log 13 after three
KNOWN = {"dim": 2, "ridge": 0.5, "feature_norm": 2.0}
T = np.array([[0, 1], [3, 3]])
LOGS = 2 * np.log(np.array([[1, 5], [13, 13]]))
NOISY = KNOWN | {"noise_std": 0.7, "delta": 0.2}
EXCESS = 8 / math.log(9)  # X² / ridge over log(1 + X² / ridge)


@pytest.mark.parametrize(
    ("bound", "known", "expected"),
    [
        (bounds.log_det_closed, KNOWN, LOGS),
        (bounds.online_ridge_adversarial, KNOWN | {"outcome_bound": 3.0}, 36 * LOGS),
        (bounds.forward_adversarial, KNOWN | {"outcome_bound": 3.0}, 9 * LOGS),
        (bounds.forward_leading, NOISY, 2 * 0.49 * LOGS * (LOGS / 2 + math.log(10))),
        (
            bounds.online_ridge_leading,
            NOISY,
            EXCESS * 2 * 0.49 * LOGS * (LOGS / 2 + math.log(10)),
        ),
        (
            bounds.online_ridge_logdet_closed,
            KNOWN | {"comparator_norm": 2.0, "loss_bound": 3.0},
            1 + 3 * LOGS,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_functions_of_the_round(bound, known, expected):
    """The papers' formulas as corrected, for an array of rounds and for one."""
    np.testing.assert_allclose(bound(T, **known), expected, rtol=1e-14)
    assert bound(3, **known) == pytest.approx(expected[1, 0], rel=1e-14)


def test_log_determinant_bound_of_the_lecture():
    """ridge / 2 * 3² + 5 * (1, 2)."""
    got = bounds.online_ridge_logdet(
        np.array([1.0, 2.0]), ridge=0.5, comparator_norm=3.0, loss_bound=5.0
    )
    np.testing.assert_allclose(got, [7.25, 12.25], rtol=1e-15)


@pytest.mark.parametrize("law", ["random", "adversary", "linear"])
@pytest.mark.parametrize("ridge", [0.1, 2.0])
def test_adversarial_regression_is_below_its_bounds(law, ridge):
    """Clipped ridge and the forward algorithm, solved afresh every round, after every round."""
    dim, x_norm, largest, rounds = 3, 1.5, 2.0, 120
    known = {"dim": dim, "ridge": ridge, "feature_norm": x_norm, "outcome_bound": largest}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        theta = rng.standard_normal(dim)
        for forward in (False, True):
            gram, moment, squares, paid = ridge * np.eye(dim), np.zeros(dim), 0.0, 0.0
            for t in range(1, rounds + 1):
                x = rng.standard_normal(dim)
                x *= x_norm / np.linalg.norm(x)
                seen = gram + np.outer(x, x) if forward else gram
                prediction = x @ np.linalg.solve(seen, moment)
                if not forward:
                    prediction = np.clip(prediction, -largest, largest)
                if law == "random":
                    y = largest * rng.choice([-1.0, 1.0])
                elif law == "adversary":
                    y = -largest if prediction >= 0 else largest
                else:
                    y = np.clip(x @ theta + rng.standard_normal(), -largest, largest)
                gram, moment = gram + np.outer(x, x), moment + y * x
                squares, paid = squares + y * y, paid + (prediction - y) ** 2
                regret = paid - (squares - moment @ np.linalg.solve(gram, moment))
                bound = bounds.forward_adversarial if forward else bounds.online_ridge_adversarial
                assert regret <= bound(t, **known)


def test_the_lectures_bound_is_nearly_attained_with_the_corrected_constant():
    """An adversary who takes the same loss p in every round, with short features: regret is
    p * sum of x A^-1 x, at most x² / 2 = 0.5% below p log det A. Printed, it would be twice that.
    """
    rng = np.random.default_rng(1)
    ridge, dim, loss, rounds = 1.0, 2, 0.7, 4000
    gram, moment, squares = ridge * np.eye(dim), np.zeros(dim), 0.0
    for _ in range(rounds):
        x = rng.standard_normal(dim)
        x *= 0.1 / np.linalg.norm(x)
        prediction = x @ np.linalg.solve(gram, moment)
        y = prediction + rng.choice([-1, 1]) * math.sqrt(2 * loss)
        gram, moment, squares = gram + np.outer(x, x), moment + y * x, squares + y * y
    best = np.linalg.solve(gram, moment)
    fit = squares / 2 - moment @ best + best @ (gram - ridge * np.eye(dim)) @ best / 2
    regret = rounds * loss - fit
    known = {"ridge": ridge, "comparator_norm": np.linalg.norm(best), "loss_bound": loss}
    log_det = np.linalg.slogdet(gram)[1] - dim * math.log(ridge)
    limit = bounds.online_ridge_logdet(log_det, **known)
    assert 0.99 * limit < regret <= limit
    closed = bounds.online_ridge_logdet_closed(rounds, dim=dim, feature_norm=0.1, **known)
    assert limit <= closed < 1.01 * limit
