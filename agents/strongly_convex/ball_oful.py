"""BallOFUL: optimism over balls, spheres and ellipsoids."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level, norm_bound
from agents.numerics.ridge.cholesky import add_outer
from agents.parts.confidence import check_radius, self_normalized
from agents.parts.estimators import Ridge
from agents.search import Log
from banditgym.action_sets import Ball, Ellipsoid, Sphere
from banditgym.compiled import compiled, inlined
from banditgym.elementary import log
from banditgym.linalg.diagonal import slim_product
from banditgym.linalg.elimination import solve
from banditgym.linalg.symmetric import eigensystem
from banditgym.tasks import ConvexSetTask

_EPS = 2.0**-52
_MOST = 100  # bound on steps of Newton's method, which takes fewer than ten
_LEAST = 1e-280


@dataclass(kw_only=True, eq=False)
class BallOFUL(Agent):
    r"""Optimism in the face of uncertainty on balls, spheres and ellipsoids.

    With ridge regression :math:`\hat\theta_t, V_t` of the past points, round :math:`t` plays

    .. math:: x_t = \arg\max_{x \in \mathcal{D}} \; \langle x, \hat\theta_t \rangle
        + \rho_t \lVert x \rVert_{V_t^{-1}}, \qquad
        \rho_t = \sqrt\lambda S + R\sqrt{2\log(1/\delta) + \log(\det V_t / \lambda^d)}.

    The sum is the largest :math:`\langle x, \theta\rangle` over the confidence set :math:`\{\theta
    : \lVert\theta - \hat\theta_t\rVert_{V_t} \le \rho_t\}`. Let :math:`\tilde\theta_t` be the
    parameter in that set whose best point has the largest reward; :math:`x_t` is its best point.
    Let :math:`\mathcal{D}` have semi-axes :math:`a_k` along the orthonormal :math:`u_k`; for balls
    and spheres all of them are the radius. The reward of the best point for :math:`\theta` is
    :math:`\lVert\phi\rVert` with :math:`\phi_k = a_k \langle u_k, \theta\rangle`, so a norm has to
    be maximised over an ellipsoid :math:`\lVert\phi - \hat\phi\rVert_G \le \rho_t`. In the
    eigenbasis of :math:`G`, with eigenvalues :math:`v_0 \le v_1 \le ..` and coordinates :math:`f_k`
    of :math:`\hat\phi`,

    .. math:: \tilde\phi_k = \frac{(1 + \tau) w_k}{g_k + \tau w_k} f_k, \qquad
        \sum_k v_k \frac{f_k^2}{(g_k + \tau w_k)^2} = \rho_t^2, \qquad
        w_k = \frac{v_k}{v_0}, \quad g_k = w_k - 1,

    where :math:`\tau > 0` is the only root, and :math:`(1 + \tau) / v_0` is the multiplier of the
    constraint. If the sum is less than :math:`\rho_t^2` even at :math:`\tau = 0`, then
    :math:`\hat\phi` has no component along :math:`v_0`, and :math:`\tilde\phi_0 = ((\rho_t^2 -
    \sum) / v_0)^{1/2}`. This is the case in the first round, which plays a longest semi-axis.

    A round costs O(d³) per replicate, for an eigendecomposition. Memory: n (d² + d) numbers.

    Its definition is ``tests/agents/definitions/strongly_convex/ball_oful.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared points.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant (the guarantee is then lost).
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per length of a point; the task's if
        None.
    radius : "theory" or float
        ``theory``: the :math:`\rho_t` above; a number: that constant, >= 0, in units of reward.

    Attributes
    ----------
    gram : ndarray of shape (n, d, d)
        :math:`G = \lambda\, \mathrm{diag}(a_k^{-2}) + \sum_s z_s z_s^\top` with :math:`z_{s,k} =
        \langle u_k, x_s\rangle / a_k`: this is V in the coordinates of :math:`\phi`.
    moment : ndarray of shape (n, d)
        :math:`\sum_s r_s z_s`.

    Notes
    -----
    Balls of other norms are refused, because :math:`\lVert\theta\rVert_q` has many local maxima
    over an ellipsoid. The radius is recomputed every round; the paper's section 5.1 recomputes it
    only when the determinant has grown by a constant factor.

    References
    ----------
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, Figure 1 and Theorem 2. The root is found as in trust-region methods: J. Moré,
    D. Sorensen. Computing a Trust Region Step. SIAM J. Sci. Stat. Comput. 4, 1983.
    """

    accepts: ClassVar = (ConvexSetTask,)
    paper: ClassVar = "Abbasi-Yadkori et al. 2011, Figure 1"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}
    scope: ClassVar = "balls, spheres, ellipsoids"
    from_task: ClassVar = {"noise_std": noise_level, "param_norm": norm_bound}

    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def __post_init__(self):
        Ridge(ridge=self.ridge)
        check_radius(self, ("theory",))

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and not isinstance(task.action_set, Ball | Ellipsoid | Sphere):
            return f"it plays balls, spheres and ellipsoids; this set is {task.action_set}"
        return reason

    def _start(self) -> None:
        dim, n, points = self.task.dim, self.n, self.task.action_set
        if isinstance(points, Ellipsoid):
            axes, self._whitening = points.axes, points.whitening.copy()
        else:
            axes = np.full(dim, float(points.radius))
            self._whitening = 1 / axes[None]
        least = float(self.ridge) / (axes * axes)  # eigenvalues before any data
        self.gram = np.tile(np.diag(least), (n, 1, 1))
        self.moment = np.zeros((n, dim))
        self._floor = float(least.min())
        self._log_det = np.empty(1)  # log det of the matrix before any data
        _log_determinants(least[None], self._floor, self._log_det)

    @property
    def theta(self) -> np.ndarray:
        """The ridge estimate (n, d), solved anew."""
        phi, theta = np.empty(self.moment.shape), np.empty(self.moment.shape)
        _solve(self.gram, self.moment, phi)
        _back(self._whitening, phi, theta)
        return theta

    def radii(self) -> np.ndarray:
        """The radius of each replicate's confidence set in the coming round, (n,)."""
        return self._radii(self._eigensystems()[0])

    def _eigensystems(self) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = np.empty(self.moment.shape), np.empty(self.gram.shape)
        _decompose(self.gram, values, vectors)
        return values, vectors

    def _radii(self, values: np.ndarray) -> np.ndarray:
        if not isinstance(self.radius, str):
            return np.full(self.n, float(self.radius))
        log_det = np.empty(self.n)
        _log_determinants(values, self._floor, log_det)
        return self_normalized(
            log_det - self._log_det,
            ridge=float(self.ridge),
            delta=float(self.delta),
            noise_std=float(self.known("noise_std")),
            param_norm=float(self.known("param_norm")),
        )

    def _choose(self, contexts) -> np.ndarray:
        values, vectors = self._eigensystems()
        phi, theta = np.empty(self.moment.shape), np.empty(self.moment.shape)
        _most_rewarding(values, vectors, self.moment, self._radii(values), self._floor, phi)
        _back(self._whitening, phi, theta)
        return self.task.action_set.argmax(theta)

    def _learn(self, contexts, actions, reward, observed) -> None:
        _absorb(self.gram, self.moment, self._whitening, actions, reward, observed)


