"""What the tests of agents share: a linear environment, comparisons, rows as pairs, blocks."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from banditgym.vector_env import BanditVectorEnv

# Odd and even numbers of features and of arms, blocks of four and eight with and without a rest,
# fixed arms in both forms (K <= d and K > d).
_FRESH = [(1, 3), (2, 5), (5, 4), (7, 9), (24, 3), (26, 6)]
_FIXED = [(1, 1), (5, 3), (7, 7), (26, 6), (2, 5), (7, 10), (26, 31)]


@pytest.fixture(
    params=[(*shape, fixed) for fixed in (False, True) for shape in (_FIXED if fixed else _FRESH)],
    ids=lambda p: f"d{p[0]}-K{p[1]}-{'fixed' if p[2] else 'fresh'}",
)
def linear_env(request):
    """Three replicates of a noisy linear environment with features of many lengths."""
    dim, n_arms, fixed = request.param
    return gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=150,
        contexts="gaussian", feature_norm=2.0, param_norm=1.5, noise_std=0.3,
    )  # fmt: skip


def _near(got: Any, expected: Any, bound: float = 1e-10) -> None:
    """Asserts equality to a bound, relative above 1; NaN is not near. Fast, for inner loops."""
    assert np.shape(got) == np.shape(expected)
    error = np.max(np.abs(got - expected) / np.maximum(1.0, np.abs(expected)))
    assert error <= bound, f"{got}, but by definition {expected}"


@pytest.fixture
def near():
    return _near


@pytest.fixture
def in_pairs():
    """Rows (n, d) as multiclass agents get them: indices and values (n, d), read-only."""

    def pairs(rows: Any) -> tuple[np.ndarray, np.ndarray]:
        values = np.array(rows, dtype=np.float64)
        indices = np.tile(np.arange(values.shape[1], dtype=np.int32), (len(values), 1))
        for array in (indices, values):  # kernels are compiled for one mutability
            array.flags.writeable = False
        return indices, values

    return pairs


@pytest.fixture
def in_blocks(monkeypatch):
    """The numbers of rounds of the blocks that are played."""
    lengths, own = [], BanditVectorEnv.step_block

    def noted(self, block, actions, *shows):
        lengths.append(len(actions))
        return own(self, block, actions, *shows)

    monkeypatch.setattr(BanditVectorEnv, "step_block", noted)
    return lengths
