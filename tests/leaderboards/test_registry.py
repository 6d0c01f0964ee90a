"""The lists of agents and README's tables are those that the registry writes."""

import ast
from types import SimpleNamespace
from typing import ClassVar

import pytest

import agents
from leaderboards import registry

SOURCE = """import importlib
from agents.agent import Agent
from agents.armed.klucb import KLUCB
from agents.check import check_agent
from agents.linear.lints import LinTS

# All of them.
AGENTS = ("KLUCB", "LinTS")
ON_REQUEST = ()
LIBRARY_AGENTS = ("Gone",)
__all__ = ["Agent", "Gone", "KLUCB", "check_agent"]
rest = None
"""


def kind(module, **attributes):
    return SimpleNamespace(__module__=module, **{"on_request": False, **attributes})


KINDS = {
    "KLUCB": kind("agents.armed.klucb"),
    "AAA": kind("agents.armed.aaa"),
    "LinTS": kind("agents.linear.lints"),
    "Other": kind("agents.other.other"),
    "Second": kind("agents.linear.lints"),
    "Asked": kind("agents.linear.asked", on_request=True),
    "Deep": kind("agents.deep.ppo", on_request=True, library="a library"),
}


@pytest.mark.parametrize("path", registry.written(), ids=lambda path: path.name)
def test_lists_are_up_to_date(path):
    """If this fails: python -m leaderboards.registry."""
    assert path.read_text(encoding="utf-8") == registry.written()[path]


def test_every_class_with_a_paper_is_listed_once():
    found = registry.agents_found()
    assert sorted(found) == sorted((*agents.AGENTS, *agents.ON_REQUEST, *agents.LIBRARY_AGENTS))
    for name, cls in found.items():
        assert getattr(agents, name) is cls


def test_new_agents_follow_those_of_their_folder_and_the_listed_keep_their_order():
    assert registry.lists_of(SOURCE, KINDS) == {
        "AGENTS": ["KLUCB", "AAA", "LinTS", "Second", "Other"],
        "ON_REQUEST": ["Asked"],
        "LIBRARY_AGENTS": ["Deep"],
    }


def test_imports_and_names_are_written_and_the_rest_is_kept():
    text = registry.names_module(SOURCE, KINDS)
    assert text.startswith(
        "import importlib\n"
        "from agents.agent import Agent\n"
        "from agents.armed.aaa import AAA\n"
        "from agents.armed.klucb import KLUCB\n"
        "from agents.check import check_agent\n"
        "from agents.deep.ppo import Deep\n"
        "from agents.linear.asked import Asked\n"
        "from agents.linear.lints import LinTS, Second\n"
        "from agents.other.other import Other\n"
        "\n# All of them.\nAGENTS = (\n"
    )
    assert text.endswith("]\nrest = None\n")
    (public,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert public == [
        *("AAA", "AGENTS", "KLUCB", "LIBRARY_AGENTS", "ON_REQUEST"),
        *("Agent", "Asked", "Deep", "LinTS", "Other", "Second", "check_agent"),
    ]
    assert registry.names_module(text, KINDS) == text


def test_an_agents_row_says_what_it_plays_does_and_whose_it_is():
    class Agent(SimpleNamespace):
        """Play any | every arm.

        At length.
        """

        accepts = (SimpleNamespace(family="armed"), SimpleNamespace(family="linear"))
        scope = "fixed arms"
        paper: ClassVar = "A 2030"

    (_, _, row) = registry.tables({"AGENTS": ["A"]}, {"A": Agent})["AGENTS"].splitlines()
    assert row == r"| `A` | armed, linear: fixed arms | Play any \| every arm. | A 2030 |"


def test_a_table_is_written_between_its_comments():
    page = "a\n<!-- table of x: so -->\nold\n<!-- end of table -->\nb\n"
    drawn = registry.with_tables(page, {"x": "new\n"})
    assert drawn == "a\n<!-- table of x: so -->\nnew\n<!-- end of table -->\nb\n"
    for wrong in ("", page + page):
        with pytest.raises(ValueError, match=r"one place for the table of x, not [02]"):
            registry.with_tables(wrong, {"x": "new\n"})
