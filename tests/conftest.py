"""What all tests share: a made copy of RCV1, and that in the project's own checks none may skip.

But for one reason: a machine on which bubblewrap is installed and may not make namespaces.
"""

import compileall
import os
import re
import sys
from pathlib import Path

import pytest

from banditgym.data import rcv1_tokens

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session", autouse=True)
def made_collection(tmp_path_factory):
    """Stories in the format of RCV1 where ``Reuters4-v0`` looks for them by default."""
    folder = tmp_path_factory.mktemp("rcv1")
    rcv1_tokens.write_fixture(folder, 60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCIKIT_LEARN_DATA", str(folder))
        yield folder


def pytest_addoption(parser, pluginmanager):
    """Accept the options of pyproject.toml that are xdist's where it is off: ``-p no:xdist``."""
    if not pluginmanager.hasplugin("xdist"):
        for name in ("--numprocesses", "--maxprocesses", "--dist"):
            parser.addoption(name, help="of pytest-xdist, which is not loaded")


def pytest_configure(config):
    """Compile the sources once: the tests start hundreds of processes that import them.

    An environment may say that no process keeps bytecode; what is kept they read nevertheless.
    """
    if not hasattr(config, "workerinput"):
        for package in ("banditgym", "agents"):
            compileall.compile_dir(ROOT / package, quiet=2)
        compileall.compile_dir(ROOT / "leaderboards", quiet=2, rx=re.compile("/submissions/"))


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    """Keep the bytecode of the tests themselves, which takes longest to make, in the same way."""
    keeps, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    yield
    sys.dont_write_bytecode = keeps


def pytest_collection_modifyitems(items):
    """Nightly tests begin first: if a long one came last, all other processes would wait."""
    items.sort(key=lambda item: item.get_closest_marker("nightly") is None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    allowed = hasattr(report, "wasxfail") or "bubblewrap does not work here" in str(report.longrepr)
    if report.skipped and not allowed and os.environ.get("BANDITGYM_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may skip: {report.longrepr}"
