"""Compares agents on one environment, without a suite."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import StringIO
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from agents import Agent, Trace, naming
from agents.own import files_of, is_own
from agents.play import task_of
from banditgym.measures import RATES, higher_is_better
from banditgym.validation import brief, memory, visible, whole
from leaderboards import environments
from leaderboards.comparison.side_by_side import Player, play_side_by_side
from leaderboards.processes.interrupts import attempt
from leaderboards.rank import statistics
from leaderboards.rank.standing import Interval
from leaderboards.report.remarks import counted
from leaderboards.report.tables import MARKED, OWN, amount_text, direction, measure_text
from leaderboards.run.entrants import named
from leaderboards.run.outcomes import play_warm
from leaderboards.run.reasons import describe

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

PATIENCE = 2.0  # seconds without a sign of life


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
    """

    env: str
    settings: dict[str, Any]
    measure: str
    traces: dict[str, Trace]
    own: frozenset[str] = frozenset()

    def to_frame(self) -> "pandas.DataFrame":
        """One row per agent, best first.

        Columns: ``agent``; ``mean``, ``low``, ``high`` of the measure after the last round;
        ``difference``, ``difference_low``, ``difference_high`` to the best agent on the same
        seeds; ``microseconds`` and ``env_microseconds``, CPU time per round of one replicate. If
        both were measured together, the former is their sum and the latter is NaN. Limits are those
        of 95 % Student's t intervals over the seeds, NaN with one seed.
        """
        import pandas

        return pandas.DataFrame(self._rows())

    def table(self) -> Table:
        """The same for a terminal."""
        table = Table(
            title=Text(self._caption()),
            header_style="bold",
            box=None,
            padding=(0, 2, 0, 0),
        )
        first, *others = self._header()
        table.add_column(first, min_width=12, overflow="fold")
        for name in others:
            table.add_column(Text(name), justify="right", no_wrap=True)
        for cells in self._cells():
            table.add_row(*map(Text, cells))
        table.caption = Text(self._remark())
        table.caption_justify = "left"
        return table

    def plot(self, path: str | PathLike | None = None) -> "Figure":
        """Curves with 95 % intervals, best first; written to ``path`` if one is given."""
        from leaderboards.report.curves import trace_curves

        figure = trace_curves(self.traces, self.measure, title=self._title(), own=self.own)
        if path is not None:
            figure.savefig(path, dpi=150)
        return figure

    def __repr__(self) -> str:
        console = Console(file=StringIO(), width=110)
        with console.capture() as capture:
            console.print(self.table())
        return "\n".join(line.rstrip() for line in capture.get().splitlines())

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
            together = math.isnan(row["env_microseconds"])
            behind = _amount(row, "difference", "difference_low", "difference_high")
            yield [
                visible(row["agent"] + f" {OWN}" * (row["agent"] in self.own)),
                _amount(row, "mean", "low", "high"),
                behind if place else "–",
                f"{row['microseconds']:.3g}" + "*" * together,
            ]

    def _title(self) -> str:
        settings = ", ".join(f"{key}={brief(value, 30)}" for key, value in self.settings.items())
        return f"{self.env}({settings})" if settings else self.env

    def _remark(self) -> str:
        """Whether high or low is better, which agents are marked, and what the times include."""
        apart = [row["env_microseconds"] for row in self._rows()]
        alone = [time for time in apart if not np.isnan(time)]
        better = "higher" if higher_is_better(self.measure) else "lower"
        remarks = [f"{direction(self.measure)} {better} is better", *[MARKED] * bool(self.own)]
        remarks += [f"the environment takes {min(alone):.3g} µs of its own"] if alone else []
        remarks += ["* the environment's time is included"] * (len(alone) < len(apart))
        return "; ".join(remarks)

    def _rows(self) -> list[dict[str, Any]]:
        final = {label: self._values(trace)[:, -1] for label, trace in self.traces.items()}
        sign = -1 if higher_is_better(self.measure) else 1
        order = sorted(final, key=lambda label: sign * final[label].mean())
        rows = []
        for label in order:
            estimate = statistics.mean_interval(final[label])
            behind = statistics.mean_interval(final[label] - final[order[0]])
            trace = self.traces[label]
            env, agent = trace.seconds
            scale = 1e6 / (len(trace.seeds) * trace.rounds[-1])
            rows.append(
                {
                    "agent": label,
                    "mean": float(estimate.value),
                    "low": float(estimate.low),
                    "high": float(estimate.high),
                    "difference": float(behind.value),
                    "difference_low": float(behind.low),
                    "difference_high": float(behind.high),
                    "microseconds": scale * (env if agent is None else agent),
                    "env_microseconds": np.nan if agent is None else scale * env,
                }
            )
        return rows

    def _values(self, trace: Trace) -> np.ndarray:
        return np.asarray(trace.measures[self.measure])


