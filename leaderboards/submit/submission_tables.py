"""Tables of submissions: one submission's, for a pull request, and the table of all.

Self-run scores are separate from verified ones, and not ranked. All text from a submission is
escaped here, even if it was checked when it was read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.rank.board import Board, build, faults_text
from leaderboards.report.cell_texts import NONE, bytes_text, interval_text, time_text
from leaderboards.report.markup import escaped, table
from leaderboards.report.remarks import SCOPE
from leaderboards.report.tables import SCALE
from leaderboards.run.store.row_schema import Row
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.manifest import Manifest
from leaderboards.suites.suite import Suite

CLAIMED = "The size of the state is as claimed by the submission."
SELF_RUN = (
    "Self-run: scored on public seeds, which any agent that imports banditgym can rebuild. These "
    "scores are trusted only as far as its code was reviewed, and are not ranked."
)


@dataclass(frozen=True)
class Scored:
    """A version of a submission and its rows on a suite.

    Attributes
    ----------
    board : Board
        The board of its rows alone.
    isolations : tuple of str
        The levels of isolation that its rows name.
    date : str
        When it was scored.
    faults : str
        Its faults in the sandbox, in words; empty if it has none.
    """

    submission: Submission
    suite: Suite
    board: Board
    isolations: tuple[str, ...]
    date: str
    faults: str


def scored(submission: Submission, suite: Suite, rows: Iterable[Row], date: str) -> Scored:
    """A version by its rows on a suite; rows of others are left out."""
    own = [row for row in rows if row.spec == submission.spec]
    levels = tuple(sorted({row.where for row in own}))
    board = build(suite, own, compared=False)
    return Scored(submission, suite, board, levels, date, faults_text(own))


def of_one(scored: Scored) -> str:
    """The table of one submission as Markdown, for a pull request."""
    manifest = scored.submission.manifest
    given = ", ".join(f"{name} = {value!r}" for name, value in manifest.hyperparameters.items())
    facts = {
        "version": manifest.version,
        "authors": ", ".join(manifest.authors),
        "written by": manifest.written_by or NONE,
        "licence": manifest.license,
        "paper": manifest.paper or NONE,
        "hyperparameters": given or NONE,
        "tuned": tuned_text(manifest),
        "from the task": ", ".join(manifest.facts) or NONE,
        "suite": f"{scored.suite.name} ({scored.suite.hash})",
        "isolation": ", ".join(scored.isolations),
        "contents": scored.submission.folder.hash,
    }
    lines = [f"## {escaped(manifest.name)}", "", SELF_RUN, ""]
    lines += table([("", False), ("", False)], [[name, text] for name, text in facts.items()])
    lines += ["", f"Scores hold {SCOPE}: {SCALE}. {CLAIMED}", ""]
    columns = [("ranking", False), ("score [95 %]", True), ("µs/round", True)]
    columns += [("state, claimed", True), ("failed", True), ("tasks", False)]
    lines += table(columns, _sections(scored))
    lines += _messages(scored.board)
    if scored.faults:
        lines += ["", replaced_text(manifest.name, scored.faults)]
    return "\n".join([*lines, "", f"Replay it with `{command(scored)}`.", ""])


def of_all(all_scored: Sequence[Scored], withdrawn: Sequence[Submission]) -> str:
    """The self-run table of all submissions, as Markdown, with a row for each ranking."""
    columns = [("ranking", False), ("submission", False), ("version", False), ("authors", False)]
    columns += [("date", False), ("kind", False), ("isolation", False), ("tuned", False)]
    columns += [("score [95 %]", True), ("µs/round", True), ("state, claimed", True)]
    columns += [("failed", True)]
    rows = []
    for scored in all_scored:
        manifest = scored.submission.manifest
        about = [manifest.name, manifest.version, ", ".join(manifest.authors), scored.date]
        about += ["self-run", ", ".join(scored.isolations), tuned_text(manifest)]
        rows += [[cells[0], *about, *cells[1:5]] for cells in _sections(scored)]
    # By name within a ranking: an order by score would be a rank.
    lines = table(columns, sorted(rows, key=lambda row: row[0]))
    replaced = [(f"{s.submission.manifest.name} on {s.suite.name}", s.faults) for s in all_scored]
    lines += [f"\n{replaced_text(name, faults)}" for name, faults in replaced if faults]
    lines += ["", f"Scores hold {SCOPE}.", "", "The command that replays its rows:", ""]
    lines += [f"- {escaped(s.submission.manifest.name)}: `{command(s)}`" for s in all_scored]
    if withdrawn:
        names = ", ".join(one.manifest.title for one in withdrawn)
        lines += ["", f"Withdrawn, and kept in their ledgers: {escaped(names)}."]
    return "\n".join(lines) + "\n"


def replaced_text(name: str, faults: str) -> str:
    """The sentence which says that not only the agent played, as Markdown."""
    return escaped(f"After a fault in the sandbox, uniform play replaced {name}: {faults}.")


def tuned_text(manifest: Manifest) -> str:
    """Where a submission was tuned, on what, and by how many trials, as its manifest says."""
    tuning = manifest.tuning
    return (
        f"{tuning.trials} trials on {tuning.on}, {tuning.where}" if tuning.trials else "not tuned"
    )


def command(scored: Scored) -> str:
    """The command that plays the rows of a published submission again; needs no quoting."""
    name = scored.submission.manifest.name
    return f"banditgym submit replay leaderboards/submissions/{name} {scored.suite.name}"


def _sections(scored: Scored) -> list[list[str]]:
    """The cells of each ranking, whose name is the first."""
    found = []
    for section in scored.board.sections:
        for standing in section.standings:
            good = [name for name, result in standing.tasks.items() if result.seeds]
            cells = [section.name, interval_text(standing.score), time_text(standing)]
            cells += [bytes_text(standing.bytes), str(standing.failures or NONE), ", ".join(good)]
            found.append(cells)
    return found


def _messages(board: Board) -> list[str]:
    said = [
        f"- {escaped(f'{section.name}, {count} seeds failed: {message}')}"
        for section in board.sections
        for standing in section.standings
        for message, count in standing.messages.items()
    ]
    return ["", *dict.fromkeys(said)] if said else []
