"""``banditgym choose``: choose an agent on labelled data of your own."""

from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands.messages_out import interruptible, print_result, prints_aside, say
from leaderboards.commands.options import Agents, Json, StoreFolder, Workers, Yes
from leaderboards.commands.output_paths import check_folder
from leaderboards.defaults import CHOSEN, TRIALS


def choose(
    data: Annotated[
        Path, typer.Argument(help="A CSV or Parquet file; the first line of CSV has the names.")
    ],
    target: Annotated[
        str, typer.Option(help="The column of the labels: classes, or numbers to maximise.")
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="class|number",
            help="How to read the target; by default, text and whole numbers with at most 20 "
            "different values are classes.",
        ),
    ] = None,
    predict: Annotated[
        bool,
        typer.Option(
            help="Numbers: compare agents that predict them, instead of finding the best row."
        ),
    ] = False,
    agent: Agents = None,
    trials: Annotated[
        int,
        typer.Option(help="Settings to try for each agent, defaults included; 1: no tuning."),
    ] = TRIALS,
    seeds: Annotated[int, typer.Option(help="Seeds of the report: 0, 1, ..")] = 30,
    horizon: Annotated[
        int | None,
        typer.Option(help="Rounds per episode; by default half of the rows, at most 1000."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Folder for the agent, trained on all rows, and the encoder of rows."),
    ] = None,
    store: StoreFolder = Path(CHOSEN),
    workers: Workers = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Choose an agent on labelled data: tuned on half of the rows, compared on the others.

    Every row needs its full label, from which the reward of every action follows. A bandit's log
    has no full labels and is refused. If labels are classes, each round shows a row, and the reward
    is 1 for the right class and 0 otherwise. If labels are numbers, the rows are the arms, and the
    number of a row is its reward; with --predict the agents predict the number of each row. Text
    and missing values are encoded, and the output says how.

    The output recommends an agent, and gives 95 % intervals and the time per round. No agent is
    recommended that is not clearly better than always playing the best label. With --save, a
    service loads the agent and the encoder by leaderboards.load_choice(FOLDER). Tuning needs
    the extra [tune]; without it agents play their defaults. You can stop at any time: run it again
    and it continues. Agents are trusted.
    """
    from leaderboards.choosing.bandit_problem import bandit_problem
    from leaderboards.choosing.choose import Choosing
    from leaderboards.choosing.labelled_table import NUMBER, PREDICTED, labelled_table
    from leaderboards.choosing.saved_choice import OF_ARMS
    from leaderboards.console.progress import bar
    from leaderboards.run import sizes

    if not trials >= 1:
        raise ValueError(f"trials must be >= 1, got {trials}")
    if predict and kind not in (None, NUMBER):
        raise ValueError(f"--predict is for numbers: leave out --as {kind}")
    table = labelled_table(data, target, PREDICTED if predict else kind)
    check_folder(store, "--store")
    if save is not None:
        check_folder(save, "--save")
        if table.kind == NUMBER:
            raise ValueError(f"--save: {OF_ARMS}")
    with prints_aside():
        problem = bandit_problem(table, store, seeds, horizon)
        choosing = Choosing(problem, agent, trials, workers)
        if not yes:
            sizes.refuse_long(choosing.seconds)
        with interruptible(store), bar(table.name) as choosing.progress:
            found = choosing.play()
    print_result(as_json, found.plain, found.table, allow_nan=False, indent=1)
    if save is not None:
        found.save(save)
        say(
            f"wrote {save}: leaderboards.load_choice({str(save)!r}) loads the encoder and the agent"
        )
