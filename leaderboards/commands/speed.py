"""``banditgym speed``: rounds per second, measured."""

from typing import Annotated

import typer

from leaderboards.commands.messages_out import print_result
from leaderboards.commands.options import Json


def speed(
    rows: Annotated[
        list[str] | None,
        typer.Argument(help="Rows to measure, by a name or a part of one; by default fifteen."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Measure all rows: takes some minutes.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure rounds per second of environments and agents together, on one core.

    By default fifteen rows are measured, in about a minute.
    """
    if rows and every:
        raise ValueError("name rows or give --all, not both")
    from leaderboards.console.progress import bar, words
    from leaderboards.speed.machine_facts import circumstances
    from leaderboards.speed.measure import chosen, measured
    from leaderboards.speed.speed_table import table

    names = [row.name for row in chosen(rows, every)]
    results = []
    with bar("speed") as progress:
        progress(0.0, False, words(0, len(names), names[:1]))
        for result in measured(rows, every):
            results.append(result)
            done = len(results)
            progress(done / len(names), False, words(done, len(names), names[done : done + 1]))
    found = circumstances() | {"rows": results}
    print_result(as_json, lambda: found, lambda: table(found), indent=2)
