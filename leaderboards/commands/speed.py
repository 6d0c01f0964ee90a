"""``banditgym speed``: rounds per second, measured."""

import json
from typing import Annotated

import typer

from leaderboards.commands.options import Json
from leaderboards.commands.saying import display


def speed(
    rows: Annotated[
        list[str] | None, typer.Argument(help="Rows to measure; by default all.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure roughly, in seconds.")] = False,
    peers: Annotated[
        bool, typer.Option("--peers", help="Compare with other libraries' agents instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure rounds per second of environments and agents together, on one core."""
    if peers:
        _compare(rows, quick, as_json)
        return
    from leaderboards.console.progress import bar, words
    from leaderboards.speed.measure import chosen, measured, table

    names = [row.name for row in chosen(rows)]
    results = []
    with bar("speed") as progress:
        progress(0.0, False, words(0, len(names), names[:1]))
        for result in measured(rows, quick):
            results.append(result)
            done = len(results)
            progress(done / len(names), False, words(done, len(names), names[done : done + 1]))
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        display(table(results))


def _compare(rows: list[str] | None, quick: bool, as_json: bool) -> None:
    from leaderboards.speed.peers import compared, table

    if rows:
        raise ValueError("with --peers all of its rows are measured, in turns: name none")
    found = compared(quick=quick)
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        display(table(found))
