"""Plays the suite for other libraries, and measures what rows of results do not contain.

``python -m tools.libraries.contest --store FOLDER`` needs the extras ``[sb3]``, ``[peers]``
and ``[peers-compiled]``. Existing results are not played again. The folder then has the rows, and a
file of versions and memory: ``python -m tools.publish --libraries FOLDER`` publishes both.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.console import progress
from leaderboards.run import runner
from leaderboards.run.execution import Execution
from leaderboards.run.store.store import Store
from leaderboards.speed.cpu import cpu_name
from leaderboards.suites.suite import Suite, load
from tools.libraries import memory
from tools.libraries.roster import ROSTER, SUITE

FILE = f"{SUITE}.measured.json"  # beside the rows
_BESIDE = ("numpy", "gymnasium", "torch")  # packages that several libraries use


def played(suite: Suite, specs: Sequence[str], folder: Path, workers: int | None = None) -> None:
    """Play the missing cells; each different traceback goes to stderr."""
    with progress.bar(suite.name) as advance:
        runner.run(
            suite,
            specs,
            store=Store(folder),
            execution=Execution(workers=workers),
            progress=advance,
            tell=lambda text: print(text, file=sys.stderr),
        )


def measured(suite: Suite, specs: Sequence[str], folder: Path) -> dict[str, Any]:
    """Versions, the machine, and each agent's memory on the first task that it played.

    Returns
    -------
    dict
        ``date``, ``machine``, its ``cores`` and ``load`` (of the last 15 minutes), ``versions`` by
        library, and ``agents``: the result of `memory.measured` by spec, for agents that have rows
        with numbers.
    """
    rows = [row for row in Store(folder).rows(suite.hash) if row.error is None]
    found = {}
    for spec in specs:
        tasks = [t for t in suite.tasks if (t.name, spec) in {(r.task, r.spec) for r in rows}]
        if tasks:
            found[spec] = memory.measured(spec, tasks[0])
    versions = {"python": platform.python_version()}
    for name in _BESIDE:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{cpu_name()}, {platform.system()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[2], 1),
        "versions": versions,
        "agents": found,
    }


def main() -> None:
    """Play and measure."""
    parser = argparse.ArgumentParser(prog="python -m tools.libraries.contest", description=__doc__)
    parser.add_argument("--store", type=Path, required=True, help="folder for the results")
    parser.add_argument("--workers", type=int, help="how many cells run at a time")
    chosen = parser.parse_args()
    suite, specs = load(SUITE), [one.spec for one in ROSTER]
    try:
        played(suite, specs, chosen.store, chosen.workers)
        found = measured(suite, specs, chosen.store)
        text = json.dumps(found, indent=1, allow_nan=False) + "\n"
        whole_files.write(chosen.store / FILE, text)
    except (ValueError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
