r"""Decision rules: parts of kernelized agents that choose an arm from a posterior.

Variances are in units of the ridge: :math:`\sigma^2(x) = \phi(x)^\top (\Phi^\top \Phi + \lambda
I)^{-1} \phi(x)`, which is :math:`k(x, x) / \lambda` before any data.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.choice import largest, most_optimistic
from agents.parts.batching import Batching, EveryRound, VarianceBatches
from agents.parts.confidence import (
    batched,
    check_accuracy,
    check_named,
    check_radius,
    nystrom,
    released,
    self_normalized,
    thompson_scale,
)
from agents.parts.posteriors import Exact, FixedNystrom, Nystrom
from agents.parts.posteriors.posterior import PointFunction, Posterior, PosteriorState
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import KernelTask
from banditgym.validation import probability

__all__ = ["UCB", "ThompsonSampling"]


@dataclass(frozen=True, kw_only=True)
class UCB:
    r"""Optimism: play the arm with the largest :math:`\mu(x) + \rho\,\sigma(x)`.

    Ties go to the lowest index. The radius :math:`\rho` is recomputed whenever the posterior is
    updated, so it is constant within a batch.

    Parameters
    ----------
    radius : "released", "theory" or float
        ``released``: ``agents.confidence.released``, or with batches ``agents.confidence.batched``;
        ``theory``: ``agents.confidence.self_normalized`` for the exact posterior,
        ``agents.confidence.nystrom`` for the adaptive Nyström posterior, and an error for others,
        for which no theorem is known; a number: that constant, >= 0, in units of reward; z standard
        deviations of the posterior are :math:`z \sqrt\lambda`.
    delta : float
        Probability of failure, in (0, 1).
    accuracy : float
        :math:`\varepsilon` of the Nyström posterior's theory, in (0, 1).
    uniform_first : bool
        Whether a replicate's arms are drawn uniformly until its first reward is observed.
    """

    radius: str | float = "released"
    delta: float = 0.1
    accuracy: float = 0.5
    uniform_first: bool = False

    def __post_init__(self):
        check_radius(self, ("released", "theory"))
        check_accuracy(self.accuracy)

    def refusal(self, posterior: Posterior, batching: Batching) -> str | None:
        """Why there is no such rule for a posterior and a batching; None if there is."""
        if self.radius != "theory":
            return None
        if not isinstance(batching, EveryRound):
            return "no theorem gives a radius for batches: radius must be 'released' or a number"
        if not isinstance(posterior, Exact | Nystrom):
            name = type(posterior).__name__
            return f"no theorem gives a radius for {name}: radius must be 'released' or a number"
        return None

    def reset(
        self,
        task: KernelTask,
        *,
        seeds: list[int],
        posterior: Posterior,
        batching: Batching,
        prior_variance: float,
        **known: float,
    ) -> "UCBState":
        """The rule's state before any data.

        ``prior_variance`` is the largest k(x, x); ``known`` are ridge, noise_std and param_norm.
        """
        known, constant = known | {"delta": float(self.delta)}, 0.0
        if not isinstance(self.radius, str):
            formula, known, constant = "constant", {}, float(self.radius)
        elif isinstance(batching, VarianceBatches):
            formula, known = "batched", known | {"threshold": float(batching.threshold)}
        elif self.radius == "released":
            formula = "released"
        elif isinstance(posterior, Exact):
            formula = "self_normalized"
        else:
            formula = "nystrom"
            known |= {"accuracy": float(self.accuracy), "prior_variance": prior_variance}
        keys = Stream(seeds if self.uniform_first else [], AGENT, 0, 0).keys
        radius = np.full(len(seeds), constant)
        return UCBState(formula=formula, known=known, radius=radius, keys=keys)


@dataclass(kw_only=True, eq=False)
class UCBState:
    r"""The state of :class:`UCB`.

    Attributes
    ----------
    formula : str
        The name of the radius's function in ``agents.confidence``, or ``constant``.
    known : dict
        Arguments of that function that do not come from the posterior.
    radius : ndarray of shape (n,)
        :math:`\rho` of the coming round.
    keys : ndarray of shape (n, 2) or (0, 2), uint32
        Keys of the first arms' random numbers, where they are drawn.
    """

    formula: str
    known: dict[str, float]
    radius: np.ndarray
    keys: np.ndarray

    def choose(
        self, model: PosteriorState, contexts: np.ndarray | None, decisions: np.ndarray
    ) -> np.ndarray:
        """The arms (n,) to play in the decisions of these numbers (n,)."""
        mean, variance = model.predict(contexts)
        arms = most_optimistic(mean, variance, self.radius)
        if self.keys.size and not model.pulls.all():
            _draw_first(self.keys, decisions, model.pulls, mean.shape[1], arms)
        return arms

    def score(self, model: PosteriorState, decisions: np.ndarray) -> PointFunction:
        """A function from points (n, d, m) to upper confidence bounds (n, m)."""

        def bounds(points: np.ndarray) -> np.ndarray:
            mean, variance = model.predict(points)
            return mean + self.radius[:, None] * np.sqrt(np.maximum(variance, 0.0))

        return bounds

    def follow(self, model: PosteriorState, batches: Any, ends: np.ndarray | None = None) -> None:
        """Recompute the radius where ``ends`` (n,), or everywhere."""
        if self.formula == "constant":
            return
        if self.formula == "batched":
            radius = batched(batches.log_sum, **self.known)
        elif self.formula == "self_normalized":
            radius = self_normalized(model.log_det, **self.known)
        else:
            function = released if self.formula == "released" else nystrom
            radius = function(model.effective_dimension(), model.pulls, **self.known)
        np.copyto(self.radius, radius, where=True if ends is None else ends)


@compiled
def _draw_first(keys, decisions, pulls, n_arms, arms):
    for i in range(arms.shape[0]):
        if pulls[i] == 0:
            arms[i] = int(uniform_at(keys[i, 0], keys[i, 1], decisions[i], 0) * n_arms)


@dataclass(frozen=True, kw_only=True)
class ThompsonSampling:
    r"""Play the best arm of a function drawn from the posterior.

    .. math:: f_t \sim \mathcal{N}(\mu, v^2 \Sigma), \qquad a_t = \arg\max_a f_t(x_a)

    where :math:`\Sigma` is the posterior covariance of the arms in units of the ridge. Every
    decision draws a new function; its normals depend on the replicate's key and the decision's
    number.

    Parameters
    ----------
    scale : "posterior", "theory" or float
        v. ``posterior``: :math:`\sqrt\lambda`, so that :math:`f_t` is drawn from the posterior of a
        Gaussian process whose noise has the variance :math:`\lambda`; ``theory``, with the exact
        posterior: ``agents.confidence.thompson_scale``, which is wide; a number: that constant, >=
        0, in units of reward; :math:`z \sqrt\lambda` draws with z standard deviations of the
        posterior.
    delta : float
        Probability of failure of ``theory``, in (0, 1).
    """

    scale: str | float = "posterior"
    delta: float = 0.1

    def __post_init__(self):
        probability("delta", self.delta)
        check_named("scale", self.scale, ("posterior", "theory"))

    def refusal(self, posterior: Posterior, batching: Batching) -> str | None:
        """Why there is no such rule for a posterior and a batching; None if there is."""
        if not isinstance(batching, EveryRound):
            return "Thompson sampling needs a posterior that is updated in every round: no batches"
        corrected = isinstance(posterior, FixedNystrom) and posterior.variance == "dtc"
        if corrected or isinstance(posterior, Nystrom):
            return "Thompson sampling needs a joint Gaussian; the DTC-corrected variance has none"
        if self.scale == "theory" and not isinstance(posterior, Exact):
            name = type(posterior).__name__
            return f"no theorem gives a scale for {name}: scale must be 'posterior' or a number"
        return None

    def reset(
        self,
        task: KernelTask,
        *,
        seeds: list[int],
        posterior: Posterior,
        batching: Batching,
        prior_variance: float,
        **known: float,
    ) -> "ThompsonSamplingState":
        """The rule's state before any data; the arguments are those of ``UCB``."""
        constant = math.sqrt(known["ridge"]) if isinstance(self.scale, str) else float(self.scale)
        known = known | {"delta": float(self.delta)} if self.scale == "theory" else {}
        keys = Stream(seeds, AGENT, 0, 0).keys
        return ThompsonSamplingState(known=known, scale=np.full(len(seeds), constant), keys=keys)


@dataclass(kw_only=True, eq=False)
class ThompsonSamplingState:
    r"""The state of :class:`ThompsonSampling`.

    Attributes
    ----------
    known : dict
        Arguments of the scale's function that do not come from the posterior; empty if constant.
    scale : ndarray of shape (n,)
        v of the coming round.
    keys : ndarray of shape (n, 2), uint32
        Keys of the random numbers.
    """

    known: dict[str, float]
    scale: np.ndarray
    keys: np.ndarray

    def choose(
        self, model: PosteriorState, contexts: np.ndarray | None, decisions: np.ndarray
    ) -> np.ndarray:
        """The arms (n,) to play in the decisions of these numbers (n,)."""
        return largest(model.sample(self.keys, decisions, self.scale))

    def score(self, model: PosteriorState, decisions: np.ndarray) -> PointFunction:
        """The functions drawn for decisions (n,), from points (n, d, m) to values (n, m)."""
        return model.draw(self.keys, decisions, self.scale)

    def follow(self, model: PosteriorState, batches: Any, ends: np.ndarray | None = None) -> None:
        """Recompute the scale."""
        if self.known:
            self.scale[:] = thompson_scale(model.log_det, **self.known)
