"""Settings under which the corpus is played, and controls that show that they take effect.

A library detects the CPU's features at run time and picks code for them, and each code rounds
differently. An environment variable of the process overrides each library's choice:

- OpenBLAS (matrix products, LAPACK) by ``OPENBLAS_CORETYPE``;
- NumPy (its own loops: exp, log, sin, powers) by ``NPY_DISABLE_CPU_FEATURES``;
- the C library (math.exp and the like, and what kernels call) by ``GLIBC_TUNABLES``;
- numba (the code of kernels) by ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES``.

The names of OpenBLAS' cores and of the C library's features are those of x86-64: other CPUs lack
these settings.

A variable without effect proves nothing. So every process computes, with each of the four
libraries, a few numbers whose order of operations is *not* fixed: a setting binds if its library's
numbers differ from those of the plain process. Another name of the code that a library chose is not
enough.
"""

import importlib
import math
import platform
import re
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba.core.registry import cpu_target
from threadpoolctl import threadpool_info

from leaderboards.portability.digest import Digest
from leaderboards.speed.cpu import cpu_facts, cpu_name

# The C library's names of the CPU features for which its mathematical functions have separate code.
# Releases know different names and ignore the others.
_GLIBC = ("AVX2", "FMA", "FMA4", "AVX512F", "AVX2_Usable", "FMA_Usable", "FMA4_Usable")
_CORES = {"Sandybridge": "avx", "Haswell": "avx2", "SkylakeX": "avx512f"}
_X86 = ("x86_64", "AMD64")  # by the names of Linux and macOS, and of Windows


@dataclass(frozen=True)
class Setting:
    """A way to play the corpus.

    Parameters
    ----------
    what : str
        One line on what is forced.
    control : str or None
        The control that must differ from the plain process's: ``openblas``, ``numpy``, ``libm`` or
        ``numba``; several are joined by ``+``. None for the plain process.
    variables : dict
        Environment variables of the process.
    packages : tuple of str
        Requirements for pip, installed in a separate virtual environment; if empty, this
        environment is used.
    compiles : bool
        Whether kernels are recompiled to different machine code.
    """

    name: str
    what: str
    control: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    compiles: bool = False


PLAIN = Setting("plain", "this machine as it is")


def _versions(name: str, what: str, *packages: str) -> Setting:
    return Setting(name, what, "versions", packages=packages, compiles=True)


# Besides the project's other requirements, each at the newest compatible release.
VERSIONS = (
    _versions(
        "numpy-2.0", "NumPy 2.0, SciPy 1.13, numba 0.61: the oldest that are allowed",
        "numpy==2.0.2", "scipy==1.13.1", "numba==0.61.0", "scikit-learn==1.5.2",
    ),
    _versions(
        "numpy-2.3", "NumPy 2.3, SciPy 1.16, numba 0.63",
        "numpy==2.3.5", "scipy==1.16.3", "numba==0.63.1", "scikit-learn==1.7.2",
    ),
    _versions(
        "newest", "the newest NumPy and numba that pip finds",
        "numpy", "scipy", "numba", "scikit-learn",
    ),
)  # fmt: skip


