"""The task that a log is, and what its rounds show."""

from math import sqrt
from typing import Any

import numpy as np

from banditgym.logs.bandit_log import BanditLog
from banditgym.logs.log_chunks import LogChunk
from banditgym.tasks import LoggedArmsTask, LoggedContextsTask


def task_of_log(log: BanditLog, *, horizon: int | None = None, param_norm: float = 1.0) -> Any:
    """The facts that an agent may know of a log.

    A ``LoggedContextsTask`` if it shows features, else a ``LoggedArmsTask``. The bounds of rewards
    and of features are those that occur. Where there are several positions, the unit vector of the
    round's position is part of the features, at their end.

    Raises
    ------
    ValueError
        If the log has the features of the arm played alone.
    """
    if log.context == "played":
        raise ValueError(
            f"{log.name} has the features of the arm played alone, which would tell agents the arm "
            "that was played: log the features of all arms"
        )
    low, high = log.reward_limits
    facts: dict[str, Any] = {
        "n_arms": log.n_arms,
        "horizon": horizon,
        "noise_std": None,
        "subgaussian": (high - low) / 2.0 or 0.5,
        "arms_vary": True if "action_mask" in log.holds else None,
    }
    shape = shape_shown(log)
    if not shape:
        bounds = None if log.binary else (low, high)
        return LoggedArmsTask(**facts, bernoulli=log.binary, bounds=bounds)
    norm = log.context_norm
    return LoggedContextsTask(
        **facts,
        dim=shape[-1],
        feature_norm=sqrt(norm * norm + 1.0) if len(log.positions) > 1 else norm,
        param_norm=param_norm,
        context_dim=shape[0] if len(shape) == 1 else None,
    )


def shape_shown(log: BanditLog) -> tuple[int, ...]:
    """The shape of a round's features: (d,), (K, d), or () for none."""
    shape, places = log.context_shape, len(log.positions)
    if places < 2:
        return shape
    return (*shape[:-1], (shape[-1] if shape else 0) + places)


def features_shown(log: BanditLog, rows: LogChunk) -> np.ndarray | None:
    """The features (m, d) or (m, K, d) of rows, with their positions; None for none."""
    if len(log.positions) < 2:
        return rows.context
    where = np.equal(rows.position[:, None], log.positions).astype(float)  # type: ignore[index]
    if rows.context is None:
        return where
    if rows.context.ndim == 3:
        where = np.repeat(where[:, None], rows.context.shape[1], axis=1)
    return np.concatenate([rows.context, where], axis=-1)
