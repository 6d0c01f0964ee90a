"""What draws and decisions are made of: nothing whose last bits depend on the processor.

Addition, multiplication, division and roots of float64 are rounded alike everywhere. Exponentials,
powers and sums in an order of a library's own choice are not: a mathematical library, numpy's loops
and BLAS have code for each kind of processor. ``banditgym.elementary`` and the dense routines of
``banditgym.linalg`` take their place. This test looks for all others by their names, in every file
of environments and agents, and names what may have them, with the reason.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("banditgym", "agents")

# Names of ``math`` whose values are exact, or rounded correctly.
EXACT = {
    *("sqrt", "inf", "nan", "pi", "e", "tau", "isinf", "isnan", "isfinite", "copysign", "fabs"),
    *("floor", "ceil", "trunc", "ldexp", "frexp", "prod", "gcd", "comb", "factorial", "isqrt"),
    *("nextafter", "ulp", "isclose", "fsum"),
}
# Names of ``numpy`` whose last bits, or the order of whose sums, depend on the processor.
INEXACT = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2", "sinc"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arctan2", "asin"),
    *("acos", "atan", "atan2", "arcsinh", "arccosh", "arctanh", "asinh", "acosh", "atanh", "i0"),
    *("power", "pow", "float_power", "cbrt", "hypot", "geomspace", "logspace"),
    *("dot", "vdot", "inner", "matmul", "matvec", "vecmat", "vecdot", "tensordot", "einsum"),
    *("einsum_path", "convolve", "correlate", "cov", "corrcoef", "polyfit", "roots", "linalg"),
    *("fft", "polynomial", "emath", "lib.scimath"),
}
# Whole parts that neither draw nor decide.
EXEMPT = {
    "banditgym/check/": "the checker of environments compares what they did",
    "agents/parts/bounds/": "bounds that the papers prove are compared with regret, never acted on",
    "agents/deep/": "PyTorch computes, which promises equal bits on one machine alone",
    "agents/parts/deep/": "likewise",
    "agents/check/": "the checker of agents compares what they did",
}
# What single files use, and why it does no harm.
EXCEPTIONS = {
    ("agents/multiclass/grid_halving.py", "**"): "of integers",
    ("agents/trace.py", "**"): "of integers",
    ("agents/trace.py", "pandas"): "tables of what was played",
    ("agents/parts/posteriors/quadrature_fourier.py", "**"): "of integers",
    ("banditgym/data/slot_events.py", "**"): "of integers",
    (
        "banditgym/action_sets/point_sets.py",
        "**",
    ): "of integers; a root is a first guess that is corrected",
    (
        "banditgym/action_sets/point_sets.py",
        "scipy.stats.qmc.Sobol",
    ): "bit operations, and a power of two",
    ("banditgym/data/labelled_rows.py", "scipy.sparse"): "holds entries, and computes with none",
    ("banditgym/data/rcv1.py", "scipy.sparse"): "holds entries, and computes with none",
    ("banditgym/data/rcv1_tokens.py", "scipy.sparse"): "holds entries, and computes with none",
    ("banditgym/envs/labelled_data.py", "scipy.sparse"): "recognises what is given",
    ("banditgym/data/bundled.py", "sklearn.datasets"): "reads stored numbers",
    ("banditgym/data/rcv1.py", "sklearn.datasets.fetch_rcv1"): "reads stored numbers",
    ("banditgym/data/regression_data.py", "sklearn.datasets"): "reads stored numbers",
    ("banditgym/data/target_tables.py", "pandas"): "reads tables of the user's own",
    ("banditgym/data/target_tables.py", "pandas.api.types"): "tells text from numbers",
    ("banditgym/data/table_encoding.py", "pandas"): "holds columns",
    ("banditgym/data/columns.py", "pandas"): "tells text from numbers",
    **{
        ("banditgym/data/table_encoding.py", f"sklearn.{name}"): "encodes tables of the user's own"
        for name in (
            "impute.SimpleImputer",
            "preprocessing.OneHotEncoder",
            "preprocessing.StandardScaler",
        )
    },
    ("banditgym/data/open_bandit_dataset.py", "pandas"): "reads a data set's files",
    **{
        (f"banditgym/logs/{name}.py", "pandas"): "tables of what was logged"
        for name in ("log_tables", "made_log", "round_order")
    },
    ("banditgym/logs/log_tables.py", "pandas.api.types"): "tells text from numbers",
    ("banditgym/data/svmlight_lines.py", "sklearn.datasets.load_svmlight_file"): (
        "reads decimal numbers, which is rounded correctly"
    ),
}
LIBRARIES = {"scipy", "sklearn", "torch", "jax", "pandas"}
# What numpy's generators draw beside integers and uniforms.
LAWS = {
    *("normal", "standard_normal", "exponential", "standard_exponential", "gamma", "beta"),
    *("standard_gamma", "standard_t", "multivariate_normal", "dirichlet", "lognormal", "laplace"),
}
# Which of equal numbers comes first is up to the processor, unless the sort is stable.
SORTS = {"argsort", "argpartition"}


def inexact(tree: ast.AST) -> Iterator[str]:
    """What a module uses that it must not."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name.split(".")[0]] = alias.name
                if alias.name.split(".")[0] in LIBRARIES:
                    yield alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            for alias in node.names:
                if module.split(".")[0] in LIBRARIES:
                    yield f"{module}.{alias.name}"
                elif module == "math" and alias.name not in EXACT:
                    yield f"math.{alias.name}"
                elif module == "numpy" and alias.name in INEXACT:
                    yield f"numpy.{alias.name}"
                elif module.startswith("numpy.") and module.split(".")[1] in INEXACT:
                    yield f"{module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = modules.get(node.value.id) if isinstance(node.value, ast.Name) else None
            if owner == "math" and node.attr not in EXACT:
                yield f"math.{node.attr}"
            elif owner == "numpy" and node.attr in INEXACT:
                yield f"numpy.{node.attr}"
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            if isinstance(node.op, ast.MatMult):
                yield "@"
            elif isinstance(node.op, ast.Pow):
                operands = (
                    (node.left, node.right)
                    if isinstance(node, ast.BinOp)
                    else (node.target, node.value)
                )
                if not all(isinstance(side, ast.Constant) for side in map(unsigned, operands)):
                    yield "**"
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            method = isinstance(node.func, ast.Attribute)
            if method and (name == "dot" or (name in LAWS and "rng" in ast.unparse(node.func))):
                yield f".{name}"
            elif not method and name == "pow":
                yield "pow"
            elif name in SORTS and "kind='stable'" not in map(ast.unparse, node.keywords):
                yield name


