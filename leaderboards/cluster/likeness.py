"""Compares what results depend on between two machines: sources, packages and data.

A remote worker has its own Python, its own copy of this package, and its own files. A row of
results names the sources and data it was played with, so every worker must have the run's.
"""

import functools
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

from banditgym.compiled.cache import source_hash
from banditgym.files.class_paths import place_of
from leaderboards.run.keys.sources import of_agent
from leaderboards.suites.baselines_file import of_file
from leaderboards.suites.suite import Suite

# Packages that compute, and packages that transport results.
PACKAGES = (
    "banditgym", "numpy", "numba", "llvmlite", "scipy", "scikit-learn", "gymnasium", "dask",
    "distributed",
)  # fmt: skip


def likeness(suite: Suite, specs: Iterable[str]) -> str:
    """What must be equal on every machine for a run of these agents on a suite, as JSON.

    Parameters
    ----------
    specs : iterable of str
        Agents as ``agents.naming.resolve`` takes them.

    Raises
    ------
    OSError, ImportError
        If an agent or a data file is missing on this machine.
    """
    references = [task.reference_place for task in suite.tasks]
    places = {_place(spec) for spec in [*specs, *filter(None, references)]}
    found = {
        "versions": _versions(),
        "sources": _sources(),
        "agents": {place: of_agent(place) for place in sorted(places) if ":" in place},
        "data": {path: of_file(path) for task in suite.tasks for _, path in task.files},
    }
    return json.dumps(found, sort_keys=True)


@functools.cache
def differences(wanted: str) -> tuple[str, ...]:
    """How this machine differs from the one that `likeness` describes: a text for each difference.

    Cached: the sources that matter are those that this process has imported.
    """
    there = json.loads(wanted)
    pairs = [
        *((f"{name} is", here, there["versions"][name]) for name, here in _versions().items()),
        *(
            (f"the sources of {name} are", here, there["sources"][name])
            for name, here in _sources().items()
        ),
        *((f"{place} is", _here(of_agent, place), hash) for place, hash in there["agents"].items()),
        *((f"{path} is", _here(of_file, path), hash) for path, hash in there["data"].items()),
    ]
    return tuple(f"{what} {here}, here {hash}" for what, here, hash in pairs if here != hash)


def _place(spec: str) -> str:
    """A spec without hyperparameters; a file has its full path: workers have other folders."""
    place, name = place_of(spec)
    if place.endswith(".py"):
        place = os.path.abspath(place)
    return f"{place}:{name}" if place else name


def _versions() -> dict[str, str]:
    installed = {name: _here(metadata.version, name) for name in PACKAGES}
    return {"python": platform.python_version()} | installed


def _sources() -> dict[str, str]:
    return {"banditgym and agents": source_hash(), "leaderboards": _judge_hash()}


def _here(about: Callable[[str], str], name: str) -> str:
    """What a function says about a package, an agent or a file of this machine."""
    try:
        return about(name)
    except (OSError, ImportError):
        return "missing"


@functools.cache
def _judge_hash() -> str:
    """Hash of the modules of ``leaderboards``, which call one another across machines."""
    here = Path(__file__).parents[1]
    others = here / "submissions"
    digest = hashlib.sha256()
    for path in sorted(here.rglob("*.py")):
        if others not in path.parents:
            digest.update(path.relative_to(here).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
