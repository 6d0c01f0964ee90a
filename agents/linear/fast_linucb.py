"""FastLinUCB: LinUCB in O(d) a round, with gradient steps for the estimate and the widths."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.choice import most_optimistic
from agents.numerics.ridge.inverse_descent import step_fixed_inverses, variance_by_descent
from agents.parts.estimators import SAG, SVRG, GradientDescent, PolyakAveraging
from agents.search import Log
from agents.storage.loadable import Loadable
from banditgym.tasks import LinearTask, NewsTask
from banditgym.validation import brief, checked, nonnegative, positive, whole

_ESTIMATORS = (GradientDescent, PolyakAveraging, SVRG, SAG)


@dataclass(kw_only=True, eq=False)
class FastLinUCB(Agent):
    r"""fLinUCB: LinUCB without a matrix.

    Round :math:`t`, with n samples learned, plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \theta_n \rangle
        + \alpha \sqrt{\max(0, \langle x_{t,k}, \phi_{t,k} \rangle)},

    where :math:`\theta_n` is the estimator's parameter, which tracks the ridge solution, and
    :math:`\phi_{t,k}` is found by steps towards :math:`(\lambda I + \sum_{s \le n} x_s
    x_s^\top)^{-1} x_{t,k}`, eq. (11),

    .. math:: \phi \leftarrow \phi + \gamma \Bigl(\frac{x}{n} - (x_i^\top\phi) x_i
        - \frac{\lambda}{n} \phi\Bigr), \qquad i \text{ uniform on } 1..n.

    Where the arms change, as in news, every round takes S steps of :math:`\gamma = \min(g, 1/L)`
    from :math:`x / (\lambda + n \lVert x\rVert^2)`. The widths are then a fraction of the exact
    widths. It grows with S: 0.25, 0.33, 0.51 for S = 1, 5, 20 on unit rows in 20 dimensions. Where
    the arms are fixed, :math:`\phi` starts at :math:`x / \lambda`, is kept between rounds, and
    takes one step of :math:`\gamma_n = \min(g h / (h + n), 1/L)` per sample. Its target shrinks,
    and :math:`\phi` lags behind: along an eigenvector of :math:`\sum_s x_s x_s^\top / n` with
    eigenvalue :math:`l > 1 / (g h)` it is too long by the factor :math:`1 / (1 - 1 / (g h l))` in
    the limit. L is the largest squared length of a row learned, or of the fixed arms. Before any
    data the width is :math:`\lVert x \rVert / \sqrt\lambda`.

    A round costs :math:`O(S (S + K) d)` per replicate, with fixed arms :math:`O(K d)`. Memory: that
    of the estimator, which keeps every sample, and with fixed arms n K d numbers.

    Its definition is ``tests/agents/definitions/linear/fast_linucb.py``.

    Parameters
    ----------
    estimator : GradientDescent, PolyakAveraging, SVRG or SAG
        A part of ``agents.estimators``, whose ``ridge`` is :math:`\lambda > 0`.
    alpha : float
        Width of the bonus, :math:`\alpha \ge 0`, on the scale of the rewards; 0 is greedy.
    phi_steps : int
        S >= 1, used where arms change.
    phi_step : float
        g > 0, in units of one over the squared features.
    phi_decay : float
        h > 0, in samples, used where arms are fixed: after h samples a step is half as long.

    Attributes
    ----------
    model : agents.parts.estimators.samples.Descending
        The estimator's state: ``theta`` and more.

    Notes
    -----
    The paper gives neither the steps nor :math:`\lambda` nor :math:`\alpha`. In a replicate all
    arms use the same i, and a step is at most :math:`n/\lambda`.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015, Algorithm 2 and equation (11).

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> from agents.parts.estimators import SVRG
    >>> env = gymnasium.make("LinearBandit-v0", horizon=500)
    >>> trace = agents.play(env, agents.FastLinUCB(estimator=SVRG()))
    >>> bool(trace.regret[0, -1] < 100)  # of a possible 500 or so
    True
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    follows_masks: ClassVar = True
    paper: ClassVar = "Korda et al. 2015, Algorithm 2"
    search: ClassVar = {
        "alpha": Log(0.01, 10.0),
        "estimator.step": Log(4.0, 400.0),
        "estimator.ridge": Log(0.01, 100.0),
    }
    loadable: ClassVar = {"_inverses": Loadable("_ any _")}

    estimator: GradientDescent | PolyakAveraging | SVRG | SAG = GradientDescent(  # noqa: RUF009
        step=100.0, ridge=1.0
    )
    alpha: float = checked(nonnegative, 0.1)
    phi_steps: int = checked(whole, 5)
    phi_step: float = checked(positive, 0.25)
    phi_decay: float = checked(positive, 100.0)

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.estimator, _ESTIMATORS):
            known = ", ".join(kind.__name__ for kind in _ESTIMATORS)
            raise ValueError(f"estimator must be one of {known}, got {brief(self.estimator)}")
        if not self.estimator.ridge > 0:
            raise ValueError(
                "the estimator's ridge must be > 0 for a width before data, got "
                f"{self.estimator.ridge}"
            )

    def _start(self) -> None:
        task, n = self.task, self.n
        self.model = self.estimator.reset(task, n, self.seeds)
        self._radius = np.full(n, float(self.alpha))
        self._variance = np.zeros((n, task.n_arms))  # of the arms last seen
        self._inverses = np.zeros((n, 0, task.dim))  # phi of fixed arms

    def consistent(self) -> bool:
        """Whether the arms are known where their inverses are, and all of them are."""
        arms, inverses = self.model.samples.table.shape[1], self._inverses.shape[1]
        if not self.task.fixed_arms:
            return inverses == 0
        return arms in (0, self.task.n_arms) and inverses in (0, arms)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        model = self.model
        mean, _ = model.predict(contexts)
        if self.task.fixed_arms:
            self._set_arms(contexts)
        else:
            descent = self.phi_steps, float(self.phi_step), model.steps.ridge
            variance_by_descent(model.samples.kept, *descent, contexts, self._variance)
        return most_optimistic(mean, self._variance, self._radius, self.mask)

    _propensities = Agent.one_hot

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return self.model.predict(contexts)[0][np.arange(self.n), actions]

    def _learn(self, contexts, actions, reward, observed) -> None:
        model = self.model
        if self.task.fixed_arms and not observed.any():
            return  # as ``agents.parts.estimators.fixed_arms`` does
        if self.task.fixed_arms:
            self._set_arms(contexts)
        model.update(contexts, actions, reward, observed)
        if self.task.fixed_arms:
            widths = self._inverses, self._variance
            descent = float(self.phi_step), float(self.phi_decay), model.steps.ridge
            step_fixed_inverses(model.samples.kept, *widths, *descent, observed)

    def _set_arms(self, contexts: np.ndarray) -> None:
        if not self._inverses.size:
            samples = self.model.samples
            samples.set_table(contexts)
            self._inverses = samples.table / self.model.steps.ridge
            self._variance[:] = (contexts * contexts).sum(axis=1) / self.model.steps.ridge
