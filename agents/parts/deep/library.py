"""Imports of stable-baselines3 and torch, and how to install them where they are missing."""

import importlib
import importlib.util
from typing import Any

REMEDY = (
    "pip install torch --index-url https://download.pytorch.org/whl/cpu, "
    "then pip install banditgym[sb3]"
)
_NEEDED = ("torch", "stable_baselines3")


def missing() -> str | None:
    """One line that names the missing packages and the remedy; None if none is. No imports."""
    absent = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if not absent:
        return None
    return f"it needs {' and '.join(absent).replace('_', '-')}: {REMEDY}"


def module(name: str) -> Any:
    """A module of the library, or of torch, imported at its first use."""
    return importlib.import_module(name)
