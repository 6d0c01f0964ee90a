"""What agents that answer with one label share: what they refuse, and how they start."""

from dataclasses import dataclass

import numpy as np
import pytest

from agents.parts.one_label import OneLabel
from banditgym.streams import AGENT, Stream
from banditgym.tasks import LinearTask, MulticlassTask


def task(n_labels: int = 4, dim: int = 7, **others: int) -> MulticlassTask:
    return MulticlassTask(n_labels=n_labels, dim=dim, horizon=1000, width=dim, **others)


@dataclass(kw_only=True, eq=False)
class Silent(OneLabel):
    """It has no algorithm."""


def test_rankings_and_other_families_are_refused():
    assert Silent().refusal(task()) is None
    assert Silent().refusal(task(slots=2)) == (
        "it answers with one label, and this task shows 2 in slots"
    )
    with pytest.raises(ValueError, match="Silent cannot play this task: it answers with one label"):
        Silent().reset(task(slots=1))
    linear = LinearTask(
        n_arms=2, dim=3, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0,
        param_norm=1.0,
    )  # fmt: skip
    assert Silent().refusal(linear) == "it plays multiclass tasks, and this one is linear"


def test_weights_are_zero_and_keys_are_each_replicates_own():
    agent = Silent().reset(task(4, 7), n=3, seed=[8, 2, 5])
    assert agent.weights.shape == (3, 7, 4)
    assert not agent.weights.any()
    np.testing.assert_array_equal(agent._keys, Stream([8, 2, 5], AGENT, 0, 0).keys)
