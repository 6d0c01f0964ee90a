"""Findings as texts and as a table for a terminal."""

import math
from itertools import zip_longest

from rich.table import Table
from rich.text import Text

from leaderboards.papers.claim import Finding, Numbers
from leaderboards.papers.reproduce import Reproduction
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate

FEW = 3  # most numbers beside a verdict
_COLOURS = {
    Verdict.REPRODUCED: "green",
    Verdict.PARTLY: "yellow",
    Verdict.NOT_REPRODUCED: "red",
    Verdict.OPEN: "cyan",
    Verdict.INCONCLUSIVE: "magenta",
    Verdict.VACUOUS: "dim",
    Verdict.CANNOT_RUN: "dim",
}


def between(number: Estimate) -> str:
    """``1.23 [1.1, 1.4]``."""
    if math.isnan(number.low):
        return f"{number.value:.3g}"
    return f"{number.value:.3g} [{number.low:.3g}, {number.high:.3g}]"


def verdict_words(finding: Finding, reproduction: Reproduction) -> str:
    """The verdict, with the word ``quick`` after that of a quick form."""
    ran = finding.claim.experiment is not None
    return f"{finding.verdict}, quick" if ran and not reproduction.full else str(finding.verdict)


def headline(finding: Finding) -> Numbers:
    """The numbers to show beside a verdict: the claim's choice, or else those that are judged."""
    names = finding.claim.headline or [name for name in finding.numbers if name in finding.parts]
    return {name: finding.numbers[name] for name in names or finding.numbers}


def tally(finding: Finding) -> str:
    """``3 of 4 parts reproduced``, or ``""`` if there is a single part."""
    parts = list(finding.parts.values())
    if len(parts) < 2:
        return ""
    said = f"{parts.count(Verdict.REPRODUCED)} of {len(parts)} parts reproduced"
    vacuous = parts.count(Verdict.VACUOUS)
    if vacuous in (0, len(parts)):
        return said
    return f"{said}; {vacuous} vacuous, which {'does' if vacuous == 1 else 'do'} not count"


def table(reproduction: Reproduction) -> Table:
    """The findings for a terminal, every part with its verdict."""
    shown = Table(
        title=Text(
            f"{reproduction.paper.name}: {reproduction.paper.title}, {reproduction.form} form"
        ),
        header_style="bold",
        box=None,
        padding=(0, 2, 0, 0),
    )
    shown.add_column("claim", no_wrap=True)
    shown.add_column("number")
    shown.add_column(Text("[95 %]"), min_width=26)
    for finding in reproduction.findings:
        claim, run = finding.claim, reproduction.run_of(finding.claim)
        left = [Text(claim.id, style="bold")]
        left.append(Text(verdict_words(finding, reproduction), _COLOURS[finding.verdict]))
        if run is not None:
            left += [Text(f"{finding.seeds} seeds"), Text(run.size)]
        right = [(Text("the paper"), Text(claim.paper))]
        for name, number in finding.numbers.items():
            right.append((Text(name), Text(f"{between(number)}{_part(finding, name)}")))
        others = [name for name in finding.parts if name not in finding.numbers]
        right += [(Text(name), Text(str(finding.parts[name]))) for name in others]
        if claim.obstacle:
            right.append((Text("the obstacle"), Text(claim.obstacle)))
        for cell, cells in zip_longest(left, right):
            shown.add_row(cell, *(cells or ()))
        shown.add_row()
    return shown


def _part(finding: Finding, name: str) -> str:
    return f"  {finding.parts[name]}" if name in finding.parts else ""