def unsigned(node: ast.AST) -> ast.AST:
    return node.operand if isinstance(node, ast.UnaryOp) else node


def found_in(path: Path) -> set[str]:
    return set(inexact(ast.parse(path.read_text())))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


FILES = [
    path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if not name_of(path).startswith(tuple(EXEMPT))
]


def test_nothing_depends_on_the_processor():
    found = {(name_of(path), used) for path in FILES for used in found_in(path)}
    rule = (
        "use banditgym.elementary and banditgym.linalg in its place, and x * x for a square; "
        "what does no harm is an exception above, with its reason"
    )
    assert not found - set(EXCEPTIONS), rule
    assert not set(EXCEPTIONS) - found, "remove the exceptions that nothing needs any more"


def test_every_exception_is_of_a_file():
    assert {file for file, _ in EXCEPTIONS} <= set(map(name_of, FILES))
    for folder in EXEMPT:
        assert (ROOT / folder).is_dir()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import math\nmath.exp(1.0)", {"math.exp"}),
        ("import math as m\nm.sqrt(m.pow(2.0, 0.3))", {"math.pow"}),
        ("from math import sqrt, hypot", {"math.hypot"}),
        ("import numpy as np\nnp.log1p(x) + np.sqrt(x).sum() + np.abs(x)", {"numpy.log1p"}),
        ("import numpy as np\nnp.linalg.norm(x)", {"numpy.linalg"}),
        ("from numpy.linalg import norm", {"numpy.linalg.norm"}),
        ("from numpy import einsum, zeros", {"numpy.einsum"}),
        ("from scipy import special", {"scipy.special"}),
        ("def f():\n    import scipy.linalg", {"scipy.linalg"}),
        ("x @ y", {"@"}),
        ("x @= y", {"@"}),
        ("@compiled\ndef f(): pass", set()),
        ("x.dot(y)", {".dot"}),
        ("2.0**-53 + 10**6", set()),
        ("x**2", {"**"}),
        ("x **= 0.5", {"**"}),
        ("pow(x, 3)", {"pow"}),
        ("self.rng.normal(size=3) + streams.normal(0)", {".normal"}),
        ("np.argsort(x)", {"argsort"}),
        ("np.argsort(x, kind='stable')", set()),
    ],
)
def test_forbidden_calls_are_found(source, found):
    assert set(inexact(ast.parse(source))) == found
