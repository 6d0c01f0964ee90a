"""Gives published findings the keys of the current sources, if these give the same numbers.

A record of findings has no measures of single seeds. So it keeps, for each experiment, a hash of
every bit of the measures of seed 0 in the quick form, which takes seconds. If the current sources
repeat it, the record gets their key. Times are not repeated: an experiment that measures them has
no hash, and gets the key as it is.
"""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from copy import deepcopy
from pathlib import Path
from typing import Any

from loky import cpu_count

from banditgym.files import whole_files
from leaderboards import papers
from leaderboards.console.progress import silent
from leaderboards.papers.claim import Experiment, Sample
from leaderboards.papers.experiment_sources import of_simulation
from leaderboards.papers.pieces import Piece
from leaderboards.papers.reproduce import play_pieces
from leaderboards.portability.digest import Digest
from leaderboards.processes.workers import Processes

Records = Mapping[str, Mapping[str, Any]]


def renew(folder: Path, workers: int | None = None, *, only_new: bool = False) -> list[str]:
    """Write the renewed records of the papers in a folder; returns the experiments that changed.

    Raises
    ------
    ValueError
        As of `renewed`; nothing is written then.
    """
    paths = {name: path for name in papers.NAMES if (path := folder / f"{name}.json").exists()}
    before = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    after = renewed(before, lambda: Processes(workers or cpu_count()), only_new=only_new)
    changed = []
    for name, known in after.items():
        old = before[name]["experiments"]
        changed += [
            f"{name}, {one}" for one, run in known["experiments"].items() if run != old[one]
        ]
        whole_files.write(paths[name], json.dumps(known, indent=1) + "\n")
    return changed


def renewed(
    records: Records, executor: Callable[[], Executor], *, only_new: bool = False
) -> dict[str, dict[str, Any]]:
    """The records with the keys of the current sources, and the hashes of their first seeds.

    Nothing is played of an experiment with the current key and a hash. One with the current key and
    no hash, as `leaderboards.papers.reproduce` leaves it, gets its hash.

    Parameters
    ----------
    records : mapping of str to mapping
        By paper, as of `leaderboards.papers.records.record`.
    executor : callable
        Returns a ``concurrent.futures.Executor``.
    only_new : bool
        Whether only experiments without a hash are considered.

    Raises
    ------
    ValueError
        If an experiment has another hash, or another size than its record; the message names all.
    """
    found = {paper: deepcopy(dict(known)) for paper, known in records.items()}
    wrong: list[str] = []
    todo: dict[Piece, tuple[str, dict[str, Any]]] = {}
    for paper, known in found.items():
        experiments = {one.name: one for one in papers.load(paper).experiments()}
        for name, run in known["experiments"].items():
            experiment = experiments.get(name)
            if only_new and (run["first_seed"] or (experiment and experiment.measures_times)):
                continue
            if experiment is None or not _has_size(experiment, known, run):
                wrong.append(f"{paper}, {name}: another size, or no such experiment")
            elif experiment.measures_times:
                run["sources"] = of_simulation(experiment.simulate)
            elif run["sources"] != of_simulation(experiment.simulate) or not run["first_seed"]:
                todo[Piece(experiment, experiment.quick.settings, [0])] = paper, run
    played = play_pieces(list(todo), len(todo), executor, None, silent) if todo else {}
    for piece, one in played.items():
        (paper, run), experiment = todo[piece], piece.experiment
        own = {"sources": of_simulation(experiment.simulate), "first_seed": of_bits(one.sample)}
        if run["first_seed"] != own["first_seed"] and run["sources"] != own["sources"]:
            wrong.append(f"{paper}, {experiment.name}: other measures of the first seed")
        run |= own
    if wrong:
        raise ValueError("\n".join(["play these whole, with banditgym reproduce:", *wrong]))
    return found


def of_bits(sample: Sample) -> str:
    """Hash of every bit of a sample."""
    digest = Digest()
    digest.feed([sample.rounds, sample.measures])
    return digest.hex()


def _has_size(experiment: Experiment, known: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether an experiment has the size of its record, in the same form."""
    size = experiment.size(known["form"] == "full")
    seeds = {f["seeds"] for f in known["findings"] if f["experiment"] == experiment.name}
    settings = {name: str(value) for name, value in size.settings.items()}
    return seeds == {size.seeds} and (run["settings"], run["size"]) == (settings, size.words)
