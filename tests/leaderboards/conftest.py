"""What tests of the judge share."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny():
    """The module with a tiny paper."""
    spec = importlib.util.spec_from_file_location("tiny", Path(__file__).parent / "papers/tiny.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def full():
    """The isolation of this machine, if it is full.

    Where namespaces are refused no test of the sandbox can run: that alone is a reason to skip.
    """
    from leaderboards.sandbox.isolation import isolation

    found = isolation()
    for reason in ("is not here", "does not work here", "on x86-64 alone"):
        if found.reason is not None and reason in found.reason:
            pytest.skip(f"no sandbox: {found.reason}")
    assert found.level == "full", found.reason  # a limit that does not bind is no reason to skip
    return found
