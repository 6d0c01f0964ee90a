"""BoTorch: the upper confidence bound and Thompson sampling of a Gaussian process."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from banditgym.functions.covariances import RBF, Covariance, Matern
from banditgym.validation import nonnegative
from leaderboards.peers.gaussian_process_peer import GaussianProcess
from leaderboards.peers.peer import library

torch = library("torch")
acquisition = library("botorch.acquisition")
models = library("botorch.models")
kernels = library("gpytorch.kernels")
means = library("gpytorch.means")


class BoTorch(GaussianProcess):
    """``SingleTaskGP``, made again in each round from all pulls, in double precision.

    Its kernel and noise are given: nothing is fitted, inputs and rewards are not scaled, and the
    mean is 0. A round costs at least O(t³ + K t²).
    """

    library: ClassVar = "botorch"
    seconds_per_round: ClassVar = 0.015  # within 300 rounds

    def begin(self, task, rng):
        super().begin(task, rng)
        self.kernel = kernel(self.assumed)

    def process(self) -> Any:
        """The library's model of all pulls; needs one pull."""
        rows = _tensor(np.array(self.rows))
        rewards = _tensor(self.rewards)[:, None]
        return models.SingleTaskGP(
            rows,
            rewards,
            train_Yvar=torch.full_like(rewards, self.noise_variance),
            covar_module=self.kernel,
            mean_module=means.ZeroMean(),
            outcome_transform=None,
        )


@dataclass(kw_only=True, eq=False)
class BoTorchUCB(BoTorch):
    r"""``UpperConfidenceBound`` over the arms: :math:`\mu + \sqrt{\beta}\,\sigma`.

    The library has no default for ``beta``: 4 is two standard deviations.
    """

    paper: ClassVar = "Srinivas et al. 2010, Algorithm 1"

    beta: float = 4.0

    def __post_init__(self):
        super().__post_init__()
        nonnegative("beta", self.beta)

    def scores(self, arms: np.ndarray) -> np.ndarray:
        bound = acquisition.UpperConfidenceBound(self.process(), beta=self.beta)
        with torch.no_grad():
            return bound(_tensor(arms)[:, None]).numpy()


@dataclass(kw_only=True, eq=False)
class BoTorchThompson(BoTorch):
    """Thompson sampling: the arm that is best in a draw of the joint posterior at all arms.

    The draw uses normal numbers from the replicate's generator; torch's state is not changed.
    """

    paper: ClassVar = "Thompson 1933"

    def scores(self, arms: np.ndarray) -> np.ndarray:
        normals = _tensor(self.rng.standard_normal((1, len(arms))))
        with torch.no_grad():
            posterior = self.process().posterior(_tensor(arms))
            return posterior.rsample_from_base_samples(torch.Size([1]), normals).numpy().ravel()


def kernel(covariance: Covariance) -> Any:
    """The library's kernel for a covariance function of ``banditgym.functions.covariances``."""
    scale = _tensor(covariance.variance)
    if not isinstance(covariance, RBF | Matern):
        linear = kernels.LinearKernel().double()
        linear.variance = scale
        return linear
    shape = (
        kernels.RBFKernel()
        if isinstance(covariance, RBF)
        else kernels.MaternKernel(nu=covariance.nu)
    )
    scaled = kernels.ScaleKernel(shape).double()
    # As tensors: a Python number would pass through single precision.
    scaled.outputscale, shape.lengthscale = scale, _tensor(covariance.length_scale)
    return scaled


def _tensor(values: ArrayLike) -> Any:
    return torch.tensor(values, dtype=torch.float64)
