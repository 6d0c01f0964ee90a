"""Legal tasks of saved agents."""

import dataclasses
from typing import Any, get_args, get_type_hints

import numpy as np

from banditgym.tasks import Task
from banditgym.validation import brief


def fault_of_task(task: Task) -> str | None:
    """The fault of a task of ``banditgym.tasks``; None if it is legal.

    The annotation of each field gives its types; whole numbers must be >= 1, others >= 0.
    """
    hints = get_type_hints(type(task))
    for field in dataclasses.fields(task):
        kinds = get_args(hints[field.name]) or (hints[field.name],)
        value = getattr(task, field.name)
        if not any(_is_one(value, kind) for kind in kinds):
            return f"its {field.name} cannot be {brief(value)}"
    n_arms, dim = getattr(task, "n_arms", None), getattr(task, "dim", None)
    arms, points = getattr(task, "arms", None), getattr(task, "action_set", None)
    if arms is not None and arms.shape != (n_arms, dim):
        return f"its arms are of shape {arms.shape} and not {(n_arms, dim)}"
    if points is not None and points.dim != dim:
        return f"its points are of dimension {points.dim} and not {dim}"
    return None


def _is_one(value: Any, kind: object) -> bool:
    if kind is int:
        number = isinstance(value, int | np.integer) and not isinstance(value, bool)
        return number and bool(value >= 1)
    if kind is float:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        return number and bool(value >= 0)
    if kind is np.ndarray:
        return (
            isinstance(value, np.ndarray)
            and value.dtype == np.float64
            and value.flags.c_contiguous
            and bool(np.isfinite(value).all())
        )
    return not isinstance(kind, type) or isinstance(value, kind)
