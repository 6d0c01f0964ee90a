"""Writes a reproduction's Markdown page, its figures, and its findings as data."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.papers import findings_table, load
from leaderboards.papers.claim import PAPERS_OWN, Experiment, Finding
from leaderboards.papers.findings_table import FEW, between, headline, tally
from leaderboards.papers.records import record
from leaderboards.papers.reproduce import Reproduction
from leaderboards.papers.verdicts import MEANINGS, Verdict
from leaderboards.report.templates import markdown as from_template

DPI = 90  # keeps a figure below 150 kB
AS_PRINTED = "-as-printed"


def write(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write ``<paper>.md``, ``<paper>.json`` and ``<paper>-<figure>.png``; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paper = reproduction.paper.name
    written = []
    claims = [finding.claim for finding in reproduction.findings]
    for experiment in reproduction.paper.experiments(claims):
        for suffix, draw in _drawings(experiment):
            path = folder / f"{paper}-{experiment.name}{suffix}.png"
            with whole_files.opened(path) as file:
                draw(reproduction.samples[experiment.name]).savefig(file, format="png", dpi=DPI)
            written.append(path)
    page = folder / f"{paper}.md"
    whole_files.write(page, markdown(reproduction))
    data = folder / f"{paper}.json"
    whole_files.write(data, json.dumps(record(reproduction), indent=1) + "\n")
    return [page, data, *written]


def markdown(reproduction: Reproduction) -> str:
    """The page: a table of all verdicts, then each claim with its setting, rule and numbers."""
    found = [part for finding in reproduction.findings for part in finding.parts.values()]
    found += [finding.verdict for finding in reproduction.findings]
    return from_template(
        Path(__file__).with_name("paper_page.md.jinja"),
        done=reproduction,
        paper=reproduction.paper,
        played=_played(reproduction),
        meanings={verdict: text for verdict, text in MEANINGS.items() if verdict in found},
        texts=findings_table,
        in_brief=_in_brief,
        drawings=_drawings,
    )


def index(records: Sequence[Mapping[str, Any]]) -> str:
    """The index: a table of every paper's verdicts, and one of every claim, with links.

    Parameters
    ----------
    records : sequence of mapping
        Reproductions as data, as ``write`` stores them beside its pages.
    """
    return from_template(
        Path(__file__).with_name("papers_index.md.jinja"),
        records=records,
        papers={known["paper"]: load(known["paper"]) for known in records},
        verdicts=list(Verdict),
        own=PAPERS_OWN,
    )


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


def _drawings(experiment: Experiment) -> list[tuple[str, Any]]:
    """The figures of an experiment, each with the suffix of its file's name."""
    both = (("", experiment.draw), (AS_PRINTED, experiment.draw_as_printed))
    return [(suffix, draw) for suffix, draw in both if draw is not None]
