"""Checks and conversions of observations to the one layout that kernels take.

Observations are checked here, what agents learn from in ``agents.inputs.learning_inputs``, and how
long features may be in ``agents.inputs.feature_limits``; nothing is checked elsewhere. Observations
of our environments are not copied; others are converted once.
"""

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.inputs.shared_context import features_of
from banditgym.compiled import compiled
from banditgym.rounds.kinds import ARMS, CONTEXT, NOTHING, PAIRS, ROW, SLOTS, Observes
from banditgym.tasks import MulticlassTask
from banditgym.validation import brief

# Compared by identity, which is ten times as fast as by value; equal dtypes are converted.
_INT8, _INT32, _FLOAT64 = np.dtype(np.int8), np.dtype(np.int32), np.dtype(np.float64)

# An array, or anything that numpy makes an array of. Agents without contexts take any value, but a
# mapping with an action_mask only where arms come and go.
Observation = ArrayLike | Mapping[str, ArrayLike] | None
Pairs = tuple[np.ndarray, np.ndarray]  # indices (n, w), int32, and values (n, w)
# The parts of an observation where arms come and go.
_SHOWN = {
    NOTHING: ("action_mask",),
    ARMS: ("arms", "action_mask"),
    CONTEXT: ("context", "action_mask"),
    SLOTS: ("arms", "action_mask", "ids"),
}


def refuse_first(bad: np.ndarray, fault: Callable[[int], str]) -> None:
    """Raise with the fault of the first replicate for which ``bad`` (n,) is true."""
    if bad.any():
        raise ValueError(fault(int(np.argmax(bad))))


# How contexts follow from an observation: they are copied; or they share its memory, and must be
# checked by ``check_pairs`` before they are used again; or they share it and need no check.
COPIED, SHARED, LASTING = range(3)


def contexts(task: Any, observation: Observation, n: int, solo: bool) -> tuple[Any, int]:
    """An observation's contexts in the layout of kernels, and whether they stay equal to it.

    Contexts are features (n, d, K), C-contiguous and read-only; a row has K = 1; a context that all
    arms share becomes their features (``agents.inputs.shared_context``); None if the family
    observes nothing. The ``noise_std`` of arms that a mapping shows is left out. For ``pairs`` they
    are a tuple of indices (n, w), int32 within the dimension, and finite values (n, w). Where arms
    come and go they are a tuple of the features, the mask of arms that may be played, bool (n, K),
    and, for ``slots``, the ids of the arms, int64 (n, K).

    The second result is ``COPIED``, ``SHARED`` or ``LASTING``. Only pairs that may be written to
    are ``SHARED``, because kernels look up their indices. Contexts that are None are ``LASTING``.
    """
    if task.arms_vary:
        return _masked(task, observation, n, solo), COPIED
    observes = task.observes  # of some tasks a property
    if isinstance(observation, Mapping):
        refuse_mask(task, observation)
        if observes in (ARMS, CONTEXT) and "noise_std" in observation:
            [features] = _members(observation, observes.name)
            return _features(task, observes, features, n, solo)[0], COPIED
    if observes is NOTHING:
        return None, LASTING
    if observes is PAIRS:
        return _pairs(task, observation, n, solo)
    return _features(task, observes, observation, n, solo)


def refuse_mask(task: Any, shown: Any) -> None:
    """Refuse an observation or info with a mask, all true or not, where the task has none."""
    if not task.arms_vary and isinstance(shown, Mapping) and "action_mask" in shown:
        raise ValueError(
            f"{task.family} tasks must have no action_mask, because agents follow one only where "
            f"task.arms_vary is true: got {brief(shown['action_mask'])}"
        )


def _features(
    task: Any, observes: Observes, observation: Any, n: int, solo: bool
) -> tuple[np.ndarray, int]:
    x = observation if isinstance(observation, np.ndarray) else np.asarray(observation)
    shape = observes.shape(task) if solo else (n, *observes.shape(task))
    if x.shape != shape:
        raise ValueError(f"expected features of shape {shape}, got {np.shape(observation)}")
    if observes is CONTEXT:
        return features_of(task, _frozen(x[None] if solo else x, _FLOAT64)), COPIED
    if solo:
        shown = x[None, :, None] if observes is ROW else x.T[None]
    else:
        shown = x[:, :, None] if observes is ROW else x.transpose(0, 2, 1)
    flags = shown.flags
    if x.dtype is _FLOAT64 and flags.c_contiguous:
        if flags.writeable:
            shown.setflags(write=False)  # a view: x itself stays as it is
        return shown, LASTING if x is observation else COPIED
    return _frozen(shown, _FLOAT64), COPIED


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


