"""Pieces of experiments: what is played in one call, and the store of those that are finished.

A piece is an experiment with some of its seeds. Its file in the store is named by a hash of what
its numbers depend on: the sources, the settings, the seeds, and the versions of the libraries. So
a stopped run goes on where it stopped, and a changed agent is played again.
"""

import contextlib
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any
from zipfile import BadZipFile

import numpy as np

from banditgym.files import whole_files
from leaderboards.papers.claim import Experiment, Sample
from leaderboards.papers.experiment_sources import of_simulation, only
from leaderboards.papers.provenance import Provenance, here
from leaderboards.run.keys.sources import versions


@dataclass(frozen=True, eq=False)
class Piece:
    """An experiment, the settings of its simulation, and some of its seeds."""

    experiment: Experiment
    settings: Mapping[str, Any]
    seeds: Sequence[int]

    def key(self) -> str:
        """Hash of what the numbers depend on: 32 hexadecimal digits."""
        simulate = self.experiment.simulate
        named = [simulate.__module__, simulate.__qualname__, of_simulation(simulate)]
        what = [named, dict(self.settings), list(self.seeds), versions()]
        text = json.dumps(what, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, eq=False)
class Played:
    """The sample of a piece, the CPU seconds that it took, and its provenance."""

    sample: Sample
    seconds: float
    provenance: Provenance


def play(
    simulate: Callable[..., Sample], seeds: Sequence[int], settings: Mapping[str, Any]
) -> Played:
    """Run a simulation; in a worker process.

    Raises
    ------
    ValueError
        If it makes an environment that the hash of its sources leaves out.
    """
    with only(simulate):
        start = process_time()
        sample = simulate(seeds, **settings)
        spent = process_time() - start
    return Played(sample, spent, here())


class Pieces:
    """A folder of finished pieces.

    Parameters
    ----------
    folder : Path
        Made when the first piece is kept.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def find(self, piece: Piece) -> Played | None:
        """A finished piece; None if there is none, or its file is damaged."""
        damaged = (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile, zlib.error)
        with contextlib.suppress(*damaged):
            with open(self._path(piece), "rb") as file, np.load(file) as found:
                about = json.loads(str(found["about"]))
                names = about["measures"]
                measures = {name: found[f"measure {i}"] for i, name in enumerate(names)}
                sample = Sample(found["rounds"], measures)
            return Played(sample, about["seconds"], Provenance(**about["provenance"]))
        return None

    def keep(self, piece: Piece, played: Played) -> None:
        """Write a finished piece; a process that is killed leaves no half of one."""
        about = {
            "experiment": piece.experiment.name,
            "settings": {name: str(value) for name, value in piece.settings.items()},
            "seeds": list(piece.seeds),
            "measures": list(played.sample.measures),
            "seconds": played.seconds,
            "provenance": asdict(played.provenance),
        }
        values: dict[str, Any] = {
            f"measure {i}": x for i, x in enumerate(played.sample.measures.values())
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with whole_files.opened(self._path(piece)) as file:
            np.savez_compressed(
                file, about=json.dumps(about), rounds=played.sample.rounds, **values
            )

    def _path(self, piece: Piece) -> Path:
        return self.folder / f"{piece.experiment.name}-{piece.key()}.npz"
