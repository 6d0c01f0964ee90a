"""The page of all epochs: commitments, agents scored, and the scores after the reveal."""

from pathlib import Path
from typing import Any

from leaderboards import report
from leaderboards.rank.board import build, faults_text
from leaderboards.report.cell_texts import NONE
from leaderboards.report.markup import escaped, table
from leaderboards.report.remarks import counted
from leaderboards.run.store.row_schema import Row
from leaderboards.submit.catalogue import ROOT, Submission, published
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.epochs.auditing import BEGUN, ENDED, ledger_of, rows_of
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.instances import instances
from leaderboards.submit.ledger import events
from leaderboards.submit.published import packed_rows
from leaderboards.submit.submission_tables import replaced_text, tuned_text

_PAGE = """# Epochs

Scores on held-out seeds. Before any agent is scored, an epoch's file commits to a secret by its
hash. The secret determines the settings and the seeds that are played. Baselines, references and
our agents play the same instances. Scores are shown when the secret is revealed. From then on
[anyone can play every row again](../../docs/submissions.md#held-out-seeds).
"""


def page(folder: Path = epochs.FOLDER, root: Path = ROOT) -> str:
    """``leaderboards/epochs/README.md``: every epoch's section, the newest first.

    Raises
    ------
    ValueError
        If a file of an epoch, or a submission of the repository, is invalid.
    """
    known = {one.spec: one for one in published(root)}
    paths = sorted(folder.glob("*.json"))
    loaded = sorted(
        ((epochs.load(path), path) for path in paths), key=lambda pair: pair[0].committed
    )
    sections = [_section(epoch, path, known) for epoch, path in reversed(loaded)]
    return "\n".join([_PAGE, *sections]) if sections else _PAGE + "\nThere is none yet.\n"


def _section(epoch: Epoch, path: Path, known: dict[str, Submission]) -> str:
    title = f"## {epoch.id}" + (", a demonstration" if epoch.demonstration else "")
    lines = [title, ""]
    if epoch.demonstration:
        lines += ["It demonstrates an epoch; its scores do not count.", ""]
    facts = {
        "suite": f"{epoch.suite} ({epoch.suite_hash}), ranges {epoch.ranges}",
        "instances": f"{counted(epoch.draws, 'draw')} per task, "
        f"{counted(epoch.replicates, 'replicate')} each",
        "sources": epoch.sources,
        "SHA-256 of the secret": epoch.secret_sha256,
        "committed, closes, revealed": f"{epoch.committed}, {epoch.closes}, {epoch.reveals}",
        "maintainer": epoch.maintainer,
        "packages": path.with_suffix(".lock").name,
    }
    lines += table([("", False), ("", False)], [[name, text] for name, text in facts.items()])
    lines += ["", *_attempts(ledger_of(path).entries())]
    secret = epoch.revealed
    if secret is None:
        return "\n".join([*lines, "", f"Scores are shown on {epoch.reveals}.", ""])
    rows = packed_rows(rows_of(path), {"suite": epoch.hash})
    off = {spec for spec, one in known.items() if one.withdrawn()}
    drawn = instances(epoch, secret)
    tasks = {task.name for task in drawn.suite.tasks}
    shown = [row for row in rows if row.task in tasks and row.spec not in off]
    lines += ["", *_verified(epoch, shown, known)]
    for task, reason in drawn.refused:
        lines += ["", escaped(f"{task.name}: the environment refused this draw: {reason}")]
    board = build(drawn.shown, shown, compared=False)
    lines += ["", "Ranked on the epoch's instances; the baselines played the same instances:", ""]
    for section in board.sections:
        if section.standings:
            lines.append(
                report.markdown_section(board, section)
                .replace("\n###", "\n####")
                .replace("## ", "### ", 1)
            )
    return "\n".join(lines)


def _attempts(entries: list[dict[str, Any]]) -> list[str]:
    """Every verification that was started, and how it ended."""
    ended = {(e["name"], e["version"]): e for e in events(entries, ENDED)}
    rows = []
    for entry in events(entries, BEGUN):
        end = ended.get((entry["name"], entry["version"]))
        state = "begun" if end is None else _ending(end)
        cells = [entry["name"], entry["version"], entry["date"], entry["isolation"], state]
        rows.append([str(cell) for cell in cells])
    if not rows:
        return ["No submission was verified."]
    columns = ["submission", "version", "date", "isolation", "attempt"]
    return table([(name, False) for name in columns], rows)


def _ending(end: dict[str, Any]) -> str:
    if "error" in end:
        return f"failed: {end['error']}"
    return f"{counted(end['rows'], 'row')}, {end['failed']} failed" if "rows" in end else "played"


def _verified(epoch: Epoch, rows: list[Row], known: dict[str, Submission]) -> list[str]:
    """Descriptions of the verified submissions, and how to play their rows again."""
    specs = sorted({row.spec for row in rows if "==" in row.spec})
    if not specs:
        return []
    cells = []
    for spec in specs:
        own = known.get(spec)
        authors = ", ".join(own.manifest.authors) if own else NONE
        title = spec.partition("@")[0]
        levels = sorted({row.where for row in rows if row.spec == spec})
        tuned = tuned_text(own.manifest) if own else NONE
        cells.append([title, authors, "verified", ", ".join(levels), tuned])
    columns = ["submission", "authors", "kind", "isolation", "tuned"]
    lines = table([(name, False) for name in columns], cells)
    for spec in specs:
        if faults := faults_text(row for row in rows if row.spec == spec):
            lines += ["", replaced_text(spec.partition("@")[0], faults)]
    lines += ["", "The command that replays its rows:", ""]
    for spec in specs:
        name = spec.partition("==")[0]
        lines.append(
            f"- {escaped(name)}: `banditgym submit replay leaderboards/submissions/{name} "
            f"--epoch {epoch.id}`"
            if name.replace("-", "").isalnum()
            else f"- {escaped(name)}"
        )
    return lines
