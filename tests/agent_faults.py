"""Makes deliberate faults in agents, one at a time, and lists those that no test of the agent sees.

``python -m tests.agent_faults armed`` takes the agents of a folder of ``agents/``, or single ones
such as ``armed/ucb1``, and the files of ``agents/parts`` and ``agents/numerics`` that they name.
Every fault changes one number, sign, factor, summand, bound or comparison in a copy of the sources,
in which the tests of the file, of the agents that name it and of their parts run, in a process of
their own with a limit on CPU time. The faults of a file are compiled together, and a switch chooses
one (`tests.source_faults`); where a type depends on one, each is compiled by itself. The list of
what no test sees is written to ``--out``. Faults that no test can see are explained in
``agent_faults.toml``; the exit status is 1 if another one is not seen, or if an explained one is.

It needs ``fork``, and so Linux or macOS, and is no part of ``.ci/run``.
"""

import argparse
import ast
import compileall
import contextlib
import functools
import gc
import json
import math
import multiprocessing
import os
import py_compile
import resource
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.source_faults import SWITCH, Fault, faults, switched

ROOT = Path(__file__).parents[1]
EXPLAINED = Path(__file__).with_suffix(".toml")
_PARTS = ("agents.parts.", "agents.numerics.", "agents.drivers.")
# Their tests are named by agents: a file is followed by [ and the beginning of a test's id.
_DEFINITIONS = "tests/agents/test_definitions.py"
_GENERAL = "tests/agents/test_play_block.py", "tests/agents/test_agent_propensities.py"
_DRIVERS = "agents/drivers/"  # compiled for rules that they do not import
_CPU_LIMIT = 60  # seconds of a fault's tests: a loop that a fault made endless is stopped
_MEMORY = 4 << 30  # bytes that they may take
_PATIENCE = 900  # seconds of waiting for them on a busy machine


