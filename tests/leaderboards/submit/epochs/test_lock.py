"""Lock files: every package is pinned with hashes and compared with the installed one."""

import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from leaderboards.submit.epochs import lock as module
from leaderboards.submit.epochs.epoch import FOLDER

DIGEST = "--hash=sha256:" + "0" * 64
GOOD = f"numpy=={metadata.version('numpy')} \\\n    {DIGEST} \\\n    {DIGEST}\n"
GOOD += f"rich==1.0 \\\n    {DIGEST}\n"


def write(tmp_path, text):
    path = tmp_path / "x.lock"
    path.write_text(text)
    return path


def test_pins_and_differences(tmp_path):
    path = write(tmp_path, "# a comment\n" + GOOD)
    assert module.pins(path)["rich"] == "1.0"
    assert module.differences(path) == [f"rich {metadata.version('rich')}, locked 1.0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("numpy\n", "line 1: it pins no package"),
        ("numpy>=1 \\\n", "line 1: it pins no package"),
        (f"    {DIGEST}\n", "line 1: it pins no package"),
        ("numpy==1 \\\n    --hash=md5:0\n", "line 2: it pins no package"),
        ("numpy==1\n", "numpy has no hash"),
        (f"Torch==2.0 \\\n    {DIGEST}\n", "torch is not among the packages"),
        ("-r /etc/passwd\n", "line 1"),
        ("--index-url https://evil.example\n", "line 1"),
        (f"x @ https://evil.example/x.whl \\\n    {DIGEST}\n", "line 1"),
    ],
)
def test_what_is_no_lock(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        module.pins(write(tmp_path, text))


def test_the_published_locks_are_in_order():
    for path in FOLDER.glob("*.lock"):
        pins = module.pins(path)
        assert {"numpy", "scipy", "numba", "gymnasium", "scikit-learn", "pydantic"} <= pins.keys()
        assert "torch" not in pins


def test_what_is_locked_is_what_is_installed(tmp_path, monkeypatch):
    """The call of uv, without its network."""
    called = []

    def run(command, **_):
        called.append(command)
        fixed = Path(command[command.index("--constraint") + 1]).read_text()
        assert f"numpy=={metadata.version('numpy')}\n" in fixed
        wanted = Path(command[-1]).read_text()
        assert "numpy" in wanted
        assert "torch" not in wanted
        Path(command[command.index("--output-file") + 1]).write_text(GOOD)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(module.subprocess, "run", run)
    module.write(tmp_path / "x.lock")
    assert called[0][:4] == ["uv", "pip", "compile", "--quiet"]
    assert "--generate-hashes" in called[0]


@pytest.mark.parametrize("fault", ["missing", "failing"])
def test_without_uv_it_is_one_line(tmp_path, monkeypatch, fault):
    def run(command, **_):
        if fault == "missing":
            raise FileNotFoundError
        return subprocess.CompletedProcess(command, 1, "", "no such\npackage")

    monkeypatch.setattr(module.subprocess, "run", run)
    said = "needs uv: pip install uv" if fault == "missing" else "no such package"
    with pytest.raises(ValueError, match=said):
        module.write(tmp_path / "x.lock")
