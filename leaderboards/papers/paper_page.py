"""Writes a reproduction's Markdown page, its figures, and its findings as data."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.papers import load
from leaderboards.papers.claim import PAPERS_OWN, Experiment, Finding
from leaderboards.papers.findings_table import FEW, between, headline, tally, verdict_words
from leaderboards.papers.records import record
from leaderboards.papers.reproduce import Reproduction
from leaderboards.papers.verdicts import MEANINGS, Verdict

DPI = 90  # keeps a figure below 150 kB
AS_PRINTED = "-as-printed"


def write(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write ``<paper>.md``, ``<paper>.json`` and ``<paper>-<figure>.png``; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paper = reproduction.paper.name
    written = []
    for experiment, sample in _drawn(reproduction):
        for suffix, draw in _drawings(experiment):
            path = folder / f"{paper}-{experiment.name}{suffix}.png"
            with whole_files.opened(path) as file:
                draw(sample).savefig(file, format="png", dpi=DPI)
            written.append(path)
    page = folder / f"{paper}.md"
    whole_files.write(page, markdown(reproduction))
    data = folder / f"{paper}.json"
    whole_files.write(data, json.dumps(record(reproduction), indent=1) + "\n")
    return [page, data, *written]


def markdown(reproduction: Reproduction) -> str:
    """The page: a table of all verdicts, then each claim with its setting, rule and numbers."""
    paper, findings = reproduction.paper, reproduction.findings
    lines = [
        f"# {paper.title}",
        "",
        f"{paper.reference} <{paper.link}>",
        "",
        f"Made by `{reproduction.command()}`, the {reproduction.form} form. Numbers are given "
        "with their 95 % intervals over the seeds.",
        "",
        *(f"- {line}" for line in _played(reproduction)),
        "",
        "| claim | the paper | ours [95 %] | size | verdict |",
        "|---|---|---|---|---|",
    ]
    for finding in findings:
        claim, run = finding.claim, reproduction.run_of(finding.claim)
        size = "–" if run is None else f"{finding.seeds} seeds, {run.size}"
        verdict = f"**{verdict_words(finding, reproduction)}**"
        name = f"[{claim.id}](#{claim.id})"
        lines.append(_row(name, claim.paper, _in_brief(finding), size, verdict))
    found = {finding.verdict for finding in findings} | {
        part for finding in findings for part in finding.parts.values()
    }
    lines += ["", "What the verdicts mean:", ""]
    lines += [f"- **{verdict}**: {text}." for verdict, text in MEANINGS.items() if verdict in found]
    drawn = {claim.experiment.name for claim in paper.claims if claim.experiment is not None}
    for finding in findings:
        lines += ["", *_section(finding, reproduction)]
        experiment = finding.claim.experiment
        if experiment is not None and experiment.name in drawn:
            drawn.remove(experiment.name)  # only under the first of its claims
            lines += _figures(paper.name, experiment)
    return "\n".join(lines) + "\n"


def index(records: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of every paper's verdicts, and one of every claim, linked to the pages.

    Only the papers' own claims are counted.

    Parameters
    ----------
    records : sequence of mapping
        Reproductions as data, as ``write`` stores them beside its pages.
    """
    header = ["paper", *map(str, Verdict), "not the paper's own"]
    lines = [f"| {' | '.join(header)} |", "|---|" + "---:|" * (len(header) - 1)]
    for known in records:
        own = [f for f in known["findings"] if f["origin"] in PAPERS_OWN]
        counts = Counter(finding["verdict"] for finding in own)
        cells = [str(counts[str(verdict)] or "–") for verdict in Verdict]
        others = str(len(known["findings"]) - len(own) or "–")
        name = known["paper"]
        lines.append(f"| [{name}]({name}.md) | {' | '.join([*cells, others])} |")
    for known in records:
        name, paper = known["paper"], load(known["paper"])
        lines += ["", f"## {paper.title}", "", f"{paper.reference} <{paper.link}>", ""]
        lines += ["| claim | what the paper says | whose | verdict |", "|---|---|---|---|"]
        for finding in known["findings"]:
            quick = finding["experiment"] and known["form"] == "quick"
            lines.append(
                _row(
                    f"[{finding['claim']}]({name}.md#{finding['claim']})",
                    f"{finding['statement']} ({finding['source']})",
                    finding["origin"],
                    f"**{finding['verdict']}{', quick' if quick else ''}**",
                )
            )
    return "\n".join(lines) + "\n"


