"""Entry points that make environments from their ids, and the settings that an id takes.

The class of an id is not one of its settings, because ``make("LinearBandit-v0",
entry="os:system")`` must import nothing. So every id has two entry points, which are attributes of
this module: ``LinearBandit_v0`` makes one replicate, ``LinearBandit_v0_batched`` several.
"""

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from banditgym.registration import ENVIRONMENTS, entry_name
from banditgym.single import SingleBandit
from banditgym.specs import with_length
from banditgym.validation import nearest
from banditgym.vector_env import UnknownSettingError, load_env, make_env, settings_of


def make_batch(env: str | EnvSpec, num_envs: int, settings: Mapping[str, Any]) -> Any:
    """``gymnasium.make_vec`` with the environment's own settings only.

    Use it for settings from a file or a command line. Gymnasium's keywords among them would start
    processes, wrap the environment or switch checks off.

    Parameters
    ----------
    env : str or gymnasium.envs.registration.EnvSpec
        An id, or a specification of Gymnasium.
    num_envs : int
        Number of replicates.
    settings : mapping
        Keywords that the environment's class documents.

    Raises
    ------
    UnknownSettingError
        For a setting that the environment does not have, with the nearest name.
    ValueError
        For a value that it does not take.
    gymnasium.error.Error
        If there is no such environment.
    """
    name, known = env if isinstance(env, str) else env.id, None
    if name in ENVIRONMENTS:
        known = settings_of(load_env(ENVIRONMENTS[name].path))
    elif not isinstance(env, str) and isinstance(env.kwargs.get("entry"), type):
        known = settings_of(env.kwargs["entry"])
    for setting in settings:
        if setting in _of_gymnasium() if known is None else setting not in known:
            hint = nearest(setting, known or ())
            raise UnknownSettingError(f"{name} has no setting {setting!r}{hint}")
    return gymnasium.make_vec(env, num_envs=num_envs, **settings)


@functools.cache
def _of_gymnasium() -> frozenset[str]:
    """The keywords that Gymnasium takes for itself."""
    functions = (gymnasium.make, gymnasium.make_vec, gymnasium.register)
    return frozenset(name for f in functions for name in inspect.signature(f).parameters)


def _entry_points() -> dict[str, Callable]:
    found: dict[str, Callable] = {}
    for env_id, entry in ENVIRONMENTS.items():
        found[entry_name(env_id)] = _entry(SingleBandit, entry.path)
        found[entry_name(env_id, batched=True)] = _entry(make_env, entry.path)
    return found


def _entry(make: Callable, path: str) -> Callable:
    def entry(**settings: Any) -> Any:
        if "entry" in settings:
            raise UnknownSettingError.of(path.partition(":")[2], "entry")
        return make(entry=path, **with_length(settings, sys._getframe(1)))

    entry.metadata = getattr(make, "metadata", {})  # pyright: ignore[reportFunctionMemberAccess]
    return entry


globals().update(_entry_points())
