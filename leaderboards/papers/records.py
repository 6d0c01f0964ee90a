"""Findings as plain data, and back."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from leaderboards.papers.claim import Claim, Finding, Paper
from leaderboards.papers.provenance import Provenance
from leaderboards.papers.reproduce import Reproduction, Run, choose
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate


def record(reproduction: Reproduction) -> dict[str, Any]:
    """A reproduction as plain data; missing limits of intervals are None."""
    return {
        "paper": reproduction.paper.name,
        "reference": reproduction.paper.reference,
        "link": reproduction.paper.link,
        "form": reproduction.form,
        "command": reproduction.command(),
        "given": {name: str(value) for name, value in reproduction.given.items()},
        "experiments": {name: _run(run) for name, run in reproduction.runs.items()},
        "findings": [_finding(reproduction, finding) for finding in reproduction.findings],
    }


def recalled(paper: Paper, known: Mapping[str, Any]) -> Reproduction:
    """Findings from their record, without samples; they suffice for a page, not for its figures.

    What the machine of the record could not run is no experiment here either.
    """
    by_claim = {finding["claim"]: finding for finding in known["findings"]}
    findings = [_recalled(claim, by_claim[claim.id]) for claim in choose(paper, list(by_claim))]
    runs = {
        name: Run(**run | {"provenances": tuple(Provenance(**one) for one in run["provenances"])})
        for name, run in known["experiments"].items()
    }
    return Reproduction(paper, known["form"] == "full", findings, runs, given=known["given"])


def _recalled(claim: Claim, known: Mapping[str, Any]) -> Finding:
    return Finding(
        claim=claim.prevented(known["obstacle"]) if known["obstacle"] else claim,
        parts={name: Verdict(part) for name, part in known["parts"].items()},
        numbers={name: _read(x) for name, x in known["numbers"].items()},
        seeds=known["seeds"],
    )


def _run(run: Run) -> dict[str, Any]:
    return asdict(run) | {
        "settings": {name: str(value) for name, value in run.settings.items()},
        "provenances": [asdict(one) for one in run.provenances],
    }


def _finding(reproduction: Reproduction, finding: Finding) -> dict[str, Any]:
    claim, run = finding.claim, reproduction.run_of(finding.claim)
    return {
        "claim": claim.id,
        "source": claim.source,
        "origin": str(claim.origin),
        "statement": claim.statement,
        "paper_says": claim.paper,
        "setting": claim.setting or None,
        "rule": claim.rule or None,
        "amended": claim.amended or None,
        "experiment": claim.experiment and claim.experiment.name,
        "size": run and run.size,
        "seeds": finding.seeds,
        "numbers": {name: _plain(x) for name, x in finding.numbers.items()},
        "parts": {name: str(part) for name, part in finding.parts.items()},
        "verdict": str(finding.verdict),
        "obstacle": claim.obstacle or None,
        "command": reproduction.command([claim]),
    }


def _plain(number: Estimate) -> dict[str, float | None]:
    limits = number._asdict()
    return {key: float(x) if np.isfinite(x) else None for key, x in limits.items()}


def _read(limits: Mapping[str, float | None]) -> Estimate:
    known = {key: np.float64(math.nan if x is None else x) for key, x in limits.items()}
    return Estimate(**known)  # pyright: ignore[reportArgumentType]  # scalars, as of `_plain`
