"""Builds the documentation site: ``python -m docs``. It needs the extra ``[docs]``, no network."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from docs.site.layout import ROOT


def main() -> int:
    """Build the site; the exit status is Sphinx's, which is 1 after a warning."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="show the tutorials without running them"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build/site", help="folder; html/ within it is the site"
    )
    parser.add_argument(
        "--zip", action="store_true", help="also write the site as banditgym-docs.zip"
    )
    chosen = parser.parse_args()
    os.environ["BANDITGYM_DOCS"] = "quick" if chosen.quick else "whole"
    from sphinx.cmd.build import main as sphinx

    from docs.site.staging import stage

    out = chosen.out.resolve()
    source, html = out / "source", out / "html"
    stage(source)
    shutil.rmtree(html, ignore_errors=True)
    failed = sphinx(
        ["-W", "-n", "--keep-going", "-q", "-E", "-c", str(ROOT / "docs/site"), "-d"]
        + [str(out / "doctrees"), "-b", "html", str(source), str(html)]
    )
    if failed:
        return failed
    print(f"the site is in {html}: open index.html")
    if chosen.zip:
        from docs.site.archive import pack

        print(f"the same as one file: {pack(html, out / 'banditgym-docs.zip')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
