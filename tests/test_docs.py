"""Docstring examples run, and so does every Python block of the README and of docs/."""

import doctest
import importlib
import pkgutil
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import gymnasium
import pytest
from typer.testing import CliRunner

import agents
import banditgym
import leaderboards

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MODULES = [
    found.name
    for house in (banditgym, agents, leaderboards)
    for found in pkgutil.walk_packages(house.__path__, f"{house.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL))
def test_readme_examples(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType("readme")  # a learner is saved under the name of its module
    monkeypatch.setitem(sys.modules, "readme", module)
    exec(compile(block, "README.md", "exec"), vars(module))
    for learner in vars(module).values():
        if isinstance(learner, type) and issubclass(learner, agents.Agent):
            agents.check_agent(learner)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_pages_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


def test_readme_names_every_environment_and_learner():
    for name in (*banditgym.WORLDS, *agents.LEARNERS):
        assert f"`{name}`" in README


def test_readme_commands_exist():
    from leaderboards.cli import app

    commands = re.findall(r"^banditgym ([a-z].*?)(?:#.*)?$", README, flags=re.MULTILINE)
    assert commands
    for command in commands:
        words = [word for word in shlex.split(command) if re.fullmatch(r"[a-z]+", word)]
        # The words before the first argument name a command, whose help must know it.
        known = words[:2] if words[0] in ("leaderboard",) else words[:1]
        result = CliRunner().invoke(app, [*known, "--help"])
        assert result.exit_code == 0, (command, result.output)


def test_readme_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_every_registered_id_is_made_as_the_readme_says():
    for name in banditgym.WORLDS:
        gymnasium.make(name).close()


@pytest.mark.parametrize(
    ("house", "offered"),
    [
        (banditgym, {"ids", "WORLDS", "BoxActions", "tasks", "check", "__version__"}),
        (agents, {"LinUCB", "play", "check_agent", "names", "estimators", "bounds"}),
        (leaderboards, {"compare"}),
    ],
)
def test_completion_offers_what_is_public_and_nothing_else(house, offered):
    """As an interpreter asks for it; each of them is there, and a star imports all but modules."""
    assert offered <= set(dir(house))
    assert {name for name in dir(house) if name.startswith("_")} <= {"__version__"}
    modules = set()
    for name in dir(house):
        value = getattr(house, name)
        if isinstance(value, ModuleType):
            modules.add(name)
            assert value.__name__ == f"{house.__name__}.{name}"
            assert value.__doc__
    starred: dict = {}
    exec(f"from {house.__name__} import *", starred)
    assert set(starred) - {"__builtins__"} == set(dir(house)) - modules - {"__version__"}
    with pytest.raises(AttributeError, match=f"{house.__name__}.*'nothing'"):
        house.nothing  # noqa: B018
