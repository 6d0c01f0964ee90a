"""The site, built once for all tests that look at it; the tutorials are not run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def in_another_process(*words, hash_seed="0"):
    """Run Python at the root of the repository; its output must be good."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session", name="in_another_process")
def _in_another_process():
    return in_another_process


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder with ``source``, ``html`` and the zip file."""
    pytest.importorskip("sphinx", reason="needs the extra [docs]")
    folder = tmp_path_factory.mktemp("site")
    told = in_another_process("-m", "docs", "--quick", "--zip", "--out", str(folder), hash_seed="1")
    assert str(folder / "html") in told
    return folder
