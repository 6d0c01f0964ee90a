"""Hidden parameters lie on their sphere, and agents are told a bound that holds."""

import numpy as np
import pytest

from banditgym.envs.parameters import given_theta, on_sphere, param_norm_bound


def test_rows_are_brought_to_the_norm_and_do_not_depend_on_each_other():
    directions = np.random.default_rng(0).standard_normal((40, 7))
    rows = on_sphere(directions, 2.5)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 2.5, rtol=1e-14)
    np.testing.assert_allclose(
        rows, 2.5 * directions / np.linalg.norm(directions, axis=1)[:, None], rtol=1e-14
    )
    assert rows.flags.c_contiguous
    np.testing.assert_array_equal(on_sphere(directions.T.copy().T, 2.5), rows)
    for i in range(40):
        np.testing.assert_array_equal(on_sphere(directions[i : i + 1], 2.5)[0], rows[i])


def test_what_is_given_is_a_row_of_as_many_numbers_as_there_are_features():
    np.testing.assert_array_equal(given_theta([1, 2.5], 2), [[1.0, 2.5]])
    for theta in ([1.0, 2.0], [[1.0, 2.0, 3.0]], 1.0):
        with pytest.raises(ValueError, match=r"theta must be of shape \(3,\), got \("):
            given_theta(theta, 3)
    with pytest.raises(ValueError, match="theta.*nan"):
        given_theta([1.0, float("nan")], 2)


@pytest.mark.parametrize(
    ("theta", "param_norm", "bound"),
    [
        (None, None, 1.0),
        (None, 3, 3.0),
        (None, 0.0, 0.0),
        ([[3.0, 4.0]], None, 5.0),
        ([[3.0, 4.0], [0.0, 6.0]], None, 6.0),
        ([[3.0, 4.0]], 5.0 * (1 - 1e-10), 5.0 * (1 - 1e-10)),
        ([[3.0, 4.0]], 7.0, 7.0),
        ([[0.0, 0.0]], None, 0.0),
    ],
)
def test_what_agents_may_know(theta, param_norm, bound):
    told = param_norm_bound(None if theta is None else np.array(theta), param_norm)
    assert (type(told), told) == (float, bound)


@pytest.mark.parametrize(
    ("theta", "param_norm", "message"),
    [
        (None, -1.0, "param_norm must be finite and >= 0, got -1.0"),
        (None, np.nan, "param_norm must be finite and >= 0, got nan"),
        (None, "1", "param_norm must be a number, got '1'"),
        ([[3.0, 4.0]], 4.9, "theta has norm 5.0, above param_norm 4.9"),
        ([[1.0, 0.0], [3.0, 4.0]], 4.9, "theta has norm 5.0, above param_norm 4.9"),
        ([[1e200, 1e200]], None, "theta must be of finite norm, got one above 1e154"),
    ],
)
def test_bounds_that_do_not_hold_are_refused(theta, param_norm, message):
    with pytest.raises(ValueError, match=message):
        param_norm_bound(None if theta is None else np.array(theta), param_norm)
