"""What a module uses, directly or not: by toy packages, and by what imports give in this one."""

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import agents
from agents import naming
from banditgym.compiled.cache import PACKAGES
from banditgym.files import class_paths
from banditgym.registration import ENVIRONMENTS
from leaderboards.run.keys import source_files, sources
from leaderboards.run.keys.closure import closure
from leaderboards.run.keys.syntax import source


class Toy:
    """A folder of modules."""

    def __init__(self, folder, files):
        self.folder = folder
        for name, text in files.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def closure(self, *roots, **options):
        def find(module):
            return class_paths.file_of(module, self.folder)

        def read(path):
            package = ".".join(path.relative_to(self.folder).parts[:-1])
            return source(path.read_bytes(), package)

        return closure(roots, find, read, **options)

    def files(self, *roots, **options):
        found = self.closure(*roots, **options).files
        return {path.relative_to(self.folder).as_posix() for path in found}


PACKAGE = {
    "pkg/__init__.py": "from pkg.inner import deep, thing\nfrom pkg.other import nothing\n",
    "pkg/inner/__init__.py": "from pkg.inner.deepest import thing\n",
    "pkg/inner/deepest.py": "from pkg import base\nthing = base.zero",
    "pkg/inner/deep.py": "x = 1",
    "pkg/other.py": "from pkg import extra\nnothing = 0",
    "pkg/extra.py": "",
    "pkg/base.py": "zero = 0",
}
WAYS = {
    "from pkg.inner.deepest import thing\nthing": {"pkg/inner/deepest.py", "pkg/base.py"},
    "from pkg import thing as renamed\nrenamed": {"pkg/inner/deepest.py", "pkg/base.py"},
    "import pkg\npkg.thing": {"pkg/inner/deepest.py", "pkg/base.py"},
    "from pkg import inner\ninner.thing": {"pkg/inner/deepest.py", "pkg/base.py"},
    "import pkg.inner.deepest as d\nd.thing": {"pkg/inner/deepest.py", "pkg/base.py"},
    "from pkg import deep\ndeep.x": {"pkg/inner/deep.py"},
    "from pkg import base\nbase": {"pkg/base.py"},
    "from pkg.base import zero\nzero": {"pkg/base.py"},
    "from pkg import base\ndef f(x: base.zero): ...": set(),
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg import base": set(),
    "def f():\n    from pkg import base\n    return base.zero": {"pkg/base.py"},
    "class A:\n    part = None\n    def f(self):\n        import pkg.base": {"pkg/base.py", "ALL"},
    "from dataclasses import dataclass\nfrom pkg.base import zero\n@dataclass\nclass A:\n"
    "    x: object = zero": {"pkg/base.py"},
    "if f():\n    from pkg.base import zero as x\nelse:\n    from pkg.inner.deep import x\nx": {
        "pkg/base.py",
        "pkg/inner/deep.py",
    },
    "import importlib\nimportlib.import_module('pkg.base')": {"pkg/base.py"},
    "from pkg.base import *\nzero": {"pkg/base.py"},
    "import pkg.base": {"pkg/base.py", "ALL"},
    # A package by itself, of which anything could be used.
    "import pkg\ngetattr(pkg, name)": {"ALL"},
}


@pytest.mark.parametrize(("text", "expected"), WAYS.items())
def test_every_way_to_use_another_module(tmp_path, text, expected):
    toy = Toy(tmp_path, PACKAGE | {"mine.py": text})
    everything = set(PACKAGE) - {"pkg/inner/__init__.py"}
    expected = everything if "ALL" in expected else expected
    assert toy.files("mine:") == expected | {"mine.py"}


def test_relative_imports_and_folders_without_an_init(tmp_path):
    toy = Toy(
        tmp_path,
        {
            "pkg/__init__.py": "from .sub import b",
            "pkg/sub/__init__.py": "from . import a\nfrom .b import b",
            "pkg/sub/a.py": "from ..top import x\nx",
            "pkg/sub/b.py": "from . import a\nb = a.x",
            "pkg/top.py": "from plain import module\nmodule.y",
            "plain/module.py": "y = 1",
        },
    )
    every = {"pkg/sub/a.py", "pkg/sub/b.py", "pkg/top.py", "plain/module.py"}
    assert toy.files("pkg:b") == every
    assert toy.files("pkg.sub:a.x") == every - {"pkg/sub/b.py"}


