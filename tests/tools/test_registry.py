"""The lists of agents are those that the registry writes."""

import ast
from types import SimpleNamespace

import pytest

import agents
from tools import registry

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
    """If this fails: python -m tools.registry."""
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
