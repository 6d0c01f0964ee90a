"""SOBA: the Banditron's exploration with second-order updates, in diagonal form."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn, second_largest
from agents.numerics.label_scores import fill_scores, used
from agents.parts.exploring_label import Exploration, ExploringLabel, explore, probability
from agents.search import Log
from banditgym.compiled import inlined
from banditgym.validation import checked, positive


@dataclass(kw_only=True, eq=False)
class SOBA(ExploringLabel):
    r"""Second Order Banditron Algorithm: second-order updates from right answers alone.

    The predictions :math:`\hat y_t` and the labels played :math:`\tilde y_t \sim P` are those of
    ``Banditron``. The rival c is :math:`\hat y_t`, or the runner-up :math:`\arg\max_{r \ne \hat
    y_t} (W x_t)_r` if :math:`\hat y_t` was right. After a right answer :math:`\tilde y_t = y_t`,
    with

    .. math:: g = \frac{1}{P(\tilde y_t)} (e_{\tilde y_t} - e_c) x_t^\top, \qquad
        \delta = (W x_t)_c - (W x_t)_{\hat y_t} \le 0, \qquad
        m = \frac{\delta^2 + 2 \delta}{P(\tilde y_t) \, (1 + P(\tilde y_t) \, g^\top A^{-1} g)},

    it updates if it explored (:math:`\tilde y_t \ne \hat y_t`, with m = 0), or if :math:`M + m \ge
    0`:

    .. math:: \Theta \leftarrow \Theta + g, \quad A \leftarrow A + P(\tilde y_t) \,
        \mathrm{diag}(g^2), \quad W = A^{-1} \Theta, \quad M \leftarrow M + m,

    from :math:`A = \lambda I`, :math:`\Theta = 0`, M = 0. After a wrong answer nothing changes.

    A round costs O(k) per pair of the row and replicate; memory: 3 n d k numbers.

    Its definition is ``tests/agents/definitions/multiclass/soba.py``.

    Parameters
    ----------
    gamma : float
        The probability of a uniform label, in (0, 1].
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    weights, theta, gram : ndarray of shape (n, d, k)
        The transposes of W and :math:`\Theta`, and the diagonal of A in the same layout.
    margins : ndarray of shape (n,)
        M.
    open : agents.open_decisions.OpenDecisions
        :math:`\hat y_t` of every decision without an answer so far.

    Notes
    -----
    The form, with its constant gamma and its A, is that of the authors' library DOGMA:
    ``soba_diag_multi_train.m``, stored in ``bahh723/separable-bandit-classification`` on GitHub.
    The paper's A is a full matrix of (d k)² numbers.

    For a late reward, :math:`\hat y_t` and P are those of its decision. The scores are those of the
    current weights, and with them the gap and the runner-up. :math:`\delta` and m may then be
    positive, as they should be for a mistake.

    References
    ----------
    A. Beygelzimer, F. Orabona, C. Zhang. Efficient Online Bandit Multiclass Learning with
    :math:`\tilde O(\sqrt T)` Regret. ICML 2017.
    """

    paper: ClassVar = "Beygelzimer et al. 2017, diagonal"
    search: ClassVar = {"gamma": Log(0.001, 0.5), "ridge": Log(0.01, 100.0)}

    ridge: float = checked(positive, 1.0)

    def _start(self) -> None:
        super()._start()
        self.theta = np.zeros_like(self.weights)
        self.gram = np.full_like(self.weights, float(self.ridge))
        self.margins = np.zeros(self.n)

    def _rule(self, rounds: int) -> "SOBARule":
        fit = self.weights, self._exploration(rounds), self.theta, self.gram
        return SOBARule(*fit, self.margins)


class SOBARule(NamedTuple):
    """The rule of ``SOBA``."""

    weights: np.ndarray
    exploration: Exploration
    theta: np.ndarray
    gram: np.ndarray
    margins: np.ndarray


choose.of(SOBARule)(explore)


@learn.of(SOBARule)
def _learn(rule, i, contexts, played, reward):
    _, _, gamma, _, scores, guesses = rule.exploration
    if reward == 0.0:
        return
    gram, row, x, guess = rule.gram[i], contexts[0][i], contexts[1][i], guesses[i]
    width = used(x)
    fill_scores(rule.weights[i], row, x, width, scores)
    p = probability(played, guess, gamma, scores.shape[0])
    rival, gained = guess, 0.0
    if played == guess:
        rival = second_largest(scores, guess)
        one, other = np.uint64(rival), np.uint64(played)
        length = 0.0
        for q in range(width):
            j = np.uint64(row[q])
            length += x[q] * x[q] * (1.0 / gram[j, one] + 1.0 / gram[j, other])
        gap = scores[rival] - scores[guess]
        gained = (gap * gap + 2.0 * gap) / (p * (1.0 + length / p))
        if not rule.margins[i] + gained >= 0.0:
            return
    _add(rule, i, row, x, width, played, 1.0 / p, p)
    _add(rule, i, row, x, width, rival, -1.0 / p, p)
    rule.margins[i] += gained


@inlined
def _add(rule, i, indices, values, width, label, step, p):
    column = np.uint64(label)
    weights, theta, gram = rule.weights[i], rule.theta[i], rule.gram[i]
    for q in range(width):
        j = np.uint64(indices[q])
        g = step * values[q]
        theta[j, column] += g
        gram[j, column] += p * g * g
        weights[j, column] = theta[j, column] / gram[j, column]
