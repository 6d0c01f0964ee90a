r"""Quadrature Fourier features: an RBF kernel's posterior with frequencies on a grid."""

import math
from dataclasses import dataclass

import numpy as np

from agents.numerics.kernel.hermite import nodes_and_weights
from agents.parts.posteriors.posterior import Posterior, PosteriorState
from agents.parts.posteriors.waves import Waves
from banditgym.functions.covariances import RBF, Covariance
from banditgym.tasks import KernelTask
from banditgym.validation import checked, whole

# A replicate keeps the square of what is left of these: at 5000, 200 MB.
_MOST_FEATURES = 5000
_MOST_ON_A_BOX = 1024


@dataclass(frozen=True, kw_only=True)
class QuadratureFourier(Posterior):
    r"""The posterior with Fourier features on a grid of Gauss-Hermite nodes in d dimensions.

    For ``RBF`` of length scale l and variance s, from the nodes :math:`h_j` and weights :math:`w_j`
    of the quadrature with respect to :math:`e^{-h^2}`, the frequencies and weights of multi-indices
    :math:`j = (j_1, .., j_d)` are

    .. math:: \omega_j = \frac{\sqrt 2}{l} (h_{j_1}, .., h_{j_d}), \quad
        v_j = \prod_{i=1}^d \frac{w_{j_i}}{\sqrt\pi}, \qquad
        z(x) = \bigl(\sqrt{s v_j} \cos\langle\omega_j, x\rangle,
        \sqrt{s v_j} \sin\langle\omega_j, x\rangle\bigr)_j.

    The nodes are symmetric, and the features of opposite frequencies differ only in the sign of the
    sine. So one frequency of each pair is kept, with twice the weight, and for frequency 0 only the
    cosine. This changes no product :math:`z(x)^\top z(y)` and leaves nodes^d features.

    As the number of nodes per dimension grows, the largest error falls from 1 to rounding within a
    few nodes around :math:`e D^2/(4 l^2)`, where D is the largest distance of arms in a coordinate:
    17 nodes for l = 0.2 on the unit cube. In two dimensions, kernel values of variance 1 have
    errors of at most 0.71, 0.032, 1.9e-4 and 2.9e-7 with 4, 8, 12 and 16 nodes at l = 0.3, and
    0.0042 with 16 nodes at l = 0.2.

    The features are the same for all replicates. A reset costs O(K m d), and O(K² m) for the
    rotation of more than K features into K; a pull costs O(K m + m²). Memory is that of
    ``FeatureRegression`` with one copy of the features.

    Parameters
    ----------
    nodes : int
        Number of nodes per dimension. 16 suffice on the unit cube at the length scale 0.2, for up
        to three dimensions: tasks that need more than 5000 features are refused.

    Raises
    ------
    ValueError
        If ``nodes`` is not an integer >= 1.

    References
    ----------
    M. Mutný, A. Krause. Efficient High Dimensional Bayesian Optimization with Additivity and
    Quadrature Fourier Features. NeurIPS 2018. Its additive kernels for many dimensions are not
    implemented.
    """

    nodes: int = checked(whole, 16)

    def refusal(self, task: KernelTask, covariance: Covariance) -> str | None:
        """Why it does not work for a task with a covariance; None if it does."""
        if not isinstance(covariance, RBF):
            return (
                "Gauss-Hermite nodes need the kernel RBF, and the covariance is "
                f"{type(covariance).__name__}"
            )
        if self.nodes**task.dim > _MOST_FEATURES:
            return (
                f"{self.nodes} nodes in each of {task.dim} dimensions are more than "
                f"{_MOST_FEATURES} features: take fewer nodes, or another posterior"
            )
        if task.on_box and self.nodes**task.dim > _MOST_ON_A_BOX:
            return (
                f"{self.nodes} nodes in each of {task.dim} dimensions are more than "
                f"{_MOST_ON_A_BOX} features, and on a box there are no arms to rotate them into: "
                "take fewer nodes, or another posterior"
            )
        return super().refusal(task, covariance)

    def reset(
        self, task: KernelTask, *, n: int, seeds: list[int], covariance: RBF, ridge: float
    ) -> PosteriorState:
        """The posterior before any data, for n replicates of a task with fixed arms or a box."""
        frequencies, weights = self._grid(task.dim)
        sines = np.asarray(frequencies.any(axis=1))
        scales = np.sqrt(covariance.variance * np.concatenate([weights, weights[sines]]))
        waves = Waves((frequencies / covariance.length_scale)[None], scales, sines)
        return waves.posterior(task, n, covariance, ridge)

    def _grid(self, dim: int) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies times l (m, d) and their weights (m,), one of every opposite pair."""
        roots, of_root = nodes_and_weights(self.nodes)
        nodes = np.stack(np.meshgrid(*[roots] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
        weights = np.ones(1)
        for _ in range(dim):
            weights = np.outer(weights, of_root).ravel()
        # Roots ascend and are symmetric: the grid in reverse order is the grid's opposite.
        half = len(nodes) // 2
        middle = len(nodes) % 2
        return math.sqrt(2) * nodes[: half + middle], np.concatenate(
            [2 * weights[:half], weights[half : half + middle]]
        )
