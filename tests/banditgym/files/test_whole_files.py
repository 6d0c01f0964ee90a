"""Files that are written whole."""

import os
import stat

import pytest

from banditgym.files import whole_files


def test_a_file_has_the_contents_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "rows.json"
    for contents, kept in (("µs\n", "µs\n".encode()), (b"\x00\n", b"\x00\n")):
        whole_files.write(path, contents)
        assert path.read_bytes() == kept
        assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_contents(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text("old")
    with pytest.raises(TypeError), whole_files.opened(path) as file:
        file.write("a text, which is refused")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_mode_of_a_file_and_the_target_of_a_link_stay(tmp_path):
    path, link = tmp_path / "secret.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    whole_files.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_name_as_long_as_a_file_may_have_is_written(tmp_path):
    path = tmp_path / ("n" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    whole_files.write(path, "new")
    assert path.read_text() == "new"


def test_a_device_is_written_directly():
    whole_files.write(os.devnull, "nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
