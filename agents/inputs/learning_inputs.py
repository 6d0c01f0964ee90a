"""Checks and conversions of what agents learn from: actions, rewards, feedback, decisions.

As ``agents.inputs.observations`` does for observations, this module makes all checks and gives
kernels one layout. Values need to be finite and in range only where they are ``observed`` (n,).
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.inputs.observations import refuse_first
from banditgym.action_sets import DistinctLabels
from banditgym.compiled import compiled
from banditgym.tasks import ConvexSetTask, KernelTask, LossTask, MulticlassTask
from banditgym.validation import as_array, brief

# What ``info["feedback"]`` holds.
Feedback = ArrayLike | Mapping[str, ArrayLike] | None

_REVEALED = frozenset(("loss", "gradient", "curvature"))

# Compared by identity, which is ten times as fast as by value; equal dtypes are converted.
_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def are_observed(observed: ArrayLike, n: int) -> np.ndarray:
    """Which replicates were observed, bool (n,)."""
    flags = np.ascontiguousarray(np.atleast_1d(observed), dtype=bool)
    if flags.shape != (n,):
        raise ValueError(f"observed must be of shape ({n},), got {flags.shape}")
    return flags


def decisions(decision: ArrayLike, made: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Decisions (n,), int64; where observed, they are less than the number ``made`` (n,)."""
    n, numbers = len(made), np.asarray(decision)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), (n,)):
        raise ValueError(f"decision must be an integer, or {n} integers, got {brief(decision)}")
    answered = np.empty(n, np.int64)
    answered[:] = numbers
    refuse_first(
        observed & ~((answered >= 0) & (answered < made)),
        lambda i: (
            f"replicate {i} has made {made[i]} decisions, counted from 0, and no decision "
            f"{answered[i]}"
        ),
    )
    return answered


