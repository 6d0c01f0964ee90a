"""Ridge regression of rows: its determinant, and which rows it refuses."""

import dataclasses

import gymnasium
import numpy as np
import pytest

from agents.parts.estimators.row_regression import LONGEST_ROW, Rows, check_rows

N, DIM = 5, 3


def task():
    return gymnasium.make("OnlineRegression-v0", dim=DIM).unwrapped.task


def test_the_determinant_is_that_of_the_rows():
    rng, ridge = np.random.default_rng(0), 0.3
    model, gram = Rows.initial(task(), N, ridge, 0.0), np.zeros((N, DIM, DIM))
    assert model.log_det.tolist() == [0.0] * N
    for _ in range(20):
        rows, observed = rng.standard_normal((N, DIM, 1)), rng.random(N) < 0.7
        rows.flags.writeable = False
        model.update(rows, np.zeros(N, int), rng.standard_normal(N), observed)
        gram += np.where(observed, 1.0, 0.0)[:, None, None] * rows * rows.transpose(0, 2, 1)
    logs = [np.linalg.slogdet(np.eye(DIM) + g / ridge)[1] for g in gram]
    np.testing.assert_allclose(model.log_det, logs, rtol=1e-12)


def test_rows_may_be_as_long_as_their_squares_are_finite():
    Rows.initial(dataclasses.replace(task(), feature_norm=LONGEST_ROW), N, 1.0, 0.0)
    longer = dataclasses.replace(task(), feature_norm=LONGEST_ROW * 1.001)
    with pytest.raises(ValueError, match="which is too long: scale them"):
        Rows.initial(longer, N, 1.0, 0.0)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (-2, "replicate 0 are too long: sc"),
        (-4, "replicate 2 are too long: sc"),
        (0, "replicate 0"),
    ],
)
def test_what_a_kernel_refuses_names_its_replicate(bad, message):
    check_rows(-1)
    with pytest.raises(ValueError, match=message):
        check_rows(bad)
