"""Machine code on disk: edits are seen wherever they are, and it is kept where it can be."""

import importlib
import os
import shutil
import site
import subprocess
import sys
import zipfile
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


def test_an_edit_of_agents_does_not_compile_environments_anew(copy):
    assert ask(copy) == (7.0, 0, 1)
    (copy / "agents" / "new.py").write_text("")
    assert ask(copy) == (7.0, 1, 0)
    (copy / "banditgym" / "new.py").write_text("")
    assert ask(copy) == (7.0, 0, 1)


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
from state import State
result = function(State(first=1.0, second=2.0))
print(result, sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


@pytest.mark.parametrize("module", ["banditgym.takes_a_state", "takes_a_state"])
def test_fields_that_change_places_are_seen_by_kernels_that_do_not_import_them(copy, module):
    (copy / f"{module.replace('.', '/')}.py").write_text(TAKES_A_STATE)
    kernel = {"module": module, "function": "of_state", "code": ASK_WITH_A_STATE}
    state = copy / "state.py"
    state.write_text(STATE.format(fields="first: float\n    second: float"))
    assert ask(copy, **kernel) == (1.0, 0, 1)
    assert ask(copy, **kernel) == (1.0, 1, 0)
    state.write_text(STATE.format(fields="second: float\n    first: float"))
    assert ask(copy, **kernel) == (1.0, 0, 1)


def test_kernels_that_use_a_source_in_an_archive_are_compiled_in_each_process(copy):
    (copy / "mine.py").write_text(OWN.format("from helper import FACTOR", "FACTOR * x"))
    asked = {"module": "mine", "function": "kernel"}
    archive = copy / "helper.zip"
    for factor in (2.0, 5.0):
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("helper.py", f"FACTOR = {factor}")
        path = os.pathsep.join([str(copy), str(archive)])
        assert ask(copy, **asked, PYTHONPATH=path)[0] == factor * 3.0


def test_third_party_kernels_see_their_own_edits_and_ours(copy):
    mine = CALLER.replace("caller", "kernel")
    (copy / "mine.py").write_text(mine)
    asked = {"module": "mine", "function": "kernel"}
    assert ask(copy, **asked) == (7.0, 0, 1)
    assert ask(copy, **asked) == (7.0, 1, 0)
    (copy / "mine.py").write_text(mine.replace("1.0", "4.0"))
    assert ask(copy, **asked) == (10.0, 0, 1)
    (copy / "banditgym" / "callee.py").write_text(CALLEE.replace("2.0", "5.0"))
    assert ask(copy, **asked) == (19.0, 0, 1)


OWN = "from banditgym.compiled import compiled\n{}\n@compiled\ndef kernel(x):\n    return {}\n"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "imports",
    [
        "from theirs import kernel as part",
        "import theirs\npart = theirs.kernel",
        "from package import part",
        "from package.inner import kernel as part",
        "import package.inner as inner\npart = inner.kernel",
    ],
)
def test_third_party_kernels_see_edits_of_other_third_party_files(copy, imports):
    """Also through a package with a relative import, and of a constant in a third file."""
    (copy / "package").mkdir()
    (copy / "package" / "__init__.py").write_text("from .inner import kernel as part")
    for name in ("theirs.py", "package/inner.py"):
        text = OWN.format("from constants import FACTOR", "FACTOR * x")
        (copy / name).write_text(text)
    (copy / "constants.py").write_text("FACTOR = 2.0")
    (copy / "mine.py").write_text(OWN.format(imports, "part(x) + 1.0"))
    (copy / "beside.py").write_text("")
    asked = {"module": "mine", "function": "kernel"}
    assert ask(copy, **asked) == (7.0, 0, 1)
    (copy / "beside.py").write_text("# which nothing imports")
    assert ask(copy, **asked) == (7.0, 1, 0)
    for name in ("theirs.py", "package/inner.py"):
        edited = (copy / name).read_text().replace("FACTOR *", "10.0 + FACTOR *")
        (copy / name).write_text(edited)
    assert ask(copy, **asked) == (17.0, 0, 1)
    (copy / "constants.py").write_text("FACTOR = 3.0")
    assert ask(copy, **asked) == (20.0, 0, 1)