def _played(reproduction: Reproduction) -> list[str]:
    """When, where and with what the experiments were played."""
    lines = dict.fromkeys(
        f"played {provenance.words}"
        for run in reproduction.runs.values()
        for provenance in run.provenances
    )
    total = sum(run.seconds for run in reproduction.runs.values())
    return [*lines, f"{max(total / 60, 0.1):.1f} minutes of CPU time"] if lines else []


def _in_brief(finding: Finding) -> str:
    """A few numbers as text; of many only the range, with a link to them."""
    numbers = headline(finding)
    lines = [f"{name}: {between(x)}" for name, x in numbers.items()]
    if len(numbers) > FEW:
        values = [float(x.value) for x in numbers.values()]
        link = f"[{len(numbers)} numbers](#{finding.claim.id})"
        lines = [f"{link} from {min(values):.3g} to {max(values):.3g}"]
    return "<br>".join([*lines, *filter(None, [tally(finding)])]) or "–"


def _section(finding: Finding, reproduction: Reproduction) -> list[str]:
    claim = finding.claim
    lines = [f"## {claim.id}", "", f"{claim.statement} ({claim.source}; {claim.origin})", ""]
    if claim.obstacle:
        return [*lines, f"- **{finding.verdict}**: {claim.obstacle}"]
    texts = {
        "setting": claim.setting,
        "swept": claim.swept,
        "measure": claim.measure,
        "rule": claim.rule,
        "changed after a first look": claim.amended,
        "the paper": claim.paper,
        "more rounds would not help": claim.any_size,
        "varied to reproduce it": claim.varied,
    }
    lines += [f"- {name}: {text}" for name, text in texts.items() if text]
    run = reproduction.run_of(claim)
    assert run is not None
    lines += [
        f"- size: {finding.seeds} seeds, {run.size}; {run.seconds:.0f} s of CPU time",
        f"- command: `{reproduction.command([claim])}`",
        f"- **{verdict_words(finding, reproduction)}**",
        "",
        "| number | ours [95 %] | verdict |",
        "|---|---:|---|",
    ]
    parts, numbers = finding.parts, finding.numbers
    for name in [*parts, *(name for name in numbers if name not in parts)]:
        number = between(numbers[name]) if name in numbers else ""
        lines.append(_row(name, number, parts.get(name, "")))
    return lines


def _figures(paper: str, experiment: Experiment) -> list[str]:
    lines = []
    for suffix, _ in _drawings(experiment):
        text = "The same data with the paper's axes." if suffix else experiment.caption
        lines += ["", f"![{text}]({paper}-{experiment.name}{suffix}.png)", "", f"*{text}*"]
    return lines


def _drawings(experiment: Experiment) -> list[tuple[str, Any]]:
    """The figures of an experiment, each with the suffix of its file's name."""
    both = (("", experiment.draw), (AS_PRINTED, experiment.draw_as_printed))
    return [(suffix, draw) for suffix, draw in both if draw is not None]


def _drawn(reproduction: Reproduction) -> list[tuple[Experiment, Any]]:
    """The experiments with their samples."""
    claims = [finding.claim for finding in reproduction.findings]
    found = reproduction.paper.experiments(claims)
    return [(experiment, reproduction.samples[experiment.name]) for experiment in found]


def _row(*cells: str) -> str:
    joined = " | ".join(cell.replace("|", "\\|") for cell in cells)
    return f"| {joined} |"
