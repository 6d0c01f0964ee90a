"""Where caches lie on disk."""

import os
import time
from pathlib import Path

import pytest

from banditgym.compiled import cache
from banditgym.compiled.cache import fresh_caches, shared_cache
from banditgym.files import cache_folders as module
from banditgym.files.cache_folders import cache_folder, read_only_caches


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The folder for machine code, below folders of this test."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return cache_folder


def test_machine_code_lies_where_the_environment_says(elsewhere, tmp_path, monkeypatch):
    name = "kernels/compiled-hash"
    assert elsewhere("hash") == tmp_path / "named" / "banditgym" / name
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
    named = tmp_path / "named" / "banditgym" / "kernels"
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


def test_a_folder_that_others_may_read_is_our_own_within_the_one_that_is_named(elsewhere, tmp_path):
    named = tmp_path / "named"
    named.mkdir(mode=0o700)
    (named / "secret").touch(mode=0o600)
    assert shared_cache() == named / "banditgym" / "kernels"
    assert [path.name for path in shared_cache().iterdir()] == [f"compiled-{cache.source_hash()}"]
    assert named.stat().st_mode & 0o777 == 0o700


def test_fresh_caches_are_empty_and_for_a_while(elsewhere, tmp_path, monkeypatch):
    """Of the folders of before none is known meanwhile, and all are known again."""
    monkeypatch.setenv("BANDITGYM_KERNELS", str(tmp_path / "read"))
    before = cache_folder("hash")
    with fresh_caches():
        meanwhile = cache_folder("hash")
        assert not meanwhile.is_relative_to(tmp_path / "named")
        assert list(meanwhile.iterdir()) == read_only_caches() == []
        with fresh_caches():
            assert cache_folder("hash") != meanwhile
        assert cache_folder("hash") == meanwhile
    assert not meanwhile.exists()
    assert cache_folder("hash") == before
    assert read_only_caches() == [tmp_path / "read"]


def test_the_hash_covers_both_packages_names_and_contents(tmp_path, monkeypatch):
    for package in ("banditgym", "agents"):
        (tmp_path / package / "part").mkdir(parents=True)
    monkeypatch.setattr(cache, "_ROOT", tmp_path)
    seen = {cache.source_hash.__wrapped__()}
    edits = {
        "banditgym/a.py": "1",
        "banditgym/part/a.py": "1",
        "agents/part/a.py": "1",
        "agents/a.py": "2",
    }
    for count, (name, text) in enumerate(edits.items(), start=2):
        (tmp_path / name).write_text(text)
        seen.add(cache.source_hash.__wrapped__())
        assert len(seen) == count
    (tmp_path / "agents" / "a.py").rename(tmp_path / "agents" / "b.py")
    seen.add(cache.source_hash.__wrapped__())
    (tmp_path / "agents" / "notes.txt").write_text("not a source")
    seen.add(cache.source_hash.__wrapped__())
    assert len(seen) == 6


def test_the_hash_of_the_environments_covers_them_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_ROOT", tmp_path)
    for package in ("banditgym", "agents"):
        (tmp_path / package).mkdir()
    before = cache.source_hash.__wrapped__(("banditgym",))
    (tmp_path / "agents" / "a.py").write_text("1")
    assert cache.source_hash.__wrapped__(("banditgym",)) == before
    (tmp_path / "banditgym" / "a.py").write_text("1")
    assert cache.source_hash.__wrapped__(("banditgym",)) != before
