"""``banditgym task`` and ``banditgym judge``: for programs that write agents.

Each command imports the slow modules that it needs.
"""

import contextlib
import json
import sys
import warnings
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands.messages_out import say
from leaderboards.commands.options import (
    Workers,
    fresh_caches,
    group,
    nothing_from_here,
)

app = group("Tasks for programs that write agents: export one, make its secret.")

Name = Annotated[
    str, typer.Argument(help="A ranking of core-v3, such as linear, or a task, such as coins.")
]


@app.command("export")
def export(name: Name, folder: Annotated[Path, typer.Argument(help="A new folder.")]) -> None:
    """Write a folder with the problem, a starter agent, public instances and limits."""
    from leaderboards.submit.judge import exporting

    exporting.export(name, folder)
    print(f"wrote {folder}; try the agent with: banditgym judge {folder} --task {name}")


@app.command("secret")
def secret(
    name: Name,
    file: Annotated[Path, typer.Argument(help="A new file, outside any repository.")],
    attempts: Annotated[int, typer.Option(help="Number of judgements.")] = 20,
) -> None:
    """Draw the secret of a judge's instances, and write it to a file."""
    from leaderboards.submit.judge import judgement

    judgement.new_secret(name, file, attempts, date.today())
    print(f"wrote {file}, and its ledger {judgement.ledger_of(file).path} with {attempts} attempts")


def judge(
    folder: Annotated[Path, typer.Argument(help="The folder with the agent.")],
    secret: Annotated[
        Path | None, typer.Option(help="Judge on the hidden instances of this secret.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Rehearse on the public instances of this task.")
    ] = None,
    isolation: Annotated[
        str, typer.Option(help="full, or process (your user, no bubblewrap).")
    ] = "full",
    workers: Workers = None,
) -> None:
    """Score an agent in the sandbox, and print one JSON document.

    Exits 0 without faults, 1 with faults, and 2 if nothing was judged.
    """
    from leaderboards.run.confinement import needed
    from leaderboards.submit.judge import judgement

    if (secret is None) == (task is None):
        raise ValueError("name either --secret FILE, to judge, or --task NAME, to rehearse")
    if sys.platform == "win32":
        raise ValueError("others' code is judged on Linux and macOS alone; here, try WSL")
    confinement = needed(
        isolation, "the judge", "For agents that you trust there is --isolation process"
    )
    warnings.simplefilter("ignore")  # their texts could hold what is hidden
    with contextlib.redirect_stdout(sys.stderr), nothing_from_here():
        if secret is None:
            assert task is not None
            found = judgement.rehearse(
                folder, task, confinement=confinement, workers=workers, say=say
            )
        else:
            with fresh_caches():
                found = judgement.judge(
                    folder, secret, confinement=confinement, workers=workers, today=date.today()
                )
    print(json.dumps(found))
    if found["faults"]:
        raise typer.Exit(1)
