"""The tasks that an epoch plays: draws of each task's settings, each with its own seeds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaderboards.run.entrants import Entrant
from leaderboards.run.outcomes import make
from leaderboards.run.store.row_schema import Row
from leaderboards.submit.epochs import ranges as ranges_of
from leaderboards.submit.epochs.derivation import seed
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.ranges import Ranges
from leaderboards.suites.suite import Suite, SuiteTask, load


@dataclass(frozen=True)
class Instances:
    """The instances of an epoch as a suite.

    Attributes
    ----------
    suite : Suite
        Has a task ``NAME/G`` for each draw G of a task. Its seeds are the replicates' numbers
        0, 1, ..; the environments are made with the tasks' hidden seeds. Its hash is the epoch's.
    refused : tuple of (SuiteTask, str)
        Draws that an environment refuses, with the reason. They are not in the suite.
    """

    suite: Suite
    refused: tuple[tuple[SuiteTask, str], ...]

    @property
    def shown(self) -> Suite:
        """The suite without its hidden seeds, for boards and all other output."""
        tasks = tuple(replace(task, hidden=()) for task in self.suite.tasks)
        return replace(self.suite, tasks=tasks)

    def refusals(self, families: Sequence[str], about: Entrant) -> list[Row]:
        """A row for each draw that its environment refuses, in the families an agent plays."""
        return [
            replace(
                about.row(self.suite, task),
                error=f"the environment refuses this draw: {reason}",
                refused=True,
            )
            for task, reason in self.refused
            if task.family in families
        ]

    def seed_hex(self, task: str, index: int) -> str:
        """The environment's seed for a row of results: 32 hexadecimal digits.

        Raises
        ------
        ValueError
            If there is no such replicate.
        """
        for one in self.suite.tasks:
            if one.name == task and 0 <= index < len(one.hidden):
                return f"{one.hidden[index]:032x}"
        raise ValueError(f"the epoch has no replicate {index} of {task!r}, which a row names")


def instances(epoch: Epoch, secret: bytes) -> Instances:
    """Draw the instances of an epoch.

    Replicate j of draw g of a task has the index ``g * epoch.replicates + j``.

    Raises
    ------
    ValueError
        If the suite or its ranges differ from those that the epoch names.
    """
    suite, ranges = of_epoch(epoch)
    tasks, refused = drawn(suite, ranges, secret, draws=epoch.draws, replicates=epoch.replicates)
    title = f"Epoch {epoch.id}: {epoch.suite} on held-out seeds and settings"
    drawn_suite = Suite(
        name=epoch.id,
        title=title + (" (a demonstration)" if epoch.demonstration else ""),
        seeds=tuple(range(epoch.replicates)),
        tasks=tasks,
        hash=epoch.hash,
        n_seeds=epoch.replicates,
        resources=suite.resources,
    )
    return Instances(drawn_suite, refused)


def drawn(
    suite: Suite, ranges: Ranges, secret: bytes, *, draws: int, replicates: int
) -> tuple[tuple[SuiteTask, ...], tuple[tuple[SuiteTask, str], ...]]:
    """Draw the instances of a suite's tasks that have ranges.

    Returns
    -------
    tuple of SuiteTask
        ``NAME/G`` for each draw G of a task, with the hidden seeds of its replicates.
    tuple of (SuiteTask, str)
        Draws that an environment refuses, with the reason.
    """
    tasks: list[SuiteTask] = []
    refused: list[tuple[SuiteTask, str]] = []
    for task in suite.tasks:
        for draw in range(draws) if task.name in ranges.tasks else ():
            settings = ranges.draw(secret, task.name, draw)
            instance = replace(
                task,
                name=f"{task.name}/{draw}",
                settings=ranges_of.applied(task.settings, settings),
                hidden=tuple(
                    seed(secret, suite.hash, task.name, index)
                    for index in range(draw * replicates, (draw + 1) * replicates)
                ),
            )
            try:
                make(instance, 1)
            except ValueError as error:
                refused.append((instance, str(error)))
            else:
                tasks.append(instance)
    return tuple(tasks), tuple(refused)


def of_epoch(epoch: Epoch) -> tuple[Suite, Ranges]:
    """The suite of an epoch and its ranges.

    Raises
    ------
    ValueError
        If they, or the suite's resources, differ from those that the epoch names.
    """
    suite = load(epoch.suite)
    ranges = ranges_of.load(suite, ranges_of.path_of(epoch.suite))
    resources = getattr(suite.resources, "hash", None) if epoch.resources else None
    for what, here, named in (
        ("suite", suite.hash, epoch.suite_hash),
        ("ranges", ranges.hash, epoch.ranges),
        ("resource class", resources, epoch.resources),
    ):
        if here != named:
            raise ValueError(f"epoch {epoch.id} is of {what} {named}, and here it is {here}")
    return suite, ranges
