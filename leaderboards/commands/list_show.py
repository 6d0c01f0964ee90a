"""``banditgym list`` and ``banditgym show``: list and describe what the package contains."""

from typing import Annotated

import typer

from leaderboards.commands.messages_out import print_result, prints_aside
from leaderboards.commands.options import Json, Trust


def list_what(
    what: Annotated[str | None, typer.Argument(help="envs, agents, suites or papers")] = None,
    family: Annotated[
        str | None, typer.Argument(help="Only of this family, such as linear or multiclass.")
    ] = None,
    cite: Annotated[bool, typer.Option("--cite", help="Also print the source of agents.")] = False,
    as_json: Json = False,
) -> None:
    """List environments, agents, suites or papers."""
    from leaderboards.describe import listing

    rows = listing.rows(what, family)
    print_result(as_json, lambda: rows, lambda: listing.table(rows, cite), indent=2)


def show(
    name: Annotated[
        str, typer.Argument(help="An agent, environment, suite or paper, or 'mine.py:Mine'.")
    ],
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Describe an agent, an environment, a suite or a paper, with hyperparameters or settings."""
    from leaderboards.describe.details import details, shown

    with prints_aside():
        about = details(name, trust)
    print_result(as_json, lambda: about, lambda: shown(about), indent=2)
