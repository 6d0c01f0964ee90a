"""The rule of Thompson sampling."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.drivers.rule import first_largest_there
from agents.parts.batching import Batching, EveryRound
from agents.parts.confidence import named_or_number, thompson_scale
from agents.parts.posteriors import Exact, FixedNystrom, Nystrom
from agents.parts.posteriors.posterior import PointFunction, Posterior, PosteriorState
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream
from banditgym.validation import Checked, checked, probability


@dataclass(frozen=True, kw_only=True)
class ThompsonSampling(Checked):
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

    scale: str | float = checked(named_or_number("posterior", "theory"), "posterior")
    delta: float = checked(probability, 0.1)

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
        self,
        model: PosteriorState,
        contexts: np.ndarray | None,
        decisions: np.ndarray,
        mask: np.ndarray | None = None,
    ) -> np.ndarray:
        """The arms (n,) of a mask (n, K) to play in the decisions of these numbers (n,)."""
        return largest(model.sample(self.keys, decisions, self.scale), mask)

    def score(self, model: PosteriorState, decisions: np.ndarray) -> PointFunction:
        """The functions drawn for decisions (n,), from points (n, d, m) to values (n, m)."""
        return model.draw(self.keys, decisions, self.scale)

    def follow(self, model: PosteriorState, batches: Any, ends: np.ndarray | None = None) -> None:
        """Recompute the scale."""
        if self.known:
            self.scale[:] = thompson_scale(model.log_det, **self.known)


def largest(score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """The arms (n,) in the mask with the largest score (n, K); ties go to the lowest index."""
    arms = np.empty(len(score), np.int64)
    _largest(score, mask, arms)
    return arms


@compiled
def _largest(score, mask, arms):
    for i in range(score.shape[0]):
        arms[i] = first_largest_there(score[i], mask, i)
