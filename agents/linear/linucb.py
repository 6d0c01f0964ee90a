"""LinUCB: optimism with one ridge regression shared by all arms."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.optimism import ConstantRadius
from agents.parts.optimistic_rules import play_optimistic_block
from agents.search import Log
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class LinUCB(ConstantRadius):
    r"""Play the arm with the largest upper confidence bound on its linear reward.

    With :math:`V_t = \lambda I + \sum_{s<t} x_s x_s^\top` and the ridge estimate
    :math:`\hat\theta_t = V_t^{-1} \sum_{s<t} r_s x_s`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \alpha \lVert x_{t,k} \rVert_{V_t^{-1}}.

    A round costs :math:`O(K d^2)` per replicate; with fixed arms :math:`O(K d + d^2)`, or
    :math:`O(K^2)` if :math:`K \le d`. ``agents.estimators.Ridge`` states the memory.

    Its definition is ``tests/agents/definitions/linear/linucb.py``.

    Parameters
    ----------
    alpha : float
        Width of the bonus, :math:`\alpha \ge 0`, on the scale of the rewards; 0 is greedy.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper fixes it to 1.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    With fixed arms and :math:`K \le d`, :math:`X V_t^{-1} X^\top` is kept; otherwise a triangular
    factor of :math:`V_t`. ``absorb_replicate`` in ``agents/numerics/ridge/factor.py`` adds
    :math:`x_t x_t^\top` to :math:`V_t` and :math:`r_t x_t` to the sum, by rotations. With fixed
    arms ``agents/numerics/ridge/fixed_arms_updates.py`` has the update: ``absorb_fixed_one`` if
    :math:`K > d`, else ``absorb_kernel_one``.

    References
    ----------
    W. Chu, L. Li, L. Reyzin, R. Schapire. Contextual Bandits with Linear Payoff Functions.
    AISTATS 2011, Algorithm 1. The same rule with one shared model: L. Li, W. Chu, J. Langford,
    R. Schapire. A Contextual-Bandit Approach to Personalized News Article Recommendation.
    WWW 2010.

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> env = gymnasium.make("LinearBandit-v0", horizon=200)
    >>> trace = agents.play(env, agents.LinUCB(alpha=0.5))
    >>> bool(trace.regret[0, -1] < 20)  # of a possible 200 or so
    True
    """

    paper: ClassVar = "Chu et al. 2011, Algorithm 1"
    search: ClassVar = {"alpha": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    alpha: float = checked(nonnegative, 1.0)
    ridge: float = 1.0

    def _play_block(self, block: ArmsBlock | SlotsBlock) -> np.ndarray:
        return play_optimistic_block(self.model, block, self._radius)
