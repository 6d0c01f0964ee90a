"""The length of an episode in Gymnasium's specifications: it is the task's horizon.

No id is registered with a length, because Gymnasium would end every longer episode there.
"""

import copy
from types import FrameType
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from banditgym.validation import brief


def _get(env: Any) -> EnvSpec | None:
    return vars(env).get("_spec")


def _set(env: Any, spec: EnvSpec | None) -> None:
    horizon = getattr(env.task, "horizon", None)
    if spec is not None and horizon is not None:
        spec = copy.copy(spec)
        spec.max_episode_steps = horizon
    env._spec = spec


# The attribute ``spec`` of an environment with a task: Gymnasium sets it, and knows no horizon.
spec_with_horizon: Any = property(_get, _set)


def with_length(settings: dict[str, Any], caller: FrameType) -> dict[str, Any]:
    """The settings, with the ``max_episode_steps`` of the call of ``gymnasium.make``.

    ``make`` gives the length, its own keyword or that of a specification, to a ``TimeLimit``, but
    not to what makes the environment, whose horizon could then be another number. Only the frame
    of the call has it.

    Parameters
    ----------
    settings : dict
        Given to what makes the environment.
    caller : frame
        Of the function that made the call. If it is not ``gymnasium.make``, nothing is added.

    Raises
    ------
    ValueError
        If a specification with a length is given another.
    """
    if caller.f_code is not getattr(gymnasium.make, "__code__", None):
        return settings
    length, spec = (caller.f_locals.get(name) for name in ("max_episode_steps", "env_spec"))
    if length == -1 or spec is None:  # -1: no TimeLimit
        return settings
    if length is None:
        length = spec.max_episode_steps
    elif caller.f_locals.get("id") is spec and spec.max_episode_steps not in (None, length):
        raise ValueError(
            "max_episode_steps must be that of the specification, "
            f"{spec.max_episode_steps}, got {brief(length)}"
        )
    return settings if length is None else settings | {"max_episode_steps": length}
