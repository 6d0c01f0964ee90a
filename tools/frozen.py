"""Frozen hashes of ids, suites and the files that belong to them, epochs and published results.

``python -m tools.frozen`` adds new entries to ``leaderboards/results/frozen.json``, which a
test compares with the checkout. It refuses to change or drop an entry without ``--alter "why"``.
The file keeps the reason and the entries that it applies to.

A published result is the curve of one measure of one agent on one task. Its hash covers task,
agent, measure, seeds, rounds and values, but not keys, specifications, versions or times. So a row
may gain a field or a measure, and a suite an agent, without changing any earlier entry.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from banditgym.registration import ENVIRONMENTS
from banditgym.vector_env import load_env, settings_of
from leaderboards.run.store.store import Row, Store
from leaderboards.suites import resources
from leaderboards.suites.suite import SHIPPED, Suite, available, load

FOLDER = Path(__file__).parents[1] / "leaderboards"
FILE = "results/frozen.json"
TUNED = "results/tuned"  # rows of tuned settings


def entries(folder: Path) -> dict[str, str]:
    """The hashes of everything that is frozen, by names that say what each covers.

    Parameters
    ----------
    folder : Path
        The folder with the published ``results``, as `tools.publish` writes them, and with
        the ``epochs``.
    """
    rows, tuned = Store(folder / "results").rows(), Store(folder / TUNED).rows()
    found = defaults() | {
        f"epoch {path.name}": hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted((folder / "epochs").glob("*"))
        if path.suffix != ".md"  # a page, which is drawn anew from the other files
    }
    for suite in map(load, available()):
        found[f"suite {suite.name}"] = suite.hash
        found[f"rankings {suite.name}"] = _digest(
            [[task.name, task.ranking] for task in suite.tasks]
        )
        beside = resources.path_of(SHIPPED / f"{suite.name}.toml")
        if beside.exists():
            found[f"resources {suite.name}"] = resources.of_file(beside).hash
        found[f"baselines {suite.name}"] = _digest(_ends(suite))
        found |= published(suite, [row for row in rows if row.suite == suite.hash])
        found |= published(suite, [row for row in tuned if row.suite == suite.hash], "tuned")
    return found


def defaults() -> dict[str, str]:
    """An entry for the default of each setting of each environment."""
    return {
        f"environment {name} {setting}": _digest(repr(default))
        for name, env in ENVIRONMENTS.items()
        for setting, default in (settings_of(load_env(env.path)) | env.settings).items()
    }


def published(suite: Suite, rows: list[Row], kind: str = "result") -> dict[str, str]:
    """An entry for each measure of each agent on each task; its name begins with the ``kind``."""
    curves: dict[tuple[str, str, str], list[list[Any]]] = {}
    for row in rows:
        for measure, values in (row.measures or {}).items():
            curve = [row.seed, row.rounds, values]
            curves.setdefault((row.task, row.agent, measure), []).append(curve)
    return {
        f"{kind} {suite.name} {task} {agent} {measure}": _digest(
            [task, agent, measure, sorted(own, key=lambda curve: curve[0])]
        )
        for (task, agent, measure), own in curves.items()
    }


def renewed(kept: dict[str, Any], now: dict[str, str], why: str | None) -> dict[str, Any]:
    """The contents of the file with new entries, and with altered ones if a reason is given.

    Raises
    ------
    ValueError
        If an entry would change or be dropped, and no reason is given.
    """
    old = kept["entries"]
    altered = [name for name in old if now.get(name) != old[name]]
    altered.sort(key=lambda name: (name.startswith(("result ", "tuned ")), name))
    if altered and not (why or "").strip():
        shown = ", ".join(altered[:5]) + (", .." if len(altered) > 5 else "")
        raise ValueError(
            f"{len(altered)} entries are not what they were: {shown}; published things do not "
            "change: give the next suite or environment another name, or say why with --alter"
        )
    reasons = kept["altered"] + ([{"why": why, "entries": altered}] if altered else [])
    return {"entries": dict(sorted(now.items())), "altered": reasons}


def read(path: Path) -> dict[str, Any]:
    """The contents of the file; without entries if there is no file."""
    if not path.exists():
        return {"entries": {}, "altered": []}
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Add new entries, and alter others only with a reason."""
    parser = argparse.ArgumentParser(prog="python -m tools.frozen", description=__doc__)
    parser.add_argument("--alter", metavar="WHY", help="why entries may change or be dropped")
    chosen = parser.parse_args()
    path = FOLDER / FILE
    try:
        kept = renewed(read(path), entries(FOLDER), chosen.alter)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    whole_files.write(path, json.dumps(kept, indent=1) + "\n")


def _ends(suite: Suite) -> list[Any]:
    return [
        [task.name, task.reference, sorted(own.uniform.items()), sorted(own.best.items())]
        for task in suite.tasks
        if (own := suite.baselines.get(task.name)) is not None
    ]


def _digest(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
