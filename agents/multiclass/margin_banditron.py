"""The Banditron with a margin, which also learns from right answers with a small margin."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn, second_largest
from agents.multiclass.banditron import add_estimate
from agents.numerics.label_scores import add_row, fill_scores, used
from agents.parts.exploring_label import Exploration, ExploringLabel, explore, probability
from agents.search import Log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class MarginBanditron(ExploringLabel):
    r"""Banditron that also updates after margin violations.

    The predictions :math:`\hat y_t`, the labels played :math:`\tilde y_t \sim P` and the update are
    those of ``Banditron``. With the runner-up :math:`s = \arg\max_{r \ne \hat y_t} (W x_t)_r` there
    is a second update,

    .. math:: W \leftarrow W + 1[\tilde y_t = y_t = \hat y_t]
        \, 1[(W x_t)_{\hat y_t} - (W x_t)_s < m] \, \frac{1}{P(\hat y_t)} (e_{\hat y_t} - e_s) x_t,

    whose expectation is the full-information agent's margin update if :math:`\hat y_t = y_t`.
    Scores are those before the round's update. With m = 0, and if every reward is observed before
    the next act, the agent is the Banditron, bit for bit.

    A round costs O(k) per pair of the row and replicate; memory: n d k numbers.

    Its definition is ``tests/agents/definitions/multiclass/margin_banditron.py``.

    Parameters
    ----------
    gamma : float
        The probability of a uniform label, in (0, 1].
    margin : float
        m >= 0, on the scale of the scores, which is that of the squared features.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate.
    open : agents.open_decisions.OpenDecisions
        :math:`\hat y_t` of every decision without an answer so far.

    Notes
    -----
    The paper proposes margin updates in words; the formula is ours. The importance weight keeps the
    added term unbiased. The runner-up takes the place of the wrong label in a mistake. For a late
    reward, :math:`\hat y_t` and P are those of its decision; the runner-up and the margin are those
    of the current weights. With these, :math:`\hat y_t` may no longer be the best label, and then
    the margin is violated even at m = 0.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 6.
    """

    paper: ClassVar = "Kakade et al. 2008, section 6"
    search: ClassVar = {"gamma": Log(0.001, 0.5), "margin": Log(0.01, 100.0)}

    margin: float = checked(nonnegative, 1.0)

    def _rule(self, rounds: int) -> "MarginBanditronRule":
        return MarginBanditronRule(self.weights, self._exploration(rounds), float(self.margin))


class MarginBanditronRule(NamedTuple):
    """The rule of ``MarginBanditron``."""

    weights: np.ndarray
    exploration: Exploration
    margin: float


choose.of(MarginBanditronRule)(explore)


@learn.of(MarginBanditronRule)
def _learn(rule, i, contexts, played, reward):
    w, row, x = rule.weights[i], contexts[0][i], contexts[1][i]
    _, _, gamma, _, scores, guesses = rule.exploration
    width, guess, right = used(x), guesses[i], reward == 1.0
    if not right or played != guess:
        add_estimate(w, row, x, width, guess, played, right, gamma)
        return
    fill_scores(w, row, x, width, scores)  # those before the update
    add_estimate(w, row, x, width, guess, played, right, gamma)
    second = second_largest(scores, guess)
    if scores[guess] - scores[second] < rule.margin:
        weight = 1.0 / probability(guess, guess, gamma, scores.shape[0])
        add_row(w, row, x, width, guess, weight)
        add_row(w, row, x, width, second, -weight)
