"""Creates a new submission's folder with a working example."""

import re
from importlib import resources
from pathlib import Path

from leaderboards.submit.catalogue import ROOT
from leaderboards.submit.folder import MANIFEST
from leaderboards.submit.manifest import canonical, is_taken_by_ours

FILES = (MANIFEST, "agent.py")


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


def _name(folder: Path, root: Path) -> str:
    """The folder's name as a submission's name, or another name if it is taken."""
    words = re.findall("[a-z0-9]+", folder.absolute().name.lower())
    name = "-".join(words)[:30].strip("-")
    if not re.match("[a-z]", name):
        name = f"agent-{name}".strip("-")
    taken = {canonical(path.name) for path in root.glob("*")} - {canonical(folder.absolute().name)}
    return f"my-{name}" if is_taken_by_ours(name) or canonical(name) in taken else name
