"""The sources of ours: found, read and hashed."""

from banditgym import source_files
from banditgym.source_files import source_hash


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
