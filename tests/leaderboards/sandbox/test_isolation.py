"""Isolation is full only if all limits were shown to hold; probes detect one that does not."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from banditgym.compiled.cache import source_hash
from leaderboards.sandbox import isolation as module
from leaderboards.sandbox import launch, seccomp
from leaderboards.sandbox.isolation import FULL, PROCESS, REQUIRED, Isolation, isolation
from leaderboards.sandbox.launch import start
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.messages import NUMBER, reply_header
from leaderboards.sandbox.probes import PROBES, SMALL, _is_compiled
from leaderboards.sandbox.sandboxed_agent import SandboxedAgent
from leaderboards.sandbox.wait_limits import WaitLimits

ROOT = Path(launch.__file__).parents[2]
COMPILED = f"kernels/compiled-{source_hash()}"


@pytest.fixture
def anew():
    """The machine is tried anew, and after the test again."""
    isolation.cache_clear()
    yield
    isolation.cache_clear()


@pytest.mark.sandbox
def test_here_everything_is_shown(full):
    assert full.level == FULL
    assert full.shown == REQUIRED
    assert full.reason is None


@pytest.mark.sandbox
def test_probes_see_limits_that_do_not_bind(full):
    """Tried for small limits where larger ones are set."""
    started = start(full=True, limits=Limits(), probe=SMALL)
    expected = reply_header(NUMBER, np.dtype(np.uint8), (len(PROBES),))
    _, held = started.channel.receive(expected, WaitLimits(60.0))
    started.process.kill()
    started.process.wait()
    started.channel.close()
    started.control.close()
    started.process.stderr.close()
    missed = [name for name, good in zip(PROBES, held, strict=True) if not good]
    assert missed == [
        "memory", "threads", "open files", "file size", "size of /tmp", "names in /tmp",
    ]  # fmt: skip


@pytest.mark.sandbox
def test_a_limit_that_is_not_shown_is_named_and_the_level_falls(full, anew, monkeypatch):
    loose = dataclasses.replace(SMALL, threads=1000)
    monkeypatch.setattr(module, "start", lambda **given: start(**given | {"limits": loose}))
    found = isolation()
    assert found.level == PROCESS
    assert found.reason == "not shown to hold here: threads"


@pytest.mark.sandbox
@pytest.mark.parametrize("where", ["kernels", COMPILED])
def test_anything_else_that_is_visible_is_named_and_the_level_falls(
    full, anew, monkeypatch, tmp_path, where
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "private").touch()
    assert isolation().level == FULL
    isolation.cache_clear()
    (tmp_path / "banditgym" / where / "private").touch()
    found = isolation()
    assert found.level == PROCESS
    assert found.reason == "not shown to hold here: hidden"


OF_NUMBA = f"linalg/linalg_{'0' * 40}"


@pytest.mark.parametrize(("names", "fine"), [
    ([], True),
    (["linalg.solve-1.py311.nbi", "syntax.json"], True),
    ([f"banditgym/{OF_NUMBA}/"], True),
    ([f"banditgym/{OF_NUMBA}/linalg.solve-1.py311.1.nbc.00ff"], True),
    (["private/"], False),
    (["banditgym/"], False),
    (["banditgym/private/"], False),
    (["private/linalg.solve-1.py311.nbi"], False),
    ([f"banditgym/other_{'0' * 40}/"], False),
    ([f"banditgym/{OF_NUMBA}/private/"], False),
    ([f"banditgym/{OF_NUMBA}/private"], False),
    ([f"theirs/{OF_NUMBA}/linalg.solve-1.py311.nbi"], True),
])  # fmt: skip
def test_folders_of_compiled_code_have_the_names_that_numba_gives_them(tmp_path, names, fine):
    """Other names could be a message, or of somebody's folders."""
    for name in names:
        path = tmp_path / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.touch()
    assert _is_compiled(str(tmp_path)) == fine


def test_links_to_folders_are_no_compiled_code(tmp_path):
    (tmp_path / "banditgym").symlink_to("/", target_is_directory=True)
    assert not _is_compiled(str(tmp_path))


INSTALLED = """
import json
from leaderboards.sandbox.isolation import isolation
from leaderboards.sandbox.sandboxed_agent import SandboxedAgent
said = []
for spec in ("UCB1", SPEC):
    try:
        with SandboxedAgent(spec=spec) as agent:
            said.append(agent.described({})["label"])
    except ValueError as error:
        said.append(str(error))
print(json.dumps([isolation().level, *said]))
"""
LOOKS = """
import sys
from pathlib import Path
found = [str(path) for top in sys.path for path in Path(top).glob("leaderboards/*")]
raise ValueError(f"found {found}")
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("installed", [True, False])
def test_an_installed_judge_is_as_hidden_as_one_in_a_checkout(full, tmp_path, installed):
    """Among packages are its suites, with the labels that agents must not see."""
    packages = ROOT
    if installed:
        packages = tmp_path / "site-packages"
        for name in ("agents", "banditgym", "leaderboards"):
            ignored = shutil.ignore_patterns("__pycache__", "results", "submissions", "epochs")
            shutil.copytree(ROOT / name, packages / name, ignore=ignored)
    (tmp_path / "looks.py").write_text(LOOKS)
    done = subprocess.run(
        [sys.executable, "-c", INSTALLED.replace("SPEC", repr(f"{tmp_path / 'looks.py'}:Any"))],
        env={**os.environ, "PYTHONPATH": str(packages)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    level, label, looked = json.loads(done.stdout)
    assert (level, label) == (FULL, "UCB1")
    assert "found ['/code/leaderboards/sandbox'] (" in looked


def test_a_missing_bubblewrap_is_told_with_how_to_get_it(anew, monkeypatch):
    monkeypatch.setattr(
        launch,
        "_path_of",
        lambda program: (_ for _ in ()).throw(FileNotFoundError(f"there is no {program}")),
    )
    found = isolation()
    assert found.level == PROCESS
    assert "apt install bubblewrap" in found.reason


def test_a_bubblewrap_that_does_not_work_is_told_with_what_it_says(anew, monkeypatch, tmp_path):
    program = tmp_path / "bwrap"
    program.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(launch, "_path_of", lambda _: str(program))
    found = isolation()
    assert found.level == PROCESS
    assert "No permissions to create new namespace" in found.reason
    assert "user namespaces" in found.reason


def test_what_fails_within_is_not_laid_to_namespaces(anew, monkeypatch, tmp_path):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'ImportError: no such library' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(launch, "_path_of", lambda _: str(program))
    found = isolation()
    assert found.level == PROCESS
    assert found.reason == "a process within bubblewrap ends at once (ImportError: no such library)"


def test_other_machines_have_no_filter(anew, monkeypatch):
    monkeypatch.setattr(seccomp.platform, "system", lambda: "Linux")
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "aarch64")
    reason = (
        "the filter of system calls is written for Linux on x86-64 alone, and this is Linux on "
        "aarch64"
    )
    assert isolation() == Isolation(PROCESS, reason=reason)
    # No process is started, which the filter would end at its first call.
    with pytest.raises(ValueError, match=f"isolation='full' cannot be had: {reason}"):
        SandboxedAgent(spec="UCB1")
    assert SandboxedAgent(spec="UCB1", isolation=PROCESS).isolation == PROCESS
