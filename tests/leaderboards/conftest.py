"""Shared parts of the judge's tests."""

import importlib.util
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from .small_files import AGENT, MANIFEST, SUITE, HeldOut

ONE_TASK = """
title = "small"
seeds = 4

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
"""


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


@pytest.fixture
def small(tmp_path):
    """The path of a small suite."""
    path = tmp_path / "small.toml"
    path.write_text(SUITE)
    return path


@pytest.fixture
def root(tmp_path):
    """An empty folder in the place of the repository's submissions."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    return folder


@pytest.fixture
def mine(tmp_path):
    """The folder of a submission of a few lines."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "submission.toml").write_text(MANIFEST)
    return folder


@pytest.fixture
def submission(mine, tmp_path):
    """The submission ``mine``, opened."""
    from leaderboards.submit.catalogue import opened

    return opened(mine, tmp_path / "nowhere")


@pytest.fixture
def example(tmp_path, root):
    """The folder that ``banditgym submit new`` writes."""
    from leaderboards.submit import starting

    starting.write(tmp_path / "example", root)
    yield tmp_path / "example"
    shutil.rmtree(tmp_path / "example")


@pytest.fixture
def held(tmp_path, monkeypatch):
    """An epoch's files, with a lock that no network is needed for."""
    from leaderboards.processes.workers import Here
    from leaderboards.run import execution
    from leaderboards.submit import playing
    from leaderboards.submit.epochs import lock

    def locked(path):
        path.write_text(f"numpy==1.0 \\\n    --hash=sha256:{'0' * 64}\n")

    monkeypatch.setattr(lock, "write", locked)
    monkeypatch.setattr(lock, "differences", lambda path: [])
    # Cells are played in this process: no other one has to start.
    monkeypatch.setattr(execution, "Processes", lambda workers: Here())
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())
    return HeldOut(tmp_path)


@pytest.fixture
def unconfined(monkeypatch):
    """Let rows say ``full`` though the agent plays here: what is tested is the bookkeeping."""
    from leaderboards.run.confinement import HERE
    from leaderboards.submit import asking, playing

    original = playing.played

    def played(game):
        inside = game.confinement.apart  # then its spec is relative to its folder
        spec = f"{game.folder}/{game.spec}" if inside else game.spec
        return original(replace(game, confinement=HERE, spec=spec))

    asked = asking.described

    def described(submission, folder, tasks, isolation, seconds):
        return asked(submission, folder, tasks, "none", seconds)

    monkeypatch.setattr(playing, "played", played)
    monkeypatch.setattr(asking, "described", described)


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run the command in this process, beside ``small.toml``: exit code, stdout, stderr."""
    from leaderboards.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(ONE_TASK)
    monkeypatch.setenv("COLUMNS", "150")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["banditgym", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return call
