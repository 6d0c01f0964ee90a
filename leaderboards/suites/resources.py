"""The resource class of a suite: what an agent may use in the sandbox.

It is in ``NAME.resources.toml`` beside the suite, and is not part of the suite's hash: without
faults no score depends on it. Suites without such a file have the class of core-v2.
"""

import hashlib
import json
import tomllib
from dataclasses import asdict
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

BESIDE = ".resources"  # suffix of the file's name
_STANDARD = Path(__file__).parent / f"core-v2{BESIDE}.toml"


@dataclass(frozen=True, kw_only=True, config=ConfigDict(strict=True, extra="forbid"))
class Resources:
    """A resource class.

    Attributes
    ----------
    cpu_per_round : float
        Seconds of CPU time per round and replicate, averaged over an episode and summed over
        threads. Imports, ``reset`` and the warm-up are not counted.
    answer, wall : float
        Seconds of CPU time and of wall-clock time that the answer to one message may take.
    start, start_wall : float
        The same for imports, for ``reset``, and for each message of the warm-up.
    memory : int
        MiB of address space.
    """

    cpu_per_round: float = Field(gt=0, allow_inf_nan=False)
    answer: float = Field(gt=0, allow_inf_nan=False)
    wall: float = Field(gt=0, allow_inf_nan=False)
    start: float = Field(gt=0, allow_inf_nan=False)
    start_wall: float = Field(gt=0, allow_inf_nan=False)
    memory: int = Field(ge=512)

    @property
    def hash(self) -> str:
        """16 hexadecimal digits that identify the class."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(f"resources {text}".encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return (
            f"one core, {self.cpu_per_round * 1000:g} ms of CPU time a round and replicate on "
            f"average, {self.answer:g} s an answer ({self.wall:g} s wall-clock), {self.start:g} s "
            f"({self.start_wall:g} s) for imports and for reset; {self.memory} MiB of memory"
        )


def path_of(suite: Path) -> Path:
    """The file of the class beside a suite's file; it need not exist."""
    return suite.with_name(f"{suite.stem}{BESIDE}.toml")


def of_suite(path: Path) -> Resources:
    """The class of a suite, from the file beside the suite's file.

    Raises
    ------
    ValueError
        If the file breaks a rule; the message names the file and the rule.
    """
    return of_file(path_of(path) if path_of(path).exists() else _STANDARD)


def of_file(file: Path) -> Resources:
    """The class in a file, see `of_suite`."""
    try:
        return Resources(**tomllib.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{file.name}: {where}: {first['msg']}") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ValueError(f"{file.name} cannot be read: {reason}") from None