def test_an_installed_package_sees_edits_of_its_own_files_and_of_what_it_imports(copy, monkeypatch):
    """Of other packages only the modules that are imported count: nothing reads all of numpy."""
    from banditgym.compiled import cache

    monkeypatch.setattr(cache, "_LIBRARIES", (f"{copy}{os.sep}",))
    for name, text in (
        ("one_a", "from one_b import kernel\nimport two_a"),
        ("one_b", "import two_a"),
        ("two_a", "import two_b"),
        ("two_b", ""),
    ):
        package, module = name.split("_")
        (copy / package).mkdir(exist_ok=True)
        (copy / package / "__init__.py").write_text("")
        text = text.replace("one_b", "one.b").replace("two_a", "two.a").replace("two_b", "two.b")
        (copy / package / f"{module}.py").write_text(text)
    (copy / "one" / "b.py").write_text("kernel = None\nimport two.a")
    monkeypatch.syspath_prepend(copy)
    importlib.import_module("one.a")
    found = cache._sources(str(copy / "one" / "a.py"), "one", "one", {})
    names = sorted(Path(file).relative_to(copy).as_posix() for file in found)
    assert names == ["one/__init__.py", "one/a.py", "one/b.py", "two/__init__.py", "two/a.py"]


def test_files_of_the_user_site_are_libraries_and_those_beside_a_library_are_not():
    from banditgym.compiled.cache import _LIBRARIES

    assert str(Path(site.getusersitepackages()) / "one" / "a.py").startswith(_LIBRARIES)
    assert os.__file__.startswith(_LIBRARIES)
    beside = Path(os.__file__).parent.with_name("python3-mine")
    for folder in (beside, *(Path(f"{library.rstrip(os.sep)}-mine") for library in _LIBRARIES)):
        assert not str(folder / "a.py").startswith(_LIBRARIES)


def test_files_of_one_name_keep_their_machine_code_apart(copy):
    for folder, number in (("one", "1.0"), ("two", "4.0")):
        (copy / folder).mkdir()
        (copy / folder / "mine.py").write_text(CALLER.replace("1.0", number))
    for hits in (0, 1):
        for folder, result in (("one", 7.0), ("two", 10.0)):
            path = f"{copy / folder}{os.pathsep}{copy}"
            assert ask(copy, "mine", PYTHONPATH=path) == (result, hits, 1 - hits)


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
    links = [*(copy / "own").rglob("*.nbi")]
    assert links
    assert all(path.is_symlink() for path in links)
    # Of another type: compiled there, kept there, found there.
    other = ASK.replace("3.0", "3")
    assert ask(copy, code=other, **own) == (7.0, 0, 1)
    assert not all(path.is_symlink() for path in (copy / "own").rglob("*.nbi"))
    assert ask(copy, code=other, **own) == (7.0, 1, 0)
    for path in [shared, *shared.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    assert before == {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}


def test_code_that_is_only_read_is_found_where_our_sources_are_elsewhere(copy, tmp_path_factory):
    """In the sandbox they have another path."""
    other = tmp_path_factory.mktemp("other") / "copy"
    shutil.copytree(copy, other, ignore=shutil.ignore_patterns("__pycache__"))
    assert ask(copy) == (7.0, 0, 1)
    shared = {"BANDITGYM_KERNELS": str(copy / "cache" / "banditgym" / "kernels")}
    assert ask(other, **shared) == (7.0, 1, 0)
    (other / "banditgym" / "callee.py").write_text(CALLEE.replace("2.0", "5.0"))
    assert ask(other, **shared) == (16.0, 0, 1)


FRESH = """
import sys
import zipfile
from banditgym.compiled.cache import fresh_caches
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
