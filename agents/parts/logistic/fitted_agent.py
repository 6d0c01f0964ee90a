"""The base class of agents that fit a logistic regression to all samples again and again."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.numerics.logistic.newton import fit
from agents.numerics.logistic.streaming import read_sample, slope
from agents.numerics.ridge.cholesky import factorise
from agents.numerics.ridge.factor import rotate
from agents.numerics.ridge.factor_contents import solve_upper
from agents.parts.logistic.logistic_agent import BoundedLogisticAgent
from agents.storage.loadable import Loadable
from banditgym.compiled import borrowing
from banditgym.validation import probability, whole

_FIRST = 64  # samples of the first array


@dataclass(kw_only=True, eq=False)
class FittedAgent(BoundedLogisticAgent):
    """A logistic agent that keeps its samples, and fits them after every ``refit_every`` rewards.

    Parameters
    ----------
    refit_every : int
        The estimate is that of all samples after each so many rewards.
    """

    loadable: ClassVar = {
        "_samples": Loadable("_ any _"),
        "_t": Loadable(most=lambda self: self._samples.shape[1]),
    }

    refit_every: int = 1

    def __post_init__(self):
        super().__post_init__()
        probability("delta", self.delta)
        whole("refit_every", self.refit_every)

    def _start(self) -> None:
        super()._start()
        self._samples = np.zeros((self.n, _FIRST, self.task.dim + 1))

    def _fitting(self, rounds: int, within: tuple[float, float], weighted: bool) -> "Fitting":
        """What a rule fits by, with room for so many more samples; ``within`` is as in ``fit``."""
        dim, (n, room, width) = self.task.dim, self._samples.shape
        needed = int(self._t.max()) + rounds
        if needed > room:
            more = np.zeros((n, max(needed, 2 * room) - room, width))
            self._samples = np.concatenate([self._samples, more], axis=1)
        scratch = (np.empty((dim, dim)), np.empty((dim, dim))), np.empty((4, dim))
        beside = np.empty((3, dim))
        every = int(self.refit_every), weighted
        return Fitting(self.model, self._samples, self._t, every, within, scratch, beside)


class Fitting(NamedTuple):
    """The samples of n replicates, and how they are fitted; the last two fields are scratch.

    ``every`` is how many rewards there are from one fit to the next, and whether V is the weighted
    sum of :func:`absorb_sample`.
    """

    model: Any
    samples: np.ndarray
    learned: np.ndarray
    every: tuple[int, bool]
    within: tuple[float, float]
    scratch: tuple[tuple[np.ndarray, np.ndarray], np.ndarray]
    beside: np.ndarray


@borrowing
def absorb_sample(fitting, i, contexts, arm, reward):
    """Let replicate i learn a reward; returns False if the features are refused.

    V grows by x x^T, or, weighted, it is the ridge and the sum of all slopes at the estimate times
    x x^T, computed anew with each fit.
    """
    model, samples, (every, weighted) = fitting.model, fitting.samples[i], fitting.every
    theta, x, steps = fitting.beside[0], fitting.beside[1], fitting.beside[2]
    upper, pivots, moment = model.upper[i], model.pivots[i], model.moment[i]
    dim, count, score = x.shape[0], fitting.learned[i], 0.0
    if not read_sample(contexts, i, arm, model.ridge, x):
        return False
    for j in range(dim):
        theta[j] = moment[j]
    solve_upper(upper, theta)
    for j in range(dim):
        samples[count, j] = x[j]
        score += x[j] * theta[j]
    samples[count, dim] = reward
    fitting.learned[i] = count + 1
    refits = (count + 1) % every == 0
    if refits:
        fit(samples, count + 1, fitting.within, theta, fitting.scratch)
    if refits and weighted:
        _write_factor(fitting.scratch[0], model.ridge - fitting.within[0], upper, pivots)
    else:
        rotate(upper, pivots, moment, x, 0.0, slope(score) if weighted else 1.0, steps)
    for j in range(dim):
        moment[j] = theta[j]
        for c in range(j + 1, dim):
            moment[j] += upper[j, c] * theta[c]
    return True


@borrowing
def _write_factor(matrices, ridge, upper, pivots):
    """Write the factor of the first matrix with a ridge added to it."""
    gram, factor = matrices
    dim = upper.shape[0]
    for j in range(dim):
        gram[j, j] += ridge
    factorise(gram, 1e-300, factor)
    for r in range(dim):
        pivots[1, r] = factor[r, r] * factor[r, r]
        pivots[0, r] = 1.0 / pivots[1, r]
        for c in range(r + 1, dim):
            upper[r, c] = factor[r, c] * factor[r, r]
