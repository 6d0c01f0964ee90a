"""The sources of banditgym and agents: found by name, read once a process, and hashed."""

import contextlib
import functools
import hashlib
import json
import os
import secrets
from dataclasses import asdict, replace
from pathlib import Path

from banditgym.compiled import syntax
from banditgym.compiled.caches import cache_folder, owner, read_only_caches
from banditgym.compiled.syntax import Source

PACKAGES = ("banditgym", "agents")
ROOT = Path(__file__).parents[2]


@functools.cache
def source_hash() -> str:
    """Hash of every Python source of banditgym and agents: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def find(module: str) -> Path | None:
    """The file of a module of banditgym or agents; None of any other."""
    return file_of(module, ROOT) if module.partition(".")[0] in PACKAGES else None


def file_of(module: str, folder: Path) -> Path | None:
    """The file of a module that is imported from a folder."""
    place = folder.joinpath(*module.split("."))
    # A folder with an ``__init__`` comes before a file of its name, as in an import.
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((file for file in files if file.is_file()), None)


@functools.cache
def read(path: Path) -> Source:
    """The text of a source of ours; read once, because imported code does not change."""
    return kept(path.read_bytes(), ".".join(path.relative_to(ROOT).parts[:-1]))


def kept(code: bytes, package: str) -> Source:
    """`syntax.source`, which takes milliseconds, kept on disk by its arguments."""
    name = hashlib.sha256(f"{package}\0".encode() + code).hexdigest()[:32] + ".json"
    own = cache_folder(f"syntax-{syntax.FORM}")
    for folder in (*(base / own.name for base in read_only_caches()), own):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            known = json.loads((folder / name).read_bytes())
            known["uses"], known["defines"] = tuple(known["uses"]), frozenset(known["defines"])
            return Source(**known)
    found = syntax.source(code, package)
    if owner() is None:  # files that third-party code may have changed are not shared
        new = own / f"{name}.{secrets.token_hex(4)}"
        with contextlib.suppress(OSError):
            new.write_text(json.dumps(asdict(replace(found, defines=sorted(found.defines)))))
            os.replace(new, own / name)
    return found
