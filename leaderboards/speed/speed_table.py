"""Shows measured rows in a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from leaderboards.speed.machine_facts import line

_CAPTION = """
rounds/s: of all n replicates
env, agent: microseconds of a round of all n replicates
GPUCB, BKB, BBKB: whole runs of T rounds among 10,000 arms
box: whole runs of T rounds on the unit square, ten replicates
GradientDescent: T steps of the agent alone, no environment, on 1,000 features
by hand: env.step, or act, step and observe, around one gymnasium.make
news from a file: lines of 20 articles are read, replayed and learned from
log: rows of a Parquet file; evaluated: checked, and the agent learns from
half of them and is evaluated on the others by dr, snips and ips"""


def table(found: dict[str, Any]) -> Group:
    """The measurements, with the machine, the date and the versions of libraries."""
    shown = Table(title="rounds a second, one core, CPU time", box=None, padding=(0, 1, 0, 0))
    shown.add_column("environment and agent", no_wrap=True)
    for name in ("n", "rounds/s", "env, µs", "agent, µs"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in found["rows"]:
        parts = [row["env_microseconds"], row["agent_microseconds"]]
        speed = short(row["rounds_per_second"])
        shown.add_row(row["row"], str(row["n"]), speed, *map(_microseconds, parts))
    # Not the table's caption, which would be wrapped to its width.
    return Group(shown, Text(_CAPTION, style="italic dim"), Text(line(found), "dim"))


def short(number: float | None) -> str:
    """Rounds per second in few characters; a dash for None."""
    if number is None:
        return "–"
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e6:.3g} M" if number >= 1e6 else f"{number / 1e3:.0f} k"


def _microseconds(number: float | None) -> str:
    return "–" if number is None else f"{number:.0f}" if number >= 100 else f"{number:.2g}"
