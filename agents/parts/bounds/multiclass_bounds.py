r"""Bounds on the number of wrong labels of multiclass agents [1]_.

Symbols: k (``n_labels``); :math:`\gamma` (``gamma``), the agent's probability of exploring; L
(``hinge_loss``) and D (``complexity``) of the weights that the agent is compared with.

References
----------
.. [1] S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
   Prediction. ICML 2008.
"""

import math
from typing import Any

import numpy as np


def perceptron_mistakes(*, hinge_loss: Any, complexity: float) -> np.ndarray:
    r"""Mistakes of the Perceptron on rows with :math:`\lVert x \rVert \le 1`.

    .. math:: L + D + \sqrt{L D}

    For every matrix W, with L the cumulative hinge loss of W,
    :math:`\max_{r \ne y} [1 - (W x)_y + (W x)_r]_+` in each round, and
    :math:`D = 2 \lVert W \rVert_F^2`. For rows up to X long multiply D by X².

    Parameters
    ----------
    hinge_loss : float or array
        L, up to each round for which to compute the bound.
    complexity : float
        D.

    References
    ----------
    [1]_, (7).
    """
    loss = np.asarray(hinge_loss, dtype=np.float64)
    return loss + complexity + np.sqrt(loss * complexity)


def banditron_mistakes(
    t: Any, *, n_labels: int, gamma: float, hinge_loss: Any, complexity: float
) -> np.ndarray:
    r"""Expected mistakes of the Banditron on rows with :math:`\lVert x \rVert \le 1`.

    .. math:: L + \gamma t + 3 \max\left\{\frac{k D}{\gamma}, \sqrt{D \gamma t}\right\}
        + \sqrt{\frac{k D L}{\gamma}}

    With L and D of ``perceptron_mistakes``, k labels and :math:`\gamma \le 1/2`; the mistakes are
    those of the labels played, exploration included.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    gamma : float
        The agent's probability of exploring.
    hinge_loss : float or array
        L, up to each round of t.
    complexity : float
        D.

    References
    ----------
    [1]_, Theorem 1.
    """
    t, loss = np.asarray(t), np.asarray(hinge_loss, dtype=np.float64)
    complexities = n_labels * complexity / gamma
    largest = np.maximum(complexities, np.sqrt(complexity * gamma * t))
    return loss + gamma * t + 3 * largest + np.sqrt(complexities * loss)


def halving_mistakes(*, n_labels: int, hypotheses: int) -> float:
    r"""Mistakes of Halving over a class with a hypothesis that is always right: :math:`k \ln |H|`.

    Parameters
    ----------
    hypotheses : int
        :math:`|H|`.

    References
    ----------
    [1]_, Lemma 6.
    """
    return n_labels * math.log(hypotheses)
