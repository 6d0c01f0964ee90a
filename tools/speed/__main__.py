"""Measures agents beside loops that are written by hand for them: ``python -m tools.speed``.

With ``--peers`` it measures them beside agents of other libraries instead.
"""

import argparse
import json
import sys

from rich.console import Console

from leaderboards.console.progress import bar, words
from leaderboards.speed.machine_facts import circumstances
from tools.speed import peers, ratio_table, ratios


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m tools.speed", description=__doc__)
    parser.add_argument("rows", nargs="*", help="names of rows or parts of them; by default seven")
    parser.add_argument("--all", action="store_true", help="measure all rows: some minutes")
    parser.add_argument("--peers", action="store_true", help="compare with other libraries")
    parser.add_argument("--json", action="store_true", help="print data in place of a table")
    given = parser.parse_args(arguments)
    if sum(map(bool, (given.rows, given.all, given.peers))) > 1:
        parser.error("give names of rows, --all or --peers")
    if given.peers:
        found, table = peers.compared(), peers.table
    else:
        try:
            rows, results = ratios.judged(given.rows, given.all), []
        except ValueError as error:
            parser.error(str(error))
        with bar("speed") as progress:
            for done, row in enumerate(rows):
                progress(done / len(rows), False, words(done, len(rows), [row.name]))
                results.append(ratios.compared(row))
        found, table = circumstances() | {"rows": results}, ratio_table.table
    if given.json:
        json.dump(found, sys.stdout, indent=2)
    else:
        Console().print(table(found))


if __name__ == "__main__":
    main()
