"""The order of cells. Which cells are left to play is tested in test_runner.py."""

import pytest

from banditgym.files.class_paths import names_own
from leaderboards.run import plan as planning
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.reasons import one_line
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

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


def test_a_rankings_cells_are_handed_out_together(tmp_path):
    text = SUITE + '[[task]]\nname = "linear"\nenv = "LinearBandit-v0"\nhorizon = 600\n'
    text += (
        text[text.index("[[task]]") :]
        .partition('[[task]]\nname = "short"')[0]
        .replace("middle", "longer")
        .replace("500", "700")
    )
    (tmp_path / "small.toml").write_text(text)
    suite = load(tmp_path / "small.toml")
    todo = planning.plan(suite, ["LinUCB", "UCB1"], Store(tmp_path / "store"))
    assert [cell.task.name for cell in todo.cells] == [
        *("long", "longer", "middle", "short"), "linear"
    ]  # fmt: skip


def test_agents_play_where_the_run_says_and_baselines_here(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    there = Confinement(isolation="process")
    todo = planning.plan(
        load(tmp_path / "small.toml"), ["UCB1"], Store(tmp_path / "store"), confinement=there
    )
    assert {cell.confinement.isolation for cell in todo.cells} == {"process"}
    assert {cell.blank.isolation for cell in todo.cells} == {"process"}
    assert {cell.confinement for cell in todo.baselines} == {HERE}


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


SLOW = """
from dataclasses import dataclass
from typing import ClassVar
import agents

@dataclass(kw_only=True, eq=False)
class Slow(agents.UCB1):
    seconds_per_round: ClassVar = {pace}
"""


def test_a_slow_agents_seeds_are_cut_into_small_blocks_and_handed_out_first(tmp_path):
    """10 seeds of 500 rounds of 8 ms are 40 s, two cells' length; of 5000 rounds a cell each."""
    path = tmp_path / "own.py"
    path.write_text(SLOW.format(pace=0.008))
    (tmp_path / "small.toml").write_text(SUITE.replace("seeds = 2", "seeds = 10"))
    suite, store = load(tmp_path / "small.toml"), Store(tmp_path / "store")
    todo = planning.plan(suite, ["UCB1", f"{path}:Slow"], store)
    cells = [(c.task.name, c.blank.agent, len(c.seeds)) for c in todo.cells]
    assert cells == [
        *[("long", "Slow", 1)] * 10,
        *[("middle", "Slow", 5)] * 2,
        ("short", "Slow", 10),
        ("long", "UCB1", 10),
        ("middle", "UCB1", 10),
        ("short", "UCB1", 10),
    ]
    assert {cell.seconds_per_round for cell in todo.cells if cell.blank.agent == "Slow"} == {0.008}


@pytest.mark.parametrize("pace", ["-1.0", "4000.0"])
def test_a_pace_that_cannot_be_is_refused(tmp_path, pace):
    path = tmp_path / "own.py"
    path.write_text(SLOW.format(pace=pace))
    with pytest.raises(ValueError, match="returned no valid description"):
        planning.entrants([f"{path}:Slow"])
