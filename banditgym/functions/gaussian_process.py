r"""Draws of a Gaussian process at given points, and the spectra of its covariance functions.

A stationary covariance is the mean of cosines (Bochner): with frequencies :math:`\omega` from its
spectral distribution,

.. math:: k(x, y) = s\,\mathbb{E}\cos\langle\omega, x - y\rangle,
    \qquad \omega = \frac{g}{l} \text{ (RBF)},
    \qquad \omega = \frac{g}{l}\sqrt{\frac{2\nu}{\chi^2_{2\nu}}} \text{ (Matérn)},

with standard normals g; for Matérn the distribution is a multivariate Student's t of :math:`2\nu`
degrees of freedom [1]_.

References
----------
.. [1] C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press 2006,
   sections 4.2.1 and A.2.
.. [2] A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. NIPS 2007.
"""

import math

import numpy as np

from banditgym.compiled import compiled
from banditgym.elementary import each_cos, each_sin
from banditgym.functions.covariances import RBF, Covariance, Linear, Matern
from banditgym.linalg.definite import upper_factor
from banditgym.streams import Stream

EXACT_POINTS = 5000  # draws at up to so many points are exact: the factor then takes 200 MB
N_FEATURES = 4096  # features of draws at more points
JITTER = 1e-8  # default share of the variance that is independent at every point in exact draws
_AT_ONCE = 64  # points whose features are held at once: 2 MB


def least_jitter(n_points: int) -> float:
    """The jitter 2 K² eps, with which the factor of K points always exists; 1.1e-8 at 5000 points.

    By theorem 10.7 of Higham, Accuracy and Stability of Numerical Algorithms, half would suffice.
    """
    return 2 * n_points * n_points * float(np.finfo(np.float64).eps)


def frequency_normals(covariance: Covariance, dim: int) -> int:
    """How many standard normals a frequency needs: d, and 2 nu more for a Matérn kernel.

    Raises
    ------
    ValueError
        For ``Linear``, which is not stationary and has no spectrum.
    """
    if isinstance(covariance, Linear):
        raise ValueError("a linear covariance is not stationary and has no spectrum")
    return dim + (round(2 * covariance.nu) if isinstance(covariance, Matern) else 0)


def spectral_frequencies(covariance: RBF | Matern, normals: np.ndarray) -> np.ndarray:
    """Frequencies (m, d) of the spectral distribution, in radians per unit of the points.

    Parameters
    ----------
    covariance : RBF or Matern
    normals : ndarray of shape (m, frequency_normals(covariance, d))
        Independent standard normals.

    Examples
    --------
    >>> spectral_frequencies(RBF(length_scale=0.5), np.array([[1.0, -2.0]]))
    array([[ 2., -4.]])
    """
    if not isinstance(covariance, Matern):
        return normals / covariance.length_scale
    degrees = round(2 * covariance.nu)
    chi_squared = np.zeros(len(normals))
    for column in normals.T[:degrees]:
        chi_squared += column * column
    scale = np.sqrt(degrees / chi_squared) / covariance.length_scale
    return normals[:, degrees:] * scale[:, None]


