"""Machine code on disk: edits are seen wherever they are, and it is kept where it can be."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import banditgym

SOURCES = Path(banditgym.__file__).parents[1]

CALLEE = """
from banditgym.compiled import compiled

@compiled
def callee(x):
    return 2.0 * x
"""
CALLER = """
from banditgym.callee import callee
from banditgym.compiled import compiled

@compiled
def caller(x):
    return callee(x) + 1.0
"""
ASK = """
import sys
from {module} import {function} as function
result = function(3.0)
print(result, sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the packages that machine code depends on, with a caller and its callee."""
    for package in ("banditgym", "agents"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SOURCES / package, tmp_path / package, ignore=ignored)
    (tmp_path / "banditgym" / "callee.py").write_text(CALLEE)
    (tmp_path / "banditgym" / "caller.py").write_text(CALLER)
    return tmp_path


def ask(folder, module="banditgym.caller", function="caller", code=ASK, **environment):
    """Result, cache hits and cache misses of a kernel in a fresh process."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": str(folder),
        # An edit within a second of the last would leave Python's own cached bytecode in force.
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-c", code.format(module=module, function=function)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result, hits, misses = done.stdout.split()
    return float(result), int(hits), int(misses)


def test_an_edit_of_a_callee_in_another_file_is_seen_by_its_cached_caller(copy):
    assert ask(copy) == (7.0, 0, 1)
    assert ask(copy) == (7.0, 1, 0)
    (copy / "banditgym" / "callee.py").write_text(CALLEE.replace("2.0", "5.0"))
    assert ask(copy) == (16.0, 0, 1)
    (copy / "banditgym" / "callee.py").write_text(CALLEE)
    assert ask(copy) == (7.0, 1, 0)  # what was compiled for these sources is still there


def test_an_edit_that_computes_the_same_compiles_nothing_anew(copy):
    """Of docstrings, comments and annotations; the text of an error is part of the machine code."""
    raising = CALLEE.replace(
        "    return", "    if x < 0.0:\n        raise ValueError('low')\n    return"
    )
    documented = raising.replace("    if", '    """Twice x."""\n    if')
    (copy / "banditgym" / "callee.py").write_text(documented)
    assert ask(copy) == (7.0, 0, 1)
    edited = documented.replace("Twice x.", "2 x.").replace(
        "callee(x)", "callee(x: float) -> float"
    )
    (copy / "banditgym" / "callee.py").write_text('"""A module."""\n# A kernel.\n' + edited)
    path = copy / "banditgym" / "compiled.py"
    path.write_text(path.read_text().replace("Compile ``function``", "Translate ``function``"))
    assert ask(copy) == (7.0, 1, 0)
    (copy / "banditgym" / "callee.py").write_text(documented.replace("'low'", "'negative'"))
    assert ask(copy) == (7.0, 0, 1)


def test_an_edit_of_what_is_not_imported_compiles_nothing_anew(copy):
    assert ask(copy) == (7.0, 0, 1)
    (copy / "banditgym" / "tasks.py").write_text("# not imported by either")
    (copy / "agents" / "new.py").write_text("")
    assert ask(copy) == (7.0, 1, 0)


def test_a_callee_is_followed_through_the_package_that_hands_it_on(copy):
    """And the other modules of that package do not count."""
    package = copy / "agents" / "package"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from agents.package.other import nothing\nfrom banditgym.callee import (\n    callee as"
        " handed_on,  # (or so)\n)\n"
    )
    (package / "other.py").write_text("nothing = 1")
    caller = CALLER.replace(
        "from banditgym.callee import", "from agents.package import handed_on as"
    )
    (copy / "banditgym" / "caller.py").write_text(caller)
    assert ask(copy) == (7.0, 0, 1)
    (package / "other.py").write_text("nothing = 2")
    assert ask(copy) == (7.0, 1, 0)
    (copy / "banditgym" / "callee.py").write_text(CALLEE.replace("2.0", "5.0"))
    assert ask(copy) == (16.0, 0, 1)


STATE = """
from typing import NamedTuple

import numpy as np

class State(NamedTuple):
    {fields}
"""
TAKES_A_STATE = """
from banditgym.compiled import compiled

@compiled
def of_state(state):
    return state.first
"""
ASK_WITH_A_STATE = """
from {module} import {function} as function
from banditgym.state import State
result = function(State(first=1.0, second=2.0))
print(result, sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


def test_fields_that_change_places_are_seen_by_kernels_that_do_not_import_them(copy):
    (copy / "banditgym" / "takes_a_state.py").write_text(TAKES_A_STATE)
    kernel = {
        "module": "banditgym.takes_a_state", "function": "of_state", "code": ASK_WITH_A_STATE
    }  # fmt: skip
    state = copy / "banditgym" / "state.py"
    state.write_text(STATE.format(fields="first: float\n    second: float"))
    assert ask(copy, **kernel) == (1.0, 0, 1)
    assert ask(copy, **kernel) == (1.0, 1, 0)
    state.write_text(STATE.format(fields="second: float\n    first: float"))
    assert ask(copy, **kernel) == (1.0, 0, 1)


def test_third_party_kernels_see_their_own_edits_and_ours(copy):
    mine = CALLER.replace("caller", "kernel")
    (copy / "mine.py").write_text(mine)
    asked = {"module": "mine", "function": "kernel"}
    assert ask(copy, **asked) == (7.0, 0, 1)
    (copy / "mine.py").write_text(mine.replace("1.0", "4.0"))
    assert ask(copy, **asked) == (10.0, 0, 1)
    (copy / "agents" / "new.py").write_text("")
    (copy / "banditgym" / "callee.py").write_text(CALLEE.replace("2.0", "5.0"))
    assert ask(copy, **asked) == (19.0, 0, 1)


def test_files_of_one_name_keep_their_machine_code_apart(copy):
    for folder, number in (("one", "1.0"), ("two", "4.0")):
        (copy / folder).mkdir()
        (copy / folder / "mine.py").write_text(CALLER.replace("1.0", number))
    for hits in (0, 1):
        for folder, result in (("one", 7.0), ("two", 10.0)):
            path = f"{copy / folder}{os.pathsep}{copy}"
            assert ask(copy, "mine", PYTHONPATH=path) == (result, hits, 1 - hits)


def test_copies_with_equal_sources_share_machine_code(copy, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "copy"
    shutil.copytree(copy, other, ignore=shutil.ignore_patterns("__pycache__"))
    shared = {"NUMBA_CACHE_DIR": str(copy / "cache")}
    assert ask(copy, **shared) == (7.0, 0, 1)
    assert ask(other, **shared) == (7.0, 1, 0)
    (other / "banditgym" / "callee.py").write_text(CALLEE.replace("2.0", "5.0"))
    assert ask(other, **shared) == (16.0, 0, 1)
    assert ask(copy, **shared) == (7.0, 1, 0)


def test_functions_without_a_file_are_compiled_in_each_process(copy):
    prompt = CALLEE + "\nprint(callee(3.0), 0, 0)"
    assert ask(copy, code=prompt) == (6.0, 0, 0)
    assert ask(copy, code=prompt.replace("2.0", "5.0")) == (15.0, 0, 0)


def test_a_process_without_a_writable_folder_of_its_own_still_runs(copy):
    (copy / "file").touch()
    (copy / "tmp").mkdir()
    places = {"NUMBA_CACHE_DIR": str(copy / "file" / "below"), "TMPDIR": str(copy / "tmp")}
    assert ask(copy, **places) == (7.0, 0, 1)
    assert list((copy / "tmp").rglob("*.nbi"))


def test_code_that_is_only_read_is_found_first_and_misses_go_elsewhere(copy):
    """A process of somebody else's reads what was compiled here, and cannot change it."""
    assert ask(copy) == (7.0, 0, 1)
    shared = copy / "cache" / "banditgym" / "kernels"
    before = {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}
    for path in [shared, *shared.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    own = {"NUMBA_CACHE_DIR": str(copy / "own"), "BANDITGYM_KERNELS": str(shared)}
    assert ask(copy, **own) == (7.0, 1, 0)
    assert not list((copy / "own").rglob("*.nbi"))
    # Of another type: compiled there, kept there, found there.
    other = ASK.replace("3.0", "3")
    assert ask(copy, code=other, **own) == (7.0, 0, 1)
    assert list((copy / "own").rglob("*.nbi"))
    assert ask(copy, code=other, **own) == (7.0, 1, 0)
    for path in [shared, *shared.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    assert before == {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}


SLOW = """
import os, sys, time
from numba.core.event import Listener, install_listener
class Slow(Listener):
    def on_start(self, event):
        if event.data["dispatcher"].py_func.__name__ == "caller":
            open("begun-" + str(os.getpid()), "w").close()
            time.sleep(float(sys.argv[1]))
    def on_end(self, event): pass
from {module} import {function} as function
with install_listener("numba:compile", Slow()):
    result = function(3.0)
print(result, sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


def begin(folder, seconds):
    """A process that takes so long to compile the caller, once it has begun to."""
    environment = {
        **os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder)
    }  # fmt: skip
    code = SLOW.format(module="banditgym.caller", function="caller")
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(seconds)],
        env=environment, cwd=folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 60.0
    while not [*folder.glob(f"begun-{process.pid}")]:
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.01)
    return process


def test_what_another_process_compiles_is_awaited_and_loaded(copy):
    process = begin(copy, 3.0)
    assert ask(copy) == (7.0, 1, 0)
    assert process.communicate(timeout=60)[0].split() == ["7.0", "0", "1"]


def test_after_kill_9_amid_a_compilation_the_next_process_compiles(copy):
    process = begin(copy, 60.0)
    process.kill()
    process.communicate(timeout=60)
    started = time.monotonic()
    assert ask(copy) == (7.0, 0, 1)
    assert time.monotonic() - started < 30.0  # nobody waits for a dead process
    assert ask(copy) == (7.0, 1, 0)


FRESH = """
import sys
from banditgym.compiled.caches import fresh_caches
from {module} import {function} as function
with fresh_caches():
    result = function(3.0)
print(result, sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


def test_with_fresh_caches_nothing_is_loaded_that_was_compiled_before(copy):
    """Not even by kernels that were imported before."""
    assert ask(copy) == (7.0, 0, 1)
    assert ask(copy, code=FRESH) == (7.0, 0, 1)
    assert ask(copy) == (7.0, 1, 0)