def test_an_init_that_defines_something_counts_where_that_is_used(tmp_path):
    toy = Toy(
        tmp_path,
        {
            "pkg/__init__.py": "from pkg.a import a\ndef own(): ...\ndef b(): ...",
            "pkg/a.py": "a = 1",
            "pkg/b.py": "",
        },
    )
    assert toy.files("pkg:a") == {"pkg/a.py"}
    assert toy.files("pkg:own") == {"pkg/__init__.py", "pkg/a.py"}
    assert toy.files("pkg:b") == {"pkg/__init__.py", "pkg/a.py"}  # the function, not the module


def test_circles_end(tmp_path):
    files = {
        "a.py": "import b\nb.x",
        "b.py": "import a\na.x",
        "pkg/__init__.py": "from pkg import x, y, z",
        "pkg/x.py": "from pkg import y\ny",
        "pkg/y.py": "from pkg import x\nx",
    }
    toy = Toy(tmp_path, files)
    assert toy.files("a:") == {"a.py", "b.py"}
    assert toy.files("pkg:x") == {"pkg/x.py", "pkg/y.py"}
    assert toy.files("pkg:z") == {"pkg/__init__.py", "pkg/x.py", "pkg/y.py"}


def test_a_module_that_moves_changes_nothing_and_one_that_is_edited_does(tmp_path):
    files = {
        "mine.py": "from pkg.one import f\nfrom pkg.two import g\nf(g)",
        "pkg/one.py": "import pkg.two as two\ndef f(x): return two.g(x)",
        "pkg/two.py": "from math import exp\ndef g(x): return exp(x)",
    }
    form = Toy(tmp_path / "before", files).closure("mine:").form
    moved = {
        "mine.py": "from other import g as G\nfrom far.away.one import f\nf(G)",
        "far/away/one.py": "from other import g\ndef f(x): return g(x)",
        "other/__init__.py": "from other.place import g",
        "other/place.py": '"""Moved."""\nimport math\ndef g(x): return math.exp(x)',
    }
    assert Toy(tmp_path / "after", moved).closure("mine:").form == form
    for name, (old, new) in {
        "mine.py": ("f(G)", "G(f)"),
        "far/away/one.py": ("return g(x)", "return g(-x)"),
        "other/place.py": ("math.exp", "math.log"),
    }.items():
        changed = moved | {name: moved[name].replace(old, new)}
        assert Toy(tmp_path / name.replace("/", "-"), changed).closure("mine:").form != form


def test_which_of_two_modules_a_name_is_from_counts(tmp_path):
    files = {"one.py": "def f(): return 1", "two.py": "def f(): return 2"}
    first = files | {"mine.py": "import one\nimport two\none.f() - two.f()"}
    second = files | {"mine.py": "import one\nimport two\ntwo.f() - one.f()"}
    forms = [
        Toy(tmp_path / str(i), files).closure("mine:").form
        for i, files in enumerate((first, second))
    ]
    assert forms[0] != forms[1]


def test_of_a_leaf_the_names_alone_count(tmp_path):
    toy = Toy(tmp_path, {"mine.py": "import leaf\nleaf.f", "leaf.py": "import more\nmore"})
    leaf = {"leaf": lambda path: path.name == "leaf.py"}
    assert toy.files("mine:") == {"mine.py", "leaf.py"}
    before = toy.closure("mine:", **leaf).form
    assert toy.files("mine:", **leaf) == {"mine.py"}
    toy.write("leaf.py", "")
    assert toy.closure("mine:", **leaf).form == before
    toy.write("mine.py", "import leaf\nleaf.g")
    assert toy.closure("mine:", **leaf).form != before


def test_what_is_used_of_libraries(tmp_path):
    toy = Toy(
        tmp_path, {"mine.py": "import numpy as np\nfrom scipy import linalg\nnp.pi, linalg.inv"}
    )
    assert toy.closure("mine:").others == {"numpy.pi", "scipy.linalg.inv"}


class Stripped(ast.NodeTransformer):
    """A tree without what computes nothing."""

    def visit_arguments(self, node):
        for argument in ast.walk(node):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        kept = [node.target, *([node.value] if node.value else [])]
        of_class = ast.unparse(node.annotation).startswith(("ClassVar", "InitVar"))
        if of_class and ast.unparse(node.target) == "search":  # what may be tuned
            return ast.Pass()
        return self.generic_visit(
            ast.Expr(ast.Tuple([*kept, *([node.annotation] if of_class else [])], ast.Load()))
        )

    def visit_Raise(self, node):
        if isinstance(node.exc, ast.Call):
            node.exc.args = [arg for arg in node.exc.args if "'" not in ast.unparse(arg)]
        return self.generic_visit(node)

    def visit_If(self, node):
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def definition(start):
    """The modules that one uses, directly or not, as Python itself finds them: slow and plain."""
    found, new = set(), {start}
    while new:
        found |= new
        new = {other for name in new for other in used(name)} - found
    return found


