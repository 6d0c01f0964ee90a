"""What arrives at a learner, brought to the one form that kernels take, or refused.

Here alone. Worlds' own observations pass without a copy; whatever else somebody hands in is
converted once.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from banditgym.compiled import compiled
from banditgym.settings import brief

# Compared by identity, which is ten times as fast as by value; other forms of them are converted.
_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def contexts(task: Any, observation: Any, n: int, solo: bool) -> tuple[np.ndarray | None, bool]:
    """Features (n, d, K), C-contiguous and read-only; a row is K = 1; None where there are none.

    Also whether they are the observation's own memory, which nobody but its world can write to:
    then they stay equal to it.
    """
    if task.observes == "nothing":
        return None, False
    x = observation if isinstance(observation, np.ndarray) else np.asarray(observation)
    shape = (task.dim,) if task.observes == "row" else (task.n_arms, task.dim)
    shape = shape if solo else (n, *shape)
    if x.shape != shape:
        raise ValueError(f"expected features of shape {shape}, got {np.shape(observation)}")
    x = x[None] if solo else x
    shown = x[:, :, None] if task.observes == "row" else x.transpose(0, 2, 1)
    features = shown
    if x.dtype is not _FLOAT64 or not shown.flags.c_contiguous:
        features = np.ascontiguousarray(shown, dtype=np.float64)
    if features.flags.writeable:  # kernels are compiled for one mutability
        features = features.view()
        features.flags.writeable = False
    return features, features is shown


def arms(task: Any, action: Any, reward: Any, observed: np.ndarray, solo: bool) -> tuple:
    """Arms and rewards (n,), int64 and float64; rewards finite where observed."""
    n = len(observed)
    played = np.array([action]) if solo else np.asarray(action)
    paid = numbers("rewards", reward, n, solo)
    if played.dtype is not _INT64 and played.dtype.kind in "iu":
        played = played.astype(np.int64)
    if played.dtype is not _INT64 or played.shape != (n,):
        raise ValueError(f"expected {n} arms, got {brief(action)}")
    bad = _first_bad_arm(played, paid, observed, task.n_arms)
    if bad >= 0:
        raise ValueError(
            f"replicate {bad} played arm {played[bad]} of 0..{task.n_arms - 1} for a reward "
            f"of {paid[bad]}: arms must be in range and rewards finite"
        )
    return played, paid


def predictions(
    action: Any, reward: Any, feedback: Any, observed: np.ndarray, solo: bool
) -> tuple:  # fmt: skip
    """Predictions and outcomes (n,), float64 and finite where observed."""
    n = len(observed)
    if feedback is None:
        raise ValueError("it learns from the outcome: give feedback=info['feedback']")
    predicted = numbers("predictions", action, n, solo)
    numbers("rewards", reward, n, solo)
    outcome = numbers("outcomes", feedback, n, solo)
    for name, values in (("prediction", predicted), ("outcome", outcome)):
        bad = _first_not_finite(values[:, None], observed)
        if bad >= 0:
            raise ValueError(f"the {name} of replicate {bad} is not finite: {values[bad]}")
    return predicted, outcome


def points(
    task: Any, action: Any, reward: Any, feedback: Any, observed: np.ndarray, solo: bool
) -> tuple:  # fmt: skip
    """Points (n, d), and a mapping of loss (n,), gradient (n, d) and curvature (n,)."""
    n, dim = len(observed), task.dim
    if not isinstance(feedback, Mapping) or not {"loss", "gradient", "curvature"} <= set(feedback):
        raise ValueError(
            "it learns from loss, gradient and curvature: give feedback=info['feedback'], "
            f"got {brief(feedback)}"
        )
    played = _vectors("points", action, (n, dim), solo)
    numbers("rewards", reward, n, solo)
    revealed = {
        "loss": numbers("losses", feedback["loss"], n, solo),
        "gradient": _vectors("gradients", feedback["gradient"], (n, dim), solo),
        "curvature": numbers("curvatures", feedback["curvature"], n, solo),
    }
    for name, values in (("point", played), *revealed.items()):
        bad = _first_not_finite(values.reshape(n, -1), observed)
        if bad >= 0:
            raise ValueError(f"the {name} of replicate {bad} is not finite: {values[bad]}")
    negative = observed & ~(revealed["curvature"] >= 0)
    if negative.any():
        bad = int(np.argmax(negative))
        raise ValueError(
            f"a convex loss has curvature >= 0, got {revealed['curvature'][bad]} of replicate {bad}"
        )
    return played, revealed


def numbers(name: str, values: Any, n: int, solo: bool) -> np.ndarray:
    """``values`` as float64 (n,)."""
    given = values
    if solo or type(values) is not np.ndarray or values.dtype is not _FLOAT64:
        try:
            values = np.array([values] if solo else values, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
    if values.shape != (n,):
        raise ValueError(f"expected {n} {name}, got {brief(given)}")
    return values


def _vectors(name: str, values: Any, shape: tuple[int, int], solo: bool) -> np.ndarray:
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    array = array[None] if solo else array
    if array.shape != shape:
        raise ValueError(f"expected {name} of shape {shape[solo:]}, got {brief(values)}")
    return array


@compiled
def _first_bad_arm(arms, reward, observed, n_arms):
    """The first replicate with an arm out of range or, if observed, a reward that is not finite.

    An arm of -1 would quietly mean the last one.
    """
    for i in range(arms.shape[0]):
        if arms[i] < 0 or arms[i] >= n_arms or (observed[i] and not math.isfinite(reward[i])):
            return i
    return -1


@compiled
def _first_not_finite(values, observed):
    """The first observed replicate whose row of ``values`` (n, m) is not finite, or -1."""
    n, m = values.shape
    for i in range(n):
        bad = False
        for j in range(m):
            bad |= not math.isfinite(values[i, j])
        if bad and observed[i]:
            return i
    return -1
