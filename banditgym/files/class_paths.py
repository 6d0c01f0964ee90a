"""Where the class that a text names comes from: this package, another module, or a file."""

import ast
import functools
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Collection
from importlib.abc import SourceLoader
from pathlib import Path
from types import ModuleType

from banditgym.validation import brief

ROOT = Path(__file__).parents[2]
_PACKAGES = ("agents", "banditgym", "leaderboards")
# Adapters of other libraries, whose classes run those libraries' code, and third-party agents.
_OTHERS = ("leaderboards.peers.", "leaderboards.submissions.")


def file_of(module: str, folder: Path) -> Path | None:
    """The file of a module that is imported from a folder."""
    place = folder.joinpath(*module.split("."))
    # A folder with an ``__init__`` comes before a file of its name, as in an import.
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((file for file in files if file.is_file()), None)


def place_of(name: str) -> tuple[str, str]:
    """The two parts of a name: a module, a file or nothing, and the class with its arguments.

    >>> place_of("my/file.py:Mine(alpha=0.5)"), place_of("LinUCB")
    (('my/file.py', 'Mine'), ('', 'LinUCB'))
    """
    place, _, thing = name.strip().partition("(")[0].rpartition(":")
    return place, thing


def names_own(spec: str) -> bool:
    """Whether a text names a class of this package; no third-party code is imported to find out.

    The numbers and parts that a text can give always belong to this package. Adapters of other
    libraries, in ``leaderboards.peers``, do not: they run those libraries' code. Neither do
    submissions.

    >>> names_own("LinUCB(alpha=0.5)"), names_own("agents:LinUCB"), names_own("mine.py:Mine")
    (True, True, False)
    """
    place, name = place_of(spec)
    if ":" not in spec.partition("(")[0]:
        return True
    if f"{place}.".startswith(_OTHERS):
        return False
    if place.partition(".")[0] not in _PACKAGES or not all(place.split(".")):
        return False
    file = file_of(place, ROOT)
    if file is None:
        return False
    if name in _classes(file):  # not imported: a suite's reference takes long to import
        return True
    cls = getattr(importlib.import_module(place), name, None)
    if not isinstance(cls, type) or cls.__module__.partition(".")[0] not in _PACKAGES:
        return False
    home = importlib.import_module(cls.__module__)
    return vars(home).get(cls.__name__) is cls and ROOT in Path(home.__file__ or "").parents


@functools.cache
def _classes(file: Path) -> frozenset[str]:
    """The classes that a file of ours defines at its top level."""
    body = ast.parse(file.read_bytes()).body
    return frozenset(node.name for node in body if isinstance(node, ast.ClassDef))


def raised_at(error: BaseException, files: Collection[str]) -> str:
    """The innermost line of an error's traceback in some files: ``" (mine.py:12)"``, or nothing.

    Parameters
    ----------
    error : BaseException
    files : collection of str
        As code objects name them; the result has a file's name without its folder.
    """
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file in files:
            place = f" ({Path(file).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


def module_at(place: str) -> ModuleType:
    """Import the module of that name, or the file of that path.

    Raises
    ------
    ValueError
        If there is none, or if it does not run.
    """
    if place.endswith(".py"):
        return _file(Path(place))
    if not all(part.isidentifier() for part in place.split(".")):
        raise ValueError(
            f"{brief(place)} is not the name of a module: write module:Class or file.py:Class"
        )
    try:
        return importlib.import_module(place)
    except ImportError as error:
        raise ValueError(f"cannot import {place!r}: {error}") from error


def _file(path: Path) -> ModuleType:
    """The module in a file, imported once per process for each state of the file."""
    try:
        source = path.read_bytes()
    except (OSError, ValueError) as error:  # the latter for what is not a path, such as "\0.py"
        reason = error.strerror if isinstance(error, OSError) else "it is not a path"
        raise ValueError(f"cannot read {str(path)[:200]}: {reason}") from error
    name = f"{path.stem}_{hashlib.sha256(source).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or not isinstance(spec.loader, SourceLoader):
            raise ValueError(f"{path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look their module up there
        try:
            # What was read: bytecode on disk may be of another state of the same second and size.
            exec(spec.loader.source_to_code(source, spec.origin or ""), module.__dict__)
        except BaseException as error:
            del sys.modules[name]
            if isinstance(error, KeyboardInterrupt):
                raise
            at = raised_at(error, {spec.origin or ""})
            raise ValueError(f"{path} does not run: {type(error).__name__}: {error}{at}") from error
    return sys.modules[name]
