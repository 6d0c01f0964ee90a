"""Where numbers come from."""

import subprocess

import numpy

from leaderboards.papers import provenance


def test_this_process():
    here = provenance.here()
    assert f"numpy {numpy.__version__}" in here.libraries
    assert "openblas" in here.libraries.lower()
    assert len(here.day) == 10
    assert here.words.startswith(f"{here.day} on {here.machine} with {here.libraries}")


def test_a_commit_is_told_with_whether_files_differ(tmp_path):
    assert provenance._commit(tmp_path) == ""

    def git(*words):
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(
            ["git", "-C", tmp_path, *name, *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    assert provenance._commit(tmp_path) == ""
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-qm", "one")
    head = git("rev-parse", "HEAD")
    assert head.startswith(provenance._commit(tmp_path))
    (tmp_path / "a").write_text("2")
    assert provenance._commit(tmp_path) == f"{git('rev-parse', '--short', 'HEAD')}+"
