"""Options and arguments that several commands share."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

STYLE: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False}


def group(
    about: str, within: Callable[[], AbstractContextManager[object]] = nullcontext
) -> typer.Typer:
    """A command with subcommands; without a subcommand it prints its help.

    Every subcommand runs within the context manager that ``within`` returns.
    """
    app = typer.Typer(help=about, **STYLE)

    @app.callback(invoke_without_command=True)
    def root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())
        context.with_resource(within())

    return app


def fresh_caches() -> AbstractContextManager[None]:
    """``banditgym.compiled.cache.fresh_caches``, imported when it is called."""
    from banditgym.compiled import cache

    return cache.fresh_caches()


@contextmanager
def nothing_from_here() -> Iterator[None]:
    """Context manager: processes that start import no module from the current folder.

    Python looks there first. So a worker that starts in a folder whose code is to be judged would
    run a ``json.py`` that lies there, outside the sandbox.
    """
    name = "PYTHONSAFEPATH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]
        os.environ.update({} if before is None else {name: before})


SuiteName = Annotated[str, typer.Argument(help="A shipped suite or the path of a TOML file.")]
StoreFolder = Annotated[Path, typer.Option("--store", help="Folder of results.")]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        help="An agent, such as LinUCB, 'LinUCB(alpha=0.5)' or 'mine.py:Mine'; repeatable.",
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Print the full traceback of an agent that fails.")
]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Trust the suite: run its environments and references."),
]
Alpha = Annotated[
    float, typer.Option(help="Largest probability that any verdict of the table is wrong.")
]
TableFile = Annotated[
    Path | None, typer.Option("--out", help="A .md, .csv or .tex file to write the table to.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


Horizon = Annotated[int | None, typer.Option(help="Rounds per episode of the environment.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A setting of the environment, such as dim=20; repeatable."),
]


def at_least_one(given: int | None, option: typer.CallbackParam) -> int | None:
    """Refuse an option that must be 1 or more."""
    if given is not None and not given >= 1:
        raise ValueError(f"{option.name} must be >= 1, got {given}")
    return given


Workers = Annotated[
    int | None,
    typer.Option(help="Number of processes; by default one per core.", callback=at_least_one),
]


AtOnce = Annotated[
    int | None,
    typer.Option(
        help="Agents or cells that play at once; by default 1, and in long runs one per core.",
        callback=at_least_one,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        help="Threads of each process, which share its seeds; by default one, or several if cores "
        "would be idle.",
        callback=at_least_one,
    ),
]
BesideSecret = Annotated[
    Path | None, typer.Option("--store", help="Folder of results; by default beside the secret.")
]
Audit = Annotated[
    bool,
    typer.Option(
        "--one-process-per-replicate",
        help="Give each replicate its own process, to audit whether replicates share "
        "information. Slower.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Start even if it would take over an hour.")]
XScale = Annotated[str | None, typer.Option(help="linear or log; by default what suits.")]
YScale = Annotated[str | None, typer.Option(help="linear or log; by default what suits.")]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", help="AGENT=TEXT: an agent's name in the pictures; repeatable."),
]
Colours = Annotated[
    list[str] | None,
    typer.Option("--colour", help="AGENT=COLOUR: its colour, red or #0072B2; repeatable."),
]


def by_agent(given: list[str] | None, option: str) -> dict[str, str]:
    """Options of the form ``AGENT=TEXT``, where the agent may have hyperparameters."""
    found = {}
    for one in given or []:
        parts = re.fullmatch(r"([^=(]+(?:\(.*?\))?)=(.+)", one)
        if parts is None:
            raise ValueError(f"{option} takes AGENT=.., such as LinUCB=.., got {one!r}")
        found[parts[1]] = parts[2]
    return found
