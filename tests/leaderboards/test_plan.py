"""The order of cells. What is left to play, and by whom, is in test_runner.py."""

import pytest

from agents.naming import names_own
from leaderboards import plan as planning
from leaderboards.cell import one_line
from leaderboards.store import Store
from leaderboards.suite import load

SUITE = 'title = "small"\nseeds = 2\n' + "".join(
    f'[[task]]\nname = "{name}"\nenv = "ArmedBandit-v0"\nhorizon = {horizon}\n'
    for name, horizon in (("middle", 500), ("short", 50), ("long", 5000))
)


def test_the_longest_cells_are_handed_out_first(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    suite = load(tmp_path / "small.toml")
    todo = planning.plan(suite, ["UCB1"], Store(tmp_path / "store"))
    for cells in (todo.baselines, todo.cells):
        assert [cell.task.name for cell in cells] == ["long", "middle", "short"]
    numbers = [cell.number for cell in todo.baselines + todo.cells]
    assert numbers == list(range(6))  # baselines before all others
    (entrant,) = planning.entrants(["UCB1"])
    works = [planning.work(task) for task in suite.tasks]
    assert works[2] > works[0] > works[1] > 0
    assert len(planning.cells_of(suite, suite.tasks[0], entrant, suite.seeds)) == 1


OWN = """
from dataclasses import dataclass
import agents

@dataclass(kw_only=True, eq=False)
class Own(agents.UCB1):
    any: object = {default}
    paper = {paper!a}
"""


@pytest.mark.parametrize(
    ("default", "paper"), [("float('nan')", "mine"), ("1e999", "mine"), ("1", "\ud800")]
)
def test_what_no_row_can_hold_is_refused_before_anything_is_played(tmp_path, default, paper):
    path = tmp_path / "own.py"
    path.write_text(OWN.format(default=default, paper=paper))
    with pytest.raises(ValueError, match="facts and paper must be plain data that JSON can hold"):
        planning.entrants([f"{path}:Own"])


def test_half_a_character_in_an_error_is_written_out():
    assert one_line("a\ud800b\n  c") == r"a\ud800b c"


@pytest.mark.parametrize("name", ["agents..linear:LinUCB", "agents.:LinUCB", ".agents:LinUCB"])
def test_a_name_with_a_hole_is_nobody_of_ours(name):
    assert not names_own(name)


def test_who_does_not_say_what_it_is_within_the_limit_is_an_error(tmp_path):
    path = tmp_path / "own.py"
    path.write_text("import time\ntime.sleep(600)\n")
    (tmp_path / "small.toml").write_text(SUITE)
    with pytest.raises(ValueError, match="own.py:Own: still running after 1 s"):
        planning.plan(
            load(tmp_path / "small.toml"), [f"{path}:Own"], Store(tmp_path / "store"), limit=0.1
        )
