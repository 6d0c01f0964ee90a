"""``banditgym run``: agents side by side on one environment."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands import options
from leaderboards.commands.given_settings import settings_of
from leaderboards.commands.messages_out import display, prints_aside, say, tracebacks
from leaderboards.commands.output_paths import check_picture


def quick_run(
    env: Annotated[
        str, typer.Argument(help="An environment: its id, or 'mine.py:Mine' for your own.")
    ],
    agent: options.Agents = None,
    settings: options.Settings = None,
    horizon: options.Horizon = None,
    seeds: Annotated[int, typer.Option(help="Number of seeds: 0, 1, ..")] = 20,
    out: Annotated[Path, typer.Option(help="File for the plot: .png, .pdf or .svg.")] = Path(
        "curves.png"
    ),
    x_scale: options.XScale = None,
    y_scale: options.YScale = None,
    label: options.Labels = None,
    colour: options.Colours = None,
    workers: options.AtOnce = None,
    threads: options.Threads = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="New Parquet file for a row of each round and seed, with the propensities; the "
            "agents then play one after the other."
        ),
    ] = None,
    log_context: Annotated[
        str, typer.Option(help="Which features to log: all, those of the arm played, or none.")
    ] = "all",
    yes: options.Yes = False,
    traceback: options.Traceback = False,
    as_json: options.Json = False,
) -> None:
    """Compare agents on one environment: print a table and plot their curves."""
    from agents.logs.log_file import LogFile
    from leaderboards.comparison.compare_function import compare, labels_of
    from leaderboards.console.progress import word_on_compiling
    from leaderboards.report.drawing import Drawing
    from leaderboards.run import sizes

    if not agent:
        raise ValueError("name at least one agent with --agent; banditgym list agents shows all")
    chosen = settings_of(settings or [])
    check_picture(out)
    how = {
        "x_scale": x_scale,
        "y_scale": y_scale,
        "labels": options.by_agent(label, "--label"),
        "colours": options.by_agent(colour, "--colour"),
    }
    drawing = Drawing(**how)
    if label or colour:
        drawing.check(labels_of(agent))
    seconds, size = sizes.of_comparison(env, chosen, horizon, seeds, len(agent))
    if not yes:
        sizes.refuse_long(seconds, size)
    if workers is None:
        workers = 1 if log is not None else sizes.workers_for(seconds)
    if threads is None:
        threads = sizes.threads_for(min(workers, len(agent)))
    with (
        word_on_compiling(),
        prints_aside(),
        tracebacks() if traceback else contextlib.nullcontext(),
        contextlib.nullcontext() if log is None else LogFile(log, log_context) as to,
    ):
        result = compare(
            env,
            agent,
            seeds=seeds,
            horizon=horizon,
            workers=workers,
            threads=threads,
            log=to,
            **chosen,
        )
    if as_json:
        frame = result.to_frame()
        print(frame.to_json(orient="records", double_precision=15))
    else:
        display(result.table())
    result.plot(out, **how)
    say(f"wrote {out}" if log is None else f"wrote {out} and {log}")
