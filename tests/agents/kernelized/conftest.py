"""What the tests of kernelized agents share: posteriors computed afresh, and environments."""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from banditgym.functions.covariances import RBF, Linear, Matern


@dataclass
class Posterior:
    """Mean and variance (K,) in units of the ridge, from a list of all pulls with repeats."""

    mean: np.ndarray
    variance: np.ndarray
    joint: np.ndarray
    effective_dimension: float
    log_det: float


def _exact(x: np.ndarray, points: np.ndarray, rewards: Any, covariance: Any, ridge: float):
    """Equations (1) and (2) as they stand, for arms x (K, d), with all t pulls (t, d)."""
    among = covariance(points, points) + ridge * np.eye(len(points))
    cross = covariance(points, x)
    weights = np.linalg.solve(among, cross)
    joint = (covariance(x, x) - cross.T @ weights) / ridge
    own = covariance(points, points)
    return Posterior(
        mean=weights.T @ np.array(rewards),
        variance=joint.diagonal(),
        joint=joint,
        effective_dimension=float(np.trace(own - own @ np.linalg.solve(among, own)) / ridge),
        log_det=float(np.linalg.slogdet(among / ridge)[1]),
    )


@pytest.fixture
def exact():
    return _exact


_RNG = np.random.default_rng(0)
_MET = _RNG.random((24, 2))
_MET[7] = _MET[2]  # the same arm twice
_MET[9] = _MET[4] + 1e-7  # and one that is all but the same

SETTINGS = {
    "rbf": {"n_arms": 25, "dim": 2, "noise_std": 0.2},
    "rough": {
        "arms": "grid",
        "n_arms": 30,
        "dim": 1,
        "covariance": Matern(nu=0.5, length_scale=0.3, variance=4.0),
        "noise": "uniform",
        "noise_std": 0.5,
    },
    "linear": {"n_arms": 6, "dim": 3, "covariance": Linear(variance=2.0), "noise_std": 0.3},
    "met": {"arms": _MET, "covariance": RBF(length_scale=0.5), "noise_std": 0.1},
}


def _kernel_env(name: str, horizon: int = 200, **given: Any) -> Any:
    """Three replicates of one of the environments above; the bound on the norm of f is not 1."""
    settings = {"function": "rkhs", "param_norm": 1.5} | SETTINGS[name] | given
    return gymnasium.make_vec("KernelBandit-v0", num_envs=3, horizon=horizon, **settings)


@pytest.fixture
def make_kernel_env():
    return _kernel_env
