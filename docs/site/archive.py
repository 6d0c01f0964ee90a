"""Packs a built site into one zip file."""

import zipfile
from pathlib import Path

_THEN = (1980, 1, 1, 0, 0, 0)  # the same time for every file


def pack(folder: Path, path: Path) -> Path:
    """Write every file of a folder into a zip file, in the order of their names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            name = f"banditgym-docs/{file.relative_to(folder).as_posix()}"
            info = zipfile.ZipInfo(name, _THEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, file.read_bytes())
    return path
