"""When and where something was measured: the date, the machine and the versions of libraries."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from leaderboards.run.keys import sources
from leaderboards.speed.cpu import cpu_name


def circumstances(**versions: str) -> dict[str, Any]:
    """``date``, ``machine``, and ``versions`` by library: those of stored results, and more."""
    own = {name: version(name) for name in ("banditgym", "gymnasium")}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{cpu_name()}, {platform.system()}, Python {platform.python_version()}",
        "versions": own | sources.versions() | versions,
    }


def line(found: dict[str, Any]) -> str:
    """What `circumstances` returned, on one line."""
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    return f"{found['date']}, {found['machine']}; {versions}"
