"""The agents that attack and misbehave, as modules."""

import importlib.util
import sys
from pathlib import Path


def _load(name):
    """A module beside these tests, by its name; its file is also an agent's, and a program."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


for _name in ("attacks", "misbehaving"):
    _load(_name)
