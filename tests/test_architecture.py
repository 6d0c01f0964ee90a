"""The three packages: who may import whom, and what none of them does."""

import ast
import functools
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("banditgym", "agents", "leaderboards")
SUBMISSIONS = ROOT / "leaderboards/submissions"  # others' code, which nothing of ours imports
MODULES = {
    package: sorted(p for p in (ROOT / package).rglob("*.py") if SUBMISSIONS not in p.parents)
    for package in PACKAGES
}
ALL = [path for paths in MODULES.values() for path in paths]
TOOLS = sorted((ROOT / "tools").rglob("*.py"))

# The rooms of leaderboards/, from those that import none of the others up: a module imports what
# stands beside it or before it. Loose modules are the command, and what all rooms read.
ROOMS = (
    *("every room", "console", "processes", "sandbox", "run", "rank", "report", "ope"),
    *("peers", "portability", "speed", "cluster", "comparison", "papers", "describe"),
    *("submit", "tuning", "choosing", "commands", "cli"),
)
OUTSIDE = {
    **dict.fromkeys(("defaults", "references", "suites"), "every room"),
    "cli": "cli",
}
# The example of a submission, which is written as agent.py into a folder.
SAME_NAME = {"leaderboards/submit/example/agent.py"}

# What agents may speak of environments with, beside the names from ``banditgym.vector_env`` below.
VOCABULARY = (
    "banditgym.action_sets",
    "banditgym.compiled",
    "banditgym.functions.covariances",
    "banditgym.elementary",
    "banditgym.functions.gaussian_process",
    "banditgym.linalg",
    "banditgym.logs",
    "banditgym.measures",
    "banditgym.files.class_paths",
    "banditgym.files.whole_files",
    "banditgym.rounds",
    "banditgym.validation",
    "banditgym.streams",
    "banditgym.tasks",
    "banditgym.wrappers",
)
OF_THE_ENVIRONMENT = {"seeds_of"}
# These reach environments, by gymnasium.make.
REGISTERS = {"agents/check/late.py", "agents/check/short_runs.py", "agents/play.py"}

# Folders of agents that are no family.
NO_FAMILY = {"check", "drivers", "inputs", "logs", "numerics", "parts", "storage"}
# The ids are looked up without numpy, which only the message for an unknown one needs.
LATE = {"banditgym/registration.py"}

VAGUE = {"utils", "util", "common", "helpers", "helper", "core", "misc", "tools"}
UNSAFE = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
EXPLICIT = {
    "SeedSequence",
    "Generator",
    "BitGenerator",
    "MT19937",
    "PCG64",
    "Philox",
    "default_rng",
}
# The checkers read the global states to see them untouched.
READ_GLOBAL_STATES = {"agents/check/short_runs.py", "banditgym/check/environment_contract.py"}
# A process for others' code, who may use the global state, gets one of its own.
SEEDS_FOR_OTHERS = {"leaderboards/run/fork_server.py"}
# Here the states of global generators are exchanged around a library that draws from them.
EXCHANGES_STATES = {"agents/parts/deep/generators.py"}

