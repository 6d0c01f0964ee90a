r"""Decision rules: parts of kernelized agents that choose an arm from a posterior.

Variances are in units of the ridge: :math:`\sigma^2(x) = \phi(x)^\top (\Phi^\top \Phi + \lambda
I)^{-1} \phi(x)`, which is :math:`k(x, x) / \lambda` before any data.
"""

from agents.parts.decision_rules.thompson_sampling import ThompsonSampling
from agents.parts.decision_rules.ucb import UCB

__all__ = ["UCB", "ThompsonSampling"]
