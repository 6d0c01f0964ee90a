"""ForwardDiscountedLinUCB: D-LinUCB with the forward estimate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.linear.discounted_linucb import DiscountedLinUCB
from agents.numerics.ridge.feature_lengths import norms


@dataclass(kw_only=True, eq=False)
class ForwardDiscountedLinUCB(DiscountedLinUCB):
    r"""D-LinUCB that estimates each arm as if it had just been played for a reward of 0.

    For an arm with features x, let m be D-LinUCB's mean, :math:`w = \lVert x\rVert^2_{V_t^{-1}}`
    and :math:`q = \lVert x\rVert^2_{V_t^{-1} W_t V_t^{-1}}`. Round :math:`t` plays the arm with the
    largest

    .. math:: \frac{m}{1 + w} + \frac{\sqrt{q + w^2}}{1 + w} \, (\rho_t + \lVert x\rVert S),

    where :math:`\rho_t` is D-LinUCB's radius. The two fractions are D-LinUCB's mean and
    :math:`\sqrt q` with :math:`V_t + x x^\top` and :math:`W_t + x x^\top` in place of :math:`V_t`
    and :math:`W_t`. Cost, memory and hyperparameters are those of ``DiscountedLinUCB``. A number as
    ``radius`` replaces the whole radius, :math:`\lVert x\rVert S` included.

    Its definition is ``tests/agents/definitions/linear/forward_discounted_linucb.py``.

    Notes
    -----
    The paper names this algorithm and refers to an appendix that it does not contain. This is our
    reading: the steps that lead from OFUL to ``ForwardOFUL``, taken from D-LinUCB.

    References
    ----------
    R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
    Algorithm to Replace Ridge. NeurIPS 2021, Appendix G.
    """

    paper: ClassVar = "Ouhamma et al. 2021, Appendix G (our reading)"
    search: ClassVar = DiscountedLinUCB.search
    scope: ClassVar = "for drift"
    forward: ClassVar[bool] = True

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        return super()._radii(contexts)[:, None] + self._known["param_norm"] * norms(contexts)
