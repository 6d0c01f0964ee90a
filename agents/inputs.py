"""Checks and conversions of an agent's inputs to the one layout that kernels take.

All inputs are checked here and nowhere else. Observations of our environments are not copied; other
inputs are converted once.
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from banditgym.action_sets import DistinctLabels
from banditgym.compiled import compiled
from banditgym.rounds import NOTHING, PAIRS, ROW, SLOTS
from banditgym.validation import brief

# Compared by identity, which is ten times as fast as by value; equal dtypes are converted.
_INT32, _INT64, _FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)


def contexts(task: Any, observation: Any, n: int, solo: bool) -> tuple[Any, bool]:
    """Features (n, d, K), C-contiguous and read-only; a row is K = 1; None where there are none.

    For ``pairs``: a tuple of indices (n, w), int32 within the dimension, and finite values (n, w).
    For ``slots``: a tuple of the features, the mask of slots with an arm, bool (n, K), and the ids
    of the arms, int64 (n, K).

    Also whether they share the observation's memory, which only its environment can write to; then
    they stay equal to it.
    """
    if task.observes is NOTHING:
        return None, False
    if task.observes is PAIRS:
        return _pairs(task, observation, n, solo)
    if task.observes is SLOTS:
        return _slots(task, observation, n, solo), False
    return _features(task, observation, n, solo)


def _features(task: Any, observation: Any, n: int, solo: bool) -> tuple[np.ndarray, bool]:
    x = observation if isinstance(observation, np.ndarray) else np.asarray(observation)
    shape = task.observes.shape(task) if solo else (n, *task.observes.shape(task))
    if x.shape != shape:
        raise ValueError(f"expected features of shape {shape}, got {np.shape(observation)}")
    x = x[None] if solo else x
    shown = x[:, :, None] if task.observes is ROW else x.transpose(0, 2, 1)
    flags = shown.flags
    if x.dtype is _FLOAT64 and flags.c_contiguous and not flags.writeable:
        return shown, True  # our environments' own
    return _frozen(shown, _FLOAT64), False


def _frozen(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """``array`` in the layout that kernels are compiled for; itself if it has that already."""
    flags = array.flags
    if array.dtype is dtype and flags.c_contiguous:
        if not flags.writeable:
            return array
        array = array.view()
    else:
        given, array = array, np.ascontiguousarray(array, dtype=dtype)
        array = array.view() if array is given else array
    array.flags.writeable = False  # kernels are compiled for one mutability
    return array


def _pairs(task: Any, observation: Any, n: int, solo: bool) -> tuple[Any, bool]:
    """Checked indices and values (n, w) of rows, dense ones too; and whether memory is shared."""
    if not task.sparse:
        rows = np.asarray(observation)
        shape = (task.dim,) if solo else (n, task.dim)
        if rows.shape != shape or rows.dtype.kind not in "iuf":
            raise ValueError(
                f"expected features of shape {shape}, got {np.shape(observation)}, {rows.dtype}"
            )
        shown = rows[None] if solo else rows
        values = _frozen(shown, _FLOAT64)
        bad = _first_not_finite_row(values)
        if bad >= 0:
            raise ValueError(f"the features of replicate {bad} are not finite")
        return (_every_index(n, task.dim), values), values is shown
    try:
        indices, values = observation["indices"], observation["values"]
    except (TypeError, KeyError, IndexError, ValueError):
        raise ValueError(
            f"expected a mapping of indices and values, got {brief(observation)}"
        ) from None
    shape = (task.width,) if solo else (n, task.width)
    indices, values = np.asarray(indices), np.asarray(values)
    if indices.shape != shape or indices.dtype.kind not in "iu":
        raise ValueError(f"expected indices of shape {shape}, got {indices.shape}, {indices.dtype}")
    if values.shape != shape or values.dtype.kind not in "iuf":
        raise ValueError(f"expected values of shape {shape}, got {values.shape}, {values.dtype}")
    if indices.dtype.itemsize > 4:  # checked first: cut to 32 bits, a huge one might be legal
        out = (indices < 0) | (indices >= task.dim)
        if out.any():
            raise ValueError(f"feature {indices[out][0]} is not one of 0..{task.dim - 1}")
    if solo:
        indices, values = indices[None], values[None]
    contexts = _frozen(indices, _INT32), _frozen(values, _FLOAT64)
    bad = _first_bad_pair(*contexts, task.dim)
    if bad >= 0:
        raise ValueError(
            f"the features of replicate {bad} must be finite values at indices in 0..{task.dim - 1}"
        )
    return contexts, contexts[0] is indices and contexts[1] is values


def _slots(task: Any, observation: Any, n: int, solo: bool) -> tuple:
    """Features (n, d, K), masks (n, K) with an arm in every row, and ids (n, K)."""
    try:
        arms, mask, ids = (observation[name] for name in ("arms", "action_mask", "ids"))
    except (TypeError, KeyError, IndexError, ValueError):
        raise ValueError(
            f"expected a mapping of arms, action_mask and ids, got {brief(observation)}"
        ) from None
    shape = (task.n_arms,) if solo else (n, task.n_arms)
    mask, ids = np.asarray(mask), np.asarray(ids)
    if mask.shape != shape or mask.dtype.kind not in "iub" or ((mask != 0) & (mask != 1)).any():
        raise ValueError(f"expected an action_mask of 0 and 1 of shape {shape}, got {brief(mask)}")
    if ids.shape != shape or ids.dtype.kind not in "iu":
        raise ValueError(f"expected ids of shape {shape}, got {ids.shape}, {ids.dtype}")
    there = np.ascontiguousarray(mask.reshape(n, -1) != 0)
    empty = ~there.any(axis=1)
    if empty.any():
        raise ValueError(f"replicate {int(np.argmax(empty))} has no arm to play")
    whose = np.ascontiguousarray(ids.reshape(n, -1), dtype=np.int64)
    return _features(task, arms, n, solo)[0], there, whose


def check_slots(mask: np.ndarray, played: np.ndarray) -> None:
    """Refuse arms (n,) in slots that are empty: mask (n, K) is false."""
    bad = ~mask[np.arange(len(played)), played]
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"replicate {i} played slot {played[i]}, which has no arm")


def unchanged(contexts: Any, observation: Any) -> bool:
    """Whether an observation still has the arrays that contexts were made from.

    An observation of pairs is a mapping, in which an array may have been replaced.
    """
    if not isinstance(observation, dict):
        return True
    for name, array in zip(("indices", "values"), contexts, strict=True):
        given = observation.get(name)
        if given is None or (given is not array and given is not array.base):
            return False
    return True


@functools.lru_cache(maxsize=4)
def _every_index(n: int, dim: int) -> np.ndarray:
    """The indices (n, d) of dense rows."""
    indices = np.tile(np.arange(dim, dtype=np.int32), (n, 1))
    indices.flags.writeable = False
    return indices


def rankings(task: Any, action: Any, reward: Any, observed: np.ndarray, solo: bool) -> tuple:
    """Rankings (n, r), int64 and of distinct labels, and rewards (n,), finite where observed."""
    n = len(observed)
    paid = numbers("rewards", reward, n, solo)
    played = _set_of(task.n_labels, task.slots).read([action] if solo else action, n)
    bad = _first_not_finite(paid[:, None], observed)
    if bad >= 0:
        raise ValueError(f"the reward of replicate {bad} is not finite: {paid[bad]}")
    return played, paid


def clicks(played: np.ndarray, feedback: Any, observed: np.ndarray, solo: bool) -> np.ndarray:
    """The labels (n,) that were clicked, int64: one of those played (n, r), or -1 for none."""
    told = "the click: give feedback=info['feedback']"
    clicked = _labels("clicks", feedback, told, len(observed), solo)
    bad = observed & (clicked != -1) & ~(played == clicked[:, None]).any(axis=1)
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"the click {clicked[i]} of replicate {i} is none of {played[i].tolist()}")
    return clicked


_set_of = functools.lru_cache(maxsize=4)(DistinctLabels)  # once, not in every round


def true_labels(task: Any, feedback: Any, observed: np.ndarray, solo: bool) -> np.ndarray:
    """The labels (n,), int64 and in range where observed, that full information reveals."""
    told = "the true label: give feedback=info['label']"
    true = _labels("true labels", feedback, told, len(observed), solo)
    bad = observed & ~((true >= 0) & (true < task.n_labels))
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"the label {true[i]} of replicate {i} is not in 0..{task.n_labels - 1}")
    return true


def _labels(name: str, feedback: Any, told: str, n: int, solo: bool) -> np.ndarray:
    if feedback is None:
        raise ValueError(f"it learns from {told}")
    try:
        labels = np.asarray([feedback] if solo else feedback)
    except ValueError:  # sequences of different lengths
        labels = np.empty(0)
    if labels.dtype.kind not in "iu" or labels.shape != (n,):
        raise ValueError(f"expected {n} {name}, got {brief(feedback)}")
    return _packed(labels.astype(np.int64, copy=False))


def arms(task: Any, action: Any, reward: Any, observed: np.ndarray, solo: bool) -> tuple:
    """Arms and rewards (n,), int64 and float64; rewards finite where observed."""
    n = len(observed)
    played = np.array([action]) if solo else np.asarray(action)
    paid = numbers("rewards", reward, n, solo)
    if played.dtype is not _INT64 and played.dtype.kind in "iu":
        played = played.astype(np.int64)
    if played.dtype is not _INT64 or played.shape != (n,):
        raise ValueError(f"expected {n} arms, got {brief(action)}")
    played = _packed(played)
    bad = _first_bad_arm(played, paid, observed, task.n_arms)
    if bad >= 0:
        raise ValueError(
            f"replicate {bad} played arm {played[bad]} of 0..{task.n_arms - 1} for a reward "
            f"of {paid[bad]}: arms must be in range and rewards finite"
        )
    return played, paid


def rewarded_points(
    task: Any, action: Any, reward: Any, observed: np.ndarray, solo: bool
) -> tuple:  # fmt: skip
    """Points (n, d) and rewards (n,), float64 and finite where observed."""
    n = len(observed)
    paid = numbers("rewards", reward, n, solo)
    played = _vectors("points", action, (n, task.dim), solo)
    for name, values in (("point", played), ("reward", paid)):
        bad = _first_not_finite(values.reshape(n, -1), observed)
        if bad >= 0:
            raise ValueError(f"the {name} of replicate {bad} is not finite: {values[bad]}")
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
    return _packed(values)


def _packed(values: np.ndarray) -> np.ndarray:
    """``values`` (n,) in the layout that kernels are compiled for: writable and contiguous."""
    return values if values.flags.carray else values.copy()


def _vectors(name: str, values: Any, shape: tuple[int, int], solo: bool) -> np.ndarray:
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    array = array[None] if solo else array.view()
    if array.shape != shape:
        raise ValueError(f"expected {name} of shape {shape[solo:]}, got {brief(values)}")
    array.flags.writeable = False  # kernels are compiled for one mutability
    return array


@compiled
def _first_bad_arm(arms, reward, observed, n_arms):
    """The first replicate with an arm out of range or, if observed, a reward that is not finite.

    As an index, -1 would silently mean the last arm.
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


@compiled
def _first_not_finite_row(values):
    """The first replicate whose row of ``values`` (n, d) is not finite, or -1."""
    if _all_finite(values.ravel()):
        return -1
    for i in range(values.shape[0]):
        if not _all_finite(values[i]):
            return i
    return -1


@compiled
def _first_bad_pair(indices, values, dim):
    """The first replicate with an index outside 0..dim - 1 or a value not finite, or -1."""
    # All rows at once, which is several times as fast as row by row; then the bad row is found.
    if _all_within(indices.ravel(), dim) and _all_finite(values.ravel()):
        return -1
    for i in range(indices.shape[0]):
        if not (_all_within(indices[i], dim) and _all_finite(values[i])):
            return i
    return -1


@compiled
def _all_within(indices, dim):
    """Whether int32 indices (m,) lie in 0..dim - 1."""
    least, largest = np.int32(0), np.int32(0)
    for j in range(indices.size):
        least, largest = min(least, indices[j]), max(largest, indices[j])
    return least >= 0 and largest < dim


@compiled
def _all_finite(values):
    """Whether values (m,) are finite."""
    finite = True
    for j in range(values.size):
        finite &= abs(values[j]) < math.inf  # vectorised, unlike math.isfinite
    return finite