def settings(machine: dict[str, Any]) -> tuple[list[Setting], dict[str, str]]:
    """The settings that a machine can force, and those that it cannot, with the reason.

    Parameters
    ----------
    machine : dict
        The result of ``machine()`` in a plain process.
    """
    dispatched = machine["numpy_dispatch"]
    kind = machine.get("machine", platform.machine())
    foreign = None if kind in _X86 else f"it needs an x86-64 CPU, and this is {kind}"
    wide = [feature for feature in dispatched if "512" in feature or feature == "X86_V4"]
    tunables = "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in _GLIBC)
    # Each setting, and what this machine lacks for it.
    candidates = [
        (
            _of("openblas", core.lower(), f"OpenBLAS as on {core}", OPENBLAS_CORETYPE=core),
            foreign or (None if needed in machine["features"] else f"this CPU has no {needed}"),
        )
        for core, needed in _CORES.items()
    ]
    every = ", ".join(dispatched) if foreign else "AVX2, FMA and AVX-512"
    for name, what, off in (("no-avx512", "AVX-512", wide), ("baseline", every, dispatched)):
        disabled = " ".join(off)
        candidates.append(
            (
                _of("numpy", name, f"NumPy without {what}", NPY_DISABLE_CPU_FEATURES=disabled),
                None if off else "NumPy dispatches on nothing of the kind here",
            )
        )
    glibc = Setting(
        "glibc-no-fma", "the C library without AVX2 and FMA", "libm", {"GLIBC_TUNABLES": tunables}
    )
    has_glibc = machine["libc"].startswith("glibc")
    candidates.append((glibc, foreign or (None if has_glibc else "the C library is not glibc")))
    found = [setting for setting, reason in candidates if reason is None]
    lacking = {setting.name: reason for setting, reason in candidates if reason is not None}
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    found.append(
        Setting(
            "numba-generic",
            f"kernels for any {kind if foreign else 'x86-64'} CPU",
            "numba",
            generic,
            compiles=True,
        )
    )
    together = {
        key: value
        for setting in found
        if setting.name not in ("openblas-haswell", "openblas-skylakex", "numpy-no-avx512")
        for key, value in setting.variables.items()
    }
    controls = {s.control for s in found if s.control and s.variables.items() <= together.items()}
    found.append(
        Setting(
            "all-together",
            "all of these at once, as an old CPU would",
            "+".join(sorted(controls)),
            together,
            compiles=True,
        )
    )
    return found, lacking


def _of(library: str, name: str, what: str, **variables: str) -> Setting:
    return Setting(f"{library}-{name}", what, library, variables)


def machine() -> dict[str, Any]:
    """This machine: its packages, its CPU, and the features that libraries dispatch on."""
    import scipy

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "libc": "-".join(platform.libc_ver()),
        "cpu": cpu_name(),
        "machine": platform.machine(),
        "features": _features(),
        "numpy_dispatch": _numpy_dispatch(),
    }


def controls() -> dict[str, str]:
    """Hashes of numbers that each library computes, with no guarantee of equal bits."""
    x = np.linspace(-30.0, 30.0, 4001)
    positive = np.abs(x) + 0.01
    matrix = (np.arange(3600.0) ** 2 % 97.0 / 31.0).reshape(60, 60)
    cores = sorted(
        {str(p.get("architecture")) for p in threadpool_info() if p["user_api"] == "blas"}
    )
    openblas = _hash(
        [matrix @ matrix, np.linalg.eigvalsh(matrix + matrix.T), matrix[0] @ matrix[1]]
    )
    numpy = _hash([np.exp(x), np.log(positive), np.tanh(x), positive**1.7, np.sinh(x)])
    libm = _hash([[math.exp(v), math.sin(v), math.expm1(v), math.sinh(v)] for v in x.tolist()])
    target: Any = cpu_target.target_context
    _, name, _ = target.codegen().magic_tuple()
    versions = machine()
    return {
        "openblas": f"{'/'.join(cores)} {openblas}",
        "numpy": f"{'/'.join(_numpy_dispatch()) or 'baseline'} {numpy}",
        "libm": libm,
        "numba": f"{name} {_hash([_reordered(positive[:m], x[:m]) for m in range(1, 200)])}",
        "versions": f"NumPy {versions['numpy']}, SciPy {versions['scipy']}, numba "
        f"{versions['numba']}",
    }


@numba.njit(fastmath=True)
def _reordered(x, y):
    """A sum whose order, and whose fused operations, are those that the CPU's code is best at."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


def binds(setting: Setting, plain: dict[str, str], own: dict[str, str]) -> bool:
    """Whether the numbers of every control of a setting differ from the plain process's."""
    names = (setting.control or "").split("+")
    return all(_numbers(plain[name]) != _numbers(own[name]) for name in names if name)


def _numbers(control: str) -> str:
    """A control without the name of the code, which stands before the hash of its numbers."""
    return re.sub(r"^\S+ (?=[0-9a-f]{8}$)", "", control)


def _hash(value: object) -> str:
    digest = Digest()
    digest.feed(value)
    return digest.hex()[:8]


def _numpy_dispatch() -> list[str]:
    """The enabled features of this CPU for which NumPy has separate code."""
    core: Any = importlib.import_module("numpy._core._multiarray_umath")
    has = core.__cpu_features__
    return [name for name in core.__cpu_dispatch__ if has.get(name)]


def _features() -> list[str]:
    """The CPU's features, by the operating system's names."""
    facts = cpu_facts()
    return sorted((facts.get("flags") or facts.get("Features", "")).split())
