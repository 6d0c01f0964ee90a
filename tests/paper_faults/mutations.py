"""Plays deliberate faults of agents and environments: each must change the verdict on a claim.

``python -m tests.paper_faults.mutations`` plays all of them, which takes about half an hour on two
cores; the names of papers and ``--fault`` choose some. A fault changes a copy of the sources, in
which ``banditgym reproduce`` judges the fault's claims in the quick form.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from banditgym.compiled import cache
from banditgym.files.class_paths import ROOT
from leaderboards import papers
from tests.paper_faults.fault import Fault

_PACKAGES = ("banditgym", "agents", "leaderboards")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "results", "submissions")
_COMMAND = "import sys; from leaderboards.cli import main; sys.exit(main())"
_PATIENCE = 900  # seconds that the claims of a fault may take


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a fault changed.

    Attributes
    ----------
    fault : Fault
    before, after : mapping of str to str
        Verdicts on the fault's claims, without it and with it.
    error : str
        The last line of a run that ended with an error: no verdict was given.
    """

    fault: Fault
    before: Mapping[str, str]
    after: Mapping[str, str]
    error: str = ""

    @property
    def seen(self) -> bool:
        """Whether a verdict changed."""
        return not self.error and self.before != self.after

    @property
    def words(self) -> str:
        """``seen: figure-1-ridge reproduced -> not reproduced``."""
        if self.error:
            return f"no verdict: {self.error}"
        changed = [
            f"{claim} {before} -> {self.after[claim]}"
            for claim, before in self.before.items()
            if before != self.after[claim]
        ]
        return f"seen: {', '.join(changed)}" if changed else f"NOT SEEN by {', '.join(self.before)}"


def faults_of(paper: str) -> tuple[Fault, ...]:
    """The faults that a paper's claims must see."""
    return import_module(f"tests.paper_faults.{paper}").FAULTS


class Bench:
    """A copy of the sources in a folder, in which faults are made and mended.

    Parameters
    ----------
    folder : Path
        An empty folder.
    full : bool
        Whether claims are judged in the full form, else in the quick one.
    """

    def __init__(self, folder: Path, full: bool = False):
        self._full = full
        self.sources, self._store = folder / "sources", folder / "pieces"
        # Kernels that a fault does not change are loaded, not compiled.
        kernels = str(cache.shared_cache())
        self._environment = {"PYTHONPATH": str(self.sources), "BANDITGYM_KERNELS": kernels}
        for package in _PACKAGES:
            shutil.copytree(ROOT / package, self.sources / package, ignore=_LEFT_OUT)

    def play(self, paper: str, fault: Fault) -> Outcome:
        """Judge a fault's claims without it and with it."""
        before, error = self._verdicts(paper, fault.claims)
        if error:
            raise ValueError(f"{paper} fails without a fault: {error}")
        place = self.sources / fault.file
        kept = place.read_bytes()
        try:
            fault.apply(self.sources)
            after, error = self._verdicts(paper, fault.claims)
        finally:
            place.write_bytes(kept)
        return Outcome(fault=fault, before=before, after=after, error=error)

    def _verdicts(self, paper: str, claims: Sequence[str]) -> tuple[dict[str, str], str]:
        """The verdicts on some claims, and the last line of an error."""
        given = [f"--claim={claim}" for claim in claims]
        out = str(self._store.with_name("pages"))
        options = ["--json", "--out", out, "--store", str(self._store), *["--full"] * self._full]
        done = subprocess.run(
            [sys.executable, "-c", _COMMAND, "reproduce", paper, *given, *options],
            cwd=self.sources,
            env=os.environ | self._environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        if done.returncode:
            return {}, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        (found,) = json.loads(done.stdout)
        return {finding["claim"]: finding["verdict"] for finding in found["findings"]}, ""


def main() -> int:
    """Play the faults; the exit status is 1 if one of them is not seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper", nargs="*", help="short names of papers; by default all")
    parser.add_argument("--fault", help="only faults with this text in their names")
    parser.add_argument(
        "--full", action="store_true", help="judge claims in the full form, which takes longer"
    )
    given = parser.parse_args()
    try:
        names = [papers.load(name).name for name in given.paper or papers.NAMES]
    except ValueError as error:
        parser.error(str(error))
    chosen = [(p, f) for p in names for f in faults_of(p) if (given.fault or "") in f.name]
    if not chosen:
        parser.error(f"no fault has {given.fault!r} in its name")
    seen = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), given.full)
        for paper, fault in chosen:
            outcome = bench.play(paper, fault)
            seen += outcome.seen
            print(f"{paper}, {fault.name}: {outcome.words}", flush=True)
    print(f"{seen} of {len(chosen)} faults change a verdict")
    return int(seen < len(chosen))


if __name__ == "__main__":
    sys.exit(main())