def _pairs(task: MulticlassTask, observation: Any, n: int, solo: bool) -> tuple[Pairs, int]:
    """Checked indices and values (n, w) of sparse or dense rows; and how they follow."""
    width = task.width if task.sparse else task.dim
    shape = (width,) if solo else (n, width)
    if not task.sparse:
        rows = _array("features", observation, shape, "iuf")
        shown = rows[None] if solo else rows
        contexts = _every_index(n, task.dim), _frozen(shown, _FLOAT64)
        check_pairs(task, contexts)
        return contexts, _kept(contexts[1], shown) if rows is observation else COPIED
    given = _members(observation, "indices", "values")
    indices = _array("indices", given[0], shape, "iu")
    values = _array("values", given[1], shape, "iuf")
    if indices.dtype.itemsize > 4:  # checked first: a huge index, cut to 32 bits, might be legal
        out = (indices < 0) | (indices >= task.dim)
        if out.any():
            raise ValueError(f"feature {indices[out][0]} is not one of 0..{task.dim - 1}")
    shown = (indices[None], values[None]) if solo else (indices, values)
    contexts = _frozen(shown[0], _INT32), _frozen(shown[1], _FLOAT64)
    check_pairs(task, contexts)
    if indices is not given[0] or values is not given[1]:
        return contexts, COPIED
    return contexts, min(_kept(contexts[0], shown[0]), _kept(contexts[1], shown[1]))


def _kept(context: np.ndarray, shown: np.ndarray) -> int:
    """How a context follows from the array ``shown``, which ``_frozen`` may have returned."""
    if context is shown:
        return LASTING
    return SHARED if np.may_share_memory(context, shown) else COPIED


def check_pairs(task: MulticlassTask, contexts: Pairs) -> None:
    """Refuse indices out of range and values that are not finite."""
    bad = _first_bad_pair(*contexts, task.dim)
    if bad >= 0:
        where = f" must be finite values at indices in 0..{task.dim - 1}"
        raise ValueError(
            f"the features of replicate {bad}{where if task.sparse else ' are not finite'}"
        )


def _masked(task: Any, observation: Any, n: int, solo: bool) -> tuple[Any, np.ndarray, Any]:
    """Features (n, d, K), masks (n, K) with an arm in every row, and ids (n, K) of slots.

    Features and ids are None where none are shown.
    """
    names = _SHOWN[task.observes]
    shown = dict(zip(names, _members(observation, *names), strict=True))
    shape = (task.n_arms,) if solo else (n, task.n_arms)
    mask, there = np.asarray(shown["action_mask"]), np.empty((n, task.n_arms), bool)
    legal = mask.shape == shape and mask.dtype.kind in "iub"
    if legal and mask.dtype is not _INT8:  # checked here: 256 cut to 8 bits would be legal
        legal = not ((mask != 0) & (mask != 1)).any()
        mask = mask.astype(np.int8) if legal else mask
    empty = _read_mask(_frozen(mask.reshape(n, -1), _INT8), there) if legal else n
    if empty == n:
        raise ValueError(f"expected an action_mask of 0 and 1 of shape {shape}, got {brief(mask)}")
    if empty >= 0:
        raise ValueError(f"replicate {empty} has no arm to play")
    features = whose = None
    if "ids" in shown:
        ids = _array("ids", shown["ids"], shape, "iu")
        whose = np.ascontiguousarray(ids.reshape(n, -1), dtype=np.int64)
    if task.observes is not NOTHING:
        features, _ = _features(task, task.observes, shown[names[0]], n, solo)
    return features, there, whose


def _members(observation: Any, *names: str) -> list[Any]:
    try:
        return [observation[name] for name in names]
    except (TypeError, KeyError, IndexError, ValueError):
        *others, last = names
        what = f"{', '.join(others)} and {last}" if others else last
        raise ValueError(f"expected a mapping of {what}, got {brief(observation)}") from None


def _array(name: str, values: ArrayLike, shape: tuple[int, ...], kinds: str) -> np.ndarray:
    """An array of this shape whose dtype has one of numpy's ``kinds``."""
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in kinds:
        raise ValueError(f"expected {name} of shape {shape}, got {array.shape}, {array.dtype}")
    return array


def arrays_of(observation: Observation) -> tuple[Any, Any] | None:
    """The indices and values of a mapping of pairs; None for another observation."""
    if not isinstance(observation, Mapping):
        return None
    return observation.get("indices"), observation.get("values")


def has_arrays(observation: Any, arrays: tuple[Any, Any]) -> bool:
    """Whether a mapping still has these ``arrays``, and no mask."""
    indices, values = arrays
    return (
        observation.get("indices") is indices
        and observation.get("values") is values
        and "action_mask" not in observation
    )


@compiled
def _read_mask(mask, there):
    """Write where a mask (n, K) is 1, and return the first replicate without a 1, or -1.

    If the mask has other numbers than 0 and 1, the function returns n.
    """
    n, n_slots = mask.shape
    empty = -1
    for i in range(n):
        some = False
        for k in range(n_slots):
            if mask[i, k] < 0 or mask[i, k] > 1:
                return n
            there[i, k] = mask[i, k] == 1
            some |= there[i, k]
        if not some and empty < 0:
            empty = i
    return empty


@functools.lru_cache(maxsize=4)
def _every_index(n: int, dim: int) -> np.ndarray:
    """The indices (n, d) of dense rows."""
    indices = np.tile(np.arange(dim, dtype=np.int32), (n, 1))
    indices.flags.writeable = False
    return indices


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