# Tests of more than a module.
AT_LARGE = {
    "test_agent_faults.py",
    "test_source_faults.py",
    "test_false_alarms.py",
    "test_kills.py",
    "paper_faults/test_mutations.py",
    "test_architecture.py",
    "test_docs.py",
    "test_release.py",
    "test_equal_bits.py",
    "test_words.py",
    "banditgym/test_imports.py",
    "agents/test_definitions.py",
    "agents/test_regret.py",
    "agents/test_serving.py",
    "agents/multiclass/test_late_rewards.py",
    "agents/regression/test_every_agent.py",
}
MOST_PARAMETERS, MOST_LINES = 8, 60
# The options of a command are the parameters of its function.
OPTIONS = ROOT / "leaderboards/commands"
# Modules that others' tests cover: plain data, and the table of purposes.
COVERED = {"banditgym/tasks.py"}


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text())))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def imports(path: Path) -> list[tuple[str, str | None]]:
    """(module, name or None) of every import of a file, wherever it stands."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    found: list[tuple[str, str | None]] = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            found += [(module, alias.name) for alias in node.names]
    return found


def package_of(module: str) -> str:
    return module.split(".")[0]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def no_faults(check: Callable[[Path], Iterator[str]], paths: list[Path]) -> None:
    """Fail with every fault that a check finds, each after the name of its file."""
    faults = [f"{name_of(path)}: {fault}" for path in paths for fault in check(path)]
    assert not faults, "\n".join(faults)


def test_every_package_is_there():
    assert all(len(MODULES[package]) > 5 for package in PACKAGES)


def test_every_package_says_that_it_is_typed():
    """Type checkers read the annotations of an installed package only if this file is in it."""
    assert all((ROOT / package / "py.typed").read_bytes() == b"" for package in PACKAGES)


def test_environments_import_nothing_of_ours():
    def check(path):
        yield from {package_of(module) for module, _ in imports(path)} & {"agents", "leaderboards"}

    no_faults(check, MODULES["banditgym"])


def test_agents_import_the_vocabulary_alone():
    def may(path, module, name):
        if package_of(module) != "banditgym":
            return package_of(module) != "leaderboards"
        if module == "banditgym" and name is None:
            return name_of(path) in REGISTERS
        if module == "banditgym.vector_env":
            return name in OF_THE_ENVIRONMENT
        if module == "banditgym.check":  # the two checkers say what they expect in one way
            return path.parent.name == "check" and name in {"expect", "expect_error"}
        return any(within(module, word) or f"{module}.{name}" == word for word in VOCABULARY)

    def check(path):
        yield from (f"{name} of {m}" for m, name in imports(path) if not may(path, m, name))

    no_faults(check, MODULES["agents"])


def test_agents_name_no_environment_by_its_path_and_ask_for_nothing_hidden():
    def check(path):
        for node in nodes(path):
            if isinstance(node, ast.Constant) and str(node.value).startswith("banditgym.envs"):
                yield str(node.value)
            if not isinstance(node, ast.Attribute):
                continue
            if node.attr == "unwrapped" and name_of(path) not in REGISTERS:
                yield "unwrapped"
            # Environments keep what is hidden in private attributes; agents' own are reached by
            # self.
            if node.attr in {"_theta", "_means", "_best", "_noise_keys"} and not (
                isinstance(node.value, ast.Name) and node.value.id == "self"
            ):
                yield ast.unparse(node)

    no_faults(check, MODULES["agents"])


def room_of(module: str) -> int:
    """Where the room of a module of leaderboards/ stands in `ROOMS`."""
    name = module.split(".")[1]
    return ROOMS.index(OUTSIDE.get(name, name))


def test_no_room_of_the_judge_imports_one_above_it():
    def check(path):
        own = room_of(name_of(path).removesuffix(".py").replace("/", "."))
        for module, name in imports(path):
            if package_of(module) != "leaderboards":
                continue
            full = module if module != "leaderboards" else f"leaderboards.{name}"
            if room_of(full) > own:
                yield full

    package = ROOT / "leaderboards/__init__.py"  # which hands out ``compare``
    no_faults(check, [path for path in MODULES["leaderboards"] if path != package])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_file_is_found_by_its_name(package):
    named = [path for path in MODULES[package] if name_of(path) not in SAME_NAME]
    names = Counter(path.name for path in named)

    def check(path):
        if names[path.name] > 1 and path.name != "__init__.py":
            yield f"{names[path.name]} files have this name"

    no_faults(check, named)


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_are_small_and_shallow(package):
    """A newcomer reads a folder's listing: 12 loose modules, 25 in a folder, depth 3 at most."""
    folders = Counter(path.relative_to(ROOT).parent for path in MODULES[package])
    most = {folder: 12 if len(folder.parts) == 1 else 25 for folder in folders}
    assert {str(f): n for f, n in folders.items() if n > most[f] or len(f.parts) > 3} == {}


def test_no_package_imports_what_only_maintainers_run():
    """``tools`` and ``tests`` are not in the wheel."""

    def check(path):
        yield from {package_of(module) for module, _ in imports(path)} & {"tools", "tests"}

    no_faults(check, ALL)


def test_names_say_what_a_module_is_for():
    def check(path):
        yield from {part.removesuffix(".py") for part in path.relative_to(ROOT).parts} & VAGUE

    no_faults(check, ALL)


def test_a_family_has_one_algorithm_a_file_and_nothing_else():
    def check(path):
        room, *rest = path.relative_to(ROOT / "agents").parts
        if rest and room not in NO_FAMILY and path.name != "__init__.py":
            classes = [node for node in nodes(path) if isinstance(node, ast.ClassDef)]
            rules = [node for node in classes if "NamedTuple" in map(ast.unparse, node.bases)]
            others = len(classes) - len(rules)
            if others != 1 or len(rules) > 1 or "    paper: ClassVar" not in path.read_text():
                yield f"it has {others} classes and {len(rules)} rules, or is no agent"

    no_faults(check, MODULES["agents"])


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    """The names of all parameters of a function but ``self`` and ``cls``."""
    given = function.args
    found = [one.arg for one in (*given.posonlyargs, *given.args)]
    found = found[1:] if found[:1] in (["self"], ["cls"]) else found
    rest = [one.arg for one in (given.vararg, given.kwarg) if one is not None]
    return found + [one.arg for one in given.kwonlyargs] + rest