def compare(
    env: str | Mapping[str, Any],
    agents: Sequence[Agent | str],
    *,
    seeds: int | Sequence[int] = 20,
    horizon: int | None = None,
    workers: int = 1,
    **settings: Any,
) -> Comparison:
    """Play agents on the same seeds of one environment and compare them, seed by seed.

    All agents are trusted. With one worker they play in this process, where an agent that changes a
    class or a function affects the agents after it; a leaderboard's runner plays third-party agents
    in separate processes.

    Parameters
    ----------
    env : str or mapping
        Name of an environment, as in `leaderboards.environments`: any id that is registered with
        Gymnasium, ``"module:Class"`` or ``"file.py:Class"``. Or its settings, with the name under
        ``"id"``.
    agents : sequence of Agent or str
        Agents, or their names as in `agents.naming.resolve`.
    seeds : int or sequence of int
        Number of seeds, counted from 0, or the seeds.
    horizon : int, optional
        Rounds; by default the environment's.
    workers : int
        How many agents play at a time, each in a process; third-party agents do not share
        processes. With 1 all play in this process, one after the other. The numbers are the same
        except for times, which busy cores change. Agents given as objects are not modified.
    **settings
        Settings of the environment.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If an environment, setting or agent is unknown, or an agent cannot play the environment;
        nothing is played then. Also if an agent fails, with its label and its error.

    Examples
    --------
    >>> from leaderboards.comparison.comparison import compare
    >>> result = compare("LinearBandit-v0", ["LinUCB", "UniformRandom"], seeds=5, horizon=100)
    >>> list(result.to_frame()["agent"])
    ['LinUCB', 'UniformRandom']
    """
    if not isinstance(env, str | Mapping):
        raise ValueError(f"env must be an id or a mapping of settings, got {brief(env)}")
    name, settings = _env(env, settings, horizon)
    chosen = _seeds(seeds)
    made = _made(agents)
    if not made:
        raise ValueError("agents must name at least one agent, got none")
    labels = _unique([naming.label(agent) for agent in made])
    task = task_of(environments.make(name, 1, settings))
    for label, agent in zip(labels, made, strict=True):
        reason = agent.refusal(task)
        if reason is not None:
            raise ValueError(f"{label} cannot play {name}: {reason}")
    specs = [agent if isinstance(agent, str) else None for agent in _several(agents)]
    players = [Player(*one) for one in zip(labels, made, specs, strict=True)]
    with _progress(len(players)) as show:
        if whole("workers", workers) > 1:
            traces = play_side_by_side(name, settings, players, chosen, workers, show)
        else:
            traces = _play_here(name, settings, players, chosen, show)
    measures = next(iter(traces.values())).measures  # all traces have the same measures
    measure = next(name for name in ("regret", *RATES, "reward") if name in measures)
    own = {player.label for player in players if not is_own(type(player.agent))}
    return Comparison(name, settings, measure, traces, frozenset(own))


def _play_here(
    env: str,
    settings: Mapping[str, Any],
    players: Sequence[Player],
    seeds: Sequence[int],
    show: Callable[[int, Sequence[str]], None],
) -> dict[str, Trace]:
    """The players' traces, one after the other."""
    fresh = partial(environments.make, env, len(seeds), settings)
    traces = {}
    for player in players:
        show(len(traces), [player.label])
        traces[player.label], error = attempt(partial(play_warm, fresh, player.agent, seeds))
        if error is not None:
            said = describe(error, files_of(type(player.agent)))
            raise ValueError(f"{player.label} failed: {said}") from error
    return traces


def _several(agents: Any) -> Any:
    return [agents] if isinstance(agents, str | Agent | type) else agents


def _made(agents: Any) -> list[Agent]:
    several = _several(agents)
    if not isinstance(several, Sequence):
        raise ValueError(f"agents must be Agents or their names, got {brief(agents)}")
    for agent in several:
        if isinstance(agent, type):
            raise ValueError(f"{agent.__name__} is a class: give {agent.__name__}()")
        if not isinstance(agent, str | Agent):
            raise ValueError(f"agents must be Agents or their names, got {brief(agent)}")
    return [
        named(agent, partial(naming.resolve, agent)) if isinstance(agent, str) else agent
        for agent in several
    ]


def _env(
    env: str | Mapping[str, Any], settings: Mapping[str, Any], horizon: int | None
) -> tuple[str, dict[str, Any]]:
    given = {"id": env} if isinstance(env, str) else dict(env)
    if "id" not in given:
        raise ValueError(f"an environment's settings need its id under 'id', got {sorted(given)}")
    extra = dict(settings) if horizon is None else {**settings, "horizon": horizon}
    for key in given.keys() & extra.keys():
        raise ValueError(f"{key} is given twice: {given[key]!r} and {extra[key]!r}")
    name = given.pop("id")
    return name, {**given, **extra}


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    several: Any = seeds
    if isinstance(seeds, Integral) and not isinstance(seeds, bool):
        if int(seeds) > memory() / 64:  # bytes of a seed
            raise ValueError(f"{seeds} seeds are more than fit into this machine's memory")
        several = range(int(seeds))
    whole = isinstance(several, Sequence | np.ndarray) and not isinstance(several, str)
    counts = [s for s in several if isinstance(s, Integral)] if whole else []
    chosen = [int(s) for s in counts if not isinstance(s, bool) and int(s) >= 0]
    if not chosen or len(chosen) < len(several) or len(set(chosen)) < len(chosen):
        raise ValueError(
            f"seeds must be a number >= 1 or a list of different seeds, got {brief(seeds)}"
        )
    return chosen


def _unique(labels: Sequence[str]) -> list[str]:
    """Labels made unique: ``LinUCB``, ``LinUCB #2``, .."""
    seen: Counter[str] = Counter()
    unique = []
    for label in labels:
        seen[label] += 1
        unique.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return unique


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A progress bar on stderr, shown only after some seconds."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.fields[label]}", markup=False),
        BarColumn(),
        TextColumn("{task.completed} of {task.total} done"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=total, label="")

    def show(done: int, playing: Sequence[str]) -> None:
        bar.update(task, completed=done, label=visible(", ".join(playing)))

    timer = threading.Timer(PATIENCE, bar.start)
    timer.start()
    try:
        yield show
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def _amount(row: Mapping[str, Any], *names: str) -> str:
    value, low, high = (None if np.isnan(row[name]) else row[name] for name in names)
    return amount_text(Interval(row[names[0]] if value is None else value, low, high))
