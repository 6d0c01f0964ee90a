"""``--set name=value``: settings of an environment or of an experiment."""

import ast
import contextlib
import tomllib
from typing import Any


def settings_of(texts: list[str]) -> dict[str, Any]:
    """The settings given by --set; refuses repeated ones and those with a separate option."""
    options = {"horizon": "--horizon", "max_episode_steps": "--horizon", "workers": "--workers"}
    options |= {"seeds": "--seeds", "num_envs": "--seeds"}
    options |= {"agents": "--agent", "env": "the argument"}
    chosen: dict[str, Any] = {}
    for name, value in map(setting_of, texts):
        if name in options:
            raise ValueError(f"{name} is not a setting: use {options[name]}")
        if name in chosen:
            raise ValueError(f"{name} is given twice: {chosen[name]!r} and {value!r}")
        chosen[name] = value
    return chosen


def setting_of(text: str) -> tuple[str, Any]:
    """``dim=20`` as a name and a value; a value is written as in TOML or Python, else a string."""
    from banditgym.validation import brief

    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise ValueError(f"a setting is written name=value, got {brief(text)}")
    try:
        with contextlib.suppress(ValueError):  # not TOML, or more digits than Python reads
            return name.strip(), tomllib.loads(f"value = {value}")["value"]
        with contextlib.suppress(ValueError, SyntaxError):
            return name.strip(), ast.literal_eval(value)
    except (RecursionError, MemoryError):
        raise ValueError(f"the setting {name.strip()} is nested too deeply") from None
    return name.strip(), value
