"""The order of cells. What is left to play, and by whom, is in test_runner.py."""

from leaderboards import plan as planning
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
