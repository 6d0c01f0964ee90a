"""Renews what the site takes from others: ``python -m docs.site.renew`` (npm and its registry).

MathJax comes from npm. An inventory lists the names of another project's documentation that this
site links to, with their addresses, in Sphinx's format; ``--check`` compares them with the
projects' own inventories, and needs the network.
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zlib
from pathlib import Path

FOLDER = Path(__file__).parent / "vendored"
MATHJAX = "3.2.2"

# Project: its documentation, and lines of its inventory: name, role, address ($ is the name).
PROJECTS = {
    "python": (
        "https://docs.python.org/3/",
        (
            ("object", "py:class", "library/functions.html#$"),
            ("dict", "py:class", "library/stdtypes.html#$"),
            ("ValueError", "py:exception", "library/exceptions.html#$"),
            ("TypeError", "py:exception", "library/exceptions.html#$"),
            ("typing.Protocol", "py:class", "library/typing.html#$"),
            ("pathlib.Path", "py:class", "library/pathlib.html#$"),
        ),
    ),
    "numpy": (
        "https://numpy.org/doc/stable/",
        (
            ("numpy.ndarray", "py:class", "reference/generated/$.html#$"),
            ("numpy.random.Generator", "py:class", "reference/random/generator.html#$"),
        ),
    ),
    "gymnasium": (
        "https://gymnasium.farama.org/",
        (
            ("gymnasium.Env", "py:class", "api/env/#$"),
            ("gymnasium.make", "py:function", "api/registry/#$"),
            ("gymnasium.make_vec", "py:function", "api/registry/#$"),
            ("gymnasium.vector.VectorEnv", "py:class", "api/vector/#$"),
            ("gymnasium.spaces.Space", "py:class", "api/spaces/#$"),
            ("gymnasium.Wrapper", "py:class", "api/wrappers/#$"),
        ),
    ),
}


def inventory(project: str) -> bytes:
    """The inventory of a project, in Sphinx's format, version 2."""
    _, names = PROJECTS[project]
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = "".join(f"{name} {role} 1 {where} -\n" for name, role, where in names)
    return head.encode() + zlib.compress(lines.encode(), 9)


def missing(project: str, published: bytes) -> list[str]:
    """The lines of ours that a project's own inventory does not have."""
    _, names = PROJECTS[project]
    lines = zlib.decompress(published.split(b"\n", 4)[4]).decode().splitlines()
    known = {(words[0], words[1], words[-2]) for line in lines if len(words := line.split(" ")) > 4}
    return [" ".join(one) for one in names if one not in known]


def mathjax(folder: Path) -> None:
    """Fetch MathJax by npm, and keep the one file that draws formulas, with its licence."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            ["npm", "pack", f"mathjax@{MATHJAX}"], cwd=place, check=True, capture_output=True,
            text=True,
        )  # fmt: skip
        with tarfile.open(Path(place) / done.stdout.split()[-1]) as archive:
            archive.extractall(place, filter="data")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(place) / "package/es5/tex-svg.js", folder)
        shutil.copy(Path(place) / "package/LICENSE", folder)


def main() -> int:
    """Write all files again, or compare the inventories with the projects' own."""
    parser = argparse.ArgumentParser(prog="python -m docs.site.renew", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare inventories, write nothing")
    if parser.parse_args().check:
        absent = []
        for project, (address, _) in PROJECTS.items():
            with urllib.request.urlopen(f"{address}objects.inv", timeout=60) as answer:
                absent += missing(project, answer.read())
        print("\n".join(absent) or "every name is in the project's own inventory")
        return bool(absent)
    mathjax(FOLDER / "mathjax")
    (FOLDER / "inventories").mkdir(exist_ok=True)
    for project in PROJECTS:
        (FOLDER / f"inventories/{project}.inv").write_bytes(inventory(project))
    return 0


if __name__ == "__main__":
    sys.exit(main())
