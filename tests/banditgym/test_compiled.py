"""Compiled code: edits are seen wherever they are, and machine code is kept where it can be."""

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import banditgym
from banditgym import compiled as module
from banditgym.compiled import cache_folder, compiled, inlined, source_hash

SOURCES = Path(banditgym.__file__).parents[1]

PACKAGES = ("banditgym", "agents")

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


def test_no_import_of_ours_is_missed():
    """The patterns find what the syntax trees have."""
    for package in ("banditgym", "agents"):
        for file in (SOURCES / package).rglob("*.py"):
            named = set()
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    named |= {alias.asname or alias.name for alias in node.names}
                    assert all(
                        alias.name.split(".")[0] not in PACKAGES or not alias.asname
                        for alias in node.names
                    )
                elif isinstance(node, ast.ImportFrom):
                    assert node.level == 0
                    if node.module.split(".")[0] in PACKAGES:
                        named |= {f"from {alias.asname or alias.name}" for alias in node.names}
            ours = {name for name in named if name.split(".")[0] in PACKAGES}
            ours |= {name.removeprefix("from ") for name in named if name.startswith("from ")}
            assert ours <= set(module._imports(file)), file


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


@pytest.mark.parametrize("decorator", [compiled, inlined])
def test_a_constant_handed_over_is_a_number_like_others(decorator):
    """numba has a type "the integer 0": a kernel would be compiled for it beside that for int."""

    @decorator
    def part(x, i, flag):
        return x[i] + flag

    @compiled
    def whole(x, i, flag):
        return part(x, 0, True) + part(x, flag=flag, i=1) + part(x, i, flag)

    assert whole(np.array([1.0, 2.0, 4.0]), 2, False) == 8.0
    assert len(part.signatures) == 1


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The folder for machine code, looked for anew; the process's own is left alone."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return cache_folder.__wrapped__


def test_machine_code_lies_where_the_environment_says(elsewhere, tmp_path, monkeypatch):
    name = "compiled-hash"
    assert elsewhere("hash") == tmp_path / "named" / name
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert elsewhere("hash") == tmp_path / "xdg" / "banditgym" / name
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert elsewhere("hash") == tmp_path / "home" / ".cache" / "banditgym" / name


def test_a_user_without_a_home_has_machine_code_where_it_is_named_or_in_a_temporary_folder(
    elsewhere, tmp_path, monkeypatch
):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(module.Path, "home", homeless)
    assert elsewhere("hash").is_relative_to(tmp_path / "named")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert elsewhere("hash").is_relative_to(tmp_path / "temporary")


def test_a_folder_that_cannot_be_made_gives_way_to_a_temporary_one(
    elsewhere, tmp_path, monkeypatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "below"))
    folder = elsewhere("hash")
    assert folder.is_relative_to(tmp_path / "temporary")
    assert folder.name == "compiled-hash"


def test_a_full_or_read_only_disk_gives_way_to_a_temporary_folder(elsewhere, tmp_path, monkeypatch):
    whole = module.tempfile.TemporaryFile

    def refusing(dir):
        if Path(dir).is_relative_to(tmp_path / "named"):
            raise OSError(30, "Read-only file system")
        return whole(dir=dir)

    monkeypatch.setattr(module.tempfile, "TemporaryFile", refusing)
    assert elsewhere("hash").is_relative_to(tmp_path / "temporary")


def test_without_any_folder_the_error_says_so(elsewhere, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(OSError, match="no folder for compiled code can be written"):
        elsewhere("hash")


def test_a_process_without_a_writable_folder_of_its_own_still_runs(copy):
    (copy / "file").touch()
    (copy / "tmp").mkdir()
    places = {"NUMBA_CACHE_DIR": str(copy / "file" / "below"), "TMPDIR": str(copy / "tmp")}
    assert ask(copy, **places) == (7.0, 0, 1)
    assert list((copy / "tmp").rglob("*.nbi"))


def test_machine_code_of_old_sources_is_deleted_after_a_week(elsewhere, tmp_path):
    named = tmp_path / "named"
    week = 7 * 24 * 3600
    for name, age in (
        ("compiled-old", week + 60),
        ("compiled-new", week - 60),
        ("other", 9 * week),
    ):
        (named / name).mkdir(parents=True)
        (named / name / "kernel.nbc").touch()
        os.utime(named / name, (time.time() - age,) * 2)
    folder = elsewhere("hash")
    assert {path.name for path in named.iterdir()} == {"compiled-new", "other", folder.name}


def test_the_hash_covers_both_packages_names_and_contents(tmp_path, monkeypatch):
    for package in ("banditgym", "agents"):
        (tmp_path / package / "part").mkdir(parents=True)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "banditgym" / "compiled.py"))
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


@compiled
def _divide(a, b):
    return a / b


@compiled
def _multiply_add(a, b, c):
    return a * b + c


def test_division_by_zero_follows_ieee():
    assert _divide(1.0, 0.0) == np.inf
    assert np.isnan(_divide(0.0, 0.0))


def test_products_are_rounded_before_they_are_added():
    # a b = 1 - 2^-60 rounds to 1; a fused multiply-add would return -2^-60.
    assert _multiply_add(1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0) == 0.0
    values = np.full(64, 1.0 + 2.0**-30), np.full(64, 1.0 - 2.0**-30), np.full(64, -1.0)
    assert not _multiply_add(*values).any()


def test_code_that_is_only_read_is_found_first_and_misses_go_elsewhere(copy):
    """A process of somebody else's reads what was compiled here, and cannot change it."""
    assert ask(copy) == (7.0, 0, 1)
    shared = copy / "cache"
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
