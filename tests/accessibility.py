"""Checks a page with axe-core: contrast, names of controls, headings, the keyboard.

``python -m tests.accessibility PAGE.html`` opens the page in Chromium at 1280 and 390
pixels, light and dark, prints every violation, and fails if there is one. It needs Chromium,
Node.js, and npm, which fetches axe-core and puppeteer-core, into ``--modules FOLDER`` where that is
given.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGES = ("axe-core", "puppeteer-core")
SCRIPT = Path(__file__).with_suffix(".js")


def violations(page: Path, modules: Path) -> list[dict[str, Any]]:
    """What axe-core finds on a page; ``modules`` keeps the packages of npm.

    Raises
    ------
    ValueError
        If Chromium, Node.js or npm is missing, or one of them fails.
    """
    chromium = _program("chromium", "chromium-browser", "google-chrome")
    modules = modules.resolve()
    if not all((modules / "node_modules" / name).is_dir() for name in PACKAGES):
        _output(_program("npm"), "install", "--no-audit", "--no-fund", *PACKAGES, folder=modules)
    words = (SCRIPT, chromium, modules, page.resolve().as_uri())
    return json.loads(_output(_program("node"), *map(str, words), folder=modules))


def told(found: list[dict[str, Any]]) -> str:
    """A line for each violation."""
    lines = [f"{v['reader']}: {v['id']} ({v['count']}): {v['help']} {v['first']}" for v in found]
    return "\n".join(line.strip() for line in lines)


def _program(*names: str) -> str:
    found = next((place for name in names if (place := shutil.which(name))), None)
    if found is None:
        raise ValueError(f"needs {names[0]}, which is not installed")
    return found


def _output(*command: str, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
    return done.stdout


def main() -> None:
    """Check a page, and exit with 1 if anything is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="index.html of banditgym leaderboard report")
    parser.add_argument("--modules", type=Path, help="folder that keeps the packages of npm")
    chosen = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as temporary:
            modules = chosen.modules or Path(temporary)
            modules.mkdir(parents=True, exist_ok=True)
            found = violations(chosen.page, modules)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    sys.exit(told(found) if found else None)


if __name__ == "__main__":
    main()
