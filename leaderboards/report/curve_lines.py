"""What a panel of curves holds: the lines of a task's agents, its baseline and its bounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboards.rank.standing import Curve
from leaderboards.report.bounds import Bound

ALIKE = 3e-3  # curves that differ by a smaller share of their height are drawn as one line


@dataclass(frozen=True)
class Line:
    """One agent's curve. References are drawn thin; third-party agents are drawn thick."""

    label: str
    curve: Curve
    reference: bool = False
    third_party: bool = False
    renamed: bool = False  # its label is a text that a user chose, which takes no mark


@dataclass(frozen=True)
class Panel:
    """One task: its lines, the name and final measure of the baseline that scores 0, and bounds."""

    title: str
    measure: str
    horizon: int
    lines: tuple[Line, ...]
    baseline: float | None = None
    baseline_name: str = ""
    bounds: tuple[Bound, ...] = ()
    per_round: bool = False  # the measure is a mean of a round, not a sum

    @property
    def drawn(self) -> list[Bound]:
        """The bounds that have a line; it reaches the horizon."""
        return [bound for bound in self.bounds if bound.rounds]


def coinciding(lines: Sequence[Line], horizon: int) -> list[list[str]]:
    """Labels in groups whose curves coincide in a picture.

    Curves are compared from a thousandth of the horizon on; a logarithmic axis shows nothing
    earlier.
    """
    groups: list[tuple[Curve, list[str]]] = []
    for line in lines:
        for curve, labels in groups:
            if _alike(curve, line.curve, horizon / 1000):
                labels.append(line.label)
                break
        else:
            groups.append((line.curve, [line.label]))
    return [labels for _, labels in groups]


def _alike(one: Curve, other: Curve, start: float) -> bool:
    if one.rounds != other.rounds:
        return False
    seen = np.array(one.rounds) >= start
    a, b = np.array(one.mean)[seen], np.array(other.mean)[seen]
    return bool(np.all(np.abs(a - b) <= ALIKE * np.maximum(np.abs(a), np.abs(b))))
