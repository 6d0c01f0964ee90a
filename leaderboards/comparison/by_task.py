"""`by_task`: the paired table of a comparison on given seeds, which it plays."""

from dataclasses import replace

import pandas as pd

from banditgym.validation import nearest
from leaderboards.comparison.sequential_play import SequentialPlay
from leaderboards.rank.paired_table import check_alpha, table_of
from leaderboards.run.runner import run
from leaderboards.run.sizes import execution_for
from leaderboards.run.store.frame import frame_of
from leaderboards.run.store.store import Store
from leaderboards.suites.seed_ranges import SCORING


def by_task(course: SequentialPlay, against: str, alpha: float) -> pd.DataFrame:
    """A table as that of `leaderboards.rank.paired_table.paired_table`, of new plays.

    Parameters
    ----------
    course : SequentialPlay
        With a number of seeds; those that are in its store are not played again.
    against : str
        One of the contest's agents, as it was named or by its label.
    alpha : float
        The probability that any verdict of the table is wrong is at most this.

    Raises
    ------
    ValueError
        If ``against`` is none of the agents, or an agent fails on a seed.
    """
    check_alpha(alpha)
    contest = course.contest
    labels = {one.about["spec"]: label for label, one in contest.contestants.items()}
    if len(labels) < 2:
        raise ValueError(f"compare at least two different agents, got {', '.join(labels)} twice")
    label = labels.get(against, against)
    if label not in labels.values():
        hint = nearest(against, labels) or f"; they are {', '.join(labels)}"
        raise ValueError(f"--against must be one of the agents, got {against!r}{hint}")
    suite = replace(contest.suite, seeds=tuple(SCORING[: course.most]))
    store = Store(course.until.store)
    execution = execution_for(contest.seconds(course.most), course.workers)
    run(suite, [*labels], store=store, execution=execution, progress=course.progress)
    keys = {
        entrant.row(suite, task).key: label
        for label, entrant in contest.contestants.items()
        for task in suite.tasks
    }
    rows = []
    for row in store.rows(suite.hash):
        name = keys.get(replace(row, seed=-1).key)
        if name is None or row.seed not in suite.seeds:
            continue
        if row.error is not None:
            raise ValueError(f"{name} failed on {row.task}, seed {row.seed}: {row.error}")
        rows.append(replace(row, agent=name))
    return table_of(frame_of(suite, rows), suite.tasks, label, alpha)