def arms(
    task: Any, action: ArrayLike, reward: ArrayLike, observed: np.ndarray, solo: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Arms and rewards (n,), int64 and float64."""
    if (
        type(action) is int
        and type(reward) is float  # of a single environment: not an array
        and solo
        and 0 <= action < task.n_arms
        and math.isfinite(reward)
    ):
        return np.array([action], np.int64), np.array([reward])
    n = len(observed)
    played = np.array([action]) if solo else np.asarray(action)
    rewards = _numbers("rewards", reward, n, solo)
    if played.dtype is not _INT64 and played.dtype.kind in "iu":
        played = played.astype(np.int64)
    if played.dtype is not _INT64 or played.shape != (n,):
        raise ValueError(f"expected {n} arms, got {brief(action)}")
    played = _packed(played)
    bad = _first_bad_arm(played, rewards, observed, task.n_arms)
    if bad >= 0 and 0 <= played[bad] < task.n_arms:
        raise ValueError(f"the reward of replicate {bad} is not finite: {rewards[bad]}")
    if bad >= 0:
        raise ValueError(
            f"replicate {bad} played arm {played[bad]}, which is not one of 0..{task.n_arms - 1}"
        )
    return played, rewards


def check_rewards(reward: np.ndarray, observed: np.ndarray, *, binary: bool = True) -> None:
    """Refuse observed rewards (n,) other than 0 and 1, or, if not binary, outside [0, 1].

    Agents whose formula holds for such rewards alone call this before they learn.
    """
    bad = _first_out_of_scope(reward, observed, binary)
    if bad >= 0:
        legal = "0 or 1" if binary else "in [0, 1]"
        raise ValueError(f"rewards must be {legal}, got {reward[bad]} of replicate {bad}")


def check_slots(mask: np.ndarray, played: np.ndarray) -> None:
    """Refuse arms (n,) in slots that are empty: mask (n, K) is false."""
    n = len(played)
    if n > 1 or not mask.item(0, played.item()):  # of one replicate a tenth of the time
        refuse_first(
            ~mask[np.arange(n), played],
            lambda i: f"replicate {i} played slot {played[i]}, which has no arm",
        )


def rankings(
    task: MulticlassTask, action: Any, reward: ArrayLike, observed: np.ndarray, solo: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Rankings (n, r), int64 and of distinct labels, and rewards (n,)."""
    n = len(observed)
    rewards = _numbers("rewards", reward, n, solo)
    played = _set_of(task.n_labels, task.slots).read([action] if solo else action, n)
    _expect_finite(observed, reward=rewards)
    return played, rewards


_set_of = functools.lru_cache(maxsize=4)(DistinctLabels)  # once, not in every round


def clicks(played: np.ndarray, feedback: Feedback, observed: np.ndarray, solo: bool) -> np.ndarray:
    """The labels (n,) that were clicked, int64: one of those played (n, r), or -1 for none."""
    needed = "the click: give feedback=info['feedback']"
    clicked = _labels("clicks", feedback, needed, len(observed), solo)
    refuse_first(
        observed & (clicked != -1) & ~(played == clicked[:, None]).any(axis=1),
        lambda i: f"the click {clicked[i]} of replicate {i} is none of {played[i].tolist()}",
    )
    return clicked


def true_labels(
    task: MulticlassTask, feedback: Feedback, observed: np.ndarray, solo: bool
) -> np.ndarray:
    """The labels (n,), int64 and in range where observed, that full information reveals."""
    needed = "the true label: give feedback=info['label']"
    true = _labels("true labels", feedback, needed, len(observed), solo)
    refuse_first(
        observed & ~((true >= 0) & (true < task.n_labels)),
        lambda i: f"the label {true[i]} of replicate {i} is not in 0..{task.n_labels - 1}",
    )
    return true


def rewarded_points(
    task: ConvexSetTask | KernelTask,
    action: ArrayLike,
    reward: ArrayLike,
    observed: np.ndarray,
    solo: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, d) and rewards (n,), float64."""
    n = len(observed)
    rewards = _numbers("rewards", reward, n, solo)
    played = _vectors("points", action, (n, task.dim), solo)
    if not _all_finite(played, rewards, observed):
        _expect_finite(observed, point=played, reward=rewards)
    return played, rewards


def predictions(
    action: ArrayLike, reward: ArrayLike, feedback: Feedback, observed: np.ndarray, solo: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and outcomes (n,), float64."""
    if (
        type(action) is type(reward) is type(feedback) is float  # of a single environment
        and solo
        and math.isfinite(action)  # type: ignore[arg-type]
        and math.isfinite(feedback)  # type: ignore[arg-type]
    ):
        return np.array([action]), np.array([feedback])
    n = len(observed)
    if feedback is None:
        raise ValueError("it learns from the outcome: give feedback=info['feedback']")
    predicted = _numbers("predictions", action, n, solo)
    _numbers("rewards", reward, n, solo)
    outcome = _numbers("outcomes", feedback, n, solo)
    _expect_finite(observed, prediction=predicted, outcome=outcome)
    return predicted, outcome


def points(
    task: LossTask,
    action: ArrayLike,
    reward: ArrayLike,
    feedback: Feedback,
    observed: np.ndarray,
    solo: bool,
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Points (n, d), and a mapping of loss (n,), gradient (n, d) and curvature (n,)."""
    n, dim = len(observed), task.dim
    if not isinstance(feedback, Mapping) or not feedback.keys() >= _REVEALED:
        raise ValueError(
            "it learns from loss, gradient and curvature: give feedback=info['feedback'], "
            f"got {brief(feedback)}"
        )
    played = _vectors("points", action, (n, dim), solo)
    _numbers("rewards", reward, n, solo)
    curvature = _numbers("curvatures", feedback["curvature"], n, solo)
    loss = _numbers("losses", feedback["loss"], n, solo)
    gradient = _vectors("gradients", feedback["gradient"], (n, dim), solo)
    revealed = {"loss": loss, "gradient": gradient, "curvature": curvature}
    finite = _all_finite(played, loss, observed) and _all_finite(gradient, curvature, observed)
    if not finite:
        _expect_finite(observed, point=played, **revealed)
    if n > 1 or not curvature.item() >= 0:  # of one replicate a quarter of the time
        refuse_first(
            observed & ~(curvature >= 0),
            lambda i: f"a convex loss has curvature >= 0, got {curvature[i]} of replicate {i}",
        )
    return played, revealed


def _labels(name: str, feedback: Feedback, needed: str, n: int, solo: bool) -> np.ndarray:
    if feedback is None:
        raise ValueError(f"it learns from {needed}")
    labels = as_array([feedback] if solo else feedback)
    if labels.dtype.kind not in "iu" or labels.shape != (n,):
        raise ValueError(f"expected {n} {name}, got {brief(feedback)}")
    return _packed(labels.astype(np.int64, copy=False))


def _numbers(name: str, values: object, n: int, solo: bool) -> np.ndarray:
    """``values`` as float64 (n,)."""
    if solo and type(values) is float:
        return np.array([values])
    given = values
    if solo or type(values) is not np.ndarray or values.dtype is not _FLOAT64:
        try:
            values = np.array([values] if solo else values, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
    if values.shape != (n,):
        raise ValueError(f"expected {n} {name}, got {brief(given)}")
    return _packed(values)


def _packed(values: np.ndarray) -> np.ndarray:
    """``values`` (n,) in the layout that kernels are compiled for: writable and contiguous."""
    return values if values.flags.carray else values.copy()


def _vectors(name: str, values: ArrayLike, shape: tuple[int, int], solo: bool) -> np.ndarray:
    if type(values) is np.ndarray and values.dtype is _FLOAT64 and values.flags.c_contiguous:
        array = values
    else:
        try:
            array = np.ascontiguousarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
    array = array[None] if solo else array.view()
    if array.shape != shape:
        raise ValueError(f"expected {name} of shape {shape[solo:]}, got {brief(values)}")
    array.setflags(write=False)  # kernels are compiled for one mutability
    return array


def _expect_finite(observed: np.ndarray, **named: np.ndarray) -> None:
    """Refuse values (n,) or (n, d), by name, that are observed and not finite."""
    for name, values in named.items():
        bad = _first_not_finite(values.reshape(len(observed), -1), observed)
        if bad >= 0:
            raise ValueError(f"the {name} of replicate {bad} is not finite: {values[bad]}")


@compiled
def _first_bad_arm(arms, reward, observed, n_arms):
    """The first replicate with an arm out of range or, if observed, a reward that is not finite.

    Arm -1 is refused too: as an index it would silently mean the last arm.
    """
    for i in range(arms.shape[0]):
        if arms[i] < 0 or arms[i] >= n_arms or (observed[i] and not math.isfinite(reward[i])):
            return i
    return -1


@compiled
def _first_out_of_scope(reward, observed, binary):
    """The first observed replicate whose reward is not 0 or 1 or, if not binary, between, or -1."""
    for i in range(reward.shape[0]):
        legal = 0.0 <= reward[i] <= 1.0
        if binary:
            legal = reward[i] == 0.0 or reward[i] == 1.0
        if observed[i] and not legal:
            return i
    return -1


@compiled
def _all_finite(points, numbers, observed):
    """Whether points (n, d) and numbers (n,) are finite where observed."""
    finite = True
    for i in range(numbers.shape[0]):
        own = math.isfinite(numbers[i])
        for j in range(points.shape[1]):
            own &= math.isfinite(points[i, j])
        finite &= own or not observed[i]
    return finite


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
