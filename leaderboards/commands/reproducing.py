"""``banditgym reproduce``: tests the claims of papers again."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaderboards.commands.given_settings import setting_of
from leaderboards.commands.options import Json
from leaderboards.commands.out import check_folder, make_folder
from leaderboards.commands.saying import display, say

if TYPE_CHECKING:
    from leaderboards.papers import Paper

PAPERS = "banditgym-papers"


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="Short name of a paper; by default all papers.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Run the paper's own sizes.")] = False,
    claim: Annotated[
        list[str] | None, typer.Option("--claim", help="Id of a claim; repeatable. Default: all.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the experiments, such as data=R6/; repeatable."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the pages and figures.")] = Path(PAPERS),
    as_json: Json = False,
) -> None:
    """Reproduce the claims of papers: their numbers beside ours, and verdicts.

    Writes a Markdown page for each paper, with its figures redrawn. Without --full it takes less
    than two minutes per paper.
    """
    from leaderboards.console.progress import bar
    from leaderboards.papers import paper_page
    from leaderboards.papers.reproduce import reproduce as run

    chosen = _claims(paper, claim or [])
    given = dict(map(setting_of, settings or []))
    check_folder(out)
    records = []
    try:
        for one, ids in chosen:
            with bar(one.name) as progress:
                done = run(one, ids, full=full, given=given, progress=progress)
            records += done.records()
            if not as_json:
                display(done.table())
            make_folder(out)
            say(f"wrote {', '.join(path.name for path in paper_page.write(done, out))} to {out}")
    except KeyboardInterrupt:
        kept = f"pages of finished papers are kept in {out}" if records else "nothing was written"
        say(f"interrupted: {kept}")
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
