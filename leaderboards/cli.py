"""The ``banditgym`` command.

Whatever is slow to import is imported by the command that needs it, so that ``--help`` is quick.
"""

import ast
import contextlib
import json
import shlex
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from leaderboards.board import Board
    from leaderboards.suite import Suite

STORE = "banditgym-results"
SUITE = "linear-v1"
REPORT = "banditgym-report"

_STYLE: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False}
app = typer.Typer(help="Bandit environments, learners and leaderboards.", **_STYLE)
leaderboard = typer.Typer(help="Score learners on a suite and show how they compare.", **_STYLE)
app.add_typer(leaderboard, name="leaderboard")

SuiteName = Annotated[str, typer.Argument(help="A shipped suite or the path of a TOML file.")]
StoreFolder = Annotated[Path, typer.Option("--store", help="Folder of results.")]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        help="A learner, such as LinUCB, 'LinUCB(alpha=0.5)' or 'my.py:Mine'; may be repeated.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Workers = Annotated[int | None, typer.Option(help="Processes; the number of cores by default.")]


def main() -> None:
    """Run the command: errors of use are one line on stderr and exit 2."""
    # Nobody reads the file and line of a warning here.
    warnings.showwarning = lambda message, *_: _say(f"warning: {message}")
    try:
        code = app(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted")
        sys.exit(130)
    except BrokenPipeError:  # of `banditgym .. | head`
        sys.stderr.close()
        sys.exit(1)
    except (ValueError, OSError) as error:
        _fail(str(error))
    except Exception as error:
        # typer's errors of use derive from click's, or from a copy of click's within typer.
        if not hasattr(error, "format_message"):
            raise
        _fail(error.format_message())  # pyright: ignore[reportAttributeAccessIssue]
    sys.exit(code if isinstance(code, int) else 0)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Bandit environments, learners and leaderboards."""
    if version:
        from importlib.metadata import version as installed

        print(installed("banditgym"))
    elif context.invoked_subcommand is None:
        print(context.get_help())


@leaderboard.callback(invoke_without_command=True)
def leaderboard_root(context: typer.Context) -> None:
    """Score learners on a suite and show how they compare."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@leaderboard.command("run")
def leaderboard_run(
    suite: SuiteName = SUITE,
    agent: Agents = None,
    seeds: Annotated[int | None, typer.Option(help="Only the suite's first N seeds.")] = None,
    store: StoreFolder = Path(STORE),
    workers: Workers = None,
    limit: Annotated[float, typer.Option(help="Seconds that a cell may take.")] = 120.0,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Play here: nothing ends a learner that hangs.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play what the store still lacks, and show the leaderboard.

    Without --agent every ranked learner of ours plays. Stop it at any time: run again, it goes on.
    """
    from leaderboards import runner
    from leaderboards.processes import Here
    from leaderboards.store import Store

    if in_process and workers is not None:
        raise ValueError("--in-process plays one cell at a time in this process: drop --workers")
    chosen = _load(suite, seeds)
    if in_process:
        _say("playing in this process: no learner can be stopped, --limit is off")
    try:
        with _bar(chosen.name) as progress:
            done = runner.run(
                chosen,
                agent,
                store=Store(store),
                workers=1 if in_process else workers,
                limit=limit,
                executor=Here if in_process else None,
                progress=progress,
            )
    except KeyboardInterrupt:
        command = shlex.join(["banditgym", *sys.argv[1:]])
        _say(f"interrupted: finished cells are kept in {store}; go on with\n  {command}")
        raise typer.Exit(130) from None
    if done.failed:
        _say(
            f"{done.failed} results of {store} are failures that were tried twice; only another "
            "--store or changed sources make them be tried again"
        )
    _show(chosen, store, as_json)


@leaderboard.command("show")
def leaderboard_show(
    suite: SuiteName = SUITE, store: StoreFolder = Path(STORE), as_json: Json = False
) -> None:
    """Show what the store holds; nothing is played."""
    _show(_load(suite), store, as_json)


@leaderboard.command("report")
def leaderboard_report(
    suite: SuiteName = SUITE,
    store: StoreFolder = Path(STORE),
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(REPORT),
) -> None:
    """Write leaderboard.md, .csv and .json, curves.png and index.html."""
    from leaderboards import report

    board = _board(_load(suite), store)
    figure = report.curves(board)
    out.mkdir(parents=True, exist_ok=True)
    texts = {
        "leaderboard.md": report.markdown(board),
        "leaderboard.csv": report.csv(board),
        "leaderboard.json": report.json(board),
        "index.html": report.page(board),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    figure.savefig(out / "curves.png", dpi=150)
    print(f"wrote {', '.join([*texts, 'curves.png'])} to {out}")


@leaderboard.command("baselines")
def leaderboard_baselines(
    suite: SuiteName,
    seeds: Annotated[int, typer.Option(help="At least 1000; none of them is scored.")] = 1000,
    workers: Workers = None,
) -> None:
    """Play uniformly and print each task's baseline, best and noise for the suite's file."""
    from leaderboards.baselines import baselines

    chosen = _load(suite)
    with _bar(chosen.name) as progress:
        found = baselines(chosen, n_seeds=seeds, workers=workers, progress=progress)
    print("\n".join(baseline.toml() for baseline in found), end="")


@app.command("run")
def quick_run(
    env: Annotated[str, typer.Argument(help="Id of an environment.")],
    agent: Agents = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the environment, such as dim=20; repeatable."),
    ] = None,
    horizon: Annotated[int | None, typer.Option(help="Rounds.")] = None,
    seeds: Annotated[int, typer.Option(help="Replicates, seeds 0, 1, ..")] = 20,
    out: Annotated[Path, typer.Option(help="File of the plot.")] = Path("curves.png"),
    as_json: Json = False,
) -> None:
    """Compare learners on one environment: a table, and a plot of their curves."""
    from agents.naming import nearest
    from banditgym.registration import WORLDS
    from leaderboards.compare import compare

    if env not in WORLDS:
        hint = nearest(env, WORLDS) or f"; there are {', '.join(WORLDS)}"
        raise ValueError(f"unknown environment {env!r}{hint}")
    if not agent:
        raise ValueError("name at least one learner with --agent; banditgym list agents has them")
    with _compilation() as compiling:
        compiling()
        result = compare(
            env, agent, seeds=seeds, horizon=horizon, **dict(map(_setting, settings or []))
        )
    result.plot(out)
    if as_json:
        print(json.dumps(json.loads(result.to_frame().to_json(orient="records"))))
    else:
        _print(result.table())
    _say(f"wrote {out}")
