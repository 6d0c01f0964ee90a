"""The hidden parameter of linear rewards: given or drawn, and the bound that agents know."""

import numpy as np
from numpy.typing import ArrayLike

from banditgym.streams import Stream
from banditgym.validation import nonnegative, reals


def on_sphere(direction: np.ndarray, norm: float) -> np.ndarray:
    """The rows (.., d) of ``direction``, none of them 0, at the norm ``norm``."""
    length = np.sqrt((direction * direction).sum(axis=-1, keepdims=True))
    return np.ascontiguousarray(norm * direction / length)


def hidden_theta(
    given: np.ndarray | None, directions: Stream, norm: float, *shape: int
) -> np.ndarray:
    """The parameters (n, d) of new instances: the given ones (1, d), or uniform at a norm.

    With ``shape`` (K, d), those of each arm, (n, K, d).
    """
    if given is not None:
        return np.repeat(given, len(directions.keys), axis=0)
    return on_sphere(directions.normal(0, shape), norm)


def given_theta(theta: ArrayLike, *shape: int) -> np.ndarray:
    """The setting ``theta``, (d,) or (K, d), shared by all replicates: with an axis (1, ..)."""
    row = reals("theta", theta)
    if row.shape != shape:
        raise ValueError(f"theta must be of shape {shape}, got {row.shape}")
    return row[None]


def param_norm_bound(theta: np.ndarray | None, param_norm: float | None) -> float:
    """The bound on the norm of theta that agents know; ``theta`` is given, (m, .., d)."""
    if param_norm is not None:
        nonnegative("param_norm", param_norm)
    if theta is None:
        return 1.0 if param_norm is None else float(param_norm)
    with np.errstate(over="ignore"):
        norm = float(np.sqrt((theta * theta).sum(axis=-1)).max())
    if norm == np.inf:
        raise ValueError("theta must be of finite norm, got one above 1e154")
    if param_norm is not None and norm > param_norm * (1 + 1e-9):
        raise ValueError(f"theta has norm {norm}, above param_norm {param_norm}")
    return norm if param_norm is None else float(param_norm)
