"""Stores of others: whatever the files hold, the board is drawn from what is readable."""

import gzip
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

from fuzzing import damaged, examples, limited_memory, plain
from hypothesis import given
from hypothesis import strategies as st

from leaderboards import report
from leaderboards.rank.board import build
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.keys.sources import current
from leaderboards.run.store import row_schema as module
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

SUITE = """title = "a suite"
seeds = 2

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 20
"""


def _played() -> tuple[Any, bytes]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "mine.toml"
        path.write_text(SUITE)
        suite = load(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runner.run(suite, ["UCB1", "KLUCB"], store=Store(name), execution=IN_PROCESS)
        (file,) = Path(name).glob("*.jsonl")
        return suite, file.read_bytes()


PLAYED, LINES = _played()
TOKENS = (
    b"null", b"[]", b"{}", b"NaN", b"1e999", b"-1", b"true", b'"\\ud800"', b'"\\u001b[2J"',
    b"[" * 500, LINES.split(b"\n")[0] + b"\n",
)  # fmt: skip


def check(files: dict[str, bytes]) -> None:
    """What a user does with a store: no exception, and warnings of a line each."""
    with tempfile.TemporaryDirectory() as name, limited_memory():
        for file, data in files.items():
            (Path(name) / file).write_bytes(data)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            store = Store(name)
            store.finished(PLAYED.hash)
            rows, _ = current(PLAYED, store.rows(PLAYED.hash))
            board = build(PLAYED, rows)
            for output in (report.terminal, report.markdown, report.csv, report.json):
                text = output(board)
                if isinstance(text, str):
                    text.encode()
        for warning in told:
            assert issubclass(warning.category, UserWarning), warning.message
            assert "\n" not in str(warning.message)


@examples(50)
@given(damaged(LINES, TOKENS))
def test_damaged_files(data):
    check({"a.jsonl": data})


@examples(40)
@given(damaged(gzip.compress(LINES)), damaged(LINES))
def test_damaged_packed_files_beside_others(packed, data):
    check({"a.jsonl.gz": packed, "b.jsonl": data})


@examples(200)
@given(damaged(LINES.split(b"\n")[0], TOKENS))
def test_damaged_json_is_read_as_the_standard_library_reads_it(data):
    found = []
    for read in (module._record, module._read_slowly):
        try:
            found.append(repr(read(data)))
        except (ValueError, RecursionError) as error:
            found.append(type(error).__mro__[-3])
    assert found[0] == found[1]


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Rows some of whose values, at any depth, are others."""
    found = []
    for line in LINES.splitlines()[: draw(st.integers(1, 3))]:
        row = json.loads(line)
        for _ in range(draw(st.integers(1, 3))):
            place: Any = row
            key = draw(st.sampled_from(sorted(row)))
            while isinstance(place[key], dict | list) and place[key] and draw(st.booleans()):
                place = place[key]
                keys = sorted(place) if isinstance(place, dict) else range(len(place))
                key = draw(st.sampled_from(keys))
            place[key] = draw(plain())
        found.append(json.dumps(row).encode())
    return b"\n".join(found) + b"\n"


@examples(40)
@given(lines())
def test_rows_with_other_values(data):
    check({"a.jsonl": data, "b.jsonl": LINES})
