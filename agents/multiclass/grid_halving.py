"""Halving over a grid of linear hypotheses that always contains a separator."""

import itertools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.active_set import VotingLabel
from agents.search import Choice
from banditgym.elementary import each_log
from banditgym.validation import checked, positive

LARGEST = 2**20  # hypotheses: with k d = 6 weights 50 MB, and a few milliseconds per round


@dataclass(kw_only=True, eq=False)
class GridHalving(VotingLabel):
    r"""``Halving`` over a grid of weights of linear predictors.

    Assume that some :math:`W^*` with :math:`2 \lVert W^* \rVert_F^2 \le D` separates the data at
    margin 1 and that :math:`\lVert x_t \rVert \le 1`. Every coordinate of :math:`W^*` lies within
    :math:`B = \sqrt{D/2}`. The grid has

    .. math:: g = \lfloor 2 B \sqrt d \rfloor + 2

    equally spaced values from -B to B for each coordinate, less than :math:`1/\sqrt d` apart, and
    so contains a W that separates the data. The agent then makes at most :math:`k \ln g^{k d}`
    mistakes.

    The class has :math:`g^{k d}` members, which fit in memory up to about k d = 6. More than 2^20
    members are refused. For cost and memory see ``Halving``.

    Its definition is ``tests/agents/definitions/multiclass/grid_halving.py``.

    Parameters
    ----------
    complexity : float
        D > 0, a bound on :math:`2 \lVert W^* \rVert_F^2` at margin 1, in units of one over the
        squared features.

    Attributes
    ----------
    members : agents.parts.active_set.ActiveSet
        The grid, and the hypotheses active in each replicate.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, Theorem 7.
    """

    paper: ClassVar = "Kakade et al. 2008, Theorem 7"
    search: ClassVar = {"complexity": Choice((0.5, 1.0, 2.0, 4.0))}
    scope: ClassVar = "tiny"

    complexity: float = checked(positive, 2.0)

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        return reason or refuse_grid(self.complexity, task.n_labels, task.dim)

    def _every_hypothesis(self) -> np.ndarray:
        return grid(self.complexity, self.task.n_labels, self.task.dim)


def grid(complexity: float, n_labels: int, dim: int) -> np.ndarray:
    """Every W of the grid, (m, n_labels, dim)."""
    bound = math.sqrt(complexity / 2)
    values = np.linspace(-bound, bound, _values(complexity, dim))
    every = np.fromiter(
        itertools.chain.from_iterable(itertools.product(values, repeat=n_labels * dim)), np.float64
    )
    return every.reshape(-1, n_labels, dim)


def refuse_grid(complexity: float, n_labels: int, dim: int) -> str | None:
    """Why the grid is not made, with its size; None if it is."""
    values, weights = _values(complexity, dim), n_labels * dim
    # At least two values per weight: powers with many digits are never computed.
    if weights <= LARGEST.bit_length() and values**weights <= LARGEST:
        return None
    size = weights * each_log(values) / each_log(10)
    return (
        f"its grid of {values} values for each of {weights} weights has {values}^{weights}, about "
        f"10^{size:.1f} hypotheses, more than the {LARGEST} that it holds"
    )


def _values(complexity: float, dim: int) -> int:
    # 2 B sqrt(d) in one root, so that whole numbers stay whole.
    # Its square may overflow; a grid of that size is refused anyway.
    return math.floor(math.sqrt(min(2 * complexity * dim, 1e300))) + 2
