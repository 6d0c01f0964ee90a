"""Runs the experiments of a paper's claims, in processes, and judges the claims."""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np
from loky import cpu_count
from rich.table import Table
from rich.text import Text

from banditgym.validation import nearest
from leaderboards.console.progress import Advance, silent, words
from leaderboards.papers.claim import Claim, Experiment, Finding, Paper, Sample, Verdict
from leaderboards.processes.workers import Processes
from leaderboards.rank.interval_estimates import Estimate
from leaderboards.run.reasons import describe

_POLL = 0.2  # seconds between two reports of progress
_COLOURS = {
    Verdict.REPRODUCED: "green",
    Verdict.PARTLY: "yellow",
    Verdict.NOT_REPRODUCED: "red",
    Verdict.CANNOT_RUN: "dim",
}


@dataclass(frozen=True, eq=False)
class Reproduction:
    """The results for a paper's claims.
    Attributes
    ----------
    paper : Paper
    full : bool
        Whether the paper's own sizes were used.
    findings : list of Finding
        In the paper's order.
    samples : dict of str to Sample
        By the experiments' names.
    given : mapping of str to object
        Settings that replaced the experiments' own.
    """

    paper: Paper
    full: bool
    findings: list[Finding]
    samples: dict[str, Sample]
    given: Mapping[str, Any] = field(default_factory=dict)

    def table(self) -> Table:
        """The findings for a terminal."""
        form = "full" if self.full else "quick"
        table = Table(
            title=Text(f"{self.paper.name}: {self.paper.title}, {form} form"),
            header_style="bold",
            box=None,
            padding=(0, 2, 0, 0),
        )
        table.add_column("claim", no_wrap=True)
        table.add_column("number")
        table.add_column(Text("[95 %]"), min_width=26)
        for finding in self.findings:
            claim = finding.claim
            left = [Text(claim.id, style="bold"), Text(finding.verdict, _COLOURS[finding.verdict])]
            if finding.seeds:
                left.append(Text(f"{finding.seeds} seeds"))
            right = [(Text("the paper"), Text(claim.paper))]
            right += [(Text(name), Text(between(x))) for name, x in finding.numbers.items()]
            if claim.obstacle:
                right.append((Text("the obstacle"), Text(claim.obstacle)))
            for cell, cells in zip_longest(left, right):
                table.add_row(cell, *(cells or ()))
            table.add_row()
        return table

    def records(self) -> list[dict[str, Any]]:
        """The findings as plain data; missing limits are None."""
        return [
            {
                "paper": self.paper.name,
                "claim": finding.claim.id,
                "source": finding.claim.source,
                "statement": finding.claim.statement,
                "paper_says": finding.claim.paper,
                "numbers": {name: _plain(x) for name, x in finding.numbers.items()},
                "seeds": finding.seeds,
                "full": self.full,
                "verdict": str(finding.verdict),
                "obstacle": finding.claim.obstacle or None,
            }
            for finding in self.findings
        ]


def reproduce(
    paper: Paper,
    claims: Sequence[str] | None = None,
    *,
    full: bool = False,
    given: Mapping[str, Any] | None = None,
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
        Whether to use the paper's own sizes, which may take long, instead of the quick ones.
    given : mapping of str to object, optional
        Settings that replace the experiments' own where they exist, such as ``data``, a real log
        instead of a simulated one.
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
    experiments = paper.experiments(chosen)
    given = dict(given or {})
    known = {name for e in experiments for name in e.size(full).settings}
    for name in given.keys() - known:
        hint = nearest(name, known) or f"; there are {', '.join(sorted(known)) or 'none'}"
        raise ValueError(f"no experiment of {paper.name} to run has a setting {name!r}{hint}")
    calls = [(e, seeds) for e in experiments for seeds in e.calls(full)]
    fresh = executor or (lambda: Processes(min(cpu_count(), len(calls))))
    samples: dict[str, Sample] = {}
    if calls:
        parts = _run(calls, full, given, fresh, progress)
        for experiment in experiments:
            own = [p for p, (e, _) in zip(parts, calls, strict=True) if e is experiment]
            samples[experiment.name] = joined(own)
    findings = [
        Finding.of(claim, claim.experiment and samples[claim.experiment.name]) for claim in chosen
    ]
    return Reproduction(paper, full, findings, samples, given)


def recalled(paper: Paper, records: Sequence[Mapping[str, Any]]) -> Reproduction:
    """Findings from their records, without samples; they suffice for a page, not for its figures.

    Parameters
    ----------
    paper : Paper
    records : sequence of mapping
        This paper's findings as in ``Reproduction.records``.
    """
    claims = choose(paper, [record["claim"] for record in records])
    by_claim = {record["claim"]: record for record in records}
    findings = []
    for claim in claims:
        record = by_claim[claim.id]
        findings.append(
            Finding(
                claim=claim,
                verdict=Verdict(record["verdict"]),
                numbers={name: _read(limits) for name, limits in record["numbers"].items()},
                seeds=record["seeds"],
            )
        )
    return Reproduction(paper, any(record["full"] for record in records), findings, {})


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


def between(number: Estimate) -> str:
    """``1.23 [1.1, 1.4]``."""
    if math.isnan(number.low):
        return f"{number.value:.3g}"
    return f"{number.value:.3g} [{number.low:.3g}, {number.high:.3g}]"


def _run(
    calls: Sequence[tuple[Experiment, list[int]]],
    full: bool,
    given: Mapping[str, Any],
    fresh: Callable[[], Executor],
    progress: Advance,
) -> list[Sample]:
    """The samples of all calls. If it ends early, even by Ctrl-C, the workers are ended too."""
    progress(0.0, False)
    pool = fresh()
    try:
        futures: dict[Future[Sample], Experiment] = {}
        for experiment, seeds in calls:
            own = experiment.size(full).settings
            settings = {**own, **{name: x for name, x in given.items() if name in own}}
            futures[pool.submit(experiment.simulate, seeds, **settings)] = experiment
        running = set(futures)
        while running:
            ended, running = wait(running, timeout=_POLL, return_when=FIRST_COMPLETED)
            for future in ended:
                _check(future, futures[future].name)
            now = [futures[future].name for future in futures if future.running()]
            done = len(futures) - len(running)
            progress(done / len(futures), False, words(done, len(futures), now))
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _check(future: Future[Sample], name: str) -> None:
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise ValueError(f"{name} failed: its process died") from error
    if error is not None:
        raise ValueError(f"{name} failed: {describe(error)}") from error


def _plain(number: Estimate) -> dict[str, float | None]:
    limits = number._asdict()
    return {key: float(x) if np.isfinite(x) else None for key, x in limits.items()}


def _read(limits: Mapping[str, float | None]) -> Estimate:
    known = {key: np.float64(math.nan if x is None else x) for key, x in limits.items()}
    return Estimate(**known)  # pyright: ignore[reportArgumentType]  # scalars, as of `_plain`
