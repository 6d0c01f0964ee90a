"""Blocks of lines against plain reading, whatever the packing."""

import bz2
import gzip

import pytest

from banditgym.data import files

LINES = [b"one\n", b"\n", b"three\r\n", b"last, without an end"]
TEXT = b"".join(LINES)
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize("suffix", PACK)
def test_lines_come_with_the_number_of_the_first(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(files, "GROUP_BYTES", 3)
    path = tmp_path / f"data.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT))
    assert list(files.line_groups(path)) == [(1, LINES[:1]), (2, LINES[1:3]), (4, LINES[3:])]


@pytest.mark.parametrize("suffix", PACK)
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"data.txt{suffix}"
    with files.opened(path, "wb") as file:
        file.write(TEXT)
    assert path.read_bytes().startswith({"": b"one", ".gz": b"\x1f\x8b", ".bz2": b"BZh"}[suffix])
    assert list(files.line_groups(path)) == [(1, LINES)]


def test_an_empty_file_has_no_blocks(tmp_path):
    (tmp_path / "data.txt").touch()
    assert list(files.line_groups(tmp_path / "data.txt")) == []


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.svm"):
        list(files.line_groups(tmp_path / "nowhere.svm"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2"])
def test_a_file_that_is_cut_off_is_named(tmp_path, suffix):
    path = tmp_path / f"data.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT * 100)[:-9])
    with pytest.raises(ValueError, match=rf"data.txt{suffix}, after line \d+: cannot be read: "):
        list(files.line_groups(path))


@pytest.mark.parametrize("suffix", [".gz", ".bz2"])
def test_a_file_that_is_not_packed_is_named(tmp_path, suffix):
    path = tmp_path / f"data.txt{suffix}"
    path.write_bytes(TEXT)
    with pytest.raises(ValueError, match=rf"data.txt{suffix}, after line 0: cannot be read: "):
        list(files.line_groups(path))
