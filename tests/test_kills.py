"""The checks of a store after a kill, on made-up rows."""

import re
from dataclasses import replace

import pytest

from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from tests import kills
from tests.kills import TARGETS, Trials, faults, rows_of


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    return Trials(tmp_path_factory.mktemp("kills"), seed=5)


@pytest.fixture(scope="module")
def whole(trials, tmp_path_factory):
    """The rows of two agents of ours, played to the end."""
    folder = tmp_path_factory.mktemp("whole")
    runner.run(trials.suite, ["UCB1", "KLUCB"], store=Store(folder), execution=IN_PROCESS)
    return rows_of(folder)


def test_what_is_whole_has_no_faults(trials, whole):
    slower = [replace(row, seconds=[9.0, 9.0], bytes=9) for row in whole]
    assert faults(whole[:3], whole, trials.suite, slower) == []


def test_a_lost_row_is_a_fault(trials, whole):
    assert faults(whole[:3], whole[1:], trials.suite) == ["1 rows were lost"]
    assert faults([whole[0]] * 2, whole, trials.suite) == ["1 rows were lost"]


def test_a_doubled_row_is_a_fault(trials, whole):
    assert faults([], [*whole, whole[-1]], trials.suite) == ["1 results are there more than once"]
    failed = replace(whole[-1], error="its process died", measures=None, rounds=None)
    assert faults([], [failed, *whole], trials.suite, whole) == []  # it was tried again


def test_another_table_is_a_fault(trials, whole):
    assert faults([], whole[:-1], trials.suite, whole) == ["the table differs"]
    curve = {name: [2 * x for x in curve] for name, curve in (whole[-1].measures or {}).items()}
    other = [*whole[:-1], replace(whole[-1], measures=curve)]
    assert faults([], other, trials.suite, whole) == ["the table differs"]


def test_a_line_that_was_cut_is_no_row(tmp_path, trials, whole):
    folder = tmp_path / "store"
    with Store(folder) as store:
        store.append(whole)
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert rows_of(folder) == whole[:-1]


def test_a_target_that_does_not_exist_is_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["kills", "cat"])
    with pytest.raises(SystemExit):
        kills.main()
    assert "no target cat: there are judge, loky-worker" in capsys.readouterr().err


@pytest.mark.cluster
@pytest.mark.parametrize("time", [1, 2])
@pytest.mark.parametrize("name", [name for name in TARGETS if name != "dask-agent"])
def test_a_kill_loses_nothing(name, time, trials):
    (kill,) = kills.landed(trials, name, 1)
    assert kill.faults == []
    if name == "dask-scheduler":
        *_, line = kill.told.strip().split("\n")
        assert re.fullmatch(
            "error: the dask scheduler of .* was lost: finished cells are kept in the store; run "
            "again to continue",
            line,
        )
        assert "Traceback" not in kill.told
