"""Confidit: optimism with one second-order regression per label."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, first_largest, learn
from agents.numerics.label_scores import used
from agents.parts.one_label import OneLabel
from agents.search import Log
from banditgym.validation import checked, nonnegative, positive


@dataclass(kw_only=True, eq=False)
class Confidit(OneLabel):
    r"""Play the label with the largest upper confidence bound; each label has its own regression.

    Each label r has weights :math:`w_r`, at first 0, and the diagonal :math:`a_r` of a matrix
    :math:`A_r`, at first :math:`\lambda`. Round :math:`t` plays the first label with the largest

    .. math:: \langle w_r, x_t \rangle + \alpha \sqrt{x_t^\top A_r^{-1} x_t}

    and updates this label alone, with s = 1 if it was right and -1 if it was wrong,

    .. math:: w_r \leftarrow (A_r + \mathrm{diag}(x_t^2))^{-1} (A_r w_r + s x_t), \qquad
        A_r \leftarrow A_r + \mathrm{diag}(x_t^2),

    which is the diagonal form of a ridge regression of s on x. The agent is deterministic.

    A round costs O(k) per pair of the row and replicate; memory: 2 n d k numbers.

    Its definition is ``tests/agents/definitions/multiclass/confidit.py``.

    Parameters
    ----------
    alpha : float
        :math:`\alpha \ge 0`, the constant width of the bonus, on the scale of the answers 1 and -1:
        the square root of the paper's eta. Public code takes 10, on rows of length 1.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper's is :math:`(1 +
        \alpha)^2` with the paper's own alpha: 4 for alpha = 1.

    Attributes
    ----------
    weights, gram : ndarray of shape (n, d, k)
        :math:`w_r` and :math:`a_r` of each replicate.

    Notes
    -----
    This is the form of two independent public implementations on GitHub,
    ``kangzi/Online_Multiclass_with-Bandit_Feedback`` (diagonal) and ``nikhilraju/banditron`` (full
    matrices). Both depart from the paper in two ways: the width is constant, and the score is not
    projected to [-1, 1] before the update. A full matrix would take d² numbers for each label.

    References
    ----------
    K. Crammer, C. Gentile. Multiclass Classification with Bandit Feedback Using Adaptive
    Regularization. ICML 2011; Machine Learning 90, 2013.
    """

    paper: ClassVar = "Crammer & Gentile 2011, diagonal"
    search: ClassVar = {"alpha": Log(0.01, 10.0), "ridge": Log(0.1, 100.0)}

    alpha: float = checked(nonnegative, 1.0)
    ridge: float = checked(positive, 4.0)

    def _start(self) -> None:
        self.weights = np.zeros((self.n, self.task.dim, self.task.n_labels))
        self.gram = np.full_like(self.weights, float(self.ridge))

    def _rule(self, rounds: int) -> "ConfiditRule":
        scratch = np.empty(self.task.n_labels), np.empty(self.task.n_labels)
        return ConfiditRule(self.weights, self.gram, float(self.alpha), *scratch)


class ConfiditRule(NamedTuple):
    """The rule of ``Confidit``; ``scores`` and ``variances`` (k,) are scratch."""

    weights: np.ndarray
    gram: np.ndarray
    alpha: float
    scores: np.ndarray
    variances: np.ndarray


@choose.of(ConfiditRule)
def _choose(rule, i, t, contexts, mask):
    weights, gram, row, values = rule.weights[i], rule.gram[i], contexts[0][i], contexts[1][i]
    scores, variances = rule.scores, rule.variances
    for r in range(scores.shape[0]):
        scores[r] = 0.0
        variances[r] = 0.0
    for p in range(used(values)):
        j, x = np.uint64(row[p]), values[p]
        for r in range(scores.shape[0]):
            scores[r] += x * weights[j, r]
            variances[r] += x * x / gram[j, r]
    for r in range(scores.shape[0]):
        scores[r] += rule.alpha * math.sqrt(variances[r])
    return first_largest(scores)


@learn.of(ConfiditRule)
def _learn(rule, i, contexts, played, reward):
    weights, gram, row, values = rule.weights[i], rule.gram[i], contexts[0][i], contexts[1][i]
    r, sign = np.uint64(played), 1.0 if reward == 1.0 else -1.0
    for p in range(used(values)):
        j, x = np.uint64(row[p]), values[p]
        gathered = gram[j, r] * weights[j, r] + sign * x
        gram[j, r] += x * x
        weights[j, r] = gathered / gram[j, r]
