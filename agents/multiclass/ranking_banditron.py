"""The Banditron that shows several labels at once."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.label_scores import add_row, fill_scores, used
from agents.open_decisions import OpenDecisions
from agents.parts.multiclass_checks import check_exploration
from agents.search import Log
from banditgym.compiled import compiled, inlined
from banditgym.rounds.kinds import RANKING
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import MulticlassTask
from banditgym.validation import checked


@dataclass(kw_only=True, eq=False)
class RankingBanditron(Agent):
    r"""Show the r labels with the largest scores, sometimes with another label in place of one.

    Let :math:`S_t` be the r labels with the largest scores :math:`(W x_t)_r`, r < k. With
    probability :math:`1 - \gamma` they are shown. Otherwise a uniform label outside :math:`S_t`
    replaces a uniform one of them. The click, ``info["feedback"]``, is :math:`y_t` if it is shown.
    A label outside :math:`S_t` is shown with probability :math:`q_{low} = \gamma / (k - r)`, a
    label of :math:`S_t` with probability :math:`q_{top} = 1 - \gamma / r`, and

    .. math:: \tilde U = x_t \Bigl( \frac{1[click \notin S_t]}{q_{low}} e_{click}
        - \bigl(1 - \frac{1[click \in S_t]}{q_{top}}\bigr) \frac{1}{r} \sum_{s \in S_t} e_s \Bigr)

    is added to W; without a click both indicators are 0. The sum runs over :math:`S_t`, not over
    the labels shown. The expectation of :math:`\tilde U` is :math:`1[y_t \notin S_t] \, x_t
    (e_{y_t} - \frac{1}{r} \sum_{s \in S_t} e_s)`. With r = 1 and :math:`\gamma = \gamma' (k - 1) /
    k` the agent is the ``Banditron`` with :math:`\gamma'`.

    Per replicate, a round costs O(k) for each pair of the row and O(r k) besides; memory: n d k
    numbers.

    Its definition is ``tests/agents/definitions/multiclass/ranking_banditron.py``.

    Parameters
    ----------
    gamma : float
        The probability :math:`\gamma` of showing a label from outside :math:`S_t`, in (0, 1).

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate.
    open : agents.open_decisions.OpenDecisions
        :math:`S_t` of every decision without an answer so far.

    Notes
    -----
    The paper describes the extension in words; the update is ours. Like the Banditron's, it is
    unbiased and uses nothing but the feedback. For a late click, :math:`S_t` is that of its
    decision.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 6, label ranking.
    """

    accepts: ClassVar = (MulticlassTask,)
    paper: ClassVar = "Kakade et al. 2008, section 6"
    search: ClassVar = {"gamma": Log(0.001, 0.5)}
    scope: ClassVar = "with slots"

    gamma: float = checked(check_exploration, 0.05)

    def __post_init__(self):
        super().__post_init__()
        if not self.gamma < 1:
            raise ValueError(
                f"gamma must be below 1 for one slot to show its label, got {self.gamma}"
            )

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.plays is not RANKING:
            return "it fills slots, and this task takes one label as its answer"
        if reason is None and not task.slots < task.n_labels:
            return f"it needs fewer slots than labels, got {task.slots}, {task.n_labels}"
        return reason

    def _start(self) -> None:
        self.weights = np.zeros((self.n, self.task.dim, self.task.n_labels))
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self.open = OpenDecisions.initial(self.n, self.task.n_labels, self.task.slots)

    def _choose(self, contexts) -> np.ndarray:
        top, shown = (np.empty((self.n, self.task.slots), np.int64) for _ in range(2))
        _choose(self.weights, *contexts, self._keys, self.decisions, float(self.gamma), top, shown)
        self.open.open(self.decisions, top)
        return shown

    def _learn(self, contexts, actions, outcome, observed) -> None:
        top, known = self.open.of(self.decisions, self.answered, observed)
        _learn(self.weights, *contexts, float(self.gamma), top, outcome, known)
        self.open.close(self.decisions, self.answered, observed)


@inlined
def _fill_top(weights, indices, values, width, scores, top, within):
    """Fill ``top`` (r,) with the r labels of the largest scores, and mark them in ``within``."""
    fill_scores(weights, indices, values, width, scores)
    within[:] = False
    for slot in range(top.shape[0]):
        best = -1
        for label in range(scores.shape[0]):
            if not within[label] and (best < 0 or scores[label] > scores[best]):
                best = label
        top[slot] = best
        within[best] = True


@compiled
def _choose(weights, indices, values, keys, decisions, gamma, top, shown):
    n, _, n_labels = weights.shape
    slots = shown.shape[1]
    below = n_labels - slots
    scores, within = np.empty(n_labels), np.empty(n_labels, np.bool_)
    for i in range(n):
        width = used(values[i])
        _fill_top(weights[i], indices[i], values[i], width, scores, top[i], within)
        for slot in range(slots):
            shown[i, slot] = top[i, slot]
        u = uniform_at(keys[i, 0], keys[i, 1], decisions[i], 0)
        if u < gamma:
            # Given that it is below gamma, the number is uniform again: it gives slot and label.
            cell = min(int(u / gamma * slots * below), slots * below - 1)
            left = cell % below
            label = 0
            while within[label] or left > 0:
                left -= not within[label]
                label += 1
            shown[i, cell // below] = label


@compiled
def _learn(weights, indices, values, gamma, top, click, observed):
    n, _, n_labels = weights.shape
    slots = top.shape[1]
    for i in range(n):
        if observed[i]:
            w, row, x = weights[i], indices[i], values[i]
            width = used(x)
            step = -1.0
            if click[i] >= 0:
                within = False
                for slot in range(slots):
                    within |= top[i, slot] == click[i]
                if within:
                    step = 1.0 / (1.0 - gamma / slots) - 1.0
                else:
                    add_row(w, row, x, width, click[i], (n_labels - slots) / gamma)
            for slot in range(slots):
                add_row(w, row, x, width, top[i, slot], step / slots)
