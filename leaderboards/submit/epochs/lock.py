"""An epoch's lock file: every package pinned with its hashes, in a format that pip installs.

uv (https://docs.astral.sh/uv) writes it with the versions that are installed here, so that agents
are played with the locked versions.
"""

import hashlib
import re
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path

FORBIDDEN = ("torch",)
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.!+_-]+)(?: ; [^\\]*)?\s*\\?$")
_HASH = re.compile(r"^\s+--hash=sha256:[0-9a-f]{64}\s*\\?$")


def write(path: Path) -> None:
    """Lock the packages that banditgym needs, at the versions installed here.

    Raises
    ------
    ValueError
        If uv is not installed or cannot find these versions.
    """
    wanted = [
        requirement
        for requirement in metadata.requires("banditgym") or ()
        if "extra ==" not in requirement
    ]
    with tempfile.TemporaryDirectory() as folder:
        inputs, fixed = Path(folder) / "requirements.in", Path(folder) / "installed.txt"
        inputs.write_text("\n".join(wanted) + "\n")
        fixed.write_text("".join(f"{name}=={version}\n" for name, version in _installed().items()))
        command = ["uv", "pip", "compile", "--quiet", "--generate-hashes", "--no-annotate"]
        command += ["--no-header", "--constraint", str(fixed), "--output-file", str(path)]
        try:
            done = subprocess.run([*command, str(inputs)], capture_output=True, text=True)
        except FileNotFoundError:
            raise ValueError("locking packages needs uv: pip install uv") from None
    if done.returncode:
        raise ValueError(f"uv cannot lock the packages: {' '.join(done.stderr.split())}")
    pins(path)


def pins(path: Path) -> dict[str, str]:
    """The version of every package in a lock file, by its normalised name.

    Raises
    ------
    ValueError
        If a line pins no package, a package has no hash, or a package is not one of an epoch's.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"there is no lock file {path}") from None
    found: dict[str, str] = {}
    hashes: dict[str, int] = {}
    name = ""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        pin = _PIN.match(line)
        if pin:
            name = normalised(pin[1])
            found[name], hashes[name] = pin[2], 0
        elif name and _HASH.match(line):
            hashes[name] += 1
        else:
            raise ValueError(f"{path.name}, line {number}: it pins no package with hashes")
    for name, count in hashes.items():
        if not count:
            raise ValueError(f"{path.name}: {name} has no hash")
        if name in FORBIDDEN:
            raise ValueError(f"{path.name}: {name} is not among the packages of an epoch")
    return found


def differences(path: Path) -> list[str]:
    """How the installed packages differ from a lock file: a text for each package."""
    here, differ = _installed(), []
    for name, version in pins(path).items():
        if here.get(name) != version:
            differ.append(f"{name} {here.get(name, 'is missing')}, locked {version}")
    return differ


def digest(path: Path) -> str:
    """SHA-256 of a lock file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def normalised(name: str) -> str:
    """A package's name in the form in which package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed() -> dict[str, str]:
    names = {d.metadata["Name"]: d.version for d in metadata.distributions() if d.metadata["Name"]}
    return {
        normalised(name): version
        for name, version in sorted(names.items())
        if normalised(name) != "banditgym"
    }