@compiled
def _decompose(gram, values, vectors):
    n, dim = values.shape
    for i in range(n):
        own_values, own_vectors = eigensystem(gram[i])
        for j in range(dim):
            values[i, j] = own_values[j]
            for k in range(dim):
                vectors[i, j, k] = own_vectors[j, k]


@compiled
def _solve(gram, moment, phi):
    n, dim = moment.shape
    right = np.empty((dim, 1))
    for i in range(n):
        for j in range(dim):
            right[j, 0] = moment[i, j]
        solution = solve(gram[i], right)
        for j in range(dim):
            phi[i, j] = solution[j, 0]


@compiled
def _log_determinants(values, floor, out):
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(values.shape[1]):
            total += log(max(values[i, k], floor))
        out[i] = total


@compiled
def _most_rewarding(values, vectors, moment, radius, floor, phi):
    """Write the phi (n, d) of largest norm in each replicate's confidence set.

    Eigenvalues (n, d), ascending, are raised to ``floor``, their lower bound in exact arithmetic.
    """
    n, dim = moment.shape
    v, f = np.empty(dim), np.empty(dim)
    for i in range(n):
        for k in range(dim):
            v[k] = max(values[i, k], floor)
            total = 0.0
            for j in range(dim):
                total += vectors[i, j, k] * moment[i, j]
            f[k] = total / v[k]
        _stretch_to_the_end(v, f, radius[i])
        for j in range(dim):
            total = 0.0
            for k in range(dim):
                total += vectors[i, j, k] * f[k]
            phi[i, j] = total


@inlined
def _stretch_to_the_end(v, f, radius):
    """Move the centre f (d,) of the ellipsoid to its point of largest norm, in place."""
    dim = v.shape[0]
    if radius == 0.0:
        return
    # The least tau at which no term of the sum alone exceeds radius²: there the sum is between
    # radius² and d times that, from where Newton's method on sum^(-1/2), concave, only goes up.
    tau = 0.0
    for k in range(dim):
        w = v[k] / v[0]
        tau = max(tau, (math.sqrt(v[k]) * abs(f[k]) / radius - (v[k] - v[0]) / v[0]) / w)
    if not tau < 1.0 / _EPS:  # the ellipsoid is its centre, up to rounding
        return
    if tau < _LEAST:  # 1 / tau might overflow; so little along v_0 counts as none
        tau = 0.0
    root = 0.0
    for _ in range(_MOST):
        total, slope = 0.0, 0.0
        for k in range(dim):
            w = v[k] / v[0]
            below = (v[k] - v[0]) / v[0] + tau * w
            if below > 0.0:
                term = v[k] * (f[k] / below) * (f[k] / below)
                total += term
                slope += term * w / below
        root = math.sqrt(total)
        if not root > radius * (1.0 + (dim + 4) * _EPS):
            break
        following = tau + (root / radius - 1.0) * total / slope
        if not following > tau:
            break
        tau = following
    for k in range(dim):
        w = v[k] / v[0]
        below = (v[k] - v[0]) / v[0] + tau * w
        if below > 0.0:
            f[k] *= (1.0 + tau) * w / below
    if tau == 0.0:
        f[0] = radius * math.sqrt(max(1.0 - (root / radius) * (root / radius), 0.0) / v[0])


@compiled
def _back(whitening, phi, theta):
    """Write the theta (n, d) whose coordinates times the semi-axes are phi (n, d)."""
    for i in range(phi.shape[0]):
        slim_product(whitening, phi[i], theta[i])


@compiled
def _absorb(gram, moment, whitening, points, reward, observed):
    n, dim = points.shape
    z = np.empty(dim)
    for i in range(n):
        if not observed[i]:
            continue
        for k in range(dim):
            if whitening.shape[0] < dim:
                z[k] = whitening[0, k] * points[i, k]
                continue
            z[k] = 0.0
            for j in range(dim):
                z[k] += whitening[j, k] * points[i, j]
        add_outer(gram[i], 1.0, z)
        for k in range(dim):
            moment[i, k] += reward[i] * z[k]
