"""Halving over a grid of few dimensions, with rows projected at random."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.inputs.observations import Pairs
from agents.multiclass.grid_halving import grid, refuse_grid
from agents.numerics.label_scores import fill_scores, used
from agents.parts.active_set import VotingLabel
from banditgym.compiled import compiled
from banditgym.elementary import each_log
from banditgym.streams import AGENT, Stream, fill_uniform
from banditgym.tasks import MulticlassTask
from banditgym.validation import checked, positive, probability, whole


@dataclass(kw_only=True, eq=False)
class ProjectedHalving(VotingLabel):
    r"""``GridHalving`` on rows that are projected at random to few dimensions.

    Rows are projected to :math:`\Pi x = \frac{1}{\sqrt{d'}} P x`, where the entries of P (d' × d)
    are independent signs ±1, drawn anew for each replicate before the first round. The number of
    dimensions is

    .. math:: d' = \left\lceil \frac{4 \ln(4 k (T + 1) / \delta)}{c^2 - c^3} \right\rceil,
        \qquad c = \frac{1}{3 \sqrt D}.

    With probability :math:`1 - \delta`, all k T products of a data row with a row of :math:`W^* /
    \lVert W^* \rVert` then change by at most c. The projected data is separable at margin 1 by
    weights of complexity :math:`D' = 72 D`, and halving over that grid makes :math:`O(k^2 D
    \ln\frac{T + k}{\delta}\,(\ln D + \ln\ln\frac{T + k}{\delta}))` mistakes.

    **This cannot be run**: d' is in the hundreds for any T, and a grid fits in memory only for k d'
    up to about 4. Larger tasks are refused, and the message gives the size. ``dim`` overrides d'.
    There is then no guarantee, and with few dimensions the agent plays near chance.

    Its definition is ``tests/agents/definitions/multiclass/projected_halving.py``.

    Parameters
    ----------
    complexity : float
        D >= 1, a bound on :math:`2 \lVert W^* \rVert_F^2` at margin 1, in units of one over the
        squared features.
    delta : float
        Probability that the projection fails, in (0, 1).
    dim : int, optional
        Dimension in place of d'.

    Attributes
    ----------
    signs : ndarray of shape (n, d, d')
        The transpose of P of each replicate.
    members : agents.parts.active_set.ActiveSet
        The grid, and the hypotheses active in each replicate.

    Notes
    -----
    The entries are signs, whose variance is 1. The proof's entries, uniform on (-1, 1), have
    variance 1/3, for which its scaling of products is wrong. d' is the paper's
    O(D ln((T + k)/delta)) with the constants of Arriaga and Vempala's Corollary 2 and a union bound
    over the k T products and k norms. D' follows from the proof's margin 1/(3 sqrt D) at norm at
    most 2. A projected row may be a little longer than 1; like the proof, this ignores it.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, Theorem 8.
    R. Arriaga, S. Vempala. An Algorithmic Theory of Learning: Robust Concepts and Random
    Projection. Machine Learning 63, 2006.
    """

    paper: ClassVar = "Kakade et al. 2008, Theorem 8"
    scope: ClassVar = "tiny"
    on_request: ClassVar = True
    needs: ClassVar = ("dim",)

    complexity: float = checked(positive, 2.0)
    delta: float = checked(probability, 0.1)
    dim: int | None = checked(whole, None)

    def __post_init__(self):
        super().__post_init__()
        if not self.complexity >= 1:
            raise ValueError(f"complexity must be >= 1 on rows of norm 1, got {self.complexity}")

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and self.dim is None and task.horizon is None:
            return "its dimension follows from the horizon, and the task has none: give dim"
        return reason or refuse_grid(72 * self.complexity, task.n_labels, self.dimension(task))

    def dimension(self, task: MulticlassTask) -> int:
        """The dimension d' that rows of a task are projected to."""
        if self.dim is not None:
            return self.dim
        c = 1 / (3 * math.sqrt(self.complexity))
        assert task.horizon is not None
        failures = 4 * task.n_labels * (task.horizon + 1)
        return math.ceil(4 * each_log(failures / self.delta) / (c * c - c * c * c))

    def _start(self) -> None:
        self.signs = np.empty((self.n, self.task.dim, self.dimension(self.task)))
        _draw_signs(Stream(self.seeds, AGENT, 1, 0).keys, self.signs)
        super()._start()

    def _every_hypothesis(self) -> np.ndarray:
        return grid(72 * self.complexity, self.task.n_labels, self.signs.shape[2])

    def _rows(self, contexts: Pairs) -> Pairs:
        n, _, dim = self.signs.shape
        indices, rows = np.tile(np.arange(dim, dtype=np.int32), (n, 1)), np.empty((n, dim))
        _project(self.signs, *contexts, rows)
        for array in (indices, rows):  # kernels are compiled for one mutability
            array.flags.writeable = False
        return indices, rows


@compiled
def _draw_signs(keys, signs):
    n, dim, projected = signs.shape
    for i in range(n):
        for j in range(dim):
            fill_uniform(keys[i, 0], keys[i, 1], j, signs[i, j])
            for p in range(projected):
                signs[i, j, p] = 1.0 if signs[i, j, p] < 0.5 else -1.0


@compiled
def _project(signs, indices, values, rows):
    n, _, projected = signs.shape
    for i in range(n):
        fill_scores(signs[i], indices[i], values[i], used(values[i]), rows[i])
        for p in range(projected):
            rows[i, p] /= np.sqrt(projected)
