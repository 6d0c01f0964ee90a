"""Greedy: the arm with the largest estimate of a ridge regression."""

from dataclasses import dataclass
from typing import ClassVar

from agents.linear.linucb import LinUCB
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class Greedy(LinUCB):
    r"""Play the arm with the largest estimated reward: ``LinUCB(alpha=0)``.

    With the ridge estimate :math:`\hat\theta_t` of the past rounds, round :math:`t` plays
    :math:`a_t = \arg\max_k \langle x_{t,k}, \hat\theta_t \rangle`.

    It does not explore. It does well if features are diverse; with fixed arms it may play a bad arm
    forever. Cost and memory are those of ``LinUCB``.

    Its definition is ``tests/agents/definitions/linear/greedy.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression.

    References
    ----------
    H. Bastani, M. Bayati, K. Khosravi. Mostly Exploration-Free Algorithms for Contextual Bandits.
    Management Science 67, 2021.
    """

    paper: ClassVar = "baseline"
    search: ClassVar = {"ridge": Log(0.01, 100.0)}

    alpha: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleVariableOverride]
