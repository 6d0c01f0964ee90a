"""Where bubblewrap does not work for want of namespaces, tests of the sandbox skip, and say so."""

import importlib.util
import sys
from pathlib import Path

import pytest

from leaderboards.sandbox.isolation import isolation


@pytest.fixture(scope="session")
def full():
    """The isolation of this machine, if it is full."""
    found = isolation()
    for reason in ("is not here", "does not work here", "on x86-64 alone"):
        if found.reason is not None and reason in found.reason:
            pytest.skip(f"no sandbox: {found.reason}")
    assert found.level == "full", found.reason  # a limit that does not bind is no reason to skip
    return found


def _load(name):
    """A module beside these tests, by its name; its file is also an agent's, and a program."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


for _name in ("attacks", "misbehaving"):
    _load(_name)
