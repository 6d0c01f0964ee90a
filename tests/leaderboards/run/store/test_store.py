"""The store: rows are read back as written, whatever else is in the folder. 3 seconds."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from leaderboards.run.store import row_schema as module
from leaderboards.run.store.store import Row, Store

ROW = Row(
    suite="s1",
    task="easy",
    agent="LinUCB(alpha=0.5)",
    spec="LinUCB(alpha=0.5)",
    hyperparameters={"alpha": 0.5},
    seed=0,
    sources="abc",
    data={},
    error=None,
    rounds=[1, 2],
    measures={"regret": [0.1 + 0.2, 1e-300], "reward": [-1.0, 2.0 / 3.0]},
    seconds=[1e-7, 2e-7],
    bytes=128,
    facts=["noise_std"],
    paper="a paper",
)
FAILED = replace(ROW, error="ValueError: no", rounds=None, measures=None, seconds=None, bytes=None)


def write(folder, *rows):
    with Store(folder) as store:
        store.append(rows)
        return store._path


def test_rows_come_back_bit_for_bit(tmp_path):
    rows = [ROW, replace(ROW, seed=1), replace(FAILED, seed=2)]
    write(tmp_path / "deep" / "store", *rows)
    assert Store(tmp_path / "deep" / "store").rows() == rows


def test_the_reader_knows_every_field():
    assert tuple(module.checks(Row).model_fields) == tuple(field.name for field in fields(Row))


def test_missing_numbers_are_null(tmp_path):
    path = write(tmp_path, replace(ROW, seconds=[1.0, float("nan")]))
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["seconds"] == [1.0, None]
    assert Store(tmp_path).rows()[0].seconds == [1.0, None]


def test_it_reads_well_in_pandas(tmp_path):
    path = write(tmp_path, ROW, replace(ROW, seed=1), replace(FAILED, seed=2))
    frame = pd.read_json(path, lines=True)
    assert list(frame.columns) == ["schema", *(field.name for field in fields(Row))]
    assert frame.seed.tolist() == [0, 1, 2]
    assert frame.error.isna().tolist() == [True, True, False]
    # pandas' own parser rounds the last bits away
    assert frame.measures[0]["reward"] == pytest.approx([-1.0, 2.0 / 3.0], rel=1e-14)
    np.testing.assert_array_equal(frame.refused, False)


def test_a_file_per_writer_named_by_machine_process_and_time(tmp_path):
    before = time.time_ns()
    first, second = write(tmp_path, ROW), write(tmp_path, replace(ROW, seed=1))
    assert first != second
    begun, _host, pid = first.stem.split("-")[0], *first.stem.rsplit("-", 1)
    assert before <= int(begun) <= time.time_ns()
    assert int(pid) == os.getpid()
    assert write(tmp_path).exists() is False  # nothing was written


def test_the_suites_of_a_store_are_apart(tmp_path):
    other = replace(ROW, suite="s2")
    write(tmp_path, ROW, other)
    assert Store(tmp_path).rows("s2") == [other]
    assert Store(tmp_path).finished("s3") == {}


def test_the_first_success_wins(tmp_path):
    later = replace(ROW, measures={"regret": [7.0, 8.0]})
    write(tmp_path, FAILED)
    write(tmp_path, ROW, later, FAILED)
    with pytest.warns(UserWarning, match="contradict"):
        assert Store(tmp_path).rows() == [ROW]
    assert Store(tmp_path).finished("s1") == {ROW.key: False}


def test_a_failure_is_tried_once_more(tmp_path):
    write(tmp_path, FAILED)
    assert Store(tmp_path).finished("s1") == {}
    again = replace(FAILED, error="ValueError: still no")
    write(tmp_path, again)
    assert Store(tmp_path).finished("s1") == {ROW.key: True}
    assert Store(tmp_path).rows() == [again]
    write(tmp_path, ROW)
    assert Store(tmp_path).finished("s1") == {ROW.key: False}


def test_a_refusal_is_finished_at_once(tmp_path):
    refused = replace(FAILED, refused=True, seed=-1)
    write(tmp_path, refused)
    assert Store(tmp_path).finished("s1") == {refused.key: False}


@pytest.mark.parametrize(
    "change",
    [
        {"suite": "s2"},
        {"task": "hard"},
        {"spec": "other.py:LinUCB"},
        {"hyperparameters": {"alpha": 0.25}},
        {"seed": 1},
        {"sources": "abd"},
        {"data": {"rows.npy": "123"}},
        {"isolation": "process"},
        {"isolation": "full"},
        {"isolation": "full", "audit": True},
    ],
)
def test_what_decides_a_number_is_in_the_key(change):
    assert replace(ROW, **change).key != ROW.key


def test_what_does_not_is_not(tmp_path):
    about = {"agent": "x", "seconds": [1.0, 1.0], "bytes": 3, "paper": None, "error": "x"}
    about |= {"bound": ["memory"]}
    assert replace(ROW, **about).key == ROW.key


def test_every_cut_of_the_last_line_is_skipped_silently(tmp_path):
    path = write(tmp_path, ROW, replace(ROW, seed=1))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in [first, first + 1, first + 40, len(whole) - 2, len(whole) - 1]:
        path.write_bytes(whole[:cut])
        assert Store(tmp_path).rows() == [ROW]
        assert Store(tmp_path).finished("s1") == {ROW.key: False}


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b"",
        b"{}",
        b"[1, 2]",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        json.dumps(asdict(ROW)).encode()[:-40],
        json.dumps({**asdict(ROW), "colour": "red"}).encode(),
        json.dumps({**asdict(ROW), "seed": "0"}).encode(),
        json.dumps({**asdict(ROW), "measures": None}).encode(),
        json.dumps({**asdict(ROW), "schema": 0}).encode(),
        json.dumps({**asdict(ROW), "schema": "3"}).encode(),
        json.dumps({**asdict(ROW), "schema": 1, "colour": "red"}).encode(),
    ],
)
def test_foreign_lines_are_counted_and_named(tmp_path, line):
    path = write(tmp_path, ROW)
    with path.open("ab") as file:
        file.write(line + b"\n" + json.dumps(asdict(replace(ROW, seed=1))).encode() + b"\n")
    expected = rf"skipped 1 line\(s\).*{path.name}:2"
    with pytest.warns(UserWarning, match=expected):
        assert Store(tmp_path).rows() == [ROW, replace(ROW, seed=1)]


def test_an_audit_and_its_lockstep_are_two_results():
    assert len({replace(ROW, isolation="full", audit=audit).key for audit in (True, False)}) == 2


@pytest.mark.parametrize("schema", range(3, module.SCHEMA + 1))
def test_a_row_is_written_by_an_earlier_schema_as_it_was(schema):
    """Hashes of published rows are of the lines that were published."""
    stored = (STORED / f"schema-{schema}.jsonl").read_bytes()
    rows = [module.read_line(line) for line in stored.splitlines()]
    assert b"".join(module.as_line(row, schema) for row in rows) == stored
    later = module.as_line(replace(rows[0], audit=True), 4)
    assert b'"audit": true' in later  # what an earlier row cannot have been does not vanish


STORED = Path(__file__).parents[2] / "schemas"


@pytest.mark.parametrize("schema", range(1, module.SCHEMA + 1))
def test_stores_of_every_schema_are_read(tmp_path, schema):
    shutil.copy(STORED / f"schema-{schema}.jsonl", tmp_path)
    expected = [ROW, replace(ROW, seed=1), replace(FAILED, seed=-1, refused=True)]
    if schema > 1:  # the first knew no references
        expected[1] = replace(expected[1], full_information=True)
    assert Store(tmp_path).rows() == expected
    assert len(Store(tmp_path).finished("s1")) == 3
    if schema == module.SCHEMA:
        # The file of the present schema is what is written now.
        written = write(tmp_path / "now", *expected)
        assert written.read_bytes() == (STORED / f"schema-{schema}.jsonl").read_bytes()


def test_a_field_of_a_later_schema_orphans_no_store(tmp_path, monkeypatch):
    for schema in range(1, module.SCHEMA + 1):
        shutil.copy(STORED / f"schema-{schema}.jsonl", tmp_path)
    before = Store(tmp_path).rows()

    @dataclass(frozen=True, kw_only=True)
    class Later(Row):
        colour: str = "red"

    later = module.SCHEMA + 1
    monkeypatch.setattr(module, "SCHEMA", later)
    monkeypatch.setitem(module.ADDED, later, {"colour": "grey"})
    monkeypatch.setattr(module, "Row", Later)
    rows = Store(tmp_path).rows()
    assert [asdict(row) for row in rows] == [asdict(row) | {"colour": "grey"} for row in before]
    assert [row.key for row in rows] == [row.key for row in before]
    write(tmp_path, Later(**asdict(replace(ROW, seed=7))))
    assert [row.colour for row in Store(tmp_path).rows() if row.seed == 7] == ["red"]
    # And the version before says what it cannot read.
    monkeypatch.undo()
    with pytest.warns(UserWarning, match=r"skipped 1 line\(s\) of .* a later version"):
        assert Store(tmp_path).rows() == before


@pytest.mark.parametrize("kind", ["file", "under a file", "device"])
def test_a_store_that_cannot_be_written_says_so(tmp_path, kind):
    (tmp_path / "file").write_text("x")
    paths = {
        "file": tmp_path / "file",
        "under a file": tmp_path / "file" / "a",
        "device": "/proc/x",
    }
    with pytest.raises(OSError, match=r"the store .* cannot be written: "), Store(paths[kind]):
        pass


def test_a_full_disk_is_an_error():
    store = Store("x")
    store._path = Path("/dev/full")
    store._file = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(OSError, match=r"the store x cannot be written: No space left"):
        store.append([ROW])
    os.close(store._file)


def test_a_short_write_is_an_error(tmp_path, monkeypatch):
    with Store(tmp_path) as store:
        store.append([ROW])
        write = os.write
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:-1]))
        with pytest.raises(OSError, match=r"cannot be written: the disk is full"):
            store.append([replace(ROW, seed=1)])
        monkeypatch.undo()
    assert Store(tmp_path).rows() == [ROW]  # what was cut is no result


def test_writing_needs_an_open_store(tmp_path):
    with pytest.raises(OSError, match="not open for writing"):
        Store(tmp_path).append([ROW])


WRITER = """
import sys
from dataclasses import replace
sys.path.insert(0, {here!r})
from test_store import ROW
from leaderboards.run.store.store import Store
with Store({folder!r}) as store:
    print("ready", flush=True)
    for seed in range(int(sys.argv[1]), 10**9):
        store.append([replace(ROW, seed=seed)])
"""


def test_two_writers_killed_in_the_act_lose_nothing(tmp_path):
    code = WRITER.format(here=str(Path(__file__).parent), folder=str(tmp_path))
    writers = [
        subprocess.Popen([sys.executable, "-c", code, first], stdout=subprocess.PIPE)
        for first in ("0", "500000000")
    ]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    end = time.monotonic() + 300
    while time.monotonic() < end:
        lines = [path.read_bytes().count(b"\n") for path in tmp_path.glob("*.jsonl")]
        if len(lines) == 2 and min(lines) > 10:
            break
        time.sleep(0.02)
    for writer in writers:
        writer.kill()
        writer.communicate()
    seeds = sorted(row.seed for row in Store(tmp_path).rows())
    low = [seed for seed in seeds if seed < 500_000_000]
    high = [seed - 500_000_000 for seed in seeds if seed >= 500_000_000]
    assert len(low) > 10
    assert len(high) > 10
    assert low == list(range(len(low)))  # no gaps: what was written before is there
    assert high == list(range(len(high)))
