"""Signatures of bytes by SSH keys, made and checked by ``ssh-keygen -Y``, which OpenSSH brings."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMESPACE = "banditgym-epoch"  # a signature for another purpose does not count
_SIGNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}")


def check(key: Path, signer: str) -> None:
    """Check what a signature needs, before anything takes long.

    Raises
    ------
    ValueError
        If ssh-keygen or the key is missing, or the signer's name has other characters.
    """
    _program()
    if not key.is_file():
        raise ValueError(f"there is no key {key}: make one with ssh-keygen -t ed25519 -f {key}")
    if not _SIGNER.fullmatch(signer):
        raise ValueError(f"a signer is a name of letters, digits and . _ @ + -, got {signer!r}")


def signature(message: bytes, key: Path) -> bytes:
    """The signature of a message.

    Raises
    ------
    ValueError
        If ssh-keygen cannot sign with that key.
    """
    command = [_program(), "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE]
    done = subprocess.run(command, input=message, capture_output=True)
    if done.returncode:
        raise ValueError(f"ssh-keygen cannot sign with {key}: {_said(done.stderr)}")
    return done.stdout


def fault(message: bytes, signed: bytes, signer: str, allowed: Path) -> str | None:
    """Why a signature is not that of an allowed signer; None if it is.

    Parameters
    ----------
    allowed : Path
        A file of allowed signers, see ``man ssh-keygen``: a name and a public key in each line.

    Raises
    ------
    ValueError
        If ssh-keygen is missing.
    """
    program = _program()
    if not allowed.is_file():
        return f"there is no file {allowed.name} that lists who may sign"
    with tempfile.NamedTemporaryFile() as file:
        file.write(signed)
        file.flush()
        command = [program, "-Y", "verify", "-f", str(allowed), "-I", signer, "-n", NAMESPACE]
        done = subprocess.run([*command, "-s", file.name], input=message, capture_output=True)
    return _said(done.stderr + b" " + done.stdout) if done.returncode else None


def _program() -> str:
    found = shutil.which("ssh-keygen")
    if found is None:
        raise ValueError("signatures need ssh-keygen: apt install openssh-client")
    return found


def _said(output: bytes) -> str:
    return " ".join(output.decode("utf-8", "replace").split())[:300]
