"""``banditgym tune``: search settings of agents for a suite, and score them on its seeds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaderboards.commands.messages_out import interruptible, print_result, prints_aside
from leaderboards.commands.options import Json, Trust, Workers, Yes
from leaderboards.commands.output_paths import refuse_file
from leaderboards.defaults import SUITE, TRIALS, TUNED

if TYPE_CHECKING:
    from rich.console import Group

    from leaderboards.suites.suite import Suite


def tune(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT] [SUITE]",
            help="An agent, such as LinUCB or 'mine.py:Mine', and a suite; or a suite alone, to "
            "tune all of its ranked agents.",
            show_default=False,
        ),
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="Only the suite's tasks of this family.")
    ] = None,
    trials: Annotated[
        int, typer.Option(help="Settings to try for each agent and family, the defaults included.")
    ] = TRIALS,
    store: Annotated[
        Path, typer.Option("--store", help="Folder of journals, settings and results.")
    ] = Path(TUNED),
    workers: Workers = None,
    trust: Trust = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Search the best setting of agents for each family of a suite, and score it.

    Every agent has one setting per family. Optuna searches it on seeds that are never scored, and
    it is kept only if it beats the defaults on further such seeds. Then the setting and the
    defaults play the suite's own seeds. You can stop at any time: run it again and it continues.
    Agents are trusted.
    """
    from leaderboards.console.progress import bar
    from leaderboards.run import sizes
    from leaderboards.run.execution import Execution
    from leaderboards.tuning.tune import planned, seconds_of
    from leaderboards.tuning.tune import tune as search
    from leaderboards.tuning.tuning_tasks import tuning_tasks

    agents, suite = _agents_and_suite(names or [])
    refuse_file(store, "--store")
    with prints_aside():
        tasks = tuning_tasks(suite, trust=trust)
        if not yes:
            todo = planned(tasks, agents, family)
            sizes.refuse_long(seconds_of(tasks, todo, trials))
        with interruptible(store, "trials"), bar(tasks.suite.name) as progress:
            found = search(
                tasks,
                agents,
                store,
                family=family,
                trials=trials,
                execution=Execution(workers=workers),
                progress=progress,
            )
    print_result(
        as_json,
        lambda: [one.plain() for one in found],
        lambda: _table(tasks.suite, store, {one.family for one in found}),
        indent=1,
    )


def _agents_and_suite(names: list[str]) -> tuple[list[str] | None, str]:
    """The agents that arguments name, None for all, and the suite."""
    from banditgym.files.class_paths import names_own
    from leaderboards.suites.suite import available

    if len(names) > 2:
        raise ValueError(f"name an agent and a suite, or a suite alone, got {' '.join(names)}")
    if len(names) == 2:
        return [names[0]], names[1]
    suite = names[0] if names else SUITE
    if suite in available() or suite.endswith(".toml"):
        return None, suite
    if ":" in suite or names_own(suite):
        from agents.naming import named

        if ":" in suite or suite.partition("(")[0] in named():
            raise ValueError(f"name the suite too: banditgym tune {suite} {SUITE}")
    return None, suite  # loading it says what there is


def _table(suite: "Suite", store: Path, families: set[str]) -> "Group":
    """The folder's results on some families: defaults, and tuned settings below them."""
    from leaderboards import report
    from leaderboards.rank.board import build
    from leaderboards.rank.tuned import with_tuned
    from leaderboards.run.keys.sources import current
    from leaderboards.tuning.tune import read, rows_of

    found = [one for one in read(store) if one.family in families]
    names = {task.name for task in suite.tasks if task.family in families}
    rows, _ = current(suite, rows_of(store, suite))
    rows = [row for row in rows if row.task in names]
    settings = {one.tuned for one in found if one.setting}
    board = build(suite, [row for row in rows if row.spec not in settings], compared=False)
    return report.terminal(with_tuned(board, rows, found))
