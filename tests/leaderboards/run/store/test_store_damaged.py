"""Damaged stores: damage is reported in one line, and good rows are read. A second."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from leaderboards.processes.workers import Here
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS, Execution
from leaderboards.run.keys.sources import of_agent
from leaderboards.run.store import store
from leaderboards.run.store.row_schema import read_line
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

STORED = Path(__file__).parents[2] / "schemas" / "schema-3.jsonl"
ROW = read_line(STORED.read_bytes().splitlines()[0])
OTHER = replace(ROW, seed=1)
FAILED = replace(ROW, error="ValueError: no", rounds=None, measures=None, seconds=None, bytes=None)


def write(folder, *rows):
    with Store(folder) as store:
        store.append(rows)
        return store._path


def line(**changes):
    return json.dumps({**asdict(ROW), **changes}).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"seconds": []},
        {"seconds": [1.0]},
        {"seconds": [1.0, "2"]},
        {"seconds": [1.0, -2.0]},
        {"seconds": [1.0, True]},
        {"facts": [{}]},
        {"facts": "noise_std"},
        {"measures": {"regret": [1.0]}},  # of two rounds
        {"measures": {"regret": [1.0, "2"]}},
        {"measures": {"regret": [1.0, [2.0]]}},
        {"measures": {"regret": [1.0, 10**400]}},
        {"measures": {"regret": 1.0}},
        {"measures": [[1.0, 2.0]]},
        {"rounds": [2, 1]},
        {"rounds": [1, 1]},
        {"rounds": [0, 1]},
        {"rounds": [1, 2.0]},
        {"rounds": [1, 2**63]},
        {"rounds": []},
        {"rounds": None},
        {"data": {"rows.npy": 1}},
        {"seed": True},
        {"seed": -2},
        {"seed": 2**64},
        {"bytes": -1},
        {"bytes": 10**400},
        {"bytes": 1.5},
        {"agent": None},
        {"agent": "\ud800"},
        {"hyperparameters": []},
        {"refused": 0},
    ],
    ids=repr,
)
def test_a_row_with_a_wrong_value_anywhere_is_skipped_and_named(tmp_path, changes):
    path = write(tmp_path, OTHER)
    with path.open("ab") as file:
        file.write(line(**changes) + b"\n")
    for read in (Store(tmp_path).rows, lambda: Store(tmp_path).finished("s1")):
        with pytest.warns(UserWarning, match=rf"skipped 1 line\(s\).*{path.name}:2"):
            assert len(read()) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"seconds": [1e-07,', '"seconds": [1e999,'),
        ('"bytes": 128', '"bytes": NaN'),
        ('"regret": [', '"regret": [Infinity, '),
        ('"a paper"', '"\xff"'),
    ],
)
def test_numbers_that_json_does_not_know_and_other_encodings_are_skipped(tmp_path, old, new):
    path = write(tmp_path, OTHER)
    assert old.encode() in line()
    with path.open("ab") as file:
        file.write(line().replace(old.encode(), new.encode("latin-1")) + b"\n")
    with pytest.warns(UserWarning, match=r"skipped 1 line\(s\)"):
        assert Store(tmp_path).rows() == [OTHER]


@pytest.mark.parametrize("infinite", ["1e999", "-1e999"])
def test_curves_are_finite(infinite):
    given = line(rounds=[1, 2], measures={"regret": [1.5, 2.5]})
    assert read_line(given).measures == {"regret": [1.5, 2.5]}
    with pytest.raises(ValueError, match="measures is"):
        read_line(given.replace(b"2.5", infinite.encode()))


def pack(folder, *rows):
    path = write(folder, *rows)
    packed = path.with_name("packed.jsonl.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return packed


def test_of_packed_results_that_are_cut_those_before_the_cut_are_shown(tmp_path):
    path = pack(tmp_path, ROW, *(replace(ROW, seed=seed) for seed in range(2, 500)))
    write(tmp_path, OTHER)
    whole = path.read_bytes()
    counts = []
    for kept in (len(whole) - 4, len(whole) // 2, 30, 5):
        path.write_bytes(whole[:kept])
        with pytest.warns(UserWarning, match="packed.jsonl.gz are cut or damaged: those after"):
            rows = Store(tmp_path).rows()
        assert OTHER in rows
        counts.append(len(rows))
    assert counts[0] == 500
    assert counts[-1] == 1
    assert 1 < counts[1] < 500


def test_of_packed_results_that_are_damaged_none_is_shown(tmp_path):
    path = pack(tmp_path, *(replace(ROW, seed=seed) for seed in range(2, 500)))
    write(tmp_path, OTHER)
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 16]) + whole[middle + 1 :]
    wrong_sum = whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:]
    for damaged in (flipped, wrong_sum, whole + b"more", b"no gzip"):
        path.write_bytes(damaged)
        with pytest.warns(UserWarning, match="packed.jsonl.gz are cut or damaged: none"):
            assert Store(tmp_path).rows() == [OTHER]


def test_packed_results_that_would_fill_the_memory_are_not_unpacked(tmp_path, monkeypatch):
    path = pack(tmp_path, OTHER)
    size = len(gzip.decompress(path.read_bytes()))
    monkeypatch.setattr(store, "LARGEST", size)
    assert Store(tmp_path).rows() == [OTHER]
    monkeypatch.setattr(store, "LARGEST", size - 1)
    with pytest.warns(UserWarning, match="they unpack to more than"):
        assert Store(tmp_path).rows() == []


def test_packed_results_of_several_parts_are_read(tmp_path):
    path = pack(tmp_path, ROW)
    path.write_bytes(path.read_bytes() + gzip.compress(line(seed=1) + b"\n"))
    assert len(Store(tmp_path).rows()) == 2
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.warns(UserWarning, match="those after the cut"):
        assert len(Store(tmp_path).rows()) == 2


def test_a_row_that_contradicts_an_earlier_one_is_told_and_not_shown(tmp_path):
    first = write(tmp_path, ROW, OTHER)
    second = write(
        tmp_path,
        replace(ROW, measures={"regret": [7.0, 8.0]}),
        replace(OTHER, seconds=[3.0, 4.0], bytes=5),  # which two machines may measure
        FAILED,
    )
    expected = (
        rf"1 result\(s\) of .* contradict an earlier one.*: LinUCB\(alpha=0.5\) on easy, seed 0: "
        rf"{second.name}:1 against {first.name}:1"
    )
    with pytest.warns(UserWarning, match=expected):
        assert Store(tmp_path).rows() == [ROW, OTHER]


def test_many_contradictions_are_counted(tmp_path):
    rows = [replace(ROW, seed=seed) for seed in range(9)]
    write(tmp_path, *rows)
    write(tmp_path, *(replace(row, rounds=[1, 3]) for row in rows))
    with pytest.warns(UserWarning, match=r"^9 result.*seed 4: [^;]*; \.\.$"):
        assert Store(tmp_path).rows() == rows


def test_what_cannot_be_opened_is_named_and_the_rest_is_read(tmp_path):
    write(tmp_path, ROW)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")  # as if removed since the listing
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.warns(UserWarning, match="cannot be read") as told:
        assert Store(tmp_path).rows() == [ROW]
    assert [str(one.message) for one in told] == [
        f"the results {tmp_path / 'folder.jsonl'} cannot be read: Is a directory",
        f"the results {tmp_path / 'gone.jsonl'} cannot be read: No such file or directory",
        f"the results {tmp_path / 'pipe.jsonl'} cannot be read: it is a pipe",
    ]


AS_ANOTHER = """
import os, sys, warnings
from leaderboards.run.store.store import Store
if os.getuid() == 0:  # who may read everything
    os.setuid(54321)
