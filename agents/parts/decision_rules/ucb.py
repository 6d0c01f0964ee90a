"""The rule of optimism."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.choice import most_optimistic
from agents.numerics.random_choice import uniform_slots
from agents.parts.batching import Batching, EveryRound, VarianceBatches
from agents.parts.confidence import (
    batched,
    check_accuracy,
    check_radius,
    nystrom,
    released,
    self_normalized,
)
from agents.parts.posteriors import Exact, Nystrom
from agents.parts.posteriors.posterior import PointFunction, Posterior, PosteriorState
from banditgym.streams import AGENT, Stream


@dataclass(frozen=True, kw_only=True)
class UCB:
    r"""Optimism: play the arm with the largest :math:`\mu(x) + \rho\,\sigma(x)`.

    Ties go to the lowest index. The radius :math:`\rho` is recomputed whenever the posterior is
    updated, so it is constant within a batch.

    Parameters
    ----------
    radius : "posterior", "released", "theory" or float
        ``posterior``: :math:`2 \sqrt\lambda`, two standard deviations of a Gaussian process's
        posterior; ``released``: ``agents.confidence.released``, or with batches
        ``agents.confidence.batched``; ``theory``: ``agents.confidence.self_normalized`` for the
        exact posterior, ``agents.confidence.nystrom`` for the adaptive Nyström posterior, and an
        error for others, for which no theorem is known; a number: that constant, >= 0, as in
        ``agents.GPUCB``.
    delta : float
        Probability of failure of the radii that have :math:`\delta`, in (0, 1).
    accuracy : float
        :math:`\varepsilon` of the Nyström posterior's theory, in (0, 1).
    uniform_first : bool
        Whether a replicate's arms are drawn uniformly until its first reward is observed.
    """

    radius: str | float = "posterior"
    delta: float = 0.1
    accuracy: float = 0.5
    uniform_first: bool = False

    def __post_init__(self):
        check_radius(self, ("posterior", "released", "theory"))
        check_accuracy(self.accuracy)

    def refusal(self, posterior: Posterior, batching: Batching) -> str | None:
        """Why there is no such rule for a posterior and a batching; None if there is."""
        if self.radius != "theory":
            return None
        if not isinstance(batching, EveryRound):
            return "no theorem gives a radius for batches: use posterior, released or a number"
        if not isinstance(posterior, Exact | Nystrom):
            name = type(posterior).__name__
            return f"no theorem gives a radius for {name}: use posterior, released or a number"
        return None

    def reset(
        self,
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
        if self.radius == "posterior":
            formula, constant, known = "constant", 2 * math.sqrt(known["ridge"]), {}
        elif not isinstance(self.radius, str):
            formula, constant, known = "constant", float(self.radius), {}
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
        self,
        model: PosteriorState,
        contexts: np.ndarray | None,
        decisions: np.ndarray,
        mask: np.ndarray | None = None,
    ) -> np.ndarray:
        """The arms (n,) of a mask (n, K) to play in the decisions of these numbers (n,)."""
        mean, variance = model.predict(contexts)
        arms = most_optimistic(mean, variance, self.radius, mask)
        if self.keys.size and not model.pulls.all():
            there = np.ones(mean.shape, bool) if mask is None else mask
            self._draw_first(there, model.pulls, decisions, arms)
        return arms

    def _draw_first(self, mask, pulls, decisions, arms) -> None:
        """Replace the arms (n,) of replicates without pulls by uniform ones of a mask (n, K)."""
        drawn = np.empty_like(arms)
        uniform_slots(self.keys, decisions, 0, mask, drawn)
        np.copyto(arms, drawn, where=pulls == 0)

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
            radius_of = released if self.formula == "released" else nystrom
            radius = radius_of(model.effective_dimension(), model.pulls, **self.known)
        np.copyto(self.radius, radius, where=True if ends is None else ends)
