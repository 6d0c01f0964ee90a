"""``banditgym epoch``: for the maintainer who keeps the secret, and for anyone who checks.

Each command imports the slow modules that it needs.
"""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from leaderboards.commands.messages_out import tell, tell_compared
from leaderboards.commands.options import BesideSecret, Workers, fresh_caches, group
from leaderboards.defaults import LIMIT, SUITE

app = group("Held-out seeds: commit to them, play them, reveal them.", within=fresh_caches)

Name = Annotated[str, typer.Argument(help="The epoch's id, or the path of its file.")]
Secret = Annotated[Path, typer.Option(help="File of the secret, outside any repository.")]


@app.command("new")
def new(
    name: Name,
    secret: Secret,
    maintainer: Annotated[str, typer.Option(help="Name of the person who keeps the secret.")],
    closes: Annotated[str, typer.Option(help="Last day of verifications, such as 2030-12-31.")],
    reveals: Annotated[str, typer.Option(help="Day of the reveal, such as 2031-01-01.")],
    suite: Annotated[str, typer.Option(help="A suite that has a file of ranges.")] = SUITE,
    draws: Annotated[int, typer.Option(help="Number of draws of each task's settings.")] = 10,
    replicates: Annotated[int, typer.Option(help="Number of replicates of each draw.")] = 5,
    demonstration: Annotated[
        bool,
        typer.Option(
            "--demonstration", help="Mark it as a demonstration, whose scores do not count."
        ),
    ] = False,
) -> None:
    """Draw a secret, and write the epoch's public file.

    A lock file beside it pins the installed packages.
    """
    from leaderboards.submit.epochs import epoch
    from leaderboards.submit.epochs import stages as holding

    path = epoch.path_of(name)
    made = holding.new(
        path,
        secret,
        suite=suite,
        draws=draws,
        replicates=replicates,
        maintainer=maintainer,
        committed=date.today(),
        closes=_day("closes", closes),
        reveals=_day("reveals", reveals),
        demonstration=demonstration,
    )
    print(f"wrote {path} and its lock file; keep {secret}, the secret of epoch {made.id}")


@app.command("open")
def open_(
    name: Name,
    secret: Secret,
    store: BesideSecret = None,
    workers: Workers = None,
    limit: Annotated[float, typer.Option(help="CPU seconds that a cell may take.")] = LIMIT,
) -> None:
    """Play the baselines, the references and our agents.

    It can be stopped at any time; the next call continues from there.
    """
    from leaderboards.console.progress import bar
    from leaderboards.submit.epochs import stages as holding

    with bar(name, kept=False) as progress:
        rows = holding.open_(
            name, secret, store, workers=workers, limit=limit, today=date.today(), progress=progress
        )
    print(f"epoch {name} is open: {rows} rows; submissions are scored by banditgym submit verify")


@app.command("reveal")
def reveal(name: Name, secret: Secret, store: BesideSecret = None) -> None:
    """Publish the secret, and all rows with their seeds.

    This cannot be undone.
    """
    from leaderboards.submit.epochs import stages as holding

    rows = holding.reveal(name, secret, store, today=date.today())
    print(f"epoch {name} is revealed, with {len(rows)} rows; python -m tools.publish shows it")


@app.command("check")
def check(name: Name) -> None:
    """Check that the public files of an epoch agree.

    Exits 1 if they do not.
    """
    from leaderboards.submit.epochs.auditing import faults

    found = faults(name)
    for fault in found:
        tell(fault)
    if found:
        raise typer.Exit(1)
    print(f"epoch {name} is in order")


@app.command("replay")
def replay(
    name: Name,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", help="Only this agent; repeatable.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Play the published rows of this package's agents again, and compare every bit.

    Exits 1 if anything differs. For the rows of a submission use banditgym submit replay.
    """
    from leaderboards.console.progress import bar
    from leaderboards.submit.epochs import stages as holding

    with bar(name, kept=False) as progress:
        count, found = holding.replay_ours(name, agent or (), workers=workers, progress=progress)
    tell_compared(count, found)


@app.command("attest")
def attest(
    name: Name,
    key: Annotated[Path, typer.Option(help="Your private SSH key, to sign with.")],
    signer: Annotated[str, typer.Option(help="Your name or address, as in allowed_signers.")],
    workers: Workers = None,
) -> None:
    """Play the published rows again, and sign their hash if every bit is equal.

    Exits 1 if anything differs; nothing is signed then.
    """
    from leaderboards.console.progress import bar
    from leaderboards.submit.epochs import epoch as epochs
    from leaderboards.submit.epochs import stages as holding

    with bar(name, kept=False) as progress:
        count, found = holding.attest(
            name, key, signer, workers=workers, today=date.today(), progress=progress
        )
    tell_compared(count, found)
    print(f"wrote {holding.attested(epochs.path_of(name), signer)} and its signature, .sig")


def _day(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--{option} must be a day such as 2030-12-31, got {text!r}") from None
