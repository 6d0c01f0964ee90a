"""The base class of Thompson samplers of a linear parameter: posterior, scale and draws."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level
from agents.inputs.feature_limits import LONGEST, check_lengths
from agents.numerics.ridge.factor_contents import solve_upper
from agents.parts.confidence import linear_thompson_scale, named_or_number
from agents.parts.estimators.ridge import INVERTIBLE, FreshArms
from banditgym.compiled import borrowing, compiled
from banditgym.streams import AGENT, Stream, fill_normals
from banditgym.validation import checked, nonnegative, probability


@dataclass(kw_only=True, eq=False)
class PosteriorSampling(Agent):
    r"""A sampler of :math:`\mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1})`, from ridge regression.

    The scale is R by default, :math:`R \sqrt{9 d \log(t / \delta)}` with ``theory``, or a number.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.
    """

    from_task: ClassVar = {"noise_std": noise_level}

    scale: str | float = checked(named_or_number("posterior", "theory"), "posterior")
    ridge: float = checked(INVERTIBLE, 1.0)
    delta: float = checked(probability, 0.1)
    noise_std: float | None = checked(nonnegative, None)

    def _start(self) -> None:
        n, task = self.n, self.task
        check_lengths(task, self.ridge, LONGEST)
        self.model = FreshArms.initial(n, task.dim, 0, float(self.ridge))  # predicts no arms
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self._t = np.zeros(n, np.int64)  # rounds learned from, for the scale
        self._noise_std = self.known("noise_std")

    def _estimate(self, contexts, actions: np.ndarray) -> np.ndarray:
        if actions.ndim == 1:
            actions = contexts[np.arange(self.n), :, actions]
        chosen = np.ascontiguousarray(actions)[:, :, None]
        chosen.flags.writeable = False  # kernels are compiled for one mutability
        mean, variance = np.zeros((2, self.n, 1))
        return self.model._replace(mean=mean, variance=variance).predict(chosen)[0][:, 0]

    def scales(self) -> np.ndarray:
        """The scale v of each replicate's posterior in the coming round, (n,)."""
        return self._scales_after(self._t)

    def _scales_after(self, learned: np.ndarray) -> np.ndarray:
        """The scales after these numbers of rewards, of any shape."""
        if self.scale != "theory":
            constant = self._noise_std if self.scale == "posterior" else self.scale
            return np.full(learned.shape, float(constant))
        return linear_thompson_scale(
            learned + 1, dim=self.task.dim, delta=self.delta, noise_std=self._noise_std
        )


@compiled
def sample_parameters(upper, pivots, moment, scale, keys, t, sampled):
    r"""Write :math:`\hat\theta + \text{scale}\, U^{-1} D^{-1/2} \xi` as ``sampled`` (n, d).

    :math:`\xi` are the standard normals of replicate i's stream at its round ``t[i]``: these are
    draws of :math:`\mathcal{N}(\hat\theta, \text{scale}^2 V^{-1})`.
    """
    normals = np.empty(moment.shape)
    fill_normals(keys, t, normals)
    for i in range(moment.shape[0]):
        draw_parameter((upper, pivots, moment), i, scale[i], normals[i], sampled[i])


@borrowing
def draw_parameter(factor, i, scale, normals, parameter):
    """Write replicate i's sample (d,), by its normals (d,)."""
    upper, pivots, moment = factor
    for j in range(parameter.shape[0]):
        parameter[j] = moment[i, j] + scale * (math.sqrt(pivots[i, 1, j]) * normals[j])
    solve_upper(upper[i], parameter)
