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
