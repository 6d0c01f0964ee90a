"""What faults a source has, and the source in which a switch chooses one."""

import sys
from types import ModuleType

import pytest
from numba import njit

from tests.source_faults import SWITCH, faults, switched

SOURCE = '''
"""1 + 1 in a text."""
class Agent:
    search: ClassVar = {"c": 3.0}
    c: float = 0.15
    def act(self, é) -> 2:
        index = (x + 2.0) / -é
        index -= min(index, 1 / x)
        if 0 <= index != x:
            raise ValueError(f"{x + 1}")
'''


def test_each_number_sign_factor_summand_bound_and_comparison_is_changed():
    assert [(fault.line, fault.change) for fault in faults(SOURCE)] == [
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
        (8, "min(index, 1 / x) -> (1 / x)"),
        (8, "min(index, 1 / x) -> (index)"),
        (8, "1 -> 2"),
        (8, "1 / x -> 1"),
        (9, "0 -> 1"),
        (9, "<= -> <"),
        (9, "<= -> >"),
        (9, "!= -> =="),
    ]
    for fault in faults(SOURCE):
        changed = SOURCE[: fault.start] + fault.new + SOURCE[fault.stop :]
        assert changed != SOURCE
        compile(changed, "changed", "exec")


SUM = """
def total(x, y):
    found = 1.5
    for i in range(3):
        found += x * (y[0] - 2.0) if i < 2 else -min(x, 4.0)
    found -= y[1]
    return found
"""


@pytest.mark.parametrize("compiled", [False, True])
def test_a_switch_chooses_one_fault_of_a_source_also_once_it_is_compiled(monkeypatch, compiled):
    """Indices, which may choose a type, have no switch."""
    module = ModuleType("agents.fault_switch")
    exec(SWITCH, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    every = faults(SUM)
    chosen = [fault for fault in every if fault.choice]
    assert {fault.change for fault in every} - {fault.change for fault in chosen} == {
        "0 -> 1",
        "1 -> 2",
    }

    def made(source):
        names = {}
        exec(source, names)
        return njit(names["total"]) if compiled else names["total"]

    one, given = made(switched(SUM, chosen)), (3.0, (1.25, 0.3))
    assert one(*given) == made(SUM)(*given)
    for number, fault in enumerate(chosen):
        module.PRESENT.value = number
        changed = SUM[: fault.start] + fault.new + SUM[fault.stop :]
        assert one(*given) == made(changed)(*given), fault.change
