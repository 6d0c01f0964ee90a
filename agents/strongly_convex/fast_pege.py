"""FastPEGE: PEGE with gradient descent for the estimate."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.basis_exploration import BasisExploration
from agents.parts.estimators.samples import DRAWS
from agents.search import Linear
from agents.storage.loadable import Loadable
from banditgym.compiled import borrowing, compiled, fetch
from banditgym.streams import AGENT, Stream, uniform_pair
from banditgym.validation import checked, ruled

_AT_ONCE = 1024  # samples that are drawn before any is read
_AT_FIRST = 1 << 21  # the most rewards, of all replicates, for which there is room from the start


@dataclass(kw_only=True, eq=False)
class FastPEGE(BasisExploration):
    r"""fPEGE-GD: one gradient step per exploration sample in place of least squares.

    Cycle m plays the points :math:`b_1, .., b_d` of the set's basis, which are samples
    :math:`n = (m-1) d + 1, .., m d` of exploration. After the reward of sample n, one of the
    samples so far is drawn, :math:`i` uniform on 1..n, and

    .. math:: \theta_n = \theta_{n-1} + \gamma_n (y_i - \langle x_i, \theta_{n-1}\rangle) x_i,
        \qquad x_i = b_{((i-1) \bmod d) + 1}, \qquad
        \gamma_n = \min\Bigl\{\frac{c}{4 (c + n)}, \frac1L\Bigr\},

    with :math:`c = 4 \rho d / \lambda_{\min}(\sum_i b_i b_i^\top)`, :math:`L = \max_i \lVert b_i
    \rVert^2` and :math:`\theta_0 = 0`. Then the best point for :math:`\theta_{md}` is played m
    times. The agent is PEGE with ``GradientDescent(step=c)`` as its estimator: it makes the same
    draws and, up to rounding, has the same estimate. The samples repeat d points in turn, so only
    their rewards are kept. If the basis lies along the coordinate axes, a step changes one number.

    On the unit sphere with :math:`b_i = e_i`, the regret of exploitation tends to :math:`\rho (\rho
    + 2) / (2 \rho - 1)` times that of PEGE, without a logarithm. The factor is 8/3 at the default.
    Its least value is 2.618, at :math:`\rho` = 1.618.

    A step costs O(1) if the basis lies along the coordinate axes, else O(d). A round costs O(d) to
    write its point, in blocks O(1). Memory: n (3 d + 3) numbers, d² that all replicates share, and
    room for up to twice the samples of exploration: about :math:`d \sqrt{2 T}` samples after T
    rounds of many cycles, and at most T. From the start there is room for those of the task's
    horizon, unless it takes more than 32 MiB.

    Its definition is ``tests/agents/definitions/strongly_convex/fast_pege.py``.

    Parameters
    ----------
    rho : float
        :math:`\rho > 1/2`, without unit, where :math:`\gamma_n \sim \rho d / (\lambda_{\min} n)`.
        Smaller values forget the start more slowly than the noise averages out; the useful range is
        1 to 1.6. At 4/3, :math:`n \gamma_n` tends to the c of the paper's listing.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        :math:`\theta_n`.
    cycle : ndarray of shape (n,)
        The cycle m, from 1.
    outcomes : ndarray of shape (n, capacity)
        Rewards of exploration, sample by sample.

    Notes
    -----
    Departs from the paper's listing, which divides by 0 and diverges:

    - n counts samples of exploration from 1, and the arm is b of ((n-1) mod d) + 1;
    - the step is Theorem 2's :math:`c / (4 (c + n))`, not c / n. It is clipped at 1/L, without
      which it would diverge on an ellipsoid with long semi-axes;
    - the point played is the one with the largest reward; the paper's text has losses.

    Where rewards come late, it plays on as ``PEGE`` does. A sample waits until all earlier ones are
    there: a reward that never comes delays the samples of the other points by a cycle.

    If the strong convexity constant is taken at the end of a cycle, Theorem 2 needs :math:`\rho` in
    (4/3, 2) and Theorem 1 in (2/3, 1), and the two intervals do not overlap. The first :math:`c`
    samples have steps of about 1/4, whatever the units of the set. A short basis therefore forgets
    the start slowly, by a factor :math:`1 - \lambda_{\min} / (4 d)` per sample.

    On an ellipsoid the basis consists of the semi-axes. The shortest one determines the steps;
    along a semi-axis :math:`\sqrt\kappa` times as long the noise is that of :math:`\rho \kappa`. A
    basis with equal steps, :math:`\sum_i b_i b_i^\top \propto I`, avoids this but is worse: it
    measures the long semi-axes, which matter most, as badly as the short ones.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015, Algorithm 1 and Theorem 2.
    """

    paper: ClassVar = "Korda et al. 2015, Algorithm 1"
    search: ClassVar = {"rho": Linear(0.6, 2.5)}
    loadable: ClassVar = {
        "outcomes": Loadable("_ any"),
        "_place": Loadable(most=lambda self: self.task.dim + self.cycle),
    }

    rho: float = checked(
        ruled(lambda x: 1 / 2 < x < np.inf, "must be > 1/2 for theta to converge"), 4 / 3
    )

    def _start(self) -> None:
        super()._start()
        dim, points = self.task.dim, self.task.action_set
        known = samples_within(self.task.horizon or 0, dim)
        capacity = _doubled(2 * dim, known if known * self.n <= _AT_FIRST else 0)
        self.outcomes = np.zeros((self.n, capacity))
        self._keys = Stream(self.seeds, AGENT, DRAWS, 0).keys
        # Squares of a tiny set may be 0: hence the bound on L, and 1 / c, then 0, in place of c.
        most = 1 / max(float((points.basis * points.basis).sum(axis=1).max()), 1e-300)
        self._pace = points.basis_strength / (4 * float(self.rho) * dim), most

    def consistent(self) -> bool:
        """Whether there is room for the outcomes of all samples."""
        dim, capacity = self.task.dim, self.outcomes.shape[1]
        last = (self._counts() - 1) * dim + np.arange(dim)
        return capacity >= 2 * dim and bool((last < capacity).all())

    def _counts(self) -> np.ndarray:
        """How many rewards of each row of the basis have come, (n, d)."""
        return self._played() - self._unanswered

    def _fit_one(self, samples, rewards) -> None:
        dim, which = self.task.dim, np.flatnonzero(samples[1])
        numbers, rows = samples[0, which], np.arange(dim)
        self._make_room(int(numbers.max()) + 1)
        self.outcomes[which, numbers] = rewards[which, 0]
        counts = self._counts()
        known = (counts * dim + rows).min(axis=1)  # the first sample that is missing
        counts[which, numbers % dim] -= 1
        learned = np.maximum((counts * dim + rows).min(axis=1), 0)
        new = np.maximum(known - learned, 0)
        most = int(new.max())
        outcomes = np.zeros((self.n, most))
        for i in np.flatnonzero(new):
            outcomes[i, : new[i]] = self.outcomes[i, learned[i] : learned[i] + new[i]]
        ended = np.zeros(self.n, np.int64)
        estimates = np.empty((most // dim + 2, self.n, dim))
        self._fit(np.stack([learned, new, ended]), outcomes, estimates)

    def _fit(self, samples, rewards, estimates) -> None:
        self._make_room(int((samples[0] + samples[1]).max()))
        given = self._basis, self._pace, self._keys, samples, rewards
        _descend(self.theta, self.outcomes, *given, estimates)

    def _make_room(self, samples: int) -> None:
        kept = self.outcomes
        capacity = _doubled(kept.shape[1], samples)
        if capacity > kept.shape[1]:
            self.outcomes = np.zeros((self.n, capacity))
            self.outcomes[:, : kept.shape[1]] = kept


def samples_within(rounds: int, dim: int) -> int:
    """How many of the first ``rounds`` rounds explore."""
    both = 2 * dim + 1  # m cycles have m (2 d + 1 + m) / 2 rounds
    cycles = (math.isqrt(both * both + 8 * rounds) - both) // 2  # the most that have ended
    return cycles * dim + min(dim, rounds - cycles * (both + cycles) // 2)


def _doubled(capacity: int, samples: int) -> int:
    """``capacity``, doubled until it exceeds ``samples``."""
    while capacity <= samples:
        capacity *= 2
    return capacity


@compiled
def _descend(theta, outcomes, basis, pace, keys, samples, rewards, estimates):
    """Keep each new outcome and make a step for it; ``pace`` is 1 / c and 1 / L."""
    firsts, counts = samples[0], samples[1]
    n, most = counts.shape[0], 1
    for i in range(n):
        most = max(most, counts[i])
        own = outcomes[i, firsts[i] : firsts[i] + counts[i]]
        for s in range(counts[i]):
            own[s] = rewards[i, s]
    # Draw first, and then read what was drawn, so that many slow reads of memory overlap. While
    # steps are made, what the next replicates drew is fetched.
    together = min(n, max(1, _AT_ONCE // most))
    uniforms, steps, values = np.empty(most), np.empty(most), np.empty((together, most))
    drawn, coming = np.zeros((2, together, most), np.int64)
    laid_out = -1
    _draw_each(keys, 0, firsts, counts, uniforms, coming)
    for start in range(0, n, together):
        drawn, coming = coming, drawn
        stop = min(start + together, n)
        _draw_each(keys, stop, firsts, counts, uniforms, coming)
        for i in range(start, stop):
            for s in range(counts[i]):
                values[i - start, s] = outcomes[i, np.uint64(drawn[i - start, s])]
        for i in range(start, stop):
            if firsts[i] != laid_out:  # the replicates' samples mostly have the same numbers
                laid_out = firsts[i]
                for s in range(most):
                    steps[s] = min(0.25 / (1.0 + (laid_out + s + 1) * pace[0]), pace[1])
            found = drawn[i - start], values[i - start], steps
            # Rows of replicates with fewer samples hold stale numbers, which are only fetched.
            ahead = outcomes[min(i + together, n - 1)], coming[i - start]
            _follow(theta, i, basis, firsts[i], counts[i], found, ahead, estimates)


@borrowing
def _draw_each(keys, start, samples, counts, uniforms, drawn):
    """For each new sample draw one of those so far; a row per replicate, from ``start`` on."""
    for i in range(start, min(start + drawn.shape[0], counts.shape[0])):
        row, first = drawn[i - start], samples[i]
        for s in range(counts[i]):
            uniforms[np.uint64(s)], _ = uniform_pair(keys[i, 0], keys[i, 1], first + s + 1, 0)
        for s in range(counts[i]):
            row[s] = int(uniforms[s] * (first + s + 1))


@borrowing
def _follow(theta, i, basis, first, count, found, ahead, estimates):
    """Make the steps of replicate i, and write the estimates after explorations that end.

    ``found`` are the numbers of the samples drawn, which are overwritten, their outcomes, and the
    lengths of the steps, each (c,). ``ahead`` are another replicate's outcomes and the samples that
    it drew, which are fetched.
    """
    drawn, values, steps = found
    dim = theta.shape[1]
    for s in range(count):
        # The remainder; the quotient of such numbers never rounds up to the next whole number.
        drawn[s] -= dim * int(drawn[s] / dim)
    done, left, ended = 0, dim - first % dim, 0
    while done < count:
        last = min(done + left, count)
        for k in range(done, last):
            s = np.uint64(k)  # an unsigned index is not wrapped around
            fetch(ahead[0], ahead[1][s])
            _step(theta[i], basis, np.uint64(drawn[s]), values[s], steps[s])
        if last - done == left:
            for j in range(dim):
                estimates[ended, i, j] = theta[i, j]
            ended += 1
        done, left = last, dim


@borrowing
def _step(theta, basis, arm, outcome, step):
    """A gradient step of an estimate (d,) with an outcome of an arm of the basis."""
    dim = theta.shape[0]
    if basis.shape[0] < dim:
        x = basis[0, arm]
        theta[arm] += step * (outcome - x * theta[arm]) * x
        return
    mean = 0.0
    for j in range(dim):
        mean += basis[arm, j] * theta[j]
    step *= outcome - mean
    for j in range(dim):
        theta[j] += step * basis[arm, j]
