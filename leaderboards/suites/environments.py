"""Environments by name: ids registered with Gymnasium, ``module:Class`` and ``file.py:Class``.

A name is an id that is registered with Gymnasium (``LinearBandit-v0``), such an id after the module
that registers it (``module:Mine-v0``), or the place of a class that derives from `BanditVectorEnv`,
``gymnasium.vector.VectorEnv`` or ``gymnasium.Env``. In every case ``env.unwrapped.task`` must be a
task of ``banditgym.tasks``; docs/environments.md has an example.

What makes environments is imported when one is made: a suite of this package's own is read without.
"""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator
from gymnasium.vector import VectorEnv

import banditgym  # noqa: F401 (registers the environments)
from banditgym.files.class_paths import module_at, names_own, place_of
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import brief, nearest
from leaderboards.suites.baselines_file import baseline_of


def known(name: str) -> bool:
    """Whether a name is a registered id, or names a module or file to look in; imports nothing.

    >>> known("LinearBandit-v0"), known("mine.py:Mine"), known("LinearBandits-v0")
    (True, True, False)
    """
    return ":" in name or name in gymnasium.registry


def is_ours(name: str) -> bool:
    """Whether making an environment of that name runs only this package's code.

    >>> is_ours("LinearBandit-v0"), is_ours("CartPole-v1"), is_ours("mine.py:Mine")
    (True, False, False)
    """
    return names_own(name) if ":" in name else name in ENVIRONMENTS


def located(name: str, folder: str | Path) -> str:
    """The name with its file's absolute path, so that it works in any working directory."""
    place, _ = place_of(name)
    if not place.endswith(".py"):
        return name
    return f"{(Path(folder) / place).resolve()}{name[len(place) :]}"


def spec(name: str) -> EnvSpec:
    """The Gymnasium specification of the environment with that name.

    Parameters
    ----------
    name : str
        An id, ``"module:id"``, ``"module:Class"`` or ``"file.py:Class"``. This runs third-party
        code.

    Raises
    ------
    ValueError
        If it does not exist; the message suggests the nearest name.
    """
    place, thing = place_of(name)
    if not place:
        if name.endswith(".py"):
            raise ValueError(f"name the class in the file too, as in {name}:Mine")
        if thing not in gymnasium.registry:
            hint = nearest(thing, ENVIRONMENTS) or f"; there are {', '.join(ENVIRONMENTS)}"
            raise ValueError(f"unknown environment {name!r}{hint}")
        return gymnasium.spec(thing)
    module = module_at(place)
    found = getattr(module, thing, None)
    if found is None:
        if thing in gymnasium.registry:
            return gymnasium.spec(thing)
        kinds = [
            key
            for key, value in vars(module).items()
            if _is_environment(value) and value.__module__ == module.__name__
        ]
        hint = nearest(thing, kinds) or f"; there are {', '.join(kinds) or 'none'}"
        raise ValueError(f"{place} has no environment {thing!r}{hint}")
    if not _is_environment(found):
        raise ValueError(
            f"{name} is not an environment: it must be a class that derives from "
            "BanditVectorEnv, or from gymnasium's Env or VectorEnv"
        )
    from banditgym.single import SingleBandit
    from banditgym.vector_env import BanditVectorEnv, make_env

    if issubclass(found, BanditVectorEnv):
        return EnvSpec(
            found.__name__,
            entry_point=SingleBandit,
            vector_entry_point=make_env,
            kwargs={"entry": found},
        )
    if issubclass(found, VectorEnv):
        return EnvSpec(found.__name__, vector_entry_point=found)
    return EnvSpec(found.__name__, entry_point=found, disable_env_checker=True)


def make(env: str | EnvSpec, num_envs: int, settings: Mapping[str, Any]) -> VectorEnv:
    """A vector environment of ``num_envs`` replicates.

    Raises
    ------
    ValueError
        In one line: if there is no such environment, it does not accept the settings (every
        environment must accept ``horizon``), or it has no task.
    """
    of = spec(env) if isinstance(env, str) else env
    name = env if isinstance(env, str) else env.id
    try:
        return _made(name, of, num_envs, settings)
    except ValueError as error:
        if "horizon" not in settings or not isinstance(error.__cause__ or error, TypeError):
            raise
        without = {key: value for key, value in settings.items() if key != "horizon"}
        _made(name, of, 1, without)  # raises if the error is not about the horizon
        raise ValueError(
            f"{name} cannot be made with horizon={brief(settings['horizon'])}: its class must take "
            f"horizon, the number of rounds, as a keyword (see docs/environments.md): {error}"
        ) from error


def _made(name: str, of: EnvSpec, num_envs: int, settings: Mapping[str, Any]) -> VectorEnv:
    from agents.play import task_of
    from banditgym.entry_points import make_batch

    try:
        made = make_batch(of, num_envs, settings)
        task_of(made)
    except (ValueError, OSError):  # so is an unknown setting of ours, also a TypeError
        raise
    except (TypeError, gymnasium.error.Error) as error:  # TypeError: an unknown setting
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from error
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{name} cannot be made: {message}") from error
    return made


def family(name: str, settings: Mapping[str, Any]) -> str:
    """The family of problems that an environment belongs to: ``task.family``.

    Raises
    ------
    ValueError
        As for `make`, and if no agent plays the family.
    """
    if name in ENVIRONMENTS:
        return ENVIRONMENTS[name].family
    from agents.play import task_of

    found = getattr(task_of(make(name, 1, settings)), "family", None)
    families = sorted({entry.family for entry in ENVIRONMENTS.values()})
    if found not in families:
        raise ValueError(
            f"the task of {name} must be one of banditgym.tasks, and its family one of "
            f"{', '.join(families)}; got {found!r}"
        )
    return found


def measures(name: str, settings: Mapping[str, Any]) -> list[str]:
    """The measures that a trace on an environment has, from one round of uniform play.

    Raises
    ------
    ValueError
        As for `make`.
    """
    from agents.naming import resolve
    from agents.play import play, task_of

    envs = make(name, 1, settings)
    agent = resolve(baseline_of(task_of(envs).family))
    return list(play(envs, agent, horizon=1, seed=0).measures)


def maker(of: EnvSpec) -> Any:
    """The class of an environment, or the function that makes it."""
    entry = of.kwargs.get("entry") or of.vector_entry_point or of.entry_point
    return load_env_creator(entry) if isinstance(entry, str) else entry


def source(name: str) -> str | None:
    """The file with the class of a third-party environment; None for our environments."""
    if is_ours(name):
        return None
    place, _ = place_of(name)
    if place.endswith(".py"):
        return place
    try:
        return inspect.getfile(maker(spec(name)))
    except (TypeError, OSError):  # not written in Python
        return None


def _is_environment(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, gymnasium.Env | VectorEnv)
