"""`load_results`: stored results as a frame."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from banditgym.files.class_paths import ROOT
from leaderboards.defaults import SUITE
from leaderboards.run.keys.sources import current
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import Suite, load

PUBLISHED = ROOT / "leaderboards" / "results"  # not in the wheel


def load_results(
    suite: str | Path = SUITE,
    store: str | Path | None = None,
    *,
    curves: bool = False,
    tuned: bool = False,
) -> pd.DataFrame:
    """The results of a suite as a frame.

    Parameters
    ----------
    suite : str or Path
        The name of a shipped suite, or the path of a TOML file.
    store : str or Path, optional
        A folder that ``banditgym leaderboard run`` wrote. By default the published results, which
        are in a checkout and not in the wheel. Of an agent that was played by several versions of
        its code, a folder's newest rows count.
    curves : bool
        A line for each round that was kept, else one for each episode, with its last round.
    tuned : bool
        The results with tuned settings in place of those with defaults.

    Returns
    -------
    pandas.DataFrame
        One line per episode, with columns ``suite``, ``task``, ``agent`` (its label), ``spec`` (the
        text that names it), ``hyperparameters`` (JSON), ``seed``, ``round``, a column for each
        measure (cumulative up to that round; NaN where the task has no such measure),
        ``environment_seconds`` and ``agent_seconds`` (CPU seconds per round of one replicate),
        ``bytes`` (of the agent's state per replicate), ``reference`` (whether it has full
        information), ``refused`` and ``reason``. An agent that refuses a task has one line there,
        with the seed -1 and its reason, and an episode that failed has the error as its reason.

    Raises
    ------
    ValueError
        If there is no such suite, or there are no results of it.

    Examples
    --------
    >>> results = load_results("armed-v2", tuned=True)  # doctest: +SKIP
    >>> results.groupby(["task", "agent"])["regret"].mean()  # doctest: +SKIP
    """
    found = load(suite)
    folder = PUBLISHED if store is None else Path(store)
    if (folder / found.name).is_dir():
        folder = folder / found.name
    if tuned:
        folder = folder / "tuned"
    rows = Store(folder).rows(found.hash) if folder.is_dir() else []
    if not rows:
        raise ValueError(
            f"{folder} has no results of {found.name}{_remedy(str(suite), store, tuned)}"
        )
    if store is not None:  # which may also have rows of earlier code
        rows, _ = current(found, rows)
    return frame_of(found, rows, curves)


def frame_of(suite: Suite, rows: Sequence[Row], curves: bool = False) -> pd.DataFrame:
    """The frame of some of a suite's rows, as ``load_results`` describes it."""
    records = [record for row in rows for record in _records(row, suite.name, curves)]
    return pd.DataFrame.from_records(records, columns=_columns(rows))


def _remedy(suite: str, store: str | Path | None, tuned: bool) -> str:
    if store is None and not PUBLISHED.is_dir():
        return ": they are published in the repository, not in the wheel; give a folder as store"
    if tuned:
        return " with tuned settings: leave out tuned"
    return f": banditgym leaderboard run {suite} writes them; give its folder as store"


def _columns(rows: Iterable[Row]) -> list[str]:
    measures = {name: None for row in rows for name in row.measures or ()}
    return [
        *("suite", "task", "agent", "spec", "hyperparameters", "seed", "round"),
        *measures,
        *("environment_seconds", "agent_seconds", "bytes", "reference", "refused", "reason"),
    ]


def _records(row: Row, suite: str, curves: bool) -> Iterator[dict[str, Any]]:
    """One record per kept round, or that of the last one."""
    of_environment, of_agent = row.seconds or (None, None)
    about = {
        "suite": suite,
        "task": row.task,
        "agent": row.agent,
        "spec": row.spec,
        "hyperparameters": json.dumps(row.hyperparameters, sort_keys=True),
        "seed": row.seed,
        "environment_seconds": of_environment,
        "agent_seconds": of_agent,
        "bytes": row.bytes,
        "reference": row.full_information,
        "refused": row.refused,
        "reason": row.error,
    }
    if row.rounds is None or row.measures is None:
        yield about
        return
    for i in range(len(row.rounds)) if curves else (len(row.rounds) - 1,):
        numbers = {name: curve[i] for name, curve in row.measures.items()}
        yield about | {"round": row.rounds[i]} | numbers