def used(name):
    path = Path(inspect.getfile(importlib.import_module(name)))
    whole, tree = ast.parse(path.read_text()), Stripped().visit(ast.parse(path.read_text()))
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    anywhere = {node.id for node in ast.walk(whole) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not ours(node.module):
            continue
        for one in node.names:
            alias = one.asname or one.name
            if alias in anywhere and alias not in named:
                continue
            thing = getattr(importlib.import_module(node.module), one.name, None)
            if isinstance(thing, ModuleType):
                yield thing.__name__
            elif ours(str(getattr(thing, "__module__", ""))):
                yield thing.__module__
            else:  # a constant, which does not know where it is defined
                yield handed_on(node.module, one.name)


def handed_on(package, name):
    path = path_of(package)
    for node in ast.walk(ast.parse(path.read_text())) if path.name == "__init__.py" else ():
        if isinstance(node, ast.ImportFrom) and name in [one.name for one in node.names]:
            return handed_on(node.module, name)
    return package


def ours(module):
    return module.split(".")[0] in PACKAGES


def path_of(module):
    return sources._find(module)


@pytest.mark.parametrize("name", ["UCB1", "ForwardOFUL", "BBKB", "SOBA", "BallTS", "PPO"])
def test_the_closure_of_an_agent_is_what_its_imports_give(name):
    kind = naming.named()[name]
    found = closure([f"{kind.__module__}:{name}"], sources._find, source_files.read)
    assert set(found.files) == {path_of(module) for module in definition(kind.__module__)}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_closure_of_an_environment_is_what_its_imports_give(name):
    path = ENVIRONMENTS[name].path
    found = closure([path], sources._find, source_files.read)
    assert set(found.files) == {path_of(one) for one in definition(path.partition(":")[0])}
    assert not [
        file for file in found.files if "agents" in file.relative_to(class_paths.ROOT).parts
    ]


def test_no_init_computes_anything():
    """So a name can be followed through it, and the rest of the package left out."""
    for package in PACKAGES:
        for path in (class_paths.ROOT / package).rglob("__init__.py"):
            for node in ast.parse(path.read_text()).body:
                assert (
                    isinstance(
                        node, ast.Import | ast.ImportFrom | ast.Expr | ast.Assign | ast.AnnAssign
                    )
                    or path.parent.name in PACKAGES
                ), f"{path}:{node.lineno}"
                if isinstance(node, ast.Assign) and path.parent.name not in PACKAGES:
                    ast.literal_eval(node.value)  # a list of names


def test_imports_by_a_name_that_is_computed_are_known():
    """They cannot be followed: here they load what is named elsewhere, or compute no number."""
    found = set()
    for package in PACKAGES:
        for path in (class_paths.ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    isinstance(node, ast.Call)
                    and "import_module" in ast.unparse(node.func)
                    and not isinstance(node.args[0], ast.Constant)
                ):
                    found.add(path.relative_to(class_paths.ROOT).as_posix())
    assert found == {
        "banditgym/__init__.py",
        "banditgym/vector_env.py",  # an environment by the table's path
        "agents/__init__.py",
        "agents/naming.py",
        "banditgym/files/class_paths.py",
        "agents/storage/loading.py",
        "agents/parts/deep/library.py",  # of other libraries
    }


def test_nothing_that_counts_reads_annotations():
    """The form leaves them out, so no number may come from them."""
    kinds = [f"{kind.__module__}:{name}" for name, kind in naming.named().items()]
    paths = [entry.path for entry in ENVIRONMENTS.values()]
    play = agents.play
    found = closure(
        [*kinds, *paths, f"{play.__module__}:play"],
        sources._find,
        source_files.read,
        lambda path: path.name in ("saving.py", "naming.py"),  # of which no number depends
    )
    readers = ("get_type_hints", "get_annotations", "singledispatch", "pydantic", "attr")
    assert not [other for other in found.others if other.split(".")[-1] in readers]
    assert not [other for other in found.others if other.split(".")[0] in readers]
    assert not [file for file in found.files if "__annotations__" in file.read_text()]