def test_signatures_are_short():
    def check(path):
        for node in nodes(path):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            if (n := len(parameters(node))) > MOST_PARAMETERS:
                yield f"{getattr(node, 'name', 'a lambda')} has {n} parameters"

    no_faults(check, [path for path in [*ALL, *TOOLS] if OPTIONS not in path.parents])


def test_bodies_are_short():
    def check(path):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body if ast.get_docstring(node) is None else node.body[1:]
                if body:
                    lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
                    if lines > MOST_LINES:
                        yield f"the body of {node.name} has {lines} lines"

    no_faults(check, [*ALL, *TOOLS])


@pytest.mark.parametrize("package", PACKAGES)
def test_files_are_short(package):
    assert statistics.median(len(p.read_text().splitlines()) for p in MODULES[package]) < 140


def test_no_late_import_hides_a_cycle():
    ours = ("agents", "banditgym")

    def check(path):
        for function in nodes(path):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.ImportFrom) and package_of(node.module or "") in ours:
                        yield f"{node.module} in {function.name}"

    no_faults(check, [p for name in ours for p in MODULES[name] if name_of(p) not in LATE])


def test_what_modules_share_has_a_public_name():
    def check(path):
        for module, name in imports(path):
            if package_of(module) in PACKAGES and name is not None and name.startswith("_"):
                yield f"{name} of {module}"

    no_faults(check, [*ALL, *TOOLS])


def test_nothing_is_pickled():
    def check(path):
        yield from {package_of(module) for module, _ in imports(path)} & UNSAFE
        for node in nodes(path):
            if not isinstance(node, ast.keyword) or node.arg != "allow_pickle":
                continue
            if not isinstance(node.value, ast.Constant) or node.value.value is not False:
                yield ast.unparse(node)

    no_faults(check, [*ALL, *TOOLS])


def test_no_random_numbers_are_global():
    """Explicit generators alone."""

    def allowed(path):
        reads = {"get_state", "getstate"} if name_of(path) in READ_GLOBAL_STATES else set()
        reads |= {"seed"} if name_of(path) in SEEDS_FOR_OTHERS else set()
        if name_of(path) in EXCHANGES_STATES:
            reads |= {"get_state", "set_state", "getstate", "setstate"}
        return reads

    def check(path):
        reads = allowed(path)
        for module, name in imports(path):
            if module == "random" and not reads:
                yield "imports random"
            if module in ("numpy.random", "random") and name not in EXPLICIT | {None}:
                yield f"{name} of {module}"
        for node in nodes(path):
            if not isinstance(node, ast.Attribute):
                continue
            owner = node.value
            if isinstance(owner, ast.Attribute):
                of_numpy = owner.attr == "random" and ast.unparse(owner.value) in ("np", "numpy")
                right = not of_numpy or node.attr in EXPLICIT | reads
            else:
                of_python = isinstance(owner, ast.Name) and owner.id == "random"
                right = not of_python or node.attr in reads
            if not right:
                yield ast.unparse(node)

    no_faults(check, [*ALL, *TOOLS])


def test_nothing_of_a_submission_is_imported():
    def check(path):
        yield from (m for m, _ in imports(path) if within(m, "leaderboards.submissions"))

    no_faults(check, [*ALL, *TOOLS])
    assert not list(SUBMISSIONS.glob("*.py"))  # it is a folder of data, and no package


def test_every_test_file_mirrors_a_module():
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        inside = path.relative_to(ROOT / "tests")
        if inside.as_posix() in AT_LARGE or inside.parts[0] == "fuzz":  # of many modules each
            continue
        folder, stem = ROOT / inside.parent, inside.stem.removeprefix("test_")
        # A second file on one module adds a word: test_streams_statistics.py.
        words = stem.split("_")
        candidates = ["_".join(words[: i + 1]) for i in range(len(words))]
        found = any(
            (folder / f"{name}.py").exists() or (folder / name).is_dir() for name in candidates
        )
        assert found, f"tests/{inside.as_posix()} mirrors no module of {inside.parent}"


def test_every_module_of_the_environments_and_of_the_numerics_has_its_tests():
    numerics = ROOT / "agents/numerics"
    for path in [*MODULES["banditgym"], *(p for p in MODULES["agents"] if numerics in p.parents)]:
        inside = path.relative_to(ROOT)
        if path.name != "__init__.py" and inside.as_posix() not in COVERED:
            test = ROOT / "tests" / inside.parent / f"test_{path.name}"
            assert test.exists(), f"{inside.as_posix()} has no {test.relative_to(ROOT)}"
