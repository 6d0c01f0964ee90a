"""The form of a source: equal where nothing computes otherwise, different where anything may."""

import ast
import subprocess
import sys

import pytest

from leaderboards.run.keys import syntax
from leaderboards.run.keys.syntax import source

SAME = {
    "comments and layout": ("x = 1  # one\n", "# a number\n\nx = (\n    1\n)\n"),
    "docstrings": (
        '"""A."""\nclass A:\n    """B."""\n    x = 1\n    """C."""\n'
        '    def f(self):\n        """D."""\n',
        "class A:\n    x = 1\n    def f(self):\n        pass\n",
    ),
    "an alias": ("import numpy as np\nx = np.zeros(3)", "import numpy as N\nx = N.zeros(3)"),
    "a name of a module or an attribute of it": (
        "import numpy as np\nx = np.linalg.norm",
        "from numpy.linalg import norm as length\nx = length",
    ),
    "the order of imports": (
        "import math\nimport cmath\nx = math.pi, cmath.pi",
        "import cmath\nimport math\nx = math.pi, cmath.pi",
    ),
    "a late import": (
        "from math import pi\ndef f():\n    return pi",
        "def f():\n    from math import pi\n    return pi",
    ),
    "annotations": (
        "def f(x: int, *y: float) -> str:\n    z: list[int] = [x]\n    w: int\n    return z\n"
        "a: int = 1",
        "def f(x, *y):\n    z = [x]\n    return z\na = 1",
    ),
    "the type of a field": (
        "class A:\n    x: int\n    y: float = 1.0",
        "class A:\n    x: 'B | None'\n    y: list[float] = 1.0".replace("'", ""),
    ),
    "imports for annotations": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import A\n"
        "def f(x: 'A'): ...",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import B\n"
        "def f(x: 'B'): ...",
    ),
    "the search space of a class": (
        "from typing import ClassVar\nfrom a import Log\n"
        "class A:\n    search: ClassVar = {'x': Log(1, 2)}\n    x: float = 1.0",
        "from typing import ClassVar\nfrom b import Choice\n"
        "class A:\n    search: ClassVar = {'x': Choice((1, 2))}\n    x: float = 1.0",
    ),
    "texts of errors": (
        "def f(x):\n    if x: raise ValueError(f'no {x!r}' + ', never')\n    assert x == 0, 'no'",
        "def f(x):\n    if x: raise ValueError('not %s' % x)\n    assert x == 0, f'{x}'",
    ),
    "what a text of an error is joined of": (
        "def f(x):\n    raise ValueError(', '.join(map(str, x))) from None",
        "def f(x):\n    raise ValueError('no' if x else 'yes') from None",
    ),
}
OTHER = {
    "a field or another attribute of that name": (
        "class A:\n    search: dict = {'x': 1}",
        "class A:\n    search: dict = {'x': 2}",
    ),
    "a space that a module has": (
        "from typing import ClassVar\nsearch: ClassVar = {'x': 1}",
        "from typing import ClassVar\nsearch: ClassVar = {'x': 2}",
    ),
    "a number": ("x = 1", "x = 2"),
    "its type": ("x = 1", "x = 1.0"),
    "its sign at zero": ("x = 0.0", "x = -0.0"),
    "a truth for a number": ("x = True", "x = 1"),
    "a string": ("x = 'ucb'", "x = 'ts'"),
    "bytes for a string": ("x = 'a'", "x = b'a'"),
    "a name": ("x = y", "x = z"),
    "an attribute": ("x = y.a", "x = y.b"),
    "a keyword": ("f(a=1)", "f(b=1)"),
    "an argument": ("def f(a, b): return a", "def f(b, a): return a"),
    "a default": ("def f(a=1): return a", "def f(a=2): return a"),
    "the place of *": ("def f(a, *, b): return a", "def f(a, b): return a"),
    "an operator": ("x = a + b", "x = a - b"),
    "brackets": ("x = (a + b) + c", "x = a + (b + c)"),
    "an order": ("f()\ng()", "g()\nf()"),
    "a decorator": ("@a\ndef f(): ...", "def f(): ..."),
    "a base": ("class A(B): ...", "class A(C): ..."),
    "a body for another's": ("if a:\n  f()\nelse:\n  pass", "if a:\n  pass\nelse:\n  f()"),
    "a part of an if": ("if a:\n    f()\n    g()", "if a:\n    f()\ng()"),
    "a field": ("class A:\n    x: int\n    y: int", "class A:\n    y: int\n    x: int"),
    "a field that is a class's": (
        "from typing import ClassVar\nclass A:\n    x: ClassVar = 1",
        "from typing import ClassVar\nclass A:\n    x: object = 1",
    ),
    "a field for a value": ("class A:\n    x: int = 1", "class A:\n    x = 1"),
    "what is imported": ("import math as m\nx = m.pi", "import cmath as m\nx = m.pi"),
    "which of two imports a name is": (
        "try:\n    from a import f\nexcept ImportError:\n    from b import f\nf()",
        "try:\n    from b import f\nexcept ImportError:\n    from a import f\nf()",
    ),
    "a parameter of an import's name": (
        "from a import f\ndef g(f):\n    return f",
        "from a import f\ndef g(h):\n    return f",
    ),
    "an import for its effects": ("import a", "import b"),
    "an error's kind": ("raise ValueError('a')", "raise TypeError('a')"),
    "what an error carries": ("raise Found(x, 'a')", "raise Found(y, 'a')"),
    "a string that chooses an error": ("raise ERRORS['a']", "raise ERRORS['b']"),
    "a string beside an error": ("f('a')", "f('b')"),
    "whether an error is raised": ("if x > 0: raise E('a')", "if x >= 0: raise E('a')"),
    "code that does not parse": ("x = (", "x = ["),
}


