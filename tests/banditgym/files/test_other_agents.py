"""Another package named agents in place of ours: told in one line, wherever it bites. 4 seconds."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from banditgym.files.other_agents import other_agents

HERE = Path(__file__).parents[2]


@pytest.fixture(params=["instead of ours", "laid over ours"])
def place(request, tmp_path):
    """Folders to import from, and what is found there."""
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "__init__.py").write_text("class Agent: pass\n")
    if request.param == "laid over ours":
        for file in (HERE / "agents").iterdir():
            if file.name != "__init__.py":
                (folder / file.name).symlink_to(file)
    return [tmp_path, HERE], folder / "__init__.py"


def python(folders, code):
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
        cwd=folders[0],
    )


def test_it_is_reported_in_a_line_by_environments_judge_and_command(place):
    folders, found = place
    line = f"the package agents is found at {found}, which is not the one that comes with banditgym"
    alone = python(folders, "import banditgym, gymnasium; gymnasium.make('ArmedBandit-v0')")
    assert alone.returncode == 0
    assert line in alone.stderr
    judge = python(folders, "from leaderboards import compare")
    assert judge.stderr.splitlines()[-1].startswith(f"ImportError: {line}")
    for words in (["list", "agents"], ["run", "LinearBandit-v0", "--agent", "LinUCB"]):
        code = f"import sys; sys.argv[1:] = {words}; from leaderboards.cli import main; main()"
        command = python(folders, code)
        assert command.returncode == 2
        assert command.stderr.startswith(f"error: {line}")
        assert command.stderr.count("\n") == 1
        assert command.stdout == ""


def test_a_bare_folder_and_none_at_all_are_reported(monkeypatch, tmp_path):
    assert other_agents() is None
    folder = ModuleSpec("agents", None, is_package=True)
    folder.submodule_search_locations = [str(tmp_path)]
    for found, where in ((folder, tmp_path), (None, "nowhere")):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, found=found: found)
        assert (other_agents() or "").startswith(f"the package agents is found at {where}, which")
