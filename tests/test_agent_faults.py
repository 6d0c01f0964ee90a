"""The program that makes faults in agents: what it changes, and the faults that it explains."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from numba import njit

PLACE = Path(__file__).with_name("agent_faults.py")


@pytest.fixture(scope="module")
def program():
    pytest.importorskip("resource", reason="a module of Linux and macOS")
    spec = importlib.util.spec_from_file_location("agent_faults", PLACE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent_faults"] = module
    spec.loader.exec_module(module)
    return module


SOURCE = '''
"""1 + 1 in a text."""
class Agent:
    search: ClassVar = {"c": 3.0}
    c: float = 0.15
    def act(self, é) -> 2:
        index = (x + 2.0) / -é
        index -= min(index, 1.0 / x)
        if 0 <= index != x:
            raise ValueError(f"{x + 1}")
'''


def test_each_number_sign_factor_summand_bound_and_comparison_is_changed(program):
    assert [(fault.line, fault.change) for fault in program.faults(SOURCE)] == [
        (5, "0.15 -> 0.3"),
        (7, "(x + 2.0) / -é -> (x + 2.0)"),
        (7, "(x + 2.0) / -é -> 1.0 / -é"),
        (7, "x + 2.0 -> 2.0"),
        (7, "x + 2.0 -> x"),
        (7, "+ -> -"),
        (7, "2.0 -> 4.0"),
        (7, "- -> "),
        (8, "- -> +"),
        (8, "min -> max"),
        (8, "min(index, 1.0 / x) -> (1.0 / x)"),
        (8, "min(index, 1.0 / x) -> (index)"),
        (8, "1.0 -> 2.0"),
        (8, "1.0 / x -> 1.0"),
        (9, "0 -> 1"),
        (9, "<= -> <"),
        (9, "<= -> >"),
        (9, "!= -> =="),
    ]
    for fault in program.faults(SOURCE):
        changed = SOURCE[: fault.start] + fault.new + SOURCE[fault.stop :]
        assert changed != SOURCE
        compile(changed, "changed", "exec")


def test_a_part_is_tested_by_the_agents_that_name_it(program):
    files = program.files_with_tests(["armed/ucb1", "armed/ucb2"])
    assert list(files) == [
        "agents/armed/ucb1.py",
        "agents/parts/confidence/radius.py",  # and no other file of that package
        "agents/parts/pulled_arms.py",
        "agents/armed/ucb2.py",
    ]
    of_part = files["agents/parts/pulled_arms.py"]
    assert of_part[0] == "tests/agents/parts/test_pulled_arms.py"
    assert {"tests/agents/armed/test_ucb1.py", "tests/agents/armed/test_ucb2.py"} < set(of_part)
    definitions = ["tests/agents/test_definitions.py[UCB1-"]
    assert files["agents/armed/ucb1.py"][1:2] == definitions
    assert set(definitions) < set(of_part)


def test_a_part_is_tested_by_the_tests_of_its_package(program):
    files = program.files_with_tests(["kernelized/gpucb"])
    of_rule = files["agents/parts/decision_rules/ucb.py"]
    assert of_rule[0] == "tests/agents/parts/test_decision_rules.py"


def test_every_explained_fault_can_be_made(program):
    folders = ["armed", "adversarial", "best_arm", "multiclass"]
    made = {
        (file, fault.code, fault.change)
        for file in program.files_with_tests(folders)
        for fault in program.faults((program.ROOT / file).read_text(encoding="utf-8"))
    }
    explained = program.explained()
    assert explained.keys() <= made
    assert all(explained.values())


SUM = """
def total(x, y):
    found = 1.5
    for i in range(3):
        found += x * (y[0] - 2.0) if i < 2 else -min(x, 4.0)
    found -= y[1]
    return found
"""


@pytest.mark.parametrize("compiled", [False, True])
def test_a_switch_chooses_one_fault_of_a_source_also_once_it_is_compiled(
    program, monkeypatch, compiled
):
    """Indices, which may choose a type, have no switch."""
    module = ModuleType("agents.fault_switch")
    exec(program.SWITCH, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    every = program.faults(SUM)
    chosen = [fault for fault in every if fault.choice]
    assert {fault.change for fault in every} - {fault.change for fault in chosen} == {
        "0 -> 1",
        "1 -> 2",
    }

    def made(source):
        names = {}
        exec(source, names)
        return njit(names["total"]) if compiled else names["total"]

    one, given = made(program.switched(SUM, [fault.choice for fault in chosen])), (3.0, (1.25, 0.3))
    assert one(*given) == made(SUM)(*given)
    for number, fault in enumerate(chosen):
        module.PRESENT.value = number
        changed = SUM[: fault.start] + fault.new + SUM[fault.stop :]
        assert one(*given) == made(changed)(*given), fault.change
