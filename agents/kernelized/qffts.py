"""QFF-TS: Thompson sampling with quadrature Fourier features."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.decision_rules import ThompsonSampling
from agents.parts.kernelized_agent import KernelizedAgent, Parts
from agents.parts.posteriors import QuadratureFourier
from agents.search import Choice, Log


@dataclass(kw_only=True, eq=False)
class QFFTS(KernelizedAgent):
    r"""Draw a linear function of quadrature Fourier features, and play its best arm.

    With the features :math:`z(x)` of ``agents.posteriors.QuadratureFourier``, the features
    :math:`Z_t` of the t pulls and :math:`V_t = Z_t^\top Z_t + \lambda I`, round t + 1 draws and
    plays

    .. math:: \tilde\theta_{t+1} \sim \mathcal{N}(V_t^{-1} Z_t^\top y_t, v^2 V_t^{-1}), \qquad
        a_{t+1} = \arg\max_a \langle z(x_a), \tilde\theta_{t+1}\rangle.

    There are m = nodes^d features, or K if K is less. A round costs :math:`O(K m + m^2)` per
    replicate. Memory: about :math:`n m^2 + K m` numbers, see
    ``agents.posteriors.QuadratureFourier``. The covariance must be RBF, and the arms fixed:
    finitely many, or the points of a box, where a round costs :math:`O(e m + m^2)` for e points
    tried.

    Its definition is ``tests/agents/definitions/kernelized/qffts.py``.

    Parameters
    ----------
    nodes : int
        Number of nodes per dimension.
    scale : "posterior" or float
        v. ``posterior``: :math:`\sqrt\lambda`, so that the draw is from the posterior of a Gaussian
        process whose noise has the variance :math:`\lambda`; a number: that constant, >= 0, in
        units of reward; :math:`z \sqrt\lambda` draws with z standard deviations of the posterior.
    covariance, ridge, noise_std
        As in every kernelized agent, see ``agents.parts.kernelized_agent.KernelizedAgent``.
        ``noise_std`` is used for the ridge alone.

    References
    ----------
    M. Mutný, A. Krause. Efficient High Dimensional Bayesian Optimization with Additivity and
    Quadrature Fourier Features. NeurIPS 2018, the Thompson sampling algorithm.
    """

    paper: ClassVar = "Mutný & Krause 2018"
    search: ClassVar = {
        "scale": Log(0.01, 1.0),
        "ridge": Log(0.001, 0.1),
        "nodes": Choice((8, 12, 16)),
    }
    scope: ClassVar = "fixed arms or a box, RBF, few dimensions"

    nodes: int = QuadratureFourier.nodes
    scale: str | float = "posterior"

    def parts(self) -> Parts:
        posterior = QuadratureFourier(nodes=self.nodes)
        return Parts(posterior, ThompsonSampling(scale=self.scale))
