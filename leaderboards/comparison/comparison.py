"""Compares agents on one environment, without a suite."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agents import Trace
from banditgym.files import whole_files
from banditgym.measures import RATES, higher_is_better
from banditgym.validation import brief, visible
from leaderboards.console.narrow import bare_table
from leaderboards.rank.interval_estimates import Estimate, mean_interval
from leaderboards.rank.standing import interval
from leaderboards.report.cell_texts import amount_text, direction, marked, measure_text
from leaderboards.report.remarks import counted
from leaderboards.report.tables import MARKED
from leaderboards.run.impossible import possible_range

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

_FEW = 8  # labels that are shown by name
_NUMBERS = ("mean", "low", "high", "difference", "difference_low", "difference_high")


def named(labels: Sequence[str]) -> str:
    """Labels with their numbers, the first of many.

    >>> named(["high", "low"])
    '0 high, 1 low'
    """
    shown = [f"{k} {visible(name)}" for k, name in enumerate(labels[:_FEW])]
    return ", ".join([*shown, *[".."] * (len(labels) > _FEW)])


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Traces of several agents on the same seeds.

    Attributes
    ----------
    env : str
        Id of the environment.
    settings : dict
        The environment's settings.
    measure : str
        The measure that agents are compared by: "regret"; if the environment has none, a rate such
        as "clicks_per_10000"; else "reward".
    traces : dict of str to Trace
        By label, in the order in which the agents were given.
    own : frozenset of str
        Labels of agents that do not belong to this package.
    family : str
        The environment's; intervals end where its measure cannot be.
    labels : tuple of str or None
        The names of the labels, as in the task.
    """

    env: str
    settings: dict[str, Any]
    measure: str
    traces: dict[str, Trace]
    own: frozenset[str] = frozenset()
    family: str = ""
    labels: tuple[str, ...] | None = None

    def to_frame(self) -> "pandas.DataFrame":
        """One row per agent, best first.

        Columns: ``agent``; ``mean``, ``low``, ``high`` of the measure after the last round;
        ``difference``, ``difference_low``, ``difference_high`` to the best agent on the same
        seeds; ``microseconds`` and ``env_microseconds``, CPU time per round of one replicate.
        Limits are those of 95 % Student's t intervals over the seeds, NaN with one seed.
        """
        import pandas

        return pandas.DataFrame(self._rows())

    def table(self) -> Table:
        """The table of ``to_frame`` for a terminal."""
        first, *others = self._header()
        table = bare_table(self._caption(), [first], others, width=12)
        for cells in self._cells():
            table.add_row(*map(Text, cells))
        table.caption = Text(self._remark())
        table.caption_justify = "left"
        return table

    def plot(
        self,
        path: str | PathLike | None = None,
        *,
        measure: str | None = None,
        per_round: bool = False,
        **drawing: Any,
    ) -> "Figure":
        """Curves with 95 % intervals, written to ``path`` (.png, .pdf or .svg) if one is given.

        Parameters
        ----------
        path : str or path, optional
        measure : str, optional
            Any measure of the traces, such as ``"reward"`` or ``"optimal"``; by default that of
            the comparison.
        per_round : bool
            Mean of a round, in place of the sum: each point is the mean over the rounds since the
            last one that was kept.
        **drawing
            ``x_scale``, ``y_scale``, ``labels`` and ``colours``, as
            `leaderboards.report.drawing.Drawing` takes them.
        """
        from leaderboards.report.curves import trace_curves
        from leaderboards.report.drawing import Drawing

        traces = {label: _per_round(one) for label, one in self.traces.items()}
        figure = trace_curves(
            traces if per_round else self.traces,
            self.measure if measure is None else measure,
            title=self._title() + ", per round" * per_round,
            own=self.own,
            family="" if per_round else self.family,
            per_round=per_round,
            drawing=Drawing(**drawing),
        )
        if path is not None:
            path = Path(path) if Path(path).suffix else Path(path).with_suffix(".png")
            with whole_files.opened(path) as file:
                figure.savefig(file, format=path.suffix[1:], dpi=150)
        return figure

    def __repr__(self) -> str:
        return as_text(self.table(), 110)

    def _repr_html_(self) -> str:
        """The table and the curves, for notebooks; names and settings are escaped."""
        from leaderboards.report.curves import as_source

        right = Markup(' style="text-align: right"')
        rows = Markup().join(
            Markup("<tr>{}</tr>\n").format(
                Markup().join(
                    Markup("<{0}{1}>{2}</{0}>").format(tag, right if place else "", cell)
                    for place, cell in enumerate(cells)
                )
            )
            for tag, cells in [("th", self._header()), *(("td", cells) for cells in self._cells())]
        )
        return Markup(
            "<div><p>{}</p>\n<table>\n{}</table>\n<p>{}</p>\n"
            '<img alt="{}" style="max-width: 100%" src="{}"></div>'
        ).format(
            visible(self._caption()),
            rows,
            self._remark(),
            f"mean {measure_text(self.measure)}, round by round",
            as_source(self.plot()),
        )

    def _caption(self) -> str:
        some = next(iter(self.traces.values()))
        size = f"{counted(some.rounds[-1], 'round')}, {counted(len(some.seeds), 'seed')}"
        return f"{self._title()}, {size}"

    def _header(self) -> list[str]:
        measured = f"{measure_text(self.measure)} {direction(self.measure)} [95 %]"
        return ["agent", measured, "behind the best, paired", "µs/round"]

    def _cells(self) -> Iterator[list[str]]:
        """The rows of the table, best first."""
        for place, row in enumerate(self._rows()):
            behind = _amount(row, _NUMBERS[3:])
            yield [
                visible(marked(row["agent"], row["agent"] in self.own)),
                _amount(row, _NUMBERS[:3]),
                behind if place else "–",
                f"{row['microseconds']:.3g}",
            ]

    def _title(self) -> str:
        return title_of(self.env, self.settings)

    def _remark(self) -> str:
        """The remark below: if high or low is better, what marks mean, the environment's time."""
        alone = min(row["env_microseconds"] for row in self._rows())
        better = "higher" if higher_is_better(self.measure) else "lower"
        remarks = [f"{direction(self.measure)} {better} is better", *[MARKED] * bool(self.own)]
        remarks.append(f"the environment takes {alone:.3g} µs of its own")
        if self.labels:
            remarks.append(f"the labels are {named(self.labels)}")
        return "; ".join(remarks)

    def _rows(self) -> list[dict[str, Any]]:
        rounds = next(iter(self.traces.values())).rounds[-1]
        within = possible_range(self.family, self.measure, int(rounds))
        final = {
            label: np.asarray(trace.measures[self.measure])[:, -1]
            for label, trace in self.traces.items()
        }
        sign = -1 if higher_is_better(self.measure) else 1
        order = sorted(final, key=lambda label: sign * final[label].mean())
        rows = []
        for label in order:
            behind = mean_interval(final[label] - final[order[0]])
            numbers = map(float, (*mean_interval(final[label], within=within), *behind))
            trace = self.traces[label]
            env, agent = trace.seconds
            micro = 1e6 / (len(trace.seeds) * trace.rounds[-1])
            rows.append(
                {
                    "agent": label,
                    **dict(zip(_NUMBERS, numbers, strict=True)),
                    "microseconds": micro * agent,
                    "env_microseconds": micro * env,
                }
            )
        return rows


def as_text(what: RenderableType, width: int) -> str:
    """What rich prints, as text of this many columns."""
    console = Console(file=StringIO(), width=width)
    with console.capture() as capture:
        console.print(what)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def title_of(env: str, settings: Mapping[str, Any]) -> str:
    """An environment with its settings: ``ArmedBandit-v0(n_arms=5)``."""
    shown = ", ".join(f"{key}={brief(value, 30)}" for key, value in settings.items())
    return f"{env}({shown})" if shown else env


def _per_round(trace: Trace) -> Trace:
    """A trace whose measures are means over the rounds since the last one that was kept."""
    lengths = np.diff(trace.rounds, prepend=0)
    means = {
        name: values if name in RATES else np.diff(values, axis=1, prepend=0.0) / lengths
        for name, values in trace.measures.items()
    }
    return replace(trace, measures=means)


def _amount(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return amount_text(interval(Estimate(*(row[name] for name in names))))
