"""The unit of work: one learner on one task for a block of seeds, as a function on plain data."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.naming import resolve
from agents.play import Trace, play, task_of
from leaderboards import environments
from leaderboards.store import Row
from leaderboards.suite import SuiteTask
from leaderboards.watchdog import running

LONGEST_ERROR = 300  # characters: a reason is one line of a table


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A learner, a task, and the seeds to play.

    Parameters
    ----------
    number : int
        Position in the plan.
    task : SuiteTask
    blank : Row
        A row with everything that is known before playing; results fill in the rest.
    seeds : tuple of int
    """

    number: int
    task: SuiteTask
    blank: Row
    seeds: tuple[int, ...]

    @property
    def name(self) -> str:
        """Unique within a run, for the block and for its seeds played alone."""
        return f"{self.number}.{self.seeds[0]}.{len(self.seeds)}"

    def failed(self, reason: str) -> list[Row]:
        """A row with this reason for every seed."""
        return [replace(self.blank, seed=seed, error=one_line(reason)) for seed in self.seeds]

    def alone(self) -> list["Cell"]:
        """One cell for each seed."""
        return [replace(self, seeds=(seed,)) for seed in self.seeds]


def make(task: SuiteTask, num_envs: int) -> Any:
    """The world of a task, batched over ``num_envs`` replicates.

    Raises
    ------
    ValueError
        If the world does not take the settings.
    """
    return environments.make(task.place, num_envs, {"horizon": task.horizon, **task.settings})


def play_cell(cell: Cell, marks: Path | None = None) -> list[Row]:
    """Play a cell: one row per seed, with numbers or with the reason why there are none.

    Parameters
    ----------
    cell : Cell
    marks : Path, optional
        Folder in which to note that this process now runs the cell, for the watchdog.
    """
    with running(marks, cell.name):
        try:
            return _play(cell)
        except (Exception, SystemExit) as error:
            return cell.failed(describe(error))


def play_warm(
    make: Callable[[], Any], agent: Agent, seeds: Sequence[int], *, horizon: int | None = None
) -> Trace:
    """``agents.play`` on a fresh environment, timed without what only a first round takes.

    Two rounds on another environment and a copy of the agent come first: compilation, imports and
    first touches of memory are in nobody's seconds.
    """
    envs = make()
    longest = [t for t in (2, horizon, task_of(envs).horizon) if t is not None]
    play(envs, copy.deepcopy(agent), horizon=min(longest), seed=seeds)
    return play(make(), agent, horizon=horizon, seed=seeds)


def describe(error: BaseException) -> str:
    """The kind and the message of an error on one line."""
    message = one_line(str(error))
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def one_line(text: str) -> str:
    """The text without line breaks, at most ``LONGEST_ERROR`` characters of it."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 2] + ".."


def _play(cell: Cell) -> list[Row]:
    task, seeds = cell.task, list(cell.seeds)
    n = len(seeds)
    agent = resolve(cell.blank.spec)
    trace = play_warm(lambda: make(task, n), agent, seeds, horizon=task.horizon)
    measures = {
        name: np.asarray(curve) for name, curve in trace.measures.items() if curve is not None
    }
    if task.measure not in measures:
        raise ValueError(f"{task.env} has no measure {task.measure!r}, it has {list(measures)}")
    if not np.isfinite(measures[task.measure]).all():
        raise ValueError(f"the measure {task.measure!r} is not finite")
    filled = replace(
        cell.blank,
        rounds=[int(t) for t in trace.rounds],
        seconds=_per_round(trace.seconds, n * task.horizon),
        bytes=int(agent.state_bytes()) // n,
    )
    return [
        replace(
            filled,
            seed=seed,
            measures={name: curve[i].tolist() for name, curve in measures.items()},
        )
        for i, seed in enumerate(seeds)
    ]


def _per_round(seconds: Sequence[float | None], rounds: int) -> list[float]:
    """[world, learner]; what was not measured apart is NaN, null in the store."""
    return [math.nan if total is None else total / rounds for total in seconds]
