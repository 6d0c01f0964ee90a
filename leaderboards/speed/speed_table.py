"""Shows measured rows in a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from leaderboards.speed.benchmarks import FUSED, NUMPY, PLAIN
from leaderboards.speed.machine_facts import line

_CAPTION = """
ratio: rounds/s over those beside, measured in the same run; floor and aim are
  ratios; red is below the floor, green reaches the aim
beside: the fused loop, all replicates in one compiled function, as a specialist
  would write it for this agent and environment; or what is named below
same: rounds/s over a fused loop with the arithmetic of our agent, to the last
  bit: less than 1 by the cost of the interface
numpy: rounds/s over the same agent in a numpy loop, one replicate
GPUCB, BKB, BBKB: whole runs of T rounds among 10,000 arms; numpy is GP-UCB
  refitted in each of 200 rounds
box: whole runs of T rounds on the unit square, ten replicates
GradientDescent: T steps of the agent alone, no environment, on 1,000 features
by hand: env.step, or act, step and observe, around one gymnasium.make; beside
  it the same loop around a plain environment in numpy, written for it alone
news from a file: lines of 20 articles are read, replayed and learned from"""


def table(found: dict[str, Any]) -> Group:
    """The measurements and, if they were compared with an earlier file, what changed."""
    earlier = found.get("earlier")
    shown = Table(title="rounds a second, one core, CPU time", box=None, padding=(0, 1, 0, 0))
    shown.add_column("environment and agent", no_wrap=True)
    last = "numpy" if earlier is None else "change"
    for name in ("n", "rounds/s", "beside", "ratio", "floor", "aim", "same", last):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in found["rows"]:
        numbers = [_short(row[key]) for key in ("rounds_per_second", "beside")]
        ratios = [_ratio(row[key]) for key in ("ratio", "floor", "aim", "same_arithmetic")]
        if row["ratio"] is not None:
            low, high = row["ratio"] < row["floor"], row["ratio"] >= row["aim"]
            ratios[0] = f"[{'red' if low else 'green' if high else 'default'}]{ratios[0]}[/]"
        shown.add_row(row["row"], str(row["n"]), *numbers, *ratios, _last(row, last))
    below = [*_besides(found["rows"]), *_changes(found)]
    # Not the table's caption, which would be wrapped to its width.
    return Group(
        shown, Text(_CAPTION, style="italic dim"), Text("\n".join([*below, line(found)]), "dim")
    )


def _last(row: dict[str, Any], name: str) -> str:
    if name == "change":
        return "new" if row["change"] is None else f"x {row['change']:.2f}"
    if row["plain"] is None:
        return "–"
    gain = row["rounds_per_second"] / row["plain"]
    return f"{gain:.0f} x" if gain >= 10 else f"{gain:.2g} x"


def _besides(rows: list[dict[str, Any]]) -> list[str]:
    """What is beside the rows that are not compared with a fused loop."""
    others: dict[str, list[str]] = {}
    for row in rows:
        if row["of"] not in (None, FUSED):
            others.setdefault(row["of"], []).append(row["row"])
    return [
        f"beside {', '.join(names)}: {'the ' * (of in (NUMPY, PLAIN))}{of}"
        for of, names in others.items()
    ]


def _changes(found: dict[str, Any]) -> list[str]:
    earlier = found.get("earlier")
    if earlier is None:
        return []
    said = [f"change: rounds/s over those of {line(earlier)}"]
    if earlier["not_measured_now"]:
        said.append(f"only in the earlier file: {', '.join(earlier['not_measured_now'])}")
    return said


def _short(number: float | None) -> str:
    if number is None:
        return "–"
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e6:.3g} M" if number >= 1e6 else f"{number / 1e3:.0f} k"


def _ratio(number: float | None) -> str:
    return "–" if number is None else f"{number:.3g}" if number >= 0.1 else f"{number:.2g}"
