"""Bounds on regret and mistakes, one function per theorem, for comparison with curves."""

from agents.parts.bounds.linear_bounds import forward_oful, oful, oful_unbounded
from agents.parts.bounds.loss_bounds import (
    adaptive_descent,
    adaptive_descent_balanced,
    curvature_descent,
    follow_the_regularized_leader,
    online_gradient_descent,
)
from agents.parts.bounds.multiclass_bounds import (
    banditron_mistakes,
    halving_mistakes,
    perceptron_mistakes,
)
from agents.parts.bounds.regression_bounds import (
    forward_adversarial,
    forward_leading,
    log_det_closed,
    online_ridge_adversarial,
    online_ridge_leading,
    online_ridge_logdet,
    online_ridge_logdet_closed,
)

__all__ = [
    "adaptive_descent",
    "adaptive_descent_balanced",
    "banditron_mistakes",
    "curvature_descent",
    "follow_the_regularized_leader",
    "forward_adversarial",
    "forward_leading",
    "forward_oful",
    "halving_mistakes",
    "log_det_closed",
    "oful",
    "oful_unbounded",
    "online_gradient_descent",
    "online_ridge_adversarial",
    "online_ridge_leading",
    "online_ridge_logdet",
    "online_ridge_logdet_closed",
    "perceptron_mistakes",
]
