"""The logistic function, and the log loss of a logistic model."""

from banditgym.compiled import inlined
from banditgym.elementary.exponentials import exp, log1p


@inlined
def logistic(x):
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x))


@inlined
def log_loss(x, outcome):
    """log(1 + exp(x)) - outcome x: minus the log-likelihood of an outcome, 0 or 1, at score x."""
    return max(x, 0.0) + log1p(exp(-abs(x))) - outcome * x
