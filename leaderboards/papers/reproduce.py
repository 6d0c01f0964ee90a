"""Runs the experiments of a paper's claims, in processes, and judges the claims."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from loky import cpu_count

from banditgym.validation import nearest
from leaderboards.console.progress import Advance, silent, words
from leaderboards.papers.claim import Claim, Experiment, Finding, Paper, Sample
from leaderboards.papers.experiment_sources import of_simulation
from leaderboards.papers.pieces import Piece, Pieces, Played, play
from leaderboards.papers.provenance import Provenance
from leaderboards.processes.pool import collected
from leaderboards.processes.workers import Processes
from leaderboards.run.reasons import describe

_POLL = 0.2  # seconds between two reports of progress


@dataclass(frozen=True, kw_only=True)
class Run:
    """How an experiment was run.

    Attributes
    ----------
    size : str
        The size in words, compared with the paper's.
    seconds : float
        CPU seconds of all seeds.
    sources : str
        Hash of the code that its numbers depend on.
    settings : mapping of str to object
    provenances : tuple of Provenance
        Those of its pieces, each once.
    first_seed : str
        Hash of the first seed's measures in the quick form, see `tools.renewed_keys`;
        ``""`` if it was not played.
    """

    size: str
    seconds: float
    sources: str
    settings: Mapping[str, Any]
    provenances: tuple[Provenance, ...]
    first_seed: str = ""


@dataclass(frozen=True, eq=False)
class Reproduction:
    """The results for a paper's claims.

    Attributes
    ----------
    paper : Paper
    full : bool
        Whether the full sizes were used.
    findings : list of Finding
        In the paper's order.
    runs : dict of str to Run
        By the experiments' names.
    samples : dict of str to Sample
        By the experiments' names; empty if the findings were read from their records.
    given : mapping of str to object
        Settings that replaced the experiments' own.
    """

    paper: Paper
    full: bool
    findings: list[Finding]
    runs: dict[str, Run]
    samples: dict[str, Sample] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def form(self) -> str:
        return "full" if self.full else "quick"

    def run_of(self, claim: Claim) -> Run | None:
        """How a claim's experiment was run; None if it has none."""
        return None if claim.experiment is None else self.runs[claim.experiment.name]

    def command(self, claims: Sequence[Claim] = ()) -> str:
        """The command that makes these findings, or those on some claims alone."""
        if not claims and len(self.findings) < len(self.paper.claims):
            claims = [finding.claim for finding in self.findings]
        parts = [f"banditgym reproduce {self.paper.name}"]
        parts += ["--full"] if self.full else []
        parts += [f"--claim {claim.id}" for claim in claims]
        parts += [f"--set {name}={value}" for name, value in self.given.items()]
        return " ".join(parts)


def reproduce(
    paper: Paper,
    claims: Sequence[str] | None = None,
    *,
    full: bool = False,
    given: Mapping[str, Any] | None = None,
    store: Pieces | None = None,
    executor: Callable[[], Executor] | None = None,
    progress: Advance = silent,
) -> Reproduction:
    """Run the experiments of some claims of a paper, and judge the claims.

    Parameters
    ----------
    paper : Paper
    claims : sequence of str, optional
        Ids; all by default.
    full : bool
        Whether to use the full sizes, which may take long, instead of the quick ones.
    given : mapping of str to object, optional
        Settings that replace the experiments' own where they exist, such as ``data``, a real log
        instead of a simulated one. Such pieces are not stored.
    store : Pieces, optional
        Where finished pieces are kept, and found again.
    executor : callable, optional
        Returns a ``concurrent.futures.Executor``; loky's processes by default.
    progress : callable
        Called often, as what `leaderboards.console.progress.bar` yields.

    Raises
    ------
    ValueError
        If a claim is unknown or no experiment has a given setting; nothing is run then. Also if an
        experiment fails.
    """
    chosen = choose(paper, claims)
    given = dict(given or {})
    todo = pieces(paper, chosen, full, given)
    store = None if given else store
    played: dict[Piece, Played | None] = {p: store and store.find(p) for p in todo}
    lacking = [piece for piece, found in played.items() if found is None]
    if lacking:
        fresh = executor or (lambda: Processes(min(cpu_count(), len(lacking))))
        played |= play_pieces(lacking, len(todo), fresh, store, progress)
    runs, samples = {}, {}
    for experiment in paper.experiments(chosen):
        own = [one for p, one in played.items() if p.experiment is experiment and one is not None]
        samples[experiment.name] = joined([one.sample for one in own])
        runs[experiment.name] = Run(
            size=experiment.size(full).words,
            seconds=sum(one.seconds for one in own),
            sources=of_simulation(experiment.simulate),
            settings=next(p.settings for p in todo if p.experiment is experiment),
            provenances=tuple(dict.fromkeys(one.provenance for one in own)),
        )
    findings = [_judged(claim, samples, full) for claim in chosen]
    return Reproduction(paper, full, findings, runs, samples, given)


