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


def test_a_part_is_tested_by_the_agents_that_name_it(program):
    files = program.files_with_tests(["armed/ucb1", "armed/ucb2"])
    assert list(files) == [
        "agents/armed/ucb1.py",
        "agents/drivers/pulls.py",
        "agents/drivers/rule.py",
        "agents/parts/confidence/radius.py",  # and no other file of that package
        "agents/parts/pulled_arms.py",
        "agents/drivers/decisions.py",
        "agents/armed/ucb2.py",
    ]
    of_part = files["agents/parts/pulled_arms.py"]
    assert of_part[0] == "tests/agents/parts/test_pulled_arms.py"
    assert {"tests/agents/armed/test_ucb1.py", "tests/agents/armed/test_ucb2.py"} < set(of_part)
    definitions = ["tests/agents/test_definitions.py[UCB1-"]
    assert files["agents/armed/ucb1.py"][:1] == definitions
    assert set(definitions) < set(of_part)


def test_a_part_is_tested_by_the_tests_of_its_package(program):
    files = program.files_with_tests(["kernelized/gpucb"])
    of_rule = files["agents/parts/decision_rules/ucb.py"]
    assert of_rule[0] == "tests/agents/parts/test_decision_rules.py"


def test_every_explained_fault_can_be_made(program):
    folders = [
        "adversarial", "armed", "best_arm", "deep", "general", "kernelized", "linear", "logistic",
        "losses", "multiclass", "regression", "strongly_convex",
    ]  # fmt: skip
    made = {
        (file, fault.code, fault.change)
        for file in program.files_with_tests(folders)
        for fault in program.faults((program.ROOT / file).read_text(encoding="utf-8"))
    }
    explained = program.explained()
    assert explained.keys() <= made
    assert all(explained.values())
