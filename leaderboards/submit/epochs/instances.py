"""The tasks that an epoch plays: draws of each task's settings, each with its own seeds."""

from dataclasses import dataclass, replace

from leaderboards.run.outcomes import make
from leaderboards.submit.epochs import ranges as ranges_of
from leaderboards.submit.epochs.derivation import seed
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.suites.suite import Suite, SuiteTask, load


@dataclass(frozen=True)
class Instances:
    """The instances of an epoch as a suite.

    Attributes
    ----------
    suite : Suite
        Has a task ``NAME/G`` for each draw G of a task. Its seeds are the replicates' numbers
        0, 1, ..; the environments are made with the tasks' hidden seeds. Its hash is the epoch's.
    refused : dict of str to str
        Draws that an environment refuses, with the reason. They are not in the suite.
    of : str
        Name of the suite whose settings were drawn.
    """

    suite: Suite
    refused: dict[str, str]
    of: str

    @property
    def shown(self) -> Suite:
        """The suite without its hidden seeds, for boards and all other output."""
        return replace(
            self.suite, tasks=tuple(replace(task, hidden=()) for task in self.suite.tasks)
        )

    def seed_hex(self, task: str, index: int) -> str:
        """The environment's seed for a row of results: 32 hexadecimal digits.

        Raises
        ------
        ValueError
            If there is no such replicate.
        """
        for own in self.suite.tasks:
            if own.name == task and 0 <= index < len(own.hidden):
                return f"{own.hidden[index]:032x}"
        raise ValueError(f"the epoch has no replicate {index} of {task!r}, which a row names")


def instances(epoch: Epoch, secret: bytes) -> Instances:
    """Draw the instances of an epoch.

    Replicate j of draw g of a task has the index ``g * epoch.replicates + j``.

    Raises
    ------
    ValueError
        If the suite or its ranges differ from those that the epoch names.
    """
    suite = load(epoch.suite)
    ranges = ranges_of.load(suite, ranges_of.path_of(epoch.suite))
    for what, here, named in (
        ("suite", suite.hash, epoch.suite_hash),
        ("ranges", ranges.hash, epoch.ranges),
    ):
        if here != named:
            raise ValueError(f"epoch {epoch.id} is of {what} {named}, and here they are {here}")
    if epoch.resources is not None and epoch.resources != getattr(suite.resources, "hash", None):
        raise ValueError(
            f"epoch {epoch.id} is of another resource class than {suite.name} has here"
        )
    tasks: list[SuiteTask] = []
    refused: dict[str, str] = {}
    for task in suite.tasks:
        for draw in range(epoch.draws) if task.name in ranges.tasks else ():
            first = draw * epoch.replicates
            drawn = ranges.draw(secret, task.name, draw)
            instance = replace(
                task,
                name=f"{task.name}/{draw}",
                settings=ranges_of.applied(task.settings, drawn),
                hidden=tuple(
                    seed(secret, suite.hash, task.name, index)
                    for index in range(first, first + epoch.replicates)
                ),
            )
            try:
                make(instance, 1)
            except ValueError as error:
                refused[instance.name] = str(error)
            else:
                tasks.append(instance)
    title = f"Epoch {epoch.id}: {epoch.suite} on held-out seeds and settings"
    drawn_suite = Suite(
        name=epoch.id,
        title=title + (" (a demonstration)" if epoch.demonstration else ""),
        seeds=tuple(range(epoch.replicates)),
        tasks=tuple(tasks),
        hash=epoch.hash,
        n_seeds=epoch.replicates,
        resources=suite.resources,
    )
    return Instances(drawn_suite, refused, epoch.suite)
