"""``banditgym leaderboard``: run, show, pairs, report and baselines.

Each command imports the slow modules that it needs.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaderboards.commands import options
from leaderboards.commands.messages_out import (
    display,
    display_above,
    interruptible,
    is_watched,
    prints_aside,
    say,
)
from leaderboards.commands.output_paths import check_table, give_table, make_folder, refuse_file
from leaderboards.defaults import LIMIT, STORE, SUITE

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from leaderboards.rank.board import Board
    from leaderboards.run.confinement import Confinement
    from leaderboards.suites.suite import Suite

REPORT = "banditgym-report"
TunedFolder = Annotated[
    Path | None,
    typer.Option("--tuned", help="Folder of banditgym tune, for a second column: tuned settings."),
]
LOKY = "loky"  # the default executor
FULL = "full"  # the default of --sandbox; ``sandbox.isolation`` is slow to import

app = options.group("Score agents on a suite and show how they compare.")


@app.command("run")
def run(
    context: typer.Context,
    suite: options.SuiteName = SUITE,
    agent: options.Agents = None,
    seeds: Annotated[int | None, typer.Option(help="Only the suite's first N seeds.")] = None,
    store: options.StoreFolder = Path(STORE),
    workers: options.Workers = None,
    threads: options.Threads = None,
    limit: Annotated[
        float,
        typer.Option(help="CPU seconds allowed per cell and thread; by the clock, ten times that."),
    ] = LIMIT,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process", help="Play in this process: agents are trusted, no limit stops them."
        ),
    ] = False,
    executor: Annotated[
        str,
        typer.Option(
            help="Where cells are played. loky: processes; dask: dask's workers on this machine; "
            "dask:ADDRESS: a cluster, by its scheduler (HOST:PORT, tcp://.., tls://.. or a file)."
        ),
    ] = LOKY,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Play agents in the sandbox, isolated from the judge."),
    ] = False,
    isolation: Annotated[
        str,
        typer.Option(help="Isolation of the sandbox: full, or process (your user, no bubblewrap)."),
    ] = FULL,
    audit: options.Audit = False,
    traceback: options.Traceback = False,
    trust: options.Trust = False,
    yes: options.Yes = False,
    as_json: options.Json = False,
) -> None:
    """Play what is missing in the store, and show the leaderboard.

    Without --agent, the agents that the suite lists play, or else every agent of this package, on
    the tasks that they can play. A cell is one agent on one task for some of its seeds. You can
    stop at any time: run it again and it continues. In a terminal, each family's table is shown
    as soon as it is complete.
    """
    fresh = sandbox and isolation == FULL
    if fresh:
        context.with_resource(options.nothing_from_here())
        context.with_resource(options.fresh_caches())
    with interruptible(store), prints_aside():  # with --in-process agents print here
        from leaderboards.console.progress import bar
        from leaderboards.run import runner, sizes
        from leaderboards.run.execution import Execution
        from leaderboards.run.store.store import Store

        chosen = _load(suite, seeds, trust)
        confinement = _confinement(sandbox, isolation, audit)
        if not yes:
            sizes.refuse_long(sizes.of_suite(chosen, agent))
        opened = _executor(executor, chosen, agent, workers, in_process, confinement)
        with bar(chosen.name, kept=not fresh) as progress:
            done = runner.run(
                chosen,
                agent,
                store=Store(store),
                execution=Execution(
                    workers=1 if in_process else workers,
                    threads=threads,
                    limit=limit,
                    executor=opened,
                ),
                confinement=confinement,
                progress=progress,
                tell=say if traceback else lambda text: None,
                ranked=partial(_preview, chosen, store),
            )
    if done.failed:
        say(
            f"{done.failed} results in {store} failed twice; they are tried again only with "
            "another --store or after a change of sources"
        )
    if agent and not (done.baselines or done.cells or done.finished):
        raise ValueError(
            f"no agent named with --agent plays a task of {chosen.name}; banditgym list agents "
            "shows what each plays"
        )
    _show(_load(suite, seeds, trust), store, as_json)


@app.command("show")
def show(
    suite: options.SuiteName = SUITE,
    store: options.StoreFolder = Path(STORE),
    tuned: TunedFolder = None,
    trust: options.Trust = False,
    as_json: options.Json = False,
) -> None:
    """Show the results in the store; nothing is played."""
    _show(_load(suite, trust=trust), store, as_json, tuned)


@app.command("pairs")
def pairs(
    against: Annotated[str, typer.Option(help="Label of the agent that the others are beside.")],
    suite: options.SuiteName = SUITE,
    store: options.StoreFolder = Path(STORE),
    alpha: options.Alpha = 0.05,
    out: options.TableFile = None,
) -> None:
    """Say which agents are better or worse than one, on which tasks; nothing is played.

    Differences are paired by seeds. Their intervals hold for all pairs of the table together.
    """
    from leaderboards.rank.paired_table import paired_table

    check_table(out)
    give_table(paired_table(against, suite, store, alpha=alpha), out)


@app.command("report")
def report(
    suite: options.SuiteName = SUITE,
    store: options.StoreFolder = Path(STORE),
    tuned: TunedFolder = None,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(REPORT),
    picture: Annotated[str, typer.Option(help="Format of the curves: png, pdf or svg.")] = "png",
    x_scale: options.XScale = None,
    y_scale: options.YScale = None,
    label: options.Labels = None,
    colour: options.Colours = None,
    trust: options.Trust = False,
) -> None:
    """Write leaderboard.md, .csv and .json, curves.png, front.svg and index.html.

    The front shows scores against time and memory. For a suite with several rankings, each ranking
    has two pictures: curves-RANKING.png and front-RANKING.svg.
    """
    from banditgym.files import whole_files
    from leaderboards import report
    from leaderboards.report.drawing import Drawing

    refuse_file(out)
    if picture not in ("png", "pdf", "svg"):
        raise ValueError(f"--picture is png, pdf or svg, got {picture!r}")
    drawing = Drawing(
        x_scale=x_scale,
        y_scale=y_scale,
        labels=options.by_agent(label, "--label"),
        colours=options.by_agent(colour, "--colour"),
    )
    board = _board(_load(suite, trust=trust), store, tuned)
    figures = report.figures(board, drawing, picture)
    make_folder(out)
    texts = {
        "leaderboard.md": report.markdown(board),
        "leaderboard.csv": report.csv(board),
        "leaderboard.json": report.json(board),
        "index.html": report.page(board),
        **{name: picture.svg for name, picture in report.fronts(board).items()},
    }
    for name, text in texts.items():
        whole_files.write(out / name, text)
    for name, figure in figures.items():
        with whole_files.opened(out / name) as file:
            figure.savefig(file, format=picture, dpi=150)
    print(f"wrote {', '.join([*texts, *figures])} to {out}")


@app.command("baselines")
def baselines(
    suite: options.SuiteName,
    workers: options.Workers = None,
    trust: options.Trust = False,
    yes: options.Yes = False,
) -> None:
    """Play uniform agents and references on a suite's seeds, and write a file beside the suite.

    If there is no such file, the first run plays them and keeps them in its store.
    """
    from leaderboards.console.progress import bar
    from leaderboards.rank.baselines import write
    from leaderboards.run import sizes
    from leaderboards.suites.suite import load

    if not yes:
        sizes.refuse_long(sizes.of_baselines(load(suite, with_baselines=False, trust=trust)))
    with bar(suite) as progress:
        path = write(suite, workers=workers, trust=trust, progress=progress)
    print(f"wrote {path}")


def _executor(
    name: str,
    suite: "Suite",
    agents: list[str] | None,
    workers: int | None,
    in_process: bool,
    confinement: "Confinement",
) -> "Callable[[], Executor] | None":
    """A function that makes the executor of the options, or None for loky's processes.

    Raises
    ------
    ValueError
        If options exclude one another.
    """
    from leaderboards.cluster.executor import opener
    from leaderboards.cluster.likeness import likeness
    from leaderboards.processes.workers import Here

    if in_process and workers is not None:
        raise ValueError("--in-process plays one cell at a time in this process: drop --workers")
    if in_process and name != LOKY:
        raise ValueError("--in-process plays in this process: drop --executor")
    if confinement.apart and in_process:
        raise ValueError("--sandbox plays agents in separate processes: drop --in-process")
    if confinement.apart and name != LOKY:
        raise ValueError(
            "--sandbox plays on this machine, whose limits are tested: drop --executor"
        )
    if in_process:
        say("playing in this process: agents are trusted and cannot be stopped, --limit is off")
        return Here
    if name == LOKY:
        return None
    return opener(name, workers=workers, wanted=partial(likeness, suite, agents or ()))


def _confinement(sandbox: bool, isolation: str, audit: bool) -> "Confinement":
    """The confinement that the options ask for.

    Raises
    ------
    ValueError
        If this machine does not offer that isolation, or an option needs ``--sandbox``.
    """
    from leaderboards.run.confinement import HERE, needed

    if not sandbox and (audit or isolation != FULL):
        option = "--one-process-per-replicate" if audit else "--isolation"
        raise ValueError(f"{option} needs --sandbox")
    if not sandbox:
        return HERE
    return needed(
        isolation,
        "--sandbox",
        "These work without it: --sandbox --isolation process, leaderboard run without --sandbox, "
        "submit check and submit run",
        audit=audit,
    )


def _load(name: str, seeds: int | None = None, trust: bool = False) -> "Suite":
    from leaderboards.suites.suite import load

    suite = load(name, trust=trust)
    return suite if seeds is None else suite.first(seeds)


def _board(
    suite: "Suite", store: Path, tuned: Path | None = None, compared: bool = True
) -> "Board":
    from leaderboards.rank.board import build
    from leaderboards.run.keys.sources import current
    from leaderboards.run.store.store import Store

    rows, outdated = current(suite, Store(store).rows(suite.hash))
    if not rows:
        raise ValueError(
            f"{store} holds no results of {suite.name}; play it with banditgym leaderboard run "
            f"{suite.name}, or name another folder with --store"
        )
    if outdated:
        say(f"warning: played with earlier sources, run them again: {', '.join(outdated)}")
    board = build(suite, rows, compared=compared)
    if tuned is None:
        return board
    from leaderboards.tuning.tune import with_folder

    return with_folder(board, rows, tuned)


def _preview(suite: "Suite", store: Path, ranking: str) -> None:
    """Show the table of a ranking while others are still played, if stderr is a terminal."""
    from leaderboards.rank.board import build
    from leaderboards.report import terminal_section
    from leaderboards.run.keys.sources import current
    from leaderboards.run.store.store import Store

    if is_watched() and len({task.ranking for task in suite.tasks}) > 1:
        rows, _ = current(suite, Store(store).rows(suite.hash))
        display_above(terminal_section(build(suite, rows, compared=False), ranking))


def _show(suite: "Suite", store: Path, as_json: bool, tuned: Path | None = None) -> None:
    from leaderboards import report

    board = _board(suite, store, tuned, compared=as_json)  # which a terminal does not show
    if as_json:
        print(report.json(board))
    else:
        display(report.terminal(board))
