"""``banditgym list`` and ``banditgym show``: list and describe what the package contains."""

import contextlib
import json
import sys
from typing import Annotated

import typer

from leaderboards.commands.options import Json, Trust
from leaderboards.commands.saying import display


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
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        display(listing.table(rows, cite))


def show(
    name: Annotated[
        str, typer.Argument(help="An agent, environment, suite or paper, or 'mine.py:Mine'.")
    ],
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Describe an agent, an environment, a suite or a paper, with hyperparameters or settings."""
    from leaderboards.describe.details import details, shown

    with contextlib.redirect_stdout(sys.stderr):
        about = details(name, trust)
    if as_json:
        print(json.dumps(about, indent=2))
    else:
        display(shown(about))