warnings.showwarning = lambda message, *_: print(message)
try:
    print(len(Store(sys.argv[1]).rows()))
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions are of POSIX systems")
def test_what_may_not_be_read_is_named():
    def read():
        command = [sys.executable, "-c", AS_ANOTHER, str(folder)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    with tempfile.TemporaryDirectory() as name:  # below tmp_path no other user may look
        folder = Path(name)
        folder.chmod(0o755)
        path = write(folder, ROW)
        path.chmod(0)
        assert read() == f"the results {path} cannot be read: Permission denied\n0\n"
        folder.chmod(0)
        assert read() == f"the store {folder} cannot be read: Permission denied\n"
        folder.chmod(0o755)


def test_a_store_that_is_a_file_says_so(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError, match="the store .*file cannot be read: Not a directory"):
        Store(tmp_path / "file").rows()
    assert Store(tmp_path / "nowhere").rows() == []


@pytest.mark.parametrize("removed", ["file", "folder"])
@pytest.mark.parametrize("when", ["between two rows", "after the last"])
def test_what_is_removed_while_it_is_written_is_written_again(tmp_path, removed, when):
    folder = tmp_path / "store"

    def run():
        with Store(folder) as store:
            store.append([ROW])
            if when == "after the last":
                store.append([OTHER])
            store._path.unlink() if removed == "file" else shutil.rmtree(folder)
            if when == "between two rows":
                store.append([OTHER])
                assert len(Store(folder).rows()) == 2  # at once: nobody knows who dies next

    with pytest.warns(UserWarning, match=r"was removed from .* written again"):
        run()
    assert Store(folder).rows() == [ROW, OTHER]


def test_a_run_whose_store_is_removed_ends_with_a_line_and_keeps_what_it_played(tmp_path):
    (tmp_path / "armed.toml").write_text(
        'title = "armed"\nseeds = 2\n'
        '[[task]]\nname = "short"\nenv = "ArmedBandit-v0"\nhorizon = 50\n'
    )
    suite, folder = load(tmp_path / "armed.toml"), tmp_path / "store"

    def remove(done, compiling, now):
        if done:
            shutil.rmtree(folder, ignore_errors=True)

    def run():
        with pytest.raises(OSError, match="was removed while in use: finished cells are kept"):
            runner.run(
                suite,
                ["UCB1"],
                store=Store(folder),
                execution=Execution(workers=1, executor=Here),
                progress=remove,
            )

    with pytest.warns(UserWarning, match="was removed from .* written again"):
        run()
    kept = Store(folder).rows()
    assert kept
    assert all(row.error is None for row in kept)
    again = runner.run(suite, ["UCB1"], store=Store(folder), execution=IN_PROCESS)
    assert len(Store(folder).rows()) == 4  # of UCB1 and of uniform play
    assert (len(again.baselines), len(again.cells)) == (0, 1)


def test_an_empty_file_that_is_removed_is_not_missed(tmp_path):
    with Store(tmp_path) as store:
        store._path.unlink()
    assert os.listdir(tmp_path) == []


def test_a_result_that_names_a_module_imports_nothing(tmp_path, monkeypatch):
    (tmp_path / "parcel").mkdir()
    (tmp_path / "parcel" / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "parcel" / "inner.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = of_agent("parcel.inner:Mine")
    (tmp_path / "parcel" / "inner.py").write_text("x = 2\n")
    assert of_agent("parcel.inner:Mine") != before
    assert "parcel" not in sys.modules
    for spec in ("parcel.missing:Mine", "/dev/zero:Mine", "parcel..inner:Mine", ":Mine"):
        with pytest.raises(ImportError):
            of_agent(spec)
