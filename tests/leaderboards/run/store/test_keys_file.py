"""Keys of packed results stand beside them: rows are read back whole, and are not written anew."""

from dataclasses import replace

import pytest

from leaderboards.run.store import keys_file
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store
from leaderboards.submit.published import pack_apart

ROW = Row(
    suite="a" * 16, task="coins", agent="UCB1", spec="UCB1", hyperparameters={}, seed=0,
    sources="1" * 16, data={}, error=None, rounds=[1, 5], measures={"regret": [0.0, 1.5]},
    seconds=None, bytes=None, facts=[], paper=None, environment="2" * 16,
)  # fmt: skip
ROWS = [ROW, replace(ROW, seed=1), replace(ROW, task="rare", environment="3" * 16),
        replace(ROW, agent="KLUCB", spec="KLUCB", sources="4" * 16)]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "tiny.jsonl.gz"
    pack_apart(found, ROWS)
    return found


def read(path):
    return sorted(Store(path.parent).rows(), key=lambda row: (row.spec, row.task, row.seed))


def test_rows_are_read_with_their_keys(path):
    assert read(path) == sorted(ROWS, key=lambda row: (row.spec, row.task, row.seed))


def test_new_keys_leave_the_rows_as_they_are(path):
    before = path.read_bytes()
    new = [replace(row, sources="9" * 16) for row in ROWS]
    pack_apart(path, new)
    assert path.read_bytes() == before
    assert {row.sources for row in read(path)} == {"9" * 16}
    assert {row.environment for row in read(path)} == {"2" * 16, "3" * 16}


def test_what_has_no_key_there_keeps_its_own(path):
    keys_file.path_of(path).write_text('{"agents": {"UCB1": "5"}, "tasks": {}}')
    assert {(row.spec, row.sources, row.environment) for row in read(path)} == {
        ("UCB1", "5", ""),
        ("KLUCB", "", ""),
    }
    keys_file.path_of(path).unlink()
    assert {row.sources for row in read(path)} == {""}
    # Files that are still written have their keys in their rows.
    with Store(path.parent / "other") as other:
        other.append(ROWS)
    (own,) = (path.parent / "other").iterdir()
    keys_file.path_of(own).write_text('{"agents": {"UCB1": "5"}, "tasks": {}}')
    assert {row.sources for row in Store(path.parent / "other").rows()} == {"1" * 16, "4" * 16}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"agents": {"UCB1": 5}, "tasks": {}}', "\xff"])
def test_a_damaged_file_of_keys_is_named_once(path, text):
    keys_file.path_of(path).write_bytes(text.encode("latin-1"))
    with pytest.warns(UserWarning, match=r"the keys .*tiny\.keys\.json cannot be read: ") as found:
        assert {row.sources for row in read(path)} == {""}
    assert len(found) == 1


@pytest.mark.parametrize("other", [{"sources": "8" * 16}, {"environment": "8" * 16}])
def test_rows_of_several_keys_are_refused(tmp_path, other):
    with pytest.raises(ValueError, match="the rows of (UCB1|coins) have several keys: .*, 8888"):
        pack_apart(tmp_path / "tiny.jsonl.gz", [ROW, replace(ROW, seed=5, **other)])
    assert list(tmp_path.iterdir()) == []
