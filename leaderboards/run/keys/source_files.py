"""Sources as their syntax says, each read once a process."""

import contextlib
import functools
import hashlib
import json
import os
import secrets
from dataclasses import asdict, replace
from pathlib import Path

from banditgym.files.cache_folders import cache_folder, owner, read_only_caches
from banditgym.files.class_paths import ROOT
from leaderboards.run.keys import syntax
from leaderboards.run.keys.syntax import Source


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