def _named(file: str, within: str | tuple[str, ...] = _PARTS) -> list[str]:
    """The files of parts that a file names, directly or not."""
    found: list[str] = []
    waiting = [file]
    while waiting:
        for node in ast.walk(ast.parse((ROOT / waiting.pop()).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(within):
                parts = [part for part in _defining(node) if part not in found]
                found += parts
                waiting += parts
    return found


@functools.cache
def _reached(file: str) -> frozenset[str]:
    """A file of ``agents/`` and those that it imports, directly or not."""
    return frozenset([file, *_named(file, "agents.")])


def _defining(node: ast.ImportFrom) -> list[str]:
    """The files that define what an import names: of a package, not those of its other names."""
    of_module = str(node.module).replace(".", "/")
    if (ROOT / f"{of_module}.py").exists():
        return [f"{of_module}.py"]
    names = {alias.name for alias in node.names}
    files = [f"{of_module}/{name}.py" for name in sorted(names)]
    own = f"{of_module}/__init__.py"
    for inner in ast.parse((ROOT / own).read_text(encoding="utf-8")).body:
        if isinstance(inner, ast.ImportFrom) and names & {alias.name for alias in inner.names}:
            files.append(f"{str(inner.module).replace('.', '/')}.py")
    return [file for file in files if (ROOT / file).exists()] or [own]


def files_with_tests(names: Sequence[str]) -> dict[str, list[str]]:
    """The files of agents and of the parts that they name, each with the tests that run for it.

    They are those of the file, and of the agents that import it.
    """
    chosen: dict[str, list[str]] = {}
    of_agents: dict[str, list[str]] = {}
    for name in names:
        place = ROOT / "agents" / name
        agents = sorted(place.glob("[!_]*.py")) if place.is_dir() else [place.with_suffix(".py")]
        for agent in agents:
            file = agent.relative_to(ROOT).as_posix()
            parts = _named(file)
            tests = [*_tests_of(file), *(test for part in parts for test in _tests_of(part))]
            tests += [f"{general}[{_agent_of(file)}" for general in _GENERAL]
            of_agents[file] = tests
            for of in (file, *parts):
                chosen.setdefault(of, _tests_of(of)).extend(tests)
    for file, tests in of_agents.items():
        for of in _reached(file) & of_agents.keys() - {file}:
            chosen[of].extend(tests)
    return {file: list(dict.fromkeys(tests)) for file, tests in chosen.items()}


def _tests_of(file: str) -> list[str]:
    """The tests of a file: its definition's, which see most and soon, its mirror, its package's."""
    tests = []
    if (ROOT / "tests/agents/definitions" / Path(file).relative_to("agents")).exists():
        tests.append(f"{_DEFINITIONS}[{_agent_of(file)}-")
    place = Path("tests") / file
    places = [each.with_name(f"test_{each.stem}.py") for each in (place, place.parent)]
    return tests + [each.as_posix() for each in places if (ROOT / each).exists()]


def _agent_of(file: str) -> str:
    """The class that a file begins with."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return next(node.name for node in tree.body if isinstance(node, ast.ClassDef))


class Bench:
    """A copy of the sources in a folder, in which a fault is made and the tests run."""

    def __init__(self, folder: Path):
        self.folder, self._kernels = folder, folder / "kernels"
        for package in ("banditgym", "agents", "leaderboards", "tests/agents"):
            ignored = shutil.ignore_patterns("__pycache__", "results")
            shutil.copytree(ROOT / package, folder / package, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)
        # Bytecode is kept by what is compiled: a fault may leave a file's size and second as is.
        by_content = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder, quiet=2, invalidation_mode=by_content)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(folder))
        from banditgym.compiled import cache

        shared = cache.shared_cache()
        os.environ["NUMBA_CACHE_DIR"] = str(self._kernels)
        kernels = [cache.shared_cache(), shared, os.environ.get("BANDITGYM_KERNELS")]
        os.environ["BANDITGYM_KERNELS"] = os.pathsep.join(str(path) for path in kernels if path)
        self._faulty = ""
        key = cache._hash
        cache._hash = lambda kernel: key(kernel) + self._suffix(kernel.__code__.co_filename)
        cache.source_hash(cache.PACKAGES)  # kept, whatever a fault changes
        # Imported once, and not by each of the processes that are forked.
        for module in ("banditgym", "gymnasium", "hypothesis", "pytest", "scipy.stats"):
            __import__(module)

    def seen(self, tests: Sequence[str], file: str = "", fault: Fault | None = None) -> bool:
        """Whether a test fails, with a fault in a file or without any."""
        with self._changed(file, fault and (fault.start, fault.stop, fault.new)):
            # The first run compiles what later ones use, and may take longer.
            return _failed(self._run, tests, _CPU_LIMIT if fault else _PATIENCE)

    def unseen(self, tests: Sequence[str], file: str, faults: Sequence[Fault]) -> list[Fault]:
        """The faults that no test sees."""
        chosen = [fault for fault in faults if fault.choice]
        source = (ROOT / file).read_text(encoding="utf-8")
        text = switched(source, chosen)
        noted = self.folder / "unseen.json"
        noted.unlink(missing_ok=True)
        (self.folder / "agents/fault_switch.py").write_text(SWITCH, encoding="utf-8")
        if chosen:
            with self._changed(file, (0, len(source), text)):
                _failed(self._try, tests, len(chosen), noted, patience=None)
        if not noted.exists():  # the tests fail beside choices: a type depends on one
            return [fault for fault in faults if not self.seen(tests, file, fault)]
        left = {chosen[number] for number in json.loads(noted.read_text(encoding="utf-8"))}
        return [
            fault for fault in faults
            if (fault in left if fault.choice else not self.seen(tests, file, fault))
        ]  # fmt: skip

    @contextlib.contextmanager
    def _changed(self, file: str, change: tuple[int, int, str] | None) -> Iterator[None]:
        """Context manager: a part of a file has another text.

        Machine code of files that import it is compiled anew, and deleted at the end.
        """
        own, self._faulty = self.folder / "compiled", file
        os.environ["NUMBA_CACHE_DIR"] = str(own if change else self._kernels)
        if change is None:
            yield
            return
        place, (start, stop, text) = self.folder / file, change
        kept = place.read_text(encoding="utf-8")
        try:
            place.write_text(kept[:start] + text + kept[stop:], encoding="utf-8")
            yield
        finally:
            place.write_text(kept, encoding="utf-8")
            shutil.rmtree(own, ignore_errors=True)

    def _suffix(self, source: str) -> str:
        """What is added to the key of a source's machine code: nothing if it may be reused."""
        place = Path(source)
        within = place.is_relative_to(self.folder) and place.relative_to(self.folder)
        if not self._faulty or not within or within.parts[0] == "banditgym":
            return ""
        reached = _reached(within.as_posix())
        changed = any(file == self._faulty or file.startswith(_DRIVERS) for file in reached)
        return "-faulty" if changed else ""

    def _run(self, tests: Sequence[str], limit: int) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        os._exit(self._play(tests))

    def _try(self, tests: Sequence[str], count: int, noted: Path) -> None:
        """Note which of a source's choices no test sees, if none fails without a fault."""
        resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE))
        if self._play(tests):
            return
        gc.freeze()  # pytest collects garbage three times a run
        present = sys.modules["agents.fault_switch"].PRESENT
        begin = time.monotonic()
        _failed(self._run, tests, _PATIENCE)  # nothing is compiled any more
        limit = 10 + 5 * math.ceil(time.monotonic() - begin)
        unseen = []
        for number in range(count):
            present.value = number
            if not _failed(self._run, tests, limit):
                unseen.append(number)
        noted.write_text(json.dumps(unseen), encoding="utf-8")

    def _play(self, tests: Sequence[str]) -> int:
        """The exit status of pytest."""
        import pytest

        os.chdir(self.folder)
        told = os.open("told.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(told, 1)
        os.dup2(told, 2)
        # Assertions are not rewritten, and tracebacks are short: both take longer than most tests.
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--assert=plain"]
        options += ["--tb=native"]
        named = " or ".join(Path(file).stem for file in (_DEFINITIONS, *_GENERAL))
        own = [test[test.index("[") :] for test in tests if "[" in test]
        own += [f"-{name[1:]}" for name in own if not name.endswith("-")]  # after another parameter
        options += ["-k", " or ".join([f"not ({named})", *own])]
        files = dict.fromkeys(test.partition("[")[0] for test in tests)
        return pytest.main([*options, *files])


def _failed(run: Callable[..., None], *given: Any, patience: float | None = _PATIENCE) -> bool:
    """Whether a call fails in a process of its own, or takes too long."""
    process = multiprocessing.get_context("fork").Process(target=run, args=given)
    process.start()
    process.join(patience)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode != 0


def explained() -> dict[tuple[str, str, str], str]:
    """Why no test can see a fault, by its file, code and change."""
    return {
        (row["file"], row["code"], change): row["why"]
        for row in tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["unseen"]
        for change in row["changes"]
    }


def main() -> int:
    """Make the faults and run the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", help="folders or modules of agents/")
    parser.add_argument("--fault", default="", help="only faults with this text in code or change")
    parser.add_argument("--out", default="build/agent_faults.json", help="the list, as JSON")
    given = parser.parse_args()
    reasons, unseen, count, stale = explained(), [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for file, tests in files_with_tests(given.names).items():
            if bench.seen(tests):
                told = (bench.folder / "told.txt").read_text(encoding="utf-8")
                parser.error(f"the tests of {file} fail without a fault:\n{told}")
            every = faults((ROOT / file).read_text(encoding="utf-8"))
            every = [one for one in every if given.fault in f"{one.code}\n{one.change}"]
            near = _tests_of(file) or tests  # which see most faults, and sooner
            left = bench.unseen(near, file, every)
            # A switch comes after imports, and after what the first run kept: tried without it.
            left = [one for one in left if not (one.choice and bench.seen(near, file, one))]
            left = set(bench.unseen(tests, file, left) if tests != near else left)
            count += len(every)
            for fault in every:
                why, seen = reasons.get((file, fault.code, fault.change), ""), fault not in left
                stale += seen and bool(why)
                if seen == bool(why):
                    note = "seen, and explained as one that no test can see" if why else "NOT SEEN"
                    print(f"{file}:{fault.line}: {fault.change}: {note}: {fault.code}", flush=True)
                if not seen:
                    row = {"file": file, "line": fault.line, "code": fault.code}
                    unseen.append(row | {"change": fault.change, "why": why})
    out = Path(given.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(unseen, indent=1), encoding="utf-8")
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    open_ = sum(not row["why"] for row in unseen)
    print(
        f"{count} faults: {count - len(unseen)} seen, {len(unseen) - open_} explained, {open_} not "
        f"seen and not explained; {seconds / 60:.1f} minutes of CPU time"
    )
    return int(open_ > 0 or stale > 0)


if __name__ == "__main__":
    sys.exit(main())
