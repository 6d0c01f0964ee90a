"""SOFUL: OFUL with a sketch of the features in place of the Gram matrix."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.confidence import sketched
from agents.parts.confidence.theorem_radius import TheoremRadius
from agents.parts.estimators import FrequentDirections
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class SOFUL(TheoremRadius):
    r"""OFUL by frequent directions: O(m d) memory and time per arm, where OFUL needs O(d²).

    With the sketch :math:`S_t` of the past features in m rows, its shrinkage :math:`\rho_t`,
    :math:`\tilde V_t = \lambda I + S_t^\top S_t` and
    :math:`\tilde\theta_t = \tilde V_t^{-1} \sum_{s<t} r_s x_s`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \tilde\theta_t \rangle
        + \beta_t \lVert x_{t,k} \rVert_{\tilde V_t^{-1}},
    .. math:: \beta_t = R \sqrt{1 + \frac{\rho_t}{\lambda}} \sqrt{2 \log\frac{1}{\delta}
        + \log\frac{\det \tilde V_t}{\lambda^d} + d \log\left(1 + \frac{\rho_t}{\lambda}\right)}
        + \sqrt\lambda S \left(1 + \frac{\rho_t}{\lambda}\right).

    While the features played span fewer than m dimensions it is ``OFUL``, and with :math:`m \ge d +
    1` always. If the sketch is too small, :math:`\rho_t`, the radius and the regret grow with t. A
    round costs :math:`O(K m d + m^2 d)` per replicate; for memory see
    ``agents.estimators.FrequentDirections``.

    Its definition is ``tests/agents/definitions/linear/soful.py``.

    Parameters
    ----------
    size : int
        m >= 1, the rows of the sketch; at most m - 1 of them are full between rounds. The default
        is exact for up to 19 features.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant (the guarantee is then lost).
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per unit of features; the task's if
        None.
    radius : "theory" or float
        ``theory``: the radius above; a number: that constant, in units of reward, as in LinUCB.

    Attributes
    ----------
    model : agents.parts.estimators.frequent_directions.SketchedArms
        The estimator's state.

    Notes
    -----
    The radius has the log-determinant in place of the paper's bound on it,
    :math:`m \log(1 + t L^2/(m \lambda))`, and so needs no bound on the features.
    ``agents.confidence`` proves its coverage. The sketch is rotated every round, not every m
    rounds.

    References
    ----------
    I. Kuzborskij, L. Cella, N. Cesa-Bianchi. Efficient Linear Bandits through Matrix Sketching.
    AISTATS 2019, Algorithms 1 and 2.

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> env = gymnasium.make("LinearBandit-v0", dim=5, horizon=200)
    >>> sketched = agents.play(env, agents.SOFUL(size=6))
    >>> bool((sketched.pulls == agents.play(env, agents.OFUL()).pulls).all())
    True
    """

    paper: ClassVar = "Kuzborskij et al. 2019, Algorithm 2"
    search: ClassVar = {"size": Log(5, 60), "radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}
    bounded: ClassVar = {}

    size: int = FrequentDirections.size
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def _regression(self) -> FrequentDirections:
        return FrequentDirections(size=self.size, ridge=self.ridge)

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        model = self.model
        return sketched(model.log_det, model.shrinkage, dim=self.task.dim, **self._known)
