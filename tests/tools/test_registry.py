"""The lists of agents are those that the registry writes."""

import tomllib
from types import SimpleNamespace

import pytest

import agents
from tools import registry

LISTED = {
    "AGENTS": {"KLUCB": "agents.armed.klucb", "LinTS": "agents.linear.lints"},
    "LIBRARY_AGENTS": {"Gone": "agents.deep.gone"},
}


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
    """If this fails: python -m tools.freeze."""
    assert path.read_text(encoding="utf-8") == registry.written()[path]


def test_every_class_with_a_paper_is_listed_once():
    found = registry.agents_found()
    assert sorted(found) == sorted((*agents.AGENTS, *agents.ON_REQUEST, *agents.LIBRARY_AGENTS))
    for name, cls in found.items():
        assert getattr(agents, name) is cls


def test_new_agents_follow_those_of_their_folder_and_the_listed_keep_their_order():
    assert registry.ordered(LISTED, KINDS) == {
        "AGENTS": ["KLUCB", "AAA", "LinTS", "Second", "Other"],
        "ON_REQUEST": ["Asked"],
        "LIBRARY_AGENTS": ["Deep"],
    }


def test_names_and_imports_are_written_and_the_rest_is_kept(monkeypatch, tmp_path):
    names, imports = tmp_path / "names.toml", tmp_path / "__init__.py"
    names.write_text('[AGENTS]\nLinTS = "moved"\nKLUCB = "moved"\nGone = "gone"\n')
    imports.write_text(
        "import a\n\nif TYPE_CHECKING:\n    from gone import Gone as Gone\n\nrest = None\n"
    )
    monkeypatch.setattr(registry, "NAMES", names)
    monkeypatch.setattr(registry, "IMPORTS", imports)
    kinds = {name: kind for name, kind in KINDS.items() if name in ("KLUCB", "LinTS", "Deep")}
    monkeypatch.setattr(registry, "agents_found", lambda: kinds)
    written = registry.written()
    assert tomllib.loads(written[names]) == {
        "AGENTS": {"LinTS": "agents.linear.lints", "KLUCB": "agents.armed.klucb"},
        "ON_REQUEST": {},
        "LIBRARY_AGENTS": {"Deep": "agents.deep.ppo"},
    }
    assert list(tomllib.loads(written[names])["AGENTS"]) == ["LinTS", "KLUCB"]
    assert written[imports] == (
        "import a\n\nif TYPE_CHECKING:\n"
        "    from agents.armed.klucb import KLUCB as KLUCB\n"
        "    from agents.deep.ppo import Deep as Deep\n"
        "    from agents.linear.lints import LinTS as LinTS\n"
        "\nrest = None\n"
    )
    assert registry.write() == ["Deep"]  # the package lists the others
    assert {path: path.read_text() for path in written} == written
    assert registry.write() is None
