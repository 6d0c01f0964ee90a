"""The three packages: who may import whom, and what none of them does."""

import ast
import functools
from collections.abc import Iterator
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

# What agents may speak of environments with, beside the names from ``banditgym.vector_env`` below.
VOCABULARY = (
    "banditgym.action_sets",
    "banditgym.blocks",
    "banditgym.compiled",
    "banditgym.covariances",
    "banditgym.elementary",
    "banditgym.gaussian_process",
    "banditgym.linalg",
    "banditgym.measures",
    "banditgym.settings",
    "banditgym.streams",
    "banditgym.tasks",
    "banditgym.wrappers",
)
OF_THE_ENVIRONMENT = {"seeds_of"}
# These reach environments, by gymnasium.make.
REGISTERS = {"agents/check/late.py", "agents/check/runs.py", "agents/play.py"}

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
READ_GLOBAL_STATES = {"agents/check/runs.py", "banditgym/check/protocol.py"}
# A process for others' code, who may use the global state, gets one of its own.
SEEDS_FOR_OTHERS = {"leaderboards/run/answers.py"}
# Here the states of global generators are exchanged around a library that draws from them.
EXCHANGES_STATES = {"agents/deep/generators.py"}
# Here a benchmark's compiled loops draw from numba's own state, which nothing else uses.
DRAWS_IN_NUMBA = {"leaderboards/speed/plain.py"}

# Tests of more than a module.
AT_LARGE = {
    "test_architecture.py",
    "test_docs.py",
    "test_equal_bits.py",
    "test_words.py",
    "banditgym/test_imports.py",
    "agents/test_regret.py",
    "agents/test_serving.py",
    "agents/losses/test_late_gradients.py",
    "agents/multiclass/test_late_rewards.py",
}
# Modules that others' tests cover: plain data, and the table of purposes.
COVERED = {"banditgym/tasks.py"}


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """(module, name or None) of every import of a file, wherever it stands."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((module, alias.name) for alias in node.names)


def package_of(module: str) -> str:
    return module.split(".")[0]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_there(package):
    assert len(MODULES[package]) > 5


@pytest.mark.parametrize("path", MODULES["banditgym"], ids=name_of)
def test_environments_import_nothing_of_ours(path):
    assert not {package_of(module) for module, _ in imports(path)} & {"agents", "leaderboards"}


@pytest.mark.parametrize("path", MODULES["agents"], ids=name_of)
def test_agents_import_the_vocabulary_alone(path):
    for module, name in imports(path):
        assert package_of(module) != "leaderboards"
        if package_of(module) != "banditgym":
            continue
        if module == "banditgym" and name is None:
            assert name_of(path) in REGISTERS
        elif module == "banditgym.vector_env":
            assert name in OF_THE_ENVIRONMENT
        elif module == "banditgym.check":  # the two checkers say what they expect in one way
            assert path.parent.name == "check"
            assert name in {"expect", "expect_error"}
        else:
            full = module if module != "banditgym" else f"banditgym.{name}"
            assert any(within(full, word) for word in VOCABULARY), full


@pytest.mark.parametrize("path", MODULES["agents"], ids=name_of)
def test_agents_name_no_environment_by_its_path_and_ask_for_nothing_hidden(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not node.value.startswith("banditgym.envs")
        # Environments keep what is hidden in private attributes; agents' own are reached by self.
        if isinstance(node, ast.Attribute):
            assert node.attr != "unwrapped" or name_of(path) in REGISTERS
            assert node.attr not in {"_theta", "_means", "_best", "_noise_keys"} or (
                isinstance(node.value, ast.Name) and node.value.id == "self"
            )


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_names_say_what_a_module_is_for(path):
    assert not {part.removesuffix(".py") for part in path.relative_to(ROOT).parts} & VAGUE


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_what_modules_share_has_a_public_name(path):
    for module, name in imports(path):
        if package_of(module) in PACKAGES and name is not None:
            assert not name.startswith("_"), f"{name} of {module}"


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_nothing_is_pickled(path):
    assert not {package_of(module) for module, _ in imports(path)} & UNSAFE
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant)
            assert node.value.value is False


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_no_random_numbers_are_global(path):
    """Explicit generators alone."""
    reads = {"get_state", "getstate"} if name_of(path) in READ_GLOBAL_STATES else set()
    reads |= {"seed"} if name_of(path) in SEEDS_FOR_OTHERS else set()
    if name_of(path) in EXCHANGES_STATES:
        reads |= {"get_state", "set_state", "getstate", "setstate"}
    for module, name in imports(path):
        assert module != "random" or reads
        assert module not in ("numpy.random", "random") or name in EXPLICIT | {None}
    if name_of(path) in DRAWS_IN_NUMBA:
        return
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            if node.value.attr == "random" and ast.unparse(node.value.value) in ("np", "numpy"):
                assert node.attr in EXPLICIT | reads
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "random":
            assert node.attr in reads


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_nothing_of_a_submission_is_imported(path):
    assert not any(within(module, "leaderboards.submissions") for module, _ in imports(path))
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


def test_every_module_of_the_environments_has_its_tests():
    for path in MODULES["banditgym"]:
        inside = path.relative_to(ROOT)
        if path.name != "__init__.py" and inside.as_posix() not in COVERED:
            test = ROOT / "tests" / inside.parent / f"test_{path.name}"
            assert test.exists(), f"{inside.as_posix()} has no {test.relative_to(ROOT)}"
