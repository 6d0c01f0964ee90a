"""Untrusted folders: what is read, what is refused, and what is hashed."""

import hashlib
import os

import pytest

from leaderboards.submit import folder as module
from leaderboards.submit.folder import read
from leaderboards.submit.problems import SubmissionError


def test_files_and_their_hash(mine):
    found = read(mine)
    assert list(found.files) == ["agent.py", "submission.toml"]
    # The definition, in plain words: a label, then each path and content behind its length.
    text = b"banditgym submission 1"
    for name in ("agent.py", "submission.toml"):
        contents = (mine / name).read_bytes()
        text += len(name).to_bytes(8, "big") + name.encode()
        text += len(contents).to_bytes(8, "big") + contents
    assert found.hash == hashlib.sha256(text).hexdigest()


def test_another_user_can_read_a_copy(mine, tmp_path):
    (mine / "deep/er").mkdir(parents=True)
    (mine / "deep/er/data.txt").write_text("x")
    before = os.umask(0o077)
    try:
        copy = read(mine).copy_to(tmp_path / "copy")
    finally:
        os.umask(before)
    for path in (copy, *copy.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


def test_results_ledger_and_compiled_code_are_not_of_the_contents(mine):
    before = read(mine).hash
    for name in ("results", "__pycache__", "results/deep"):
        (mine / name).mkdir()
    for name in ("results/rows.jsonl", "ledger.jsonl", "__pycache__/agent.pyc", "agent.pyc"):
        (mine / name).write_text("x")
    assert read(mine).hash == before
    (mine / "sub").mkdir()
    (mine / "sub" / "more.py").write_text("x = 1\n")
    assert read(mine).hash != before
    assert "sub/more.py" in read(mine).files


def test_what_was_read_is_what_is_copied(mine, tmp_path):
    found = read(mine)
    (mine / "agent.py").write_text("changed after it was hashed")
    copy = found.copy_to(tmp_path / "copy")
    assert read(copy).hash == found.hash


@pytest.mark.parametrize("target", ["/etc/passwd", "agent.py", "missing", ".."])
@pytest.mark.parametrize("name", ["link.py", "results", "ledger.jsonl", "__pycache__", "x.pyc"])
def test_a_symbolic_link_is_refused_wherever_it_leads(mine, target, name):
    (mine / name).symlink_to(target)
    with pytest.raises(SubmissionError, match=f"{name}: it is a symbolic link"):
        read(mine)


def test_rows_are_ordinary_files(mine):
    (mine / "results").mkdir()
    (mine / "results/1.0.0.small.jsonl.gz").write_bytes(b"")
    read(mine)
    (mine / "results/endless.jsonl").symlink_to("/dev/zero")
    os.mkfifo(mine / "results/pipe.jsonl")
    with pytest.raises(SubmissionError) as caught:
        read(mine)
    assert [problem.file for problem in caught.value.problems] == [
        "results/endless.jsonl", "results/pipe.jsonl",
    ]  # fmt: skip


def test_the_folder_itself_may_be_no_link(mine, tmp_path):
    (tmp_path / "link").symlink_to(mine)
    with pytest.raises(SubmissionError, match="symbolic link"):
        read(tmp_path / "link")
    with pytest.raises(SubmissionError, match="there is no such folder"):
        read(tmp_path / "missing")


@pytest.mark.parametrize(
    "name", [".hidden", "a b.py", "evil\x1b[31m.py", "a\u202eb.py", "-rf", "é.py", "a;b.py"]
)
def test_names_are_plain_words(mine, name):
    (mine / name).write_text("x")
    with pytest.raises(SubmissionError, match="its name has other characters") as caught:
        read(mine)
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


def test_pipes_are_no_files_and_do_not_hang(mine):
    os.mkfifo(mine / "pipe")
    with pytest.raises(SubmissionError, match="pipe: it is not a regular file"):
        read(mine)


def test_all_problems_in_one_pass(mine):
    (mine / ".a").write_text("")
    (mine / "b.py").symlink_to("/etc")
    (mine / "submission.toml").unlink()
    with pytest.raises(SubmissionError) as caught:
        read(mine)
    assert [problem.file for problem in caught.value.problems] == [".a", "b.py", "submission.toml"]


def test_size_number_and_depth_are_bounded(mine, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 2000)
    (mine / "large.bin").write_bytes(bytes(3000))
    with pytest.raises(SubmissionError, match=r"large.bin: with it the files take more than"):
        read(mine)
    (mine / "large.bin").unlink()
    monkeypatch.setattr(module, "MOST_FILES", 3)
    for i in range(10):
        (mine / f"f{i}").write_text("")
    with pytest.raises(SubmissionError, match="one of more than 3 files"):
        read(mine)
    for i in range(10):
        (mine / f"f{i}").unlink()
    (mine / "/".join("d" * 12)).mkdir(parents=True)
    with pytest.raises(SubmissionError, match="folders lie more than"):
        read(mine)