def pieces(
    paper: Paper, claims: Sequence[Claim], full: bool, given: Mapping[str, Any]
) -> list[Piece]:
    """The pieces of the experiments of some claims.

    Raises
    ------
    ValueError
        If no experiment has a given setting.
    """
    experiments = paper.experiments(claims)
    known = {name for e in experiments for name in e.size(full).settings}
    for name in given.keys() - known:
        hint = nearest(name, known) or f"; there are {', '.join(sorted(known)) or 'none'}"
        raise ValueError(f"no experiment of {paper.name} to run has a setting {name!r}{hint}")
    found = []
    for experiment in experiments:
        size = experiment.size(full)
        changed = {name: value for name, value in given.items() if name in size.settings}
        settings = {**size.settings, **changed}
        found += [Piece(experiment, settings, seeds) for seeds in size.calls()]
    return found


def choose(paper: Paper, ids: Sequence[str] | None) -> list[Claim]:
    """The claims of these ids, in the paper's order; a ValueError for an unknown one."""
    known = [claim.id for claim in paper.claims]
    for name in ids or ():
        if name not in known:
            hint = nearest(name, known) or f"; there are {', '.join(known)}"
            raise ValueError(f"{paper.name} has no claim {name!r}{hint}")
    return [claim for claim in paper.claims if not ids or claim.id in ids]


def joined(samples: Sequence[Sample]) -> Sample:
    """Samples of the same experiment on further seeds, as one."""
    names = samples[0].measures
    stacked = {name: np.concatenate([s.measures[name] for s in samples]) for name in names}
    return Sample(samples[0].rounds, stacked)


def _judged(claim: Claim, samples: Mapping[str, Sample], full: bool) -> Finding:
    if claim.experiment is None:
        return Finding.of(claim, None, False)
    sample = samples[claim.experiment.name]
    return Finding.of(claim, sample, claim.experiment.reaches_paper(full))


def play_pieces(
    lacking: Sequence[Piece],
    total: int,
    fresh: Callable[[], Executor],
    store: Pieces | None,
    progress: Advance,
) -> dict[Piece, Played]:
    """Play pieces, and keep each as it ends. On any early end the workers are ended too."""
    done = total - len(lacking)
    progress(done / total, False)
    calls = {p: partial(play, p.experiment.simulate, p.seeds, p.settings) for p in lacking}
    played: dict[Piece, Played] = {}
    for ended, running in collected(fresh(), calls, poll=_POLL):
        for piece, future in ended:
            _check(future, piece.experiment)
            played[piece] = future.result()
            if store is not None:
                store.keep(piece, played[piece])
        done += len(ended)
        now = [piece.experiment.name for piece in running]
        progress(done / total, False, words(done, total, now))
    return {piece: played[piece] for piece in lacking}


def _check(future: Future[Played], experiment: Experiment) -> None:
    error, name = future.exception(), experiment.name
    if isinstance(error, BrokenExecutor):
        raise ValueError(f"{name} failed: its process died") from error
    if error is not None:
        raise ValueError(f"{name} failed: {describe(error)}") from error