def seen(text):
    """What a source computes, and what it uses."""
    found = source(text.encode())
    return found.form, [used.replace(":", ".") for used in found.uses]


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_what_computes_the_same_has_the_same_form(one, other):
    assert seen(one) == seen(other)


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_what_may_compute_otherwise_has_another_form(one, other):
    assert seen(one) != seen(other)


def test_what_is_used_goes_by_its_full_name_in_the_order_of_its_use():
    text = """
import os.path
import numpy as np
import a.b.c
import left.alone
from . import beside
from ..above import thing as other
from x import *
from typing import TYPE_CHECKING
import importlib
from quiet import effect

if TYPE_CHECKING:
    from never import nothing

def f(values: "nothing"):
    from late import name
    importlib.import_module("by.name")
    importlib.import_module(".relative", __package__)
    importlib.import_module(values)
    return other, np.linalg.norm(values), beside.y, a.b.c.d, os.path.join, name().attribute
"""
    assert source(text.encode(), "one.two").uses == (
        "by.name:",
        "one.two.relative:",
        "importlib:import_module",
        "one.above:thing",
        "numpy:linalg.norm",
        "one.two:beside.y",
        "a.b.c:d",
        "os.path:join",
        "late:name",
        # Imports for their effects, and what a dotted import names in full.
        "a.b.c:",
        "left.alone:",
        "left:",
        "os.path:",
        "quiet:effect",
        "x:",
    )


def test_what_a_module_hands_on_and_what_it_defines():
    found = source(b"from a import b as c, d\nimport e\nd = 1\ndef f():\n    import g\n")
    assert found.hands_on == {"c": "a:b", "e": "e:"}
    assert found.defines == {"d", "f"}
    twice = source(b"try:\n    from a import x\nexcept ImportError:\n    from b import x\n")
    assert (twice.hands_on, twice.defines) == ({}, {"x"})


def test_a_source_that_cannot_be_parsed_counts_by_its_bytes(monkeypatch):
    nested = "x = " + "(" * 5000 + ")" * 5000
    for bad in ("x = (", nested, "a\0b", "# coding: unknown\n"):
        assert source(bad.encode()).uses == ()
        assert source(bad.encode()).form != source(bad.encode() + b" ").form
    monkeypatch.setattr(syntax, "LARGEST", 10)
    assert source(b"import numpy").uses == () != source(b"import os").uses


def test_the_form_does_not_depend_on_the_process_or_its_order_of_hashing():
    code = (
        "import runpy, sys; source = runpy.run_path(sys.argv[1])['source']\n"
        "print(source(open(sys.argv[2], 'rb').read()))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-S", "-c", code, syntax.__file__, ast.__file__],
            env={"PYTHONHASHSEED": str(seed)}, capture_output=True, check=True, timeout=60,
        ).stdout.split(b"defines=")[0]
        for seed in (1, 2)
    }  # fmt: skip
    assert len(told) == 1


def test_the_form_is_kept_as_it_was_published():
    """Of a source that has every kind of statement; raise ``FORM`` where this changes."""
    text = """
from __future__ import annotations
import numpy as np
async def f(a, /, b=1, *c, d=2.5, **e):
    async with a as x, b: await x
    async for i in c: yield i
@np.vectorize
class A(object, metaclass=type):
    x: int = 0
    def g(self):
        global h
        h = lambda y: (y if y else -y) ** 2 // 3 % 4 @ 5
        try: del self.x
        except (ValueError, TypeError) as error: raise RuntimeError("no") from error
        else: pass
        finally: return [*{1, 2}, *{k: v for k, v in {**e}.items() if k not in v}]
while not (a := 1) < 2 <= 3: break
else: assert a is not None
match a:
    case {"k": [1, *rest], **more} | A(x=2) as m if m: print(f"{a!r:>{b}}", 1j, b"x", "\\u00e9")
    case _: x[1:2, ::3] += ~y
with open("f") as g: nonlocal_ = (yield_ for yield_ in g)
"""
    assert source(text.encode()).form == "9c11fde8f4ffeef47440ad70bb613ef1"


def test_what_a_module_imports_on_demand_is_what_it_hands_on():
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.b import C as C\n"
    lazy = text + "def __getattr__(name): return find(name)"
    assert source(lazy.encode()).hands_on["C"] == "a.b:C"
    assert "a.b:C" in source(lazy.encode()).uses
    assert "C" not in source(text.encode()).hands_on