class PriorDraws:
    r"""Draws at K points of a Gaussian process of mean 0: ``draw`` turns normals into values.

    Work that all draws share is done once, here. A draw is a linear map of its own normals, so its
    values do not depend on other draws in any bit.

    - ``Linear``: :math:`f(x) = \sqrt{s}\langle x, w\rangle`, exact at any K, from d normals.
    - Up to ``EXACT_POINTS`` points: :math:`f = L w` with :math:`L L^\top = k(X, X) + j s I`,
      from K normals. The jitter j keeps the factor accurate where points coincide. It gives each
      value an independent error of deviation :math:`\sqrt{j s}`, :math:`10^{-4} \sqrt{s}` by
      default. Time :math:`K^3/3` once and :math:`K^2` per draw, memory :math:`K^2`.
    - At more points: random Fourier features [2]_, :math:`f(x) = \sqrt{2s/D}\, \sum_{j \le D/2} w_j
      \cos \langle\omega_j, x\rangle + w'_j \sin\langle\omega_j, x\rangle`, from D = 4096
      (``N_FEATURES``) normals. All draws share the frequencies. Given these, f is a draw of a
      process with exact variances, whose covariances differ from k with a deviation of at most
      :math:`s/\sqrt{D}`, 0.016 s. Time K D per call for the features, and K D per draw; memory for
      the features of 64 points.

    Parameters
    ----------
    covariance : RBF, Matern or Linear
    points : ndarray of shape (K, d)
    stream : Stream
        Stream of one replicate; frequencies, if any, come from its normals of round 0.
    jitter : float
        j, raised to ``least_jitter(K)``.

    Attributes
    ----------
    n_normals : int
        How many standard normals a draw needs.

    Examples
    --------
    >>> from banditgym.streams import ENVIRONMENT, Stream
    >>> points = np.linspace(0, 1, 50)[:, None]
    >>> draws = PriorDraws(RBF(), points, Stream([0], ENVIRONMENT, 1, 0))
    >>> draws.n_normals
    50
    >>> draws.draw(Stream([7, 8, 9], ENVIRONMENT, 0, 0).normal(0, (50,))).shape
    (3, 50)
    """

    def __init__(
        self, covariance: Covariance, points: np.ndarray, stream: Stream, jitter: float = JITTER
    ):
        points = np.array(points, dtype=np.float64, order="C")
        n_points, dim = points.shape
        self._points: np.ndarray | None = None  # the points of features made 64 at a time
        self._triangular = False
        if isinstance(covariance, Linear):
            self._scale = math.sqrt(covariance.variance)
            self._basis = np.array(points.T, order="C")
            self.n_normals = dim
        elif n_points <= EXACT_POINTS:
            self._scale = math.sqrt(covariance.variance)
            self._basis = _factor(covariance, points, max(jitter, least_jitter(n_points)))
            self._triangular = True
            self.n_normals = n_points
        else:
            n_frequencies = N_FEATURES // 2
            shape = (n_frequencies, frequency_normals(covariance, dim))
            self._scale = math.sqrt(covariance.variance / n_frequencies)
            self._frequencies = spectral_frequencies(covariance, stream.normal(0, shape)[0])
            self._points = points
            self.n_normals = N_FEATURES

    def draw(self, normals: np.ndarray) -> np.ndarray:
        """The values (n, K) of n draws from standard normals (n, n_normals)."""
        normals = np.array(normals, dtype=np.float64, order="C")
        if self._points is None:
            values = np.zeros((len(normals), self._basis.shape[1]))
            _add_combinations(self._basis, normals, self._triangular, values)
        else:
            values = np.empty((len(normals), len(self._points)))
            for start in range(0, len(self._points), _AT_ONCE):
                points = self._points[start : start + _AT_ONCE]
                angles = Linear()(self._frequencies, points)  # (D / 2, points)
                basis = np.concatenate([each_cos(angles), each_sin(angles)])
                values_there = np.zeros((len(normals), len(points)))
                _add_combinations(basis, normals, False, values_there)
                values[:, start : start + _AT_ONCE] = values_there
        values *= self._scale
        return values


def _factor(covariance: RBF | Matern, points: np.ndarray, jitter: float) -> np.ndarray:
    """Upper triangular U (K, K) with U^T U the correlations of the points, and the jitter."""
    gram = covariance(points, points)
    gram /= covariance.variance
    gram[np.diag_indices(len(gram))] += jitter
    bad = upper_factor(gram)
    if bad >= 0:
        raise ArithmeticError(f"the covariances of the points have no factor, from point {bad} on")
    return gram


@compiled
def _add_combinations(basis, weights, triangular, out):
    """Add to rows i of out (n, K) the sums over j of ``weights[i, j] * basis[j]``, basis (m, K).

    ``triangular``: row j of the basis is 0 before its element j. Rows are added four at a time, for
    all i before the next four come: the basis is read once.
    """
    m, size = basis.shape
    for j in range(0, m - 3, 4):
        b0, b1, b2, b3 = basis[j], basis[j + 1], basis[j + 2], basis[j + 3]
        start = j if triangular else 0
        for i in range(out.shape[0]):
            w0, w1, w2, w3 = weights[i, j], weights[i, j + 1], weights[i, j + 2], weights[i, j + 3]
            row = out[i]
            for k in range(start, size):
                u = np.uint64(k)  # never negative, so that the loop is vectorised
                row[u] += (w0 * b0[u] + w1 * b1[u]) + (w2 * b2[u] + w3 * b3[u])
    for j in range(m - m % 4, m):
        for i in range(out.shape[0]):
            for k in range(size):
                out[i, k] += weights[i, j] * basis[j, k]
