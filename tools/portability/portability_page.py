"""The results of a run of the corpus: a line for each setting, the stored data, and the page.

They are made only from the records of `tools.portability.compare.record`.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leaderboards.report.templates import markdown


def line(row: dict[str, Any]) -> str:
    """One line on a setting's result."""
    if row["error"]:
        return f"{row['setting']}: {row['error']}"
    against = "frozen hashes" if row["binds"] is None else "plain run"
    text = f"{row['compared'] - len(row['differ'])} of {row['compared']} as the {against}"
    if row["binds"] is False:
        text += ", but the setting changes nothing here"
    names = row["differ"] + [f"{group} ({error})" for group, error in row["errors"].items()]
    if names:
        text += "; " + ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
    return f"{row['setting']}: {text} ({row['seconds']:.0f} s)"


def files(kept: dict[str, Any]) -> dict[str, str]:
    """The contents of the files that store a run, by file name."""
    data = json.dumps(kept, indent=1) + "\n"
    return {"portability.json": data, "portability.md": page(kept)}


def report(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The stored data of a run: its records and its date."""
    return {"date": datetime.now(UTC).date().isoformat(), "settings": records}


def agrees(records: list[dict[str, Any]]) -> bool:
    """Whether every setting was played to the end, or not tried, and no entry differs."""
    return not any(
        r["differ"] or r["errors"] or (r["error"] and not r["error"].startswith("not tried"))
        for r in records
    )


def page(kept: dict[str, Any]) -> str:
    """The result of a run as Markdown."""
    plain = kept["settings"][0]
    # What the page says of Arm was found on another machine.
    arm = plain["machine"].get("machine") in ("aarch64", "arm64")
    return markdown(Path(__file__).with_suffix(".md.jinja"), **kept, plain=plain, arm=arm)
