"""Sources of ours, read once and kept on disk."""

import pytest

from leaderboards.run.keys import source_files, syntax
from leaderboards.run.keys.source_files import kept
from leaderboards.run.keys.syntax import source


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
