"""Compares the hashes of what this machine plays with the published ones."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from leaderboards.portability import corpus

HASHES = Path(__file__).with_name("corpus.json")


def known() -> dict[str, str]:
    """The published hashes, by entry."""
    return json.loads(HASHES.read_text(encoding="utf-8"))["entries"]


def compared(
    groups: Sequence[str], progress: Callable[[float], None] = lambda fraction: None
) -> dict[str, Any]:
    """Play groups of the corpus here, and compare every hash.

    Parameters
    ----------
    groups : sequence of str
        Names from ``corpus.groups()``.
    progress : callable
        Called with the fraction that is done.

    Returns
    -------
    dict
        ``compared``, how many entries there are; ``differ``, the names of those whose hash is not
        the published one; ``errors``, by group, one line on the error that stopped it.
    """
    published, hashes, errors = known(), {}, {}
    with threadpool_limits(1):  # sums in BLAS also depend on their number
        for done, (group, found) in enumerate(corpus.hashes(groups), 1):
            if isinstance(found, str):
                errors[group] = found
            else:
                hashes |= found
            progress(done / len(groups))
    names = sorted(hashes.keys() & published.keys())
    differ = [name for name in names if hashes[name] != published[name]]
    return {"compared": len(names), "differ": differ, "errors": errors}
