"""Shows the ratios of measured rows in a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from leaderboards.speed.machine_facts import line
from leaderboards.speed.speed_table import short
from tools.speed.ratios import FUSED, NUMPY, PLAIN

_CAPTION = """
ratio: rounds/s over those beside, measured in the same run; floor and aim are
  ratios; red is below the floor, green reaches the aim
beside: the fused loop, all replicates in one compiled function, as a specialist
  would write it for this agent and environment; or what is named below
same: rounds/s over a fused loop with the arithmetic of our agent, to the last
  bit: 1 means that the interface costs nothing
numpy: rounds/s over the same agent in a numpy loop, one replicate; for GPUCB,
  BKB and BBKB over GP-UCB refitted in each of 200 rounds
by hand: beside it is the same loop around an environment in numpy, written for
  it alone"""


def table(found: dict[str, Any]) -> Group:
    """The measurements, with the machine, the date and the versions of libraries."""
    shown = Table(title="rounds a second, one core, CPU time", box=None, padding=(0, 1, 0, 0))
    shown.add_column("environment and agent", no_wrap=True)
    for name in ("n", "rounds/s", "beside", "ratio", "floor", "aim", "same", "numpy"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in found["rows"]:
        numbers = [short(row[key]) for key in ("rounds_per_second", "beside")]
        ratios = [_ratio(row[key]) for key in ("ratio", "floor", "aim", "same_arithmetic")]
        low, high = row["ratio"] < row["floor"], row["ratio"] >= row["aim"]
        ratios[0] = f"[{'red' if low else 'green' if high else 'default'}]{ratios[0]}[/]"
        shown.add_row(row["row"], str(row["n"]), *numbers, *ratios, _gain(row))
    below = [*_others(found["rows"]), line(found)]
    # Not the table's caption, which would be wrapped to its width.
    return Group(shown, Text(_CAPTION, style="italic dim"), Text("\n".join(below), "dim"))


def _gain(row: dict[str, Any]) -> str:
    if row["plain"] is None:
        return "–"
    gain = row["rounds_per_second"] / row["plain"]
    return f"{gain:.0f} x" if gain >= 10 else f"{gain:.2g} x"


def _others(rows: list[dict[str, Any]]) -> list[str]:
    """What is beside the rows that are not compared with a fused loop."""
    others: dict[str, list[str]] = {}
    for row in rows:
        if row["of"] != FUSED:
            others.setdefault(row["of"], []).append(row["row"])
    return [
        f"beside {', '.join(names)}: {'the ' * (of in (NUMPY, PLAIN))}{of}"
        for of, names in others.items()
    ]


def _ratio(number: float | None) -> str:
    return "–" if number is None else f"{number:.3g}" if number >= 0.1 else f"{number:.2g}"
