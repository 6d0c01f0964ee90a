"""``banditgym reproduce``: test the claims of papers again."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaderboards.commands.given_settings import setting_of
from leaderboards.commands.messages_out import display, say
from leaderboards.commands.options import Json
from leaderboards.commands.output_paths import check_folder, make_folder

if TYPE_CHECKING:
    from leaderboards.papers import Paper

PAPERS = "banditgym-papers"
FOLDER = Path(PAPERS) / "pieces"


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="Short name of a paper; by default all papers.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Run the paper's own sizes, or the largest affordable.")
    ] = False,
    claim: Annotated[
        list[str] | None, typer.Option("--claim", help="Id of a claim; repeatable. Default: all.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the experiments, such as data=R6/; repeatable."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the pages and figures.")] = Path(PAPERS),
    store: Annotated[
        Path, typer.Option(help="Folder of finished pieces, from which a stopped run continues.")
    ] = FOLDER,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Say how long it takes and what is finished; run nothing."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Reproduce the claims of papers: their numbers beside ours, and verdicts.

    Writes a Markdown page for each paper, with its figures redrawn. The quick form takes less than
    two minutes per paper, and its page says beside every verdict that it is quick. The full form is
    played in pieces: run it again after an interruption and it continues.
    """
    from leaderboards.console.progress import bar
    from leaderboards.papers import expected_times, paper_page
    from leaderboards.papers.findings_table import table
    from leaderboards.papers.pieces import Pieces
    from leaderboards.papers.records import record
    from leaderboards.papers.reproduce import reproduce as run

    chosen = _claims(paper, claim or [])
    given = dict(map(setting_of, settings or []))
    check_folder(out)
    check_folder(store, "--store")
    kept = Pieces(store)
    if plan and as_json:
        raise ValueError("--plan prints no JSON")
    if plan or full:
        for one, ids in chosen:
            (print if plan else say)(expected_times.words(one, ids, full, given, kept))
    if plan:
        return
    records = []
    try:
        for one, ids in chosen:
            with bar(one.name) as progress:
                done = run(one, ids, full=full, given=given, store=kept, progress=progress)
            records.append(record(done))
            if not as_json:
                display(table(done))
            make_folder(out)
            say(f"wrote {', '.join(path.name for path in paper_page.write(done, out))} to {out}")
    except KeyboardInterrupt:
        pages = f"pages of finished papers are in {out}, " if records else ""
        say(f"interrupted: {pages}finished pieces are in {store}; the same command continues")
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps(records, indent=2))


def _claims(name: str | None, ids: list[str]) -> "list[tuple[Paper, list[str]]]":
    """The papers to run, each with the ids of its claims; all given ids must exist."""
    from banditgym.validation import nearest
    from leaderboards import papers

    chosen = [papers.load(one) for one in (papers.NAMES if name is None else [name])]
    known = {claim.id for paper in chosen for claim in paper.claims}
    for unknown in set(ids) - known:
        hint = nearest(unknown, known) or f"; there are {', '.join(sorted(known))}"
        raise ValueError(
            f"{name or 'no paper'} has {'no' if name else 'a'} claim {unknown!r}{hint}"
        )
    own = [(p, [c.id for c in p.claims if not ids or c.id in ids]) for p in chosen]
    return [(paper, claims) for paper, claims in own if claims]
