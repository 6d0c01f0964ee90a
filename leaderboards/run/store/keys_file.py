"""The keys of packed results, in a file beside them.

Published numbers stay, but their keys change when the code that computes the same numbers does.
``NAME.keys.json`` has the keys of ``NAME.jsonl.gz``, by agent and by task, so that new keys are one
small file. The rows themselves have none.
"""

import json
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from banditgym.files import whole_files
from leaderboards.run.store.row_schema import Row

_PACKED, _ENDING = ".jsonl.gz", ".keys.json"


def path_of(packed: Path) -> Path:
    """The file of keys of a file of packed results."""
    return packed.with_name(packed.name.removesuffix(_PACKED) + _ENDING)


def reader(packed: Path) -> Callable[[Row], None]:
    """What gives a row of the file its keys: those of the file of keys, if there is one.

    Warns
    -----
    UserWarning
        If the file of keys cannot be read; rows then have no keys.
    """
    path = path_of(packed)
    if not packed.name.endswith(_PACKED) or not path.is_file():
        return lambda row: None
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        agents, tasks = dict(known["agents"]), dict(known["tasks"])
        if not all(type(key) is str for key in [*agents.values(), *tasks.values()]):
            raise ValueError("a key is no text")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        warnings.warn(f"the keys {path} cannot be read: {type(error).__name__}: {error}")
        return lambda row: None

    def give(row: Row) -> None:
        vars(row).update(
            sources=agents.get(row.spec, row.sources),
            environment=tasks.get(row.task, row.environment),
        )

    return give


def apart(rows: Iterable[Row]) -> tuple[list[Row], dict[str, dict[str, str]]]:
    """Rows without keys, and their keys by agent and by task.

    Raises
    ------
    ValueError
        If an agent's or a task's rows have several keys.
    """
    rows = list(rows)
    agents, tasks = {}, {}
    for row in rows:
        for known, name, key in (
            (agents, row.spec, row.sources),
            (tasks, row.task, row.environment),
        ):
            if known.setdefault(name, key) != key:
                raise ValueError(f"the rows of {name} have several keys: {known[name]}, {key}")
    bare = [replace(row, sources="", environment="") for row in rows]
    return bare, {"agents": dict(sorted(agents.items())), "tasks": dict(sorted(tasks.items()))}


def write(packed: Path, keys: dict[str, dict[str, str]]) -> None:
    """Write the file of keys of a file of packed results."""
    whole_files.write(path_of(packed), json.dumps(keys, indent=1, ensure_ascii=False) + "\n")
