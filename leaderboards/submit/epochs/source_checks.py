"""Checks of an epoch's sources and packages, and the store of its rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from banditgym.compiled.cache import source_hash
from leaderboards.run.entrants import Entrant
from leaderboards.run.store.row_schema import Row
from leaderboards.submit.epochs import lock as locks
from leaderboards.submit.epochs.auditing import lock_of
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.instances import Instances
from leaderboards.suites.suite import Suite, load


def check_frozen(path: Path, epoch: Epoch) -> None:
    """Check that sources and packages here are those that the epoch committed to."""
    if source_hash() != epoch.sources:
        raise ValueError(
            f"epoch {epoch.id} was committed to with sources {epoch.sources}, and here they are "
            f"{source_hash()}: check out the version that it names"
        )
    lock = lock_of(path)
    if locks.digest(lock) != epoch.lock:
        raise ValueError(f"{lock.name} is not the lock file that epoch {epoch.id} names")
    if differ := locks.differences(lock):
        raise ValueError(
            f"the packages here are not those of {lock.name}: {'; '.join(differ[:5])}; install "
            f"them with pip install --require-hashes -r {lock}"
        )


def refused_draws(
    drawn: Instances, suite: Suite, families: Sequence[str], about: Entrant
) -> list[Row]:
    """A row for each draw that the environment refuses, in the families that an agent plays."""
    tasks = {task.name: task for task in load(drawn.of).tasks}
    return [
        replace(
            about.row(suite, replace(tasks[name.partition("/")[0]], name=name)),
            error=f"the environment refuses this draw: {reason}",
            refused=True,
        )
        for name, reason in drawn.refused.items()
        if tasks[name.partition("/")[0]].family in families
    ]


def store_of(secret: Path) -> Path:
    """The default folder of rows until the reveal: beside the secret."""
    return secret.with_name(f"{secret.name}.results")
