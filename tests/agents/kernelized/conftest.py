"""What the tests of kernelized agents share: posteriors computed afresh, and environments."""

import math
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


def _embedded(z: np.ndarray, left: Any, ridge: float, pulls: Any, rewards: Any) -> Posterior:
    """Ridge regression on features z (K, m) of the arms; ``left`` is added to the variance."""
    pulled = np.array(pulls, int)
    gram = z[pulled].T @ z[pulled] + ridge * np.eye(z.shape[1])
    joint = z @ np.linalg.solve(gram, z.T)
    variance = joint.diagonal() + left / ridge
    return Posterior(
        mean=z @ np.linalg.solve(gram, z[pulled].T @ np.array(rewards)),
        variance=variance,
        joint=joint,
        effective_dimension=float(variance[pulled].sum()),
        log_det=float(np.linalg.slogdet(gram / ridge)[1]),
    )


@pytest.fixture
def embedded():
    return _embedded


def _nystrom(arms: np.ndarray, inducing: Any, covariance: Any) -> tuple[np.ndarray, np.ndarray]:
    """The embedding z (K, m) by S, and what it leaves unexplained of the prior variance (K,)."""
    values, vectors = np.linalg.eigh(covariance(arms[inducing], arms[inducing]))
    kept = values > len(inducing) * np.finfo(float).eps * values[-1]
    z = covariance(arms, arms[inducing]) @ vectors[:, kept] / np.sqrt(values[kept])
    return z, np.maximum(covariance.diagonal(arms) - (z * z).sum(axis=1), 0)


@pytest.fixture
def nystrom():
    return _nystrom


@pytest.fixture
def follow_features(follow, near):
    """Plays an episode of ``GPUCB`` on features, with every state, radius and decision compared.

    ``features(agent, i)`` are z (K, m) of replicate i, and what is added to the variance.
    """

    def run(agent: Any, env: Any, features: Any, ridge: float) -> None:
        task = env.unwrapped.task
        known: dict[int, Any] = {}

        def compare(past: Any, x: Any, i: int) -> None:
            posterior = _embedded(*features(agent, i), ridge, past.arms, past.rewards)
            radius = agent.radius
            if radius == "released":
                growth = posterior.effective_dimension * math.log(max(len(past), 1))
                noise = math.sqrt(growth + math.log(1 / agent.delta))
                radius = math.sqrt(ridge) * task.param_norm + task.subgaussian * noise
            near(agent.model.mean[i], posterior.mean, 1e-8)
            near(agent.model.variance[i], posterior.variance, 1e-8)
            near(agent.choice.radius[i], radius, 1e-8)
            known[i] = posterior.mean + radius * np.sqrt(np.maximum(posterior.variance, 0))

        follow(
            agent, env, values=lambda past, x, i: known[i], compare=compare, rounds=120, tie=1e-7
        )

    return run


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


@pytest.fixture(params=SETTINGS)
def kernel_env(request):
    return _kernel_env(request.param)
