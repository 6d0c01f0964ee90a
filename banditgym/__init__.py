"""Bandit environments as Gymnasium environments, natively batched over replicates.

Importing this package only registers the environments with Gymnasium; an environment and its
compiled code are loaded when it is made.
"""

import importlib
import warnings
from typing import TYPE_CHECKING, Any

from banditgym.files.other_agents import other_agents
from banditgym.registration import ENVIRONMENTS, ids, register_environments

if TYPE_CHECKING:
    from banditgym.wrappers import BoxActions

__version__ = "0.2.0"
__all__ = ["ENVIRONMENTS", "BoxActions", "ids"]

# Loaded at their first use.
_MODULES = ("action_sets", "check", "spaces", "streams", "tasks", "wrappers")

register_environments()

# The environments work without agents, so this is an error only when an agent is needed.
if (_other := other_agents()) is not None:
    warnings.warn(_other, stacklevel=2)


def __getattr__(name: str) -> Any:
    if name == "BoxActions":
        return importlib.import_module("banditgym.wrappers").BoxActions
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"banditgym.{name}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
