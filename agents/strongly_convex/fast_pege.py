"""FastPEGE: PEGE with gradient descent for the estimate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.basis_exploration import BasisExploration
from agents.parts.estimators.samples import DRAWS
from agents.search import Linear
from banditgym.compiled import borrowing, compiled
from banditgym.streams import AGENT, Stream, uniform_pair
from banditgym.validation import real

_AT_ONCE = 1024  # samples that are drawn before any is read


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

    A step costs O(1) if the basis lies along the coordinate axes, else O(d). A round of exploration
    costs O(d) to write its point; a round of exploitation costs O(1). Memory: n (2 d + 3) numbers,
    d² that all replicates share, and room for up to twice the samples of exploration. Of these
    there are about :math:`d \sqrt{2 T}` after T rounds of many cycles, and at most T.

    Parameters
    ----------
    rho : float
        :math:`\rho > 1/2`, where :math:`\gamma_n \sim \rho d / (\lambda_{\min} n)`. Smaller values
        forget the start more slowly than the noise averages out; the useful range is 1 to 1.6. At
        4/3, :math:`n \gamma_n` tends to the c of the paper's listing.

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

    Like ``PEGE`` it learns only from rewards of the next point.

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

    rho: float = 4 / 3

    def __post_init__(self):
        if not 1 / 2 < real("rho", self.rho) < np.inf:
            raise ValueError(f"rho must be > 1/2 for theta to converge, got {self.rho}")

    def _start(self) -> None:
        super()._start()
        dim, points = self.task.dim, self.task.action_set
        self.outcomes = np.zeros((self.n, 2 * dim))
        self._keys = Stream(self.seeds, AGENT, DRAWS, 0).keys
        # Squares of a tiny set may be 0: hence the bound on L, and 1 / c, then 0, in place of c.
        most = 1 / max(float((points.basis * points.basis).sum(axis=1).max()), 1e-300)
        self._pace = points.basis_strength / (4 * float(self.rho) * dim), most

    def _fit_samples(self, samples, counts, rewards, estimates) -> bool:
        learned = int((samples + counts).max())
        room = self.outcomes.shape[1]
        while room <= learned:
            room *= 2
        if room > self.outcomes.shape[1]:
            # The operating system gives these zeros their memory when samples are written there.
            kept, self.outcomes = self.outcomes, np.zeros((self.n, room))
            self.outcomes[:, : kept.shape[1]] = kept
        return _descend(
            self.theta, self.outcomes, self._basis, self._pace, self._keys,
            (samples, counts, rewards), estimates,
        )  # fmt: skip


@compiled
def _descend(theta, outcomes, basis, pace, keys, given, estimates):
    """Keep the rewards and make a step for each; ``pace`` is 1 / c and 1 / L.

    Returns whether any exploration has ended.
    """
    samples, counts, rewards = given
    n, most = rewards.shape
    some = False
    # Draws first, and then what they point at: many slow reads of memory are under way at once.
    together = min(n, max(1, _AT_ONCE // most))
    uniforms, steps, values = np.empty(most), np.empty(most), np.empty((together, most))
    drawn = np.empty((together, most), np.int64)
    for start in range(0, n, together):
        stop = min(start + together, n)
        for i in range(start, stop):
            if samples[i] >= 0:
                _draw(outcomes, keys, i, samples[i], counts[i], rewards, uniforms, drawn[i - start])
        for i in range(start, stop):
            if samples[i] >= 0:
                for s in range(counts[i]):
                    values[i - start, s] = outcomes[i, np.uint64(drawn[i - start, s])]
        for i in range(start, stop):
            if samples[i] >= 0:
                found = drawn[i - start], values[i - start], steps
                some |= _follow(theta, i, basis, pace, samples[i], counts[i], found, estimates)
    return some


@borrowing
def _draw(outcomes, keys, i, first, count, rewards, uniforms, drawn):
    """Keep the rewards of replicate i, and draw a sample for each of them."""
    for s in range(count):
        outcomes[i, first + s] = rewards[i, s]
    for s in range(count):
        uniforms[np.uint64(s)], _ = uniform_pair(keys[i, 0], keys[i, 1], first + s + 1, 0)
    for s in range(count):
        drawn[s] = int(uniforms[s] * (first + s + 1))


@borrowing
def _follow(theta, i, basis, pace, first, count, found, estimates):
    """Make the steps of replicate i, and write the estimates after explorations that end.

    ``found`` are the numbers of the samples drawn and their outcomes, and room for the lengths of
    the steps, each (c,); all but the outcomes are overwritten. Returns whether any exploration has
    ended.
    """
    drawn, values, steps = found
    dim = theta.shape[1]
    for s in range(count):
        steps[s] = min(0.25 / (1.0 + (first + s + 1) * pace[0]), pace[1])
        # The remainder; the quotient of such numbers never rounds up to the next whole number.
        drawn[s] -= dim * int(drawn[s] / dim)
    left, ended = dim - first % dim, 0
    for s in range(count):
        _step(theta, i, basis, drawn[s], values[s], steps[s])
        left -= 1
        if left == 0:
            for j in range(dim):
                estimates[ended, i, j] = theta[i, j]
            left, ended = dim, ended + 1
    return ended > 0


@borrowing
def _step(theta, i, basis, arm, outcome, step):
    """A gradient step of replicate i with an outcome of an arm of the basis."""
    dim = theta.shape[1]
    if basis.shape[0] < dim:
        x = basis[0, arm]
        theta[i, arm] += step * (outcome - x * theta[i, arm]) * x
        return
    mean = 0.0
    for j in range(dim):
        mean += basis[arm, j] * theta[i, j]
    step *= outcome - mean
    for j in range(dim):
        theta[i, j] += step * basis[arm, j]
