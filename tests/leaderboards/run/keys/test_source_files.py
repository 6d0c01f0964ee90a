"""The sources of ours: found, read and hashed."""

import pytest

from leaderboards.run.keys import source_files, syntax
from leaderboards.run.keys.source_files import kept, source_hash
from leaderboards.run.keys.syntax import source


def test_the_hash_covers_both_packages_names_and_contents(tmp_path, monkeypatch):
    for package in ("banditgym", "agents"):
        (tmp_path / package / "part").mkdir(parents=True)
    monkeypatch.setattr(source_files, "ROOT", tmp_path)
    seen = {source_hash.__wrapped__()}
    edits = {
        "banditgym/a.py": "1",
        "banditgym/part/a.py": "1",
        "agents/part/a.py": "1",
        "agents/a.py": "2",
    }
    for count, (name, text) in enumerate(edits.items(), start=2):
        (tmp_path / name).write_text(text)
        seen.add(source_hash.__wrapped__())
        assert len(seen) == count
    (tmp_path / "agents" / "a.py").rename(tmp_path / "agents" / "b.py")
    seen.add(source_hash.__wrapped__())
    (tmp_path / "agents" / "notes.txt").write_text("not a source")
    seen.add(source_hash.__wrapped__())
    assert len(seen) == 6


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where what a source says is kept."""
    monkeypatch.setattr(source_files, "cache_folder", lambda name: tmp_path)
    return tmp_path


def test_what_a_source_says_is_kept_by_its_bytes_and_package(folder, monkeypatch):
    code = b"from . import a as b\nimport c\ndef f(x): raise ValueError('no', b.y, c)\n"
    expected = source(code, "one")
    assert kept(code, "one") == expected
    (file,) = folder.iterdir()
    assert kept(code, "two") == source(code, "two") != expected
    assert kept(code + b"1 + 1", "one").form != expected.form
    monkeypatch.setattr(syntax, "source", lambda code, package: None)
    assert kept(code, "one") == expected
    monkeypatch.undo()
    monkeypatch.setattr(source_files, "cache_folder", lambda name: folder)
    for damaged in (b"", b"[]", b'{"uses": []}', file.read_bytes()[:-9]):
        file.write_bytes(damaged)
        assert kept(code, "one") == expected


def test_a_process_that_runs_others_code_keeps_nothing(folder, monkeypatch):
    monkeypatch.setattr(source_files, "owner", lambda: "somebody")
    assert kept(b"x = 1", "") == source(b"x = 1")
    assert not list(folder.iterdir())


def test_what_is_kept_is_read_from_shared_folders_too(folder, tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    (shared / folder.name).mkdir(parents=True)
    monkeypatch.setattr(source_files, "read_only_caches", lambda: [shared])
    kept(b"x = 1", "")
    (file,) = folder.glob("*.json")
    file.rename(shared / folder.name / file.name)
    monkeypatch.setattr(syntax, "source", lambda code, package: None)
    assert kept(b"x = 1", "").defines == {"x"}


def test_a_package_is_found_before_a_file_of_its_name(tmp_path):
    (tmp_path / "a.py").touch()
    assert source_files.file_of("a", tmp_path) == tmp_path / "a.py"
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "__init__.py").touch()
    assert source_files.file_of("a", tmp_path) == tmp_path / "a" / "__init__.py"
    assert source_files.file_of("a.b", tmp_path) is None
    assert source_files.find("numpy") is None
