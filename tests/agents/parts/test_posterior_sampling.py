"""What Thompson samplers share: where the posterior starts, and on which scale it is sampled."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from agents.parts.posterior_sampling import PosteriorSampling
from banditgym.streams import AGENT, Stream
from banditgym.tasks import LinearTask

TASK = LinearTask(
    n_arms=2, dim=3, horizon=9, noise_std=0.4, subgaussian=0.3, feature_norm=1.0, param_norm=1.0
)


@dataclass(kw_only=True, eq=False)
class Silent(PosteriorSampling):
    """It has no arms."""

    accepts: ClassVar = (LinearTask,)


def test_the_posterior_is_the_prior_at_first():
    agent = Silent(ridge=4.0).reset(TASK, n=2, seed=[5, 1])
    np.testing.assert_array_equal(agent.model.theta, np.zeros((2, 3)))
    np.testing.assert_array_equal(agent.model.gram, np.tile(4 * np.eye(3), (2, 1, 1)))
    np.testing.assert_array_equal(agent._keys, Stream([5, 1], AGENT, 0, 0).keys)
    fresh = Silent().reset(TASK)
    np.testing.assert_array_equal(fresh.model.gram[0], np.eye(3))  # the paper's ridge


@pytest.mark.parametrize("noise_std", [None, 0.7])
def test_scales_are_those_of_each_replicates_round(noise_std):
    agent = Silent(scale="theory", delta=0.2, noise_std=noise_std).reset(TASK, n=2)
    agent._t[:] = 0, 6
    expected = [(noise_std or 0.3) * math.sqrt(27 * math.log(t / 0.2)) for t in (1, 7)]
    np.testing.assert_allclose(agent.scales(), expected, rtol=1e-14)
    assert Silent(noise_std=noise_std).reset(TASK, n=2).scales().tolist() == [noise_std or 0.3] * 2
    assert Silent(scale=0.25).reset(TASK, n=2).scales().tolist() == [0.25, 0.25]
