"""OnlineGradientDescent against its formula."""

import math

import numpy as np
import pytest

from agents.losses.online_gradient_descent import OnlineGradientDescent


@pytest.mark.parametrize("gradient_norm", [None, 0.3])
def test_steps_shrink_with_the_root_of_the_observed_rounds(
    kind, ball, gradient_norm, follow, nearest
):
    """The task's bound is 5."""
    dim, radius = ball
    agent = OnlineGradientDescent(gradient_norm=gradient_norm)
    bound = 5.0 if gradient_norm is None else gradient_norm

    def expected(past):
        if not past.x:
            return np.zeros(dim)
        step = radius / (bound * math.sqrt(len(past.x)))
        return nearest(past.own[-1] - step * past.g[-1], radius)

    follow(agent, kind, dim, radius, expected=expected, compare=lambda past, i: None)


def test_without_gradients_it_stays_put(task_of):
    agent = OnlineGradientDescent().reset(task_of(2, 1.0, gradient_norm=0.0))
    feedback = {"loss": 1.0, "gradient": np.zeros(2), "curvature": 0.0}
    agent.point[:] = [0.1, 0.2]
    agent.observe(0, np.array([0.3, 0.4]), 0.0, feedback=feedback)
    np.testing.assert_array_equal(agent.act(0), [0.1, 0.2])


@pytest.mark.parametrize("gradient_norm", [0.0, -1.0, float("nan"), float("inf")])
def test_gradient_norm_is_positive(gradient_norm):
    with pytest.raises(ValueError, match=f"gradient_norm.*> 0, got {gradient_norm}"):
        OnlineGradientDescent(gradient_norm=gradient_norm)
