"""Files that are written whole."""

from pathlib import Path

import pytest

from leaderboards import whole_files


def test_a_file_has_the_contents_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "rows.json"
    for contents, kept in (("µs\n", "µs\n".encode()), (b"\x00\n", b"\x00\n")):
        whole_files.write(path, contents)
        assert path.read_bytes() == kept
        assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_contents(tmp_path, monkeypatch):
    path = tmp_path / "rows.json"
    path.write_text("old")

    def full(self, contents):
        with self.open("wb") as file:
            file.write(contents[:1])
        raise OSError("no space")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="no space"):
        whole_files.write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
