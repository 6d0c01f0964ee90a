"""``banditgym compare``: compare agents pair by pair, on given seeds or until it is decided."""

from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands import options
from leaderboards.commands.given_settings import settings_of
from leaderboards.commands.messages_out import interruptible, print_result, prints_aside, say
from leaderboards.commands.output_paths import check_table, give_table
from leaderboards.defaults import STORE

ALPHA = 0.05


def compare(
    agents: Annotated[
        list[str],
        typer.Argument(help="Two agents or more, such as LinUCB 'LinUCB(alpha=0.5)' mine.py:Mine."),
    ],
    on: Annotated[
        str,
        typer.Option(help="An environment, a shipped suite, or the path of a suite's TOML file."),
    ],
    until_decided: Annotated[
        bool,
        typer.Option("--until-decided", help="Play seeds until every pair is decided."),
    ] = False,
    margin: Annotated[
        float,
        typer.Option(
            help="Agents are equivalent if neither mean regret exceeds the other by a larger share."
        ),
    ] = 0.1,
    budget: Annotated[int, typer.Option(help="Largest number of seeds.")] = 1000,
    seeds: Annotated[
        int | None,
        typer.Option(help="Without --until-decided: number of seeds, 0, 1, ..; by default 20."),
    ] = None,
    per_task: Annotated[
        bool,
        typer.Option("--per-task", help="A table by task, of every agent beside one of them."),
    ] = False,
    against: Annotated[
        str | None, typer.Option(help="With --per-task: that agent; by default the first.")
    ] = None,
    alpha: options.Alpha = ALPHA,
    out: options.TableFile = None,
    settings: options.Settings = None,
    horizon: options.Horizon = None,
    store: options.StoreFolder = Path(STORE),
    workers: options.AtOnce = None,
    trust: options.Trust = False,
    yes: options.Yes = False,
    as_json: options.Json = False,
) -> None:
    """Compare agents pair by pair: which is better, or are they equivalent?

    Without --until-decided, the command plays the given seeds and says what they decide and how
    many more seeds would. With --until-decided, seeds are played in order, in batches of 16, 32,
    .., until every pair is decided. One agent is "better" once a confidence sequence of the mean
    difference in regret excludes 0. Two are "equivalent" once it is shown that neither one's mean
    regret exceeds the other's by more than the margin, 10 % by default. You may stop at any time
    and run it again. The probability of a wrong verdict stays below 5 %, for all pairs of one call
    together.

    With --per-task, the given seeds of each task are played, and a table says on which tasks the
    agents are better or worse than one of them, as leaderboard pairs does. At most one table in
    twenty (--alpha) has a wrong verdict.

    With one worker, agents play in this process and are trusted.
    """
    from leaderboards.comparison.by_task import by_task
    from leaderboards.comparison.contest import contest_of
    from leaderboards.comparison.sequential_play import SEEDS, SequentialPlay, Until
    from leaderboards.console.progress import bar
    from leaderboards.run import sizes

    if until_decided and seeds is not None:
        raise ValueError("--until-decided plays as many seeds as it takes: drop --seeds")
    if until_decided and per_task:
        raise ValueError("--per-task is a table of given seeds: drop --until-decided")
    if not per_task and (against is not None or out is not None or alpha != ALPHA):
        raise ValueError("--against, --alpha and --out are of the table by task: add --per-task")
    check_table(out)
    until = Until(margin=margin, budget=budget, store=store)
    given = None if until_decided else SEEDS if seeds is None else seeds
    course = found = table = None
    with interruptible(store):
        try:
            with prints_aside(), bar(on) as progress:
                chosen = settings_of(settings or [])
                contest = contest_of(on, agents, horizon=horizon, settings=chosen, trust=trust)
                course = SequentialPlay(contest, until, given, workers, progress, say)
                if not yes:
                    sizes.refuse_long(contest.seconds(course.most))
                if not per_task:
                    found = course.play()
                else:
                    table = by_task(course, against or agents[0], alpha)
        except KeyboardInterrupt:
            found = course.found() if course and not per_task else None
            raise
        finally:
            if found is not None:
                print_result(as_json, found.plain, found.table, allow_nan=False, indent=1)
    if table is not None:
        for note in contest.notes:
            say(note)
        if as_json:
            print(table.to_json(orient="records", double_precision=15))
        else:
            give_table(table, out)
