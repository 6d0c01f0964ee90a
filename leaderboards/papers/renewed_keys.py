"""Gives published findings the keys of the current sources, if these give the same numbers."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from copy import deepcopy
from typing import Any

from leaderboards import papers
from leaderboards.console.progress import silent
from leaderboards.papers.claim import Experiment
from leaderboards.papers.experiment_sources import of_simulation
from leaderboards.papers.pieces import Piece
from leaderboards.papers.reproduce import of_first_seed, play_pieces

Records = Mapping[str, Mapping[str, Any]]


def renewed(records: Records, executor: Callable[[], Executor]) -> dict[str, dict[str, Any]]:
    """The records with the keys of the current sources.

    The first seed of every experiment whose key is another is played again, at the size of its
    record, and must repeat the recorded hash of its measures.

    Parameters
    ----------
    records : mapping of str to mapping
        By paper, as of `leaderboards.papers.records.record`.
    executor : callable
        Returns a ``concurrent.futures.Executor``.

    Raises
    ------
    ValueError
        If an experiment has other numbers, or another size than its record; the message names all.
    """
    found, todo = deepcopy(dict(records)), dict[Piece, tuple[str, dict[str, Any]]]()
    wrong = []
    for paper, known in found.items():
        experiments = {one.name: one for one in papers.load(paper).experiments()}
        for name, run in known["experiments"].items():
            experiment = experiments.get(name)
            if experiment is None or not _has_size(experiment, known, run):
                wrong.append(f"{paper}, {name}: another size, or no such experiment")
            elif run["sources"] != of_simulation(experiment.simulate):
                settings = experiment.size(known["form"] == "full").settings
                todo[Piece(experiment, settings, [0])] = paper, run
    longest = sorted(todo, key=lambda piece: -todo[piece][1]["seconds"])
    played = play_pieces(longest, len(todo), executor, None, silent) if todo else {}
    for piece, one in played.items():
        (paper, run), experiment = todo[piece], piece.experiment
        if of_first_seed(experiment, one.sample) != run.get("first_seed"):
            wrong.append(f"{paper}, {experiment.name}: the first seed's measures")
        run["sources"] = of_simulation(experiment.simulate)
    if wrong:
        raise ValueError("\n".join(["play these whole, with banditgym reproduce:", *wrong]))
    return found


def _has_size(experiment: Experiment, known: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether an experiment has the size of its record, in the same form."""
    size = experiment.size(known["form"] == "full")
    seeds = {f["seeds"] for f in known["findings"] if f["experiment"] == experiment.name}
    settings = {name: str(value) for name, value in size.settings.items()}
    return seeds == {size.seeds} and (run["settings"], run["size"]) == (settings, size.words)
