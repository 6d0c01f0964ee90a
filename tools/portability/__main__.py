"""Plays the corpus plainly, then with libraries set to choose their code as on other CPUs.

``python -m tools.portability`` exits with 1 if anything differs from the plain run, or the plain
run from the published hashes.
"""

import argparse
import contextlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.console.progress import bar
from leaderboards.portability import corpus
from tools.portability import compare, portability_page


def main(arguments: list[str] | None = None) -> None:
    """Play, say how each setting ended, and write the page and its data."""
    parser = argparse.ArgumentParser(prog="python -m tools.portability", description=__doc__)
    parser.add_argument("--setting", action="append", help="only this setting; repeatable")
    parser.add_argument("--versions", action="store_true", help="other NumPy and numba, by pip")
    parser.add_argument("--part", action="append", help="only groups such as 'env/*'; repeatable")
    parser.add_argument("--out", type=Path, help="folder for portability.md and portability.json")
    parser.add_argument("--keep", type=Path, help="folder that keeps compiled code and packages")
    parser.add_argument("--json", action="store_true", help="print the data")
    given = parser.parse_args(arguments)
    try:
        kept = report(given)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    if given.json:
        json.dump(kept, sys.stdout, indent=2)
    if not portability_page.agrees(kept["settings"]):
        sys.exit(1)


def report(given: argparse.Namespace) -> dict[str, Any]:
    """Play what is asked for; returns the data of the page, which are also written to ``--out``."""
    groups, records, plain = corpus.matching(given.part), [], None
    with contextlib.ExitStack() as stack:
        folder = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for needed in filter(None, (folder, given.out)):
            needed.mkdir(parents=True, exist_ok=True)
        progress = stack.enter_context(bar("portability"))
        for played in compare.run(
            given.setting,
            versions=given.versions,
            groups=groups,
            folder=folder.resolve(),
            progress=lambda share: progress(share, False),
        ):
            plain = plain or played
            records.append(compare.record(played, plain))
            print(portability_page.line(records[-1]), file=sys.stderr, flush=True)
    kept = portability_page.report(records)
    if given.out is not None:
        for name, text in portability_page.files(kept).items():
            whole_files.write(given.out / name, text)
    return kept


if __name__ == "__main__":
    main()
