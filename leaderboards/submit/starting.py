"""Creates a new submission's folder with a working example."""

import re
import tomllib
from importlib import resources
from pathlib import Path

from leaderboards.submit.catalogue import ROOT
from leaderboards.submit.folder import MANIFEST
from leaderboards.submit.manifest import Manifest, canonical, is_taken_by_ours

FILES = (MANIFEST, "agent.py")
PERSONAL = ("authors", "contact", "paper", "link")


def write(folder: Path, root: Path = ROOT) -> list[Path]:
    """Write the example into a folder, under the folder's name.

    Raises
    ------
    ValueError
        If the folder is not empty, or cannot be made.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} already exists: name a new folder")
    example = resources.files("leaderboards.submit.example")
    texts = {name: (example / name).read_text(encoding="utf-8") for name in FILES}
    texts[MANIFEST] = texts[MANIFEST].replace('"my-agent"', f'"{_name(folder, root)}"')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror}") from None
    return [folder / name for name in texts]


def unchanged(manifest: Manifest) -> list[str]:
    """The keys of ``PERSONAL`` that still have the example's values."""
    example = resources.files("leaderboards.submit.example") / MANIFEST
    values = tomllib.loads(example.read_text(encoding="utf-8"))
    return [key for key in PERSONAL if getattr(manifest, key) == values[key]]


def _name(folder: Path, root: Path) -> str:
    """The folder's name as a submission's name, or another name if it is taken."""
    words = re.findall("[a-z0-9]+", folder.absolute().name.lower())
    name = "-".join(words)[:30].strip("-")
    if not re.match("[a-z]", name):
        name = f"agent-{name}".strip("-")
    others = {canonical(path.name) for path in root.glob("*")} - {canonical(folder.absolute().name)}
    return f"my-{name}" if is_taken_by_ours(name) or canonical(name) in others else name
