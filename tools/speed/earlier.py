"""Compares measured rows with those of an earlier file."""

import json
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, Any]:
    """What ``banditgym speed --json`` wrote to a file.

    Raises
    ------
    ValueError
        If the file cannot be read, or holds something else.
    """
    found: Any = None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"--compare {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):  # not UTF-8, no JSON, or brackets without end
        pass
    if not _is_ours(found):
        raise ValueError(f"--compare {path} is not a file of banditgym speed --json")
    return found


def _is_ours(found: Any) -> bool:
    kinds = {"date": str, "machine": str, "versions": dict, "rows": list}
    return (
        isinstance(found, dict)
        and all(isinstance(found.get(name), kind) for name, kind in kinds.items())
        and all(isinstance(number, str) for number in found["versions"].values())
        and all(map(_is_row, found["rows"]))
    )


def _is_row(row: Any) -> bool:
    if not (isinstance(row, dict) and isinstance(row.get("row"), str)):
        return False
    speed = row.get("rounds_per_second")
    if isinstance(speed, bool) or not isinstance(speed, int | float):
        return False
    return 1e-9 < speed < 1e15  # whose quotients are finite


def compare(found: dict[str, Any], earlier: dict[str, Any]) -> dict[str, Any]:
    """Measured rows, each with its ``change``, and the facts about the earlier file.

    Parameters
    ----------
    found, earlier : dict
        ``date``, ``machine``, ``versions`` and ``rows``, as printed by ``--json``.

    Returns
    -------
    dict
        ``found``, where every row has ``change``: its rounds per second divided by the earlier
        ones, or null if it was not measured then. ``earlier`` has the date, machine and versions
        of the earlier file, and ``not_measured_now``: names of rows that are only there.
    """
    then = {row["row"]: row["rounds_per_second"] for row in earlier["rows"]}
    rows = [
        row
        | {"change": row["rounds_per_second"] / then[row["row"]] if row["row"] in then else None}
        for row in found["rows"]
    ]
    now = {row["row"] for row in rows}
    about = {name: earlier[name] for name in ("date", "machine", "versions")}
    missing = [name for name in then if name not in now]
    return found | {"rows": rows, "earlier": about | {"not_measured_now": missing}}
