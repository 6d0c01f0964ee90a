"""Where caches lie on disk."""

import os
import time
from pathlib import Path

import pytest

from banditgym import caches as module
from banditgym.caches import cache_folder


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The folder for machine code, looked for anew; the process's own is left alone."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return cache_folder.__wrapped__


def test_machine_code_lies_where_the_environment_says(elsewhere, tmp_path, monkeypatch):
    name = "compiled-hash"
    assert elsewhere("hash") == tmp_path / "named" / name
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert elsewhere("hash") == tmp_path / "xdg" / "banditgym" / name
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert elsewhere("hash") == tmp_path / "home" / ".cache" / "banditgym" / name


def test_a_user_without_a_home_has_machine_code_where_it_is_named_or_in_a_temporary_folder(
    elsewhere, tmp_path, monkeypatch
):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(module.Path, "home", homeless)
    assert elsewhere("hash").is_relative_to(tmp_path / "named")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert elsewhere("hash").is_relative_to(tmp_path / "temporary")


def test_a_folder_that_cannot_be_made_gives_way_to_a_temporary_one(
    elsewhere, tmp_path, monkeypatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "below"))
    folder = elsewhere("hash")
    assert folder.is_relative_to(tmp_path / "temporary")
    assert folder.name == "compiled-hash"


def test_a_full_or_read_only_disk_gives_way_to_a_temporary_folder(elsewhere, tmp_path, monkeypatch):
    whole = module.tempfile.TemporaryFile

    def refusing(dir):
        if Path(dir).is_relative_to(tmp_path / "named"):
            raise OSError(30, "Read-only file system")
        return whole(dir=dir)

    monkeypatch.setattr(module.tempfile, "TemporaryFile", refusing)
    assert elsewhere("hash").is_relative_to(tmp_path / "temporary")


def test_without_any_folder_the_error_says_so(elsewhere, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(OSError, match="no folder for compiled code can be written"):
        elsewhere("hash")


def test_machine_code_of_old_sources_is_deleted_after_a_week(elsewhere, tmp_path):
    named = tmp_path / "named"
    week = 7 * 24 * 3600
    for name, age in (
        ("compiled-old", week + 60),
        ("compiled-new", week - 60),
        ("other", 9 * week),
    ):
        (named / name).mkdir(parents=True)
        (named / name / "kernel.nbc").touch()
        os.utime(named / name, (time.time() - age,) * 2)
    folder = elsewhere("hash")
    assert {path.name for path in named.iterdir()} == {"compiled-new", "other", folder.name}
