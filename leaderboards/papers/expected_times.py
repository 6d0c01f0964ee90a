"""How long a reproduction takes, from the times of the published one."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loky import cpu_count

from leaderboards.papers.claim import Paper
from leaderboards.papers.pieces import Pieces
from leaderboards.papers.reproduce import choose, pieces

PUBLISHED = Path(__file__).parents[1] / "results" / "papers"


def words(
    paper: Paper, claims: Sequence[str], full: bool, given: Mapping[str, Any], store: Pieces
) -> str:
    """How many pieces there are, how many are finished, and how long the others take.

    ``tiny2030, full form: 12 pieces, 3 of them finished; about 18 of 24 minutes of CPU time are
    left, 9 minutes on 2 cores``

    Raises
    ------
    ValueError
        If a claim is unknown or no experiment has a given setting.
    """
    form = "full" if full else "quick"
    todo = pieces(paper, choose(paper, claims), full, given)
    lacking = [piece for piece in todo if given or store.find(piece) is None]
    text = f"{paper.name}, {form} form: {len(todo)} pieces, {len(todo) - len(lacking)} finished"
    known = _published(paper.name, form)
    if not lacking:
        return text
    if any(piece.experiment.name not in known for piece in todo):
        return f"{text}; how long the others take is not known"
    share = {
        name: known[name] / sum(len(p.seeds) for p in todo if p.experiment.name == name)
        for name in {piece.experiment.name for piece in todo}
    }
    total, left = (
        sum(share[piece.experiment.name] * len(piece.seeds) for piece in some) / 60
        for some in (todo, lacking)
    )
    cores = min(cpu_count(), len(lacking))
    return (
        f"{text}; about {left:.1f} of {total:.1f} minutes of CPU time are left, "
        f"{left / cores:.1f} minutes on {cores} core{'s' * (cores > 1)} like the published run's"
    )


def _published(paper: str, form: str) -> dict[str, float]:
    """CPU seconds of the published experiments of a form, by their names."""
    try:
        known = json.loads((PUBLISHED / f"{paper}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if known["form"] != form:
        return {}
    return {name: run["seconds"] for name, run in known["experiments"].items()}
