"""When, where and with which sources and libraries numbers were computed."""

import functools
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from banditgym.files.class_paths import ROOT


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The day (UTC), the machine, the commit of the sources, and the libraries.

    The commit is ``""`` outside a git checkout, and ends in ``+`` if files differed from it.
    """

    day: str
    machine: str
    commit: str
    libraries: str

    @property
    def words(self) -> str:
        """All of it as a text for a page."""
        at = f"; sources of commit {self.commit}" if self.commit else ""
        return f"{self.day} on {self.machine} with {self.libraries}{at}"


@functools.cache
def here() -> Provenance:
    """The provenance of what this process computes."""
    import numba
    import numpy
    import scipy
    from threadpoolctl import threadpool_info

    from leaderboards.speed.cpu import cpu_name

    blas = {
        f"{library['internal_api']} {library['version']} for {library.get('architecture', '?')}"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    modules = ", ".join(f"{m.__name__} {m.__version__}" for m in (numpy, numba, scipy))
    return Provenance(
        day=datetime.now(UTC).date().isoformat(),
        machine=f"{cpu_name()}, {platform.system()}",
        commit=_commit(ROOT),
        libraries=f"Python {platform.python_version()}, {modules}, {', '.join(sorted(blas))}",
    )


def _commit(folder: Path) -> str:
    """The short hash of the checkout that a folder is the root of."""
    if not (folder / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
