"""Writes a reproduction's Markdown page, its figures, and its findings as data."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leaderboards.papers import load
from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.reproduce import Reproduction, between

DPI = 90  # keeps a figure below 150 kB
FEW = 3  # most numbers in a line of the table of verdicts


def write(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write ``<paper>.md``, ``<paper>.json`` and ``<paper>-<figure>.png``; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paper = reproduction.paper.name
    written = []
    for experiment in _drawn(reproduction):
        path = folder / f"{paper}-{experiment.name}.png"
        experiment.draw(reproduction.samples[experiment.name]).savefig(path, dpi=DPI)
        written.append(path)
    page = folder / f"{paper}.md"
    page.write_text(markdown(reproduction), encoding="utf-8")
    data = folder / f"{paper}.json"
    data.write_text(json.dumps(reproduction.records(), indent=1) + "\n", encoding="utf-8")
    return [page, data, *written]


def markdown(reproduction: Reproduction) -> str:
    """The page: a table of all verdicts, then each claim with its setting, rule and numbers."""
    paper, findings = reproduction.paper, reproduction.findings
    command, form = f"banditgym reproduce {paper.name}", "the quick form"
    if reproduction.full:
        command, form = f"{command} --full", "the full form"
    if len(findings) < len(paper.claims):
        command += "".join(f" --claim {finding.claim.id}" for finding in findings)
    command += "".join(f" --set {name}={value}" for name, value in reproduction.given.items())
    lines = [
        f"# {paper.title}",
        "",
        paper.reference,
        "",
        f"Made by `{command}`, {form}. Numbers stand with their 95 % intervals over the seeds.",
        "",
        "| claim | the paper | ours [95 %] | seeds | verdict |",
        "|---|---|---|---|---|",
    ]
    for finding in findings:
        claim = finding.claim
        cells = (
            f"[{claim.id}](#{claim.id})",
            claim.paper,
            _in_brief(finding),
            str(finding.seeds or "–"),
            f"**{finding.verdict}**",
        )
        lines.append(f"| {cells[0]} | {_cell(cells[1])} | {' | '.join(cells[2:])} |")
    drawn = _drawn(reproduction)
    for finding in findings:
        lines += ["", *_section(finding)]
        experiment = finding.claim.experiment
        if experiment is not None and experiment in drawn:
            drawn.remove(experiment)  # only under the first of its claims
            lines += ["", f"![{experiment.caption}]({paper.name}-{experiment.name}.png)"]
            lines += ["", f"*{experiment.caption}*"]
    return "\n".join(lines) + "\n"


def index(records: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of every paper's verdicts, and one of every claim, linked to the pages.

    Parameters
    ----------
    records : sequence of mapping
        Findings as data, as ``write`` stores them beside its pages, paper by paper.
    """
    papers: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        papers.setdefault(record["paper"], []).append(record)
    header = ["paper", *map(str, Verdict)]
    lines = [f"| {' | '.join(header)} |", "|---|" + "---:|" * len(Verdict)]
    for name, own in papers.items():
        counts = Counter(record["verdict"] for record in own)
        cells = [f"[{name}]({name}.md)", *(str(counts[str(v)] or "–") for v in Verdict)]
        lines.append(f"| {' | '.join(cells)} |")
    for name, own in papers.items():
        paper = load(name)
        lines += ["", f"## {paper.title}", "", paper.reference, ""]
        lines += ["| claim | what the paper says | verdict |", "|---|---|---|"]
        for record in own:
            claim = f"[{record['claim']}]({name}.md#{record['claim']})"
            said = _cell(f"{record['statement']} ({record['source']})")
            lines.append(f"| {claim} | {said} | **{record['verdict']}** |")
    return "\n".join(lines) + "\n"


def _in_brief(finding: Finding) -> str:
    """A few numbers as text; many numbers as a link to them."""
    if len(finding.numbers) > FEW:
        return f"[{len(finding.numbers)} numbers](#{finding.claim.id})"
    numbers = [f"{name}: {between(x)}" for name, x in finding.numbers.items()]
    return "<br>".join(map(_cell, numbers)) or "–"


def _section(finding: Finding) -> list[str]:
    claim = finding.claim
    lines = [f"## {claim.id}", "", f"{claim.statement} ({claim.source})", ""]
    if claim.obstacle:
        return [*lines, f"- **{finding.verdict}**: {claim.obstacle}"]
    return [
        *lines,
        f"- setting: {claim.setting}",
        f"- measure: {claim.measure}",
        f"- rule: {claim.rule}",
        f"- the paper: {claim.paper}",
        f"- **{finding.verdict}**",
        "",
        f"| {finding.seeds} seeds | ours [95 %] |",
        "|---|---:|",
        *(f"| {_cell(name)} | {between(x)} |" for name, x in finding.numbers.items()),
    ]


def _drawn(reproduction: Reproduction) -> list[Any]:
    """The experiments that have a figure."""
    claims = [finding.claim for finding in reproduction.findings]
    return [e for e in reproduction.paper.experiments(claims) if e.draw is not None]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
