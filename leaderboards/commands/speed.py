"""``banditgym speed``: rounds per second, measured."""

from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands.messages_out import print_result
from leaderboards.commands.options import Json


def speed(
    rows: Annotated[
        list[str] | None,
        typer.Argument(help="Rows to measure, by a name or a part of one; by default ten rows."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Measure all rows: takes some minutes.")
    ] = False,
    earlier: Annotated[
        Path | None,
        typer.Option(
            "--compare", help="File of an earlier --json: print how each row's speed changed."
        ),
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Compare with other libraries' agents instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure rounds per second of environments and agents together, on one core.

    By default ten rows are measured, in less than a minute. The speed of rows with short rounds is
    also divided by that of a compiled loop written by hand for this agent and environment, and for
    fixed arms and regression by that of a loop with the same arithmetic as our agents.
    """
    if peers:
        if rows or every or earlier is not None:
            raise ValueError("--peers measures other rows: it takes no option except --json")
        from tools.speed import peers as others

        measurements = others.compared()
        print_result(as_json, lambda: measurements, lambda: others.table(measurements), indent=2)
        return
    if rows and every:
        raise ValueError("name rows or give --all, not both")
    from leaderboards.console.progress import bar, words
    from leaderboards.speed.machine_facts import circumstances
    from leaderboards.speed.measure import chosen, measured
    from leaderboards.speed.speed_table import table
    from tools.speed.earlier import compare, read

    then = None if earlier is None else read(earlier)
    names = [row.name for row in chosen(rows, every)]
    results = []
    with bar("speed") as progress:
        progress(0.0, False, words(0, len(names), names[:1]))
        for result in measured(rows, every):
            results.append(result)
            done = len(results)
            progress(done / len(names), False, words(done, len(names), names[done : done + 1]))
    found = circumstances() | {"rows": results}
    if then is not None:
        found = compare(found, then)
    print_result(as_json, lambda: found, lambda: table(found), indent=2)
