"""What can be judged: a ranking of core-v3, or one of its tasks, on instances drawn from a secret.

Instances are drawn as those of an epoch are, from the same ranges. Tasks on public data are left
out, because their labels are known.
"""

import functools
from dataclasses import replace

from banditgym.validation import nearest
from leaderboards.submit.epochs import instances
from leaderboards.submit.epochs import ranges as ranges_of
from leaderboards.submit.epochs.derivation import SECRET_BYTES
from leaderboards.submit.epochs.ranges import Ranges
from leaderboards.suites.suite import Suite, load

SUITE = "core-v3"
DRAWS, REPLICATES = 3, 10  # thirty instances of each task
PUBLIC = bytes(SECRET_BYTES)  # the secret of the public instances


@functools.cache
def chosen(name: str) -> tuple[Suite, Ranges]:
    """The tasks of a ranking of core-v3, or one task, and their ranges.

    Raises
    ------
    ValueError
        If there is no such ranking or task; the message names all.
    """
    suite = load(SUITE)
    ranges = ranges_of.load(suite, ranges_of.path_of(SUITE))
    drawn = [task for task in suite.tasks if task.name in ranges.tasks]
    tasks = tuple(task for task in drawn if name in (task.ranking, task.name))
    if not tasks:
        known = [task.ranking for task in drawn] + [task.name for task in drawn]
        names = list(dict.fromkeys(known))
        raise ValueError(
            f"there is no task {name!r}{nearest(name, names)}; there are {', '.join(names)}"
        )
    return replace(suite, tasks=tasks), ranges


def drawn(name: str, secret: bytes) -> Suite:
    """The instances of a task: a suite with a task for each draw of settings, and hidden seeds."""
    suite, ranges = chosen(name)
    tasks, _ = instances.drawn(suite, ranges, secret, draws=DRAWS, replicates=REPLICATES)
    seeds = tuple(range(REPLICATES))
    return replace(suite, tasks=tasks, seeds=seeds, n_seeds=REPLICATES, baselines={})
