"""Which classes are ours, and where others' code raised."""

import dataclasses
import subprocess
import sys

import pytest

import agents
from agents.ownership import as_imported, files_of, is_own, plays_apart
from banditgym.files.class_paths import raised_at

MINE = """
import dataclasses
import agents

@dataclasses.dataclass(kw_only=True, eq=False)
class Mine(agents.UCB1):
    def _choose(self, contexts):
        return self.fail()

    def fail(self):
        return 1 / 0

    @property
    def late(self):
        return int("x")
"""


def test_every_agent_of_the_package_is_own():
    for name in agents.AGENTS:
        cls = getattr(agents, name)
        assert is_own(cls)
        assert as_imported(cls.__new__(cls))
    assert is_own(agents.Agent)
    assert is_own(agents.ScalarAgent)
    assert not is_own(dict)


def test_what_another_library_computes_is_own_and_shares_no_process(tmp_path):
    for name in agents.LIBRARY_AGENTS:
        assert is_own(getattr(agents, name))
        assert plays_apart(getattr(agents, name))
    assert not any(plays_apart(getattr(agents, name)) for name in agents.AGENTS)
    (tmp_path / "mine.py").write_text(MINE + "\n# and no other file\n")
    theirs = type(agents.resolve(f"{tmp_path / 'mine.py'}:Mine"))
    theirs.apart = False  # whatever they say
    assert plays_apart(theirs)


def test_a_class_is_own_from_its_definition():
    """Whoever imports it from its own module, and changes it at once, has changed it."""
    code = (
        "from agents.linear.greedy import Greedy; from agents.linear.lints import LinTS; "
        "from agents.ownership import as_imported, is_own; print(is_own(LinTS), "
        "as_imported(LinTS())); LinTS._choose = Greedy._choose; "
        "print(is_own(LinTS), as_imported(LinTS()), as_imported(Greedy()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "True", "False", "True"], done.stderr


def test_a_class_that_claims_to_be_own_is_not():
    class Claimed(agents.UCB1):
        pass

    Claimed.__module__, Claimed.__qualname__ = "agents.armed.ucb1", "UCB1"
    assert not is_own(Claimed)
    # A class that is compiled under a file name of this package is not own either.
    names = {"agents": agents, "__name__": "agents.armed.ucb1"}
    exec(compile("class Claimed(agents.UCB1): pass", agents.agent.__file__, "exec"), names)
    assert not is_own(names["Claimed"])


def test_a_method_more_is_a_change(monkeypatch):
    agent = agents.Greedy()
    assert as_imported(agent)
    monkeypatch.setattr(agents.Greedy, "act", lambda self, x: 0, raising=False)  # the base has it
    assert not as_imported(agent)
    monkeypatch.undo()
    monkeypatch.setattr(agents.Agent, "act", lambda self, x: 0)
    assert not as_imported(agent)
    monkeypatch.undo()
    agent.observe = lambda *args: None
    assert not as_imported(agent)


def test_where_others_code_raised(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    agent = agents.resolve(f"{file}:Mine")
    cls = type(agent)
    assert files_of(cls) == {str(file)}
    with pytest.raises(ZeroDivisionError) as caught:
        agent._choose(None)
    assert raised_at(caught.value, files_of(cls)) == " (mine.py:11)"
    with pytest.raises(ValueError, match="invalid literal") as caught:
        agent.late  # noqa: B018 (a property)
    assert raised_at(caught.value, files_of(cls)) == " (mine.py:15)"
    with pytest.raises(ValueError, match="task") as caught:
        agent.reset(None)  # raised in a file of ours
    assert raised_at(caught.value, files_of(cls)) == ""
    assert files_of(agents.UCB1) == set()

    @dataclasses.dataclass(kw_only=True, eq=False)
    class Here(agents.UCB1):
        pass

    assert files_of(Here) == set()


def test_a_file_that_does_not_run_says_where(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import agents\n\ndef f():\n    return 1 / 0\n\nf()\n")
    with pytest.raises(ValueError, match=r"ZeroDivisionError: division by zero \(mine.py:4\)$"):
        agents.resolve(f"{file}:Mine")
