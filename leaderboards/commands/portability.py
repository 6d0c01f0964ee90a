"""``banditgym portability``: compares this machine's bits with the published ones."""

from typing import Annotated, Any

import typer
from rich.text import Text

from leaderboards.commands.messages_out import print_result
from leaderboards.commands.options import Json

_SHOWN = 20  # entries that differ


def portability(
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="Only groups that match, such as 'env/*'; repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check that this machine gives the published numbers: compare every bit.

    Plays a fixed set of environments and agents (the golden corpus), and compares a hash of each
    with the published one. Exits 1 if any differs.
    """
    from leaderboards.console.progress import bar
    from leaderboards.portability import corpus
    from leaderboards.portability.published_hashes import compared
    from leaderboards.speed.machine_facts import circumstances

    groups = corpus.matching(part)
    with bar("portability") as progress:
        progress(0.0, False)
        found = circumstances() | compared(groups, lambda fraction: progress(fraction, False))
    print_result(as_json, lambda: found, lambda: _text(found), indent=2)
    if found["differ"] or found["errors"]:
        raise typer.Exit(1)


def _text(found: dict[str, Any]) -> Text:
    from leaderboards.speed.machine_facts import line

    names = [f"differs: {name}" for name in found["differ"]]
    names += [f"not played: {group}: {error}" for group, error in found["errors"].items()]
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    equal = found["compared"] - len(found["differ"])
    whole = f"{equal} of {found['compared']} entries have the published bits"
    return Text("\n".join([*names[:_SHOWN], *more, whole, line(found)]))
