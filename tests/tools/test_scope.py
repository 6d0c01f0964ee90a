"""What a pull request may change."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.scope import submission_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def trees(tmp_path):
    """Two equal checkouts with a published submission."""
    base = tmp_path / "base"
    own = base / "leaderboards/submissions/old"
    (own / "results").mkdir(parents=True)
    (base / ".git").write_text("gitdir: elsewhere")
    (base / "README.md").write_text("read me")
    (own / "agent.py").write_text("x = 1\n")
    (own / "ledger.jsonl").write_text('{"event": "self-run"}\n')
    (own / "results/1.0.0.small.jsonl.gz").write_bytes(b"rows")
    shutil.copytree(base, tmp_path / "head")
    (tmp_path / "head/.git").write_text("gitdir: another")
    return base, tmp_path / "head"


def test_a_new_submission_and_a_new_version(trees):
    base, head = trees
    old = head / "leaderboards/submissions/old"
    (old / "agent.py").write_text("x = 2\n")
    (old / "results/1.0.1.small.jsonl.gz").write_bytes(b"more rows")
    with (old / "ledger.jsonl").open("a") as file:
        file.write('{"event": "self-run", "version": "1.0.1"}\n')
    assert submission_of(base, head) == "old"
    shutil.rmtree(old)
    shutil.copytree(base / "leaderboards/submissions/old", old)
    shutil.copytree(old, head / "leaderboards/submissions/new-one")
    assert submission_of(base, head) == "new-one"


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        ".github/workflows/submission.yml",
        "leaderboards/commands/submitting.py",
        "leaderboards/submissions/README.md",
        "leaderboards/submissions/Bad Name/agent.py",
        "leaderboards/submissions/../x.py",
        "banditgym/__init__.py",
        "evil\x1b[2J.py",
    ],
)
def test_nothing_else_may_change(trees, path):
    base, head = trees
    (head / "leaderboards/submissions/old/agent.py").write_text("x = 2\n")
    (head / path).parent.mkdir(parents=True, exist_ok=True)
    (head / path).write_text("changed")
    with pytest.raises(ValueError, match="changes nothing outside") as caught:
        submission_of(base, head)
    assert "\x1b" not in str(caught.value)


def test_removal_outside_and_modes_count(trees):
    base, head = trees
    (head / "leaderboards/submissions/old/agent.py").write_text("x = 2\n")
    (head / "README.md").chmod(0o755)
    with pytest.raises(ValueError, match="README.md"):
        submission_of(base, head)
    (head / "README.md").unlink()
    with pytest.raises(ValueError, match="README.md"):
        submission_of(base, head)


@pytest.mark.parametrize("place", ["leaderboards/elsewhere", "docs"])
def test_a_link_outside_is_seen(trees, place):
    base, head = trees
    (head / place).symlink_to("/etc")
    (head / "leaderboards/submissions/old/agent.py").write_text("x = 2\n")
    with pytest.raises(ValueError, match="changes nothing outside"):
        submission_of(base, head)


def test_a_reference_to_another_repository_is_seen(trees):
    """git checks a submodule out as an empty folder, where it is not asked to fetch it."""
    base, head = trees
    for tree in trees:
        (tree / "empty").mkdir()
    (head / "leaderboards/submissions/old/agent.py").write_text("x = 2\n")
    assert submission_of(base, head) == "old"
    (head / "agents/vendored").mkdir(parents=True)
    with pytest.raises(ValueError, match="this changes 'agents/vendored'"):
        submission_of(base, head)


def test_one_submission_at_a_time(trees):
    base, head = trees
    with pytest.raises(ValueError, match="this changes none"):
        submission_of(base, head)
    for name in ("one", "two"):
        (head / f"leaderboards/submissions/{name}").mkdir()
        (head / f"leaderboards/submissions/{name}/agent.py").write_text("")
    with pytest.raises(ValueError, match="this changes those of 'one', 'two'"):
        submission_of(base, head)


def test_ledgers_only_grow_and_rows_stay(trees):
    base, head = trees
    old = head / "leaderboards/submissions/old"
    (old / "ledger.jsonl").write_text('{"event": "nothing"}\n')
    with pytest.raises(ValueError, match="may only grow"):
        submission_of(base, head)
    (old / "ledger.jsonl").unlink()
    with pytest.raises(ValueError, match="may only grow"):
        submission_of(base, head)
    shutil.copy(base / "leaderboards/submissions/old/ledger.jsonl", old / "copy.jsonl")
    (old / "ledger.jsonl").symlink_to(old / "copy.jsonl")  # it could change at any time
    with pytest.raises(ValueError, match="may only grow"):
        submission_of(base, head)
    (old / "ledger.jsonl").unlink()
    (old / "copy.jsonl").rename(old / "ledger.jsonl")
    (old / "results/1.0.0.small.jsonl.gz").write_bytes(b"better rows")
    with pytest.raises(ValueError, match="published rows do not change"):
        submission_of(base, head)


def test_the_command_prints_a_name_or_one_line(trees):
    base, head = trees
    command = [sys.executable, "-m", "tools.scope", str(base), str(head)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    (head / "leaderboards/submissions/old/agent.py").write_text("x = 2\n")
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "old\n", "")


def test_the_workflow_trusts_nobody():
    text = (ROOT / ".github/workflows/submission.yml").read_text()
    assert "pull_request_target" not in text
    assert "permissions:\n  contents: read\n" in text
    assert text.count("permissions:") == 1
    assert "persist-credentials: false" in text
    # Where the isolation is not full a reason is given, and exit() with a text fails.
    assert 0 < text.index("exit(i().reason)") < text.index("banditgym submit check")
    assert "secrets." not in text.replace("secrets.token_hex", "")
    # What a pull request names reaches a shell through the environment alone.
    for line in text.splitlines():
        if "${{" in line and "github." in line:
            assert "pull_request.number" in line
