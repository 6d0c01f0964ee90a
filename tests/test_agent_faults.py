"""The program that makes faults in agents: what it changes, and the faults that it explains."""

import importlib.util
import sys
from pathlib import Path

import pytest

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
