"""An epoch's public file, written before any agent is scored, and the file of its secret."""

import functools
import hashlib
import inspect
import json
import os
import secrets
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, ParamSpec, TypeVar

import portalocker
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from banditgym.files import whole_files
from banditgym.validation import brief, visible
from leaderboards.submit.epochs.derivation import SECRET_BYTES
from leaderboards.submit.manifest import an_integer

_P = ParamSpec("_P")
_R = TypeVar("_R")

FOLDER = Path(__file__).parents[2] / "epochs"

_Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
_Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]


class Epoch(BaseModel):
    """The public file of an epoch.

    All fields except ``secret`` are fixed when the file is written; the secret, in hexadecimal
    digits, is added at the reveal. Some fields are hashes: ``resources`` of the resource class (the
    first epochs have none), ``sources`` of the sources of banditgym and agents, ``lock`` of the
    lock file, ``ranges`` of the ranges of settings.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    version: Annotated[Literal[1], BeforeValidator(an_integer)] = 1
    id: _Name
    demonstration: bool
    maintainer: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    suite: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    suite_hash: _Hash
    ranges: _Hash
    sources: _Hash
    lock: _Digest
    secret_sha256: _Digest
    draws: int = Field(ge=1, le=1000)
    replicates: int = Field(ge=1, le=1000)
    committed: date = Field(strict=False)
    closes: date = Field(strict=False)
    reveals: date = Field(strict=False)
    resources: _Hash | None = None
    secret: _Digest | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "Epoch":
        if not self.committed <= self.closes <= self.reveals:
            raise ValueError("an epoch is committed to, then closes, and then is revealed")
        if visible(self.maintainer) != self.maintainer or "\n" in self.maintainer:
            raise ValueError("the maintainer's name is one line without control characters")
        if self.secret is not None and digest(bytes.fromhex(self.secret)) != self.secret_sha256:
            raise ValueError("the secret that it reveals is not the one that it committed to")
        return self

    @property
    def hash(self) -> str:
        """16 hexadecimal digits that identify the commitment; results name their epoch by them."""
        unnamed = {"resources"} if self.resources is None else set()
        text = self.model_dump_json(exclude={"secret"} | unnamed)
        return hashlib.sha256(f"epoch {text}".encode()).hexdigest()[:16]

    @property
    def revealed(self) -> bytes | None:
        """The secret after the reveal, None before."""
        return None if self.secret is None else bytes.fromhex(self.secret)

    def unlocked(self, path: Path) -> bytes:
        """The secret from its file.

        Raises
        ------
        ValueError
            If it is not this epoch's secret, or other users may read its file.
        """
        secret = read_secret(path)
        if digest(secret) != self.secret_sha256:
            raise ValueError(f"{path} does not hold the secret of epoch {self.id}")
        return secret


def load(name_or_path: str | Path) -> Epoch:
    """Read an epoch's file, by its path or by the id of an epoch in ``leaderboards/epochs``.

    Raises
    ------
    ValueError
        If there is no such file, or it breaks a rule.
    """
    path = path_of(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        known = ", ".join(available()) or "none"
        raise ValueError(
            f"there is no epoch {brief(str(name_or_path))}; there are {known}"
        ) from None
    try:
        return Epoch.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{path.name}: {f'{where}: ' if where else ''}{first['msg']}") from None


def available() -> list[str]:
    """The ids of the epochs in ``leaderboards/epochs``."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def path_of(name_or_path: str | Path) -> Path:
    """The file of an epoch; its lock file, ledger and rows are in the same folder."""
    path = Path(name_or_path)
    return path if path.suffix == ".json" else FOLDER / f"{path.name}.json"


def write(epoch: Epoch, path: Path) -> None:
    """Write an epoch's file."""
    whole_files.write(path, json.dumps(epoch.model_dump(mode="json"), indent=1) + "\n")


def digest(secret: bytes) -> str:
    """The hash by which an epoch commits to its secret."""
    return hashlib.sha256(secret).hexdigest()


def alone(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorator: allow one call at a time to work on an epoch, over all processes.

    A call holds a lock on the secret's file, its argument ``secret_path``. The system releases the
    lock however the process ends.
    """
    given = inspect.signature(function)

    @functools.wraps(function)
    def held(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        path = given.bind(*args, **kwargs).arguments["secret_path"]
        try:
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:  # the call itself reports that there is no secret
            return function(*args, **kwargs)
        try:
            portalocker.lock(number, portalocker.LOCK_EX | portalocker.LOCK_NB)
            return function(*args, **kwargs)
        except portalocker.AlreadyLocked:
            raise ValueError(
                f"another command works with the secret {path}: wait until it has ended"
            ) from None
        finally:
            os.close(number)

    return held


def new_secret(path: Path) -> bytes:
    """Draw a secret and write it to a file that only its owner may read.

    Raises
    ------
    ValueError
        If the file exists already, or would be inside a git repository.
    """
    for folder in path.absolute().resolve().parents:
        if (folder / ".git").exists():
            raise ValueError(
                f"{path} lies in the git repository {folder}: a secret is never committed, so "
                "name a file elsewhere"
            )
    secret = secrets.token_bytes(SECRET_BYTES)
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise ValueError(f"the secret cannot be written to {path}: {error.strerror}") from None
    with os.fdopen(number, "w") as file:
        os.fchmod(number, 0o600)  # whatever the umask is
        file.write(secret.hex() + "\n")
    return secret


def read_secret(path: Path) -> bytes:
    """The secret in a file that only its owner may read.

    Raises
    ------
    ValueError
        If there is no secret, or other users may read it.
    """
    try:
        with open(path) as file:
            mode = os.fstat(file.fileno()).st_mode & 0o777
            text = file.read(2 * SECRET_BYTES + 2).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise ValueError(f"the secret {path} cannot be read: {reason}") from None
    if mode & 0o077:
        raise ValueError(f"the secret {path} can be read by others: chmod 600 {path}")
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"{path} holds no secret: {2 * SECRET_BYTES} hexadecimal digits")
    return secret
