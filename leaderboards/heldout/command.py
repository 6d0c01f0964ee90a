"""``banditgym epoch``: new, open, reveal and check, for the maintainer who holds the secret.

What is slow to import is imported by the command that needs it.
"""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands.options import LIMIT, STYLE, SUITE

app = typer.Typer(help="Held-out seeds: commit to them, play them, reveal them.", **STYLE)

Name = Annotated[str, typer.Argument(help="The epoch's id, or the path of its file.")]
Secret = Annotated[Path, typer.Option(help="The secret's file, outside of any repository.")]
StoreFolder = Annotated[
    Path | None, typer.Option("--store", help="Folder of results; beside the secret by default.")
]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    """Held-out seeds: commit to them, play them, reveal them."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("new")
def new(
    name: Name,
    secret: Secret,
    maintainer: Annotated[str, typer.Option(help="Who holds the secret.")],
    closes: Annotated[str, typer.Option(help="Last day of verifications, as 2030-12-31.")],
    reveals: Annotated[str, typer.Option(help="Day of the reveal.")],
    suite: Annotated[str, typer.Option(help="The suite, with ranges beside it.")] = SUITE,
    draws: Annotated[int, typer.Option(help="Draws of each task's settings.")] = 10,
    replicates: Annotated[int, typer.Option(help="Replicates of each draw.")] = 5,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="Say that it scores nobody in earnest.")
    ] = False,
) -> None:
    """Draw a secret, lock the installed packages, and write the epoch's public file."""
    from leaderboards.heldout import epoch, holding

    path = epoch.path_of(name)
    made = holding.new(
        path, secret, suite=suite, draws=draws, replicates=replicates, maintainer=maintainer,
        committed=date.today(), closes=_day("closes", closes), reveals=_day("reveals", reveals),
        demonstration=demonstration,
    )  # fmt: skip
    print(f"wrote {path} and its lock; {secret} holds the secret of epoch {made.id}: keep it")


@app.command("open")
def open_(
    name: Name,
    secret: Secret,
    store: StoreFolder = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; the number of cores by default.")
    ] = None,
    limit: Annotated[float, typer.Option(help="Seconds that a cell may take.")] = LIMIT,
) -> None:
    """Play the baselines, the references and our agents, as they are committed to.

    Stop it at any time: run again, it goes on.
    """
    from leaderboards.heldout import holding
    from leaderboards.progress import bar

    with bar(name) as progress:
        rows = holding.open_(
            name, secret, store, workers=workers, limit=limit, today=date.today(),
            progress=progress,
        )  # fmt: skip
    print(f"epoch {name} is open: {rows} rows; verify with banditgym submit verify")


@app.command("reveal")
def reveal(name: Name, secret: Secret, store: StoreFolder = None) -> None:
    """Publish the secret and all rows, with their seeds. It cannot be taken back."""
    from leaderboards.heldout import holding

    rows = holding.reveal(name, secret, store, today=date.today())
    print(
        f"epoch {name} is revealed, with {len(rows)} rows; python -m leaderboards.publish shows it"
    )


@app.command("check")
def check(name: Name) -> None:
    """Check an epoch's public files against each other. Exits 1 if anything is wrong."""
    from banditgym.settings import visible
    from leaderboards.heldout.auditing import faults

    found = faults(name)
    for fault in found:
        print(visible(fault))
    if found:
        raise typer.Exit(1)
    print(f"epoch {name} is in order")


def _day(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--{option} is a day, as 2030-12-31, got {text!r}") from None
