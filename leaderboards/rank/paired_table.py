"""`paired_table`: every agent of a suite against one of them, task by task, on the same seeds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from banditgym.measures import higher_is_better
from banditgym.validation import nearest
from leaderboards.defaults import SUITE
from leaderboards.rank.interval_estimates import mean_interval
from leaderboards.run.store.frame import load_results
from leaderboards.suites.suite import SuiteTask, load

ALPHA = 0.05
COLUMNS = ["task", "agent", "measure", "seeds", "difference", "low", "high", "verdict"]


def paired_table(
    against: str,
    suite: str | Path = SUITE,
    store: str | Path | None = None,
    *,
    tuned: bool = False,
    alpha: float = ALPHA,
) -> pd.DataFrame:
    """Who is better or worse than an agent, on which tasks.

    Parameters
    ----------
    against : str
        The label of an agent in the results, such as ``"LinUCB"``.
    suite, store, tuned
        Which results, as ``load_results`` takes them.
    alpha : float
        The probability that *any* verdict of the table is wrong is at most this: the intervals
        have the level 1 - alpha / m, for the m pairs of the table (Bonferroni).

    Returns
    -------
    pandas.DataFrame
        One line per task and agent: ``difference`` is the mean over the seeds that both played of
        the agent's measure minus that of ``against``, between the limits ``low`` and ``high`` of
        Student's t interval. ``verdict`` is "better" or "worse" if the interval excludes 0, and
        else "undecided". References, and agents that refused a task, are left out.

    Raises
    ------
    ValueError
        If there are no results, none of the agent, or alpha is not within 0 and 1.

    Examples
    --------
    >>> table = paired_table("KLUCB", "armed-v2")  # doctest: +SKIP
    >>> print(table[table["verdict"] == "better"].to_latex(index=False))  # doctest: +SKIP
    """
    check_alpha(alpha)
    found = load(suite)
    results = load_results(suite, store, tuned=tuned)
    results = results.loc[~results["reference"] & results["round"].notna()]
    labels = sorted(set(results["agent"]))
    if against not in labels:
        hint = nearest(against, labels) or f"; there are {', '.join(labels)}"
        raise ValueError(f"there are no results of {against!r} on {found.name}{hint}")
    return table_of(results, found.tasks, against, alpha)


def check_alpha(alpha: float) -> None:
    """Refuse an alpha that is no probability between 0 and 1."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha!r}")


def table_of(
    results: pd.DataFrame, tasks: Sequence[SuiteTask], against: str, alpha: float
) -> pd.DataFrame:
    """The paired table of a frame of results: one line per episode, without references."""
    differences = []
    for task in tasks:
        on_task = results[results["task"] == task.name]
        finals = {
            agent: rows.set_index("seed")[task.measure] for agent, rows in on_task.groupby("agent")
        }
        if against in finals:
            for agent in finals.keys() - {against}:
                apart = (finals[agent] - finals[against]).dropna()
                if len(apart):
                    differences.append((task, agent, apart.to_numpy(float)))
    lines = [
        _line(task.name, task.measure, agent, apart, 1 - alpha / len(differences))
        for task, agent, apart in differences
    ]
    order = {task.name: place for place, task in enumerate(tasks)}
    lines.sort(key=lambda line: (order[line["task"]], _rank(line)))
    return pd.DataFrame(lines, columns=COLUMNS)


def as_text(table: pd.DataFrame, kind: str) -> str:
    """The table as ``"md"``, ``"csv"`` or ``"tex"``; Markdown and LaTeX have four digits."""
    if kind == "csv":
        return table.to_csv(index=False)
    if kind == "tex":
        return table.to_latex(index=False, float_format="%.4g", escape=True)
    cells = [COLUMNS, ["---"] * len(COLUMNS)]
    cells += [
        [f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in line]
        for line in table.itertuples(index=False)
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _line(task: str, measure: str, agent: str, apart: np.ndarray, level: float) -> dict[str, Any]:
    value, low, high = map(float, mean_interval(apart, level=level))
    verdict = "undecided"
    if low > 0 or high < 0:
        verdict = "better" if (low > 0) == higher_is_better(measure) else "worse"
    numbers = (task, agent, measure, len(apart), value, low, high, verdict)
    return dict(zip(COLUMNS, numbers, strict=True))


def _rank(line: dict[str, Any]) -> float:
    """The best agents first."""
    sign = -1 if higher_is_better(line["measure"]) else 1
    return sign * line["difference"]
