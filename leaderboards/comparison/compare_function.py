"""``leaderboards.compare``: checks its arguments and plays the agents."""

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from agents import Agent, naming
from agents.ownership import is_own, that_play
from agents.play import task_of
from banditgym.measures import RATES
from banditgym.validation import brief, memory, visible, whole
from leaderboards.comparison.comparison import Comparison
from leaderboards.comparison.contest import contest_of, unique_labels
from leaderboards.comparison.decision import Decision
from leaderboards.comparison.paired_play import Player, traces_of
from leaderboards.comparison.sequential_play import SequentialPlay, Until
from leaderboards.run.entrants import named
from leaderboards.suites import environments

PATIENCE = 2.0  # seconds before the progress bar is shown
_SEEDS = 20


@overload
def compare(
    env: str | Mapping[str, Any],
    agents: Sequence[Agent | str],
    *,
    seeds: int | Sequence[int] = ...,
    workers: int = ...,
    threads: int = ...,
    rounds: Sequence[int] | None = ...,
    until_decided: Literal[False] = ...,
    **settings: Any,
) -> Comparison: ...
@overload
def compare(
    env: str | Mapping[str, Any],
    agents: Sequence[Agent | str],
    *,
    workers: int = ...,
    until_decided: Literal[True] | Until,
    **settings: Any,
) -> Decision: ...
def compare(
    env: str | Mapping[str, Any],
    agents: Sequence[Agent | str],
    *,
    seeds: int | Sequence[int] = _SEEDS,
    workers: int = 1,
    threads: int = 1,
    rounds: Sequence[int] | None = None,
    until_decided: bool | Until = False,
    **settings: Any,
) -> Comparison | Decision:
    """Play agents on the same seeds of one environment and compare them, seed by seed.

    All agents are trusted. With one worker they play in this process, where an agent that changes a
    class or a function affects the agents after it; a leaderboard's runner plays third-party agents
    in separate processes.

    Parameters
    ----------
    env : str or mapping
        Name of an environment, as in `leaderboards.suites.environments`: any id that is registered
        with Gymnasium, ``"module:Class"`` or ``"file.py:Class"``. Or its settings, with the name
        under ``"id"``.
    agents : sequence of Agent or str
        Agents, or their names as in `agents.naming.resolve`.
    seeds : int or sequence of int
        Number of seeds, counted from 0, or the seeds.
    workers : int
        How many agents play at a time, each in a process; third-party agents do not share
        processes. With 1 all play in this process, one after the other. The numbers are the same
        except for times, which busy cores change. Agents given as objects are not modified.
    threads : int
        Threads of each process, as for `agents.play`.
    rounds : sequence of int, optional
        The rounds after which measures are kept, as for `agents.play`.
    until_decided : bool or Until
        True, or an `Until` with margin, budget and store: play seeds 0, 1, .. until it is decided
        for every pair which agent is better, or that they are equivalent, as ``banditgym compare
        --until-decided`` does. ``env`` may also be a suite. Results are kept in the store, and a
        second call continues a stopped one. Agents must be this package's, or named by a text.
    **settings
        Settings of the environment; ``horizon`` is the number of rounds. ``log``, an
        `agents.LogFile`, is no setting: it takes all rounds, which one worker plays.

    Returns
    -------
    Comparison or Decision
        A `Decision` with ``until_decided``.

    Raises
    ------
    ValueError
        If an environment, setting or agent is unknown, or an agent cannot play the environment;
        nothing has then been played. If an agent fails, with its label and its error. With
        ``until_decided``, if the environment has no regret or is the same on every seed.

    Examples
    --------
    >>> from leaderboards import compare
    >>> result = compare("LinearBandit-v0", ["LinUCB", "UniformRandom"], seeds=5, horizon=100)
    >>> list(result.to_frame()["agent"])
    ['LinUCB', 'UniformRandom']
    """
    if not isinstance(env, str | Mapping):
        raise ValueError(f"env must be an id or a mapping of settings, got {brief(env)}")
    horizon, log = settings.pop("horizon", None), settings.pop("log", None)
    if until_decided:
        if not (isinstance(seeds, int) and seeds == _SEEDS):
            raise ValueError("until_decided plays as many seeds as it takes: drop seeds")
        if threads != 1:
            raise ValueError("until_decided plays on one thread per worker: drop threads")
        if rounds is not None:
            raise ValueError("until_decided compares the last round: drop rounds")
        if log is not None:
            raise ValueError("until_decided plays any number of seeds: drop log")
        name, settings = _env(env, settings, None)
        specs = [_named(player) for player in _players(agents)]
        contest = contest_of(name, specs, horizon=horizon, settings=settings)
        until = until_decided if isinstance(until_decided, Until) else Until()
        return SequentialPlay(contest, until, workers=whole("workers", workers), say=_say).play()
    name, settings = _env(env, settings, horizon)
    chosen = _seeds(seeds)
    players = _players(agents)
    task = task_of(environments.make(name, 1, settings))
    for player in players:
        reason = player.agent.refuses(task)
        if reason is not None:
            raise ValueError(f"{player.label} cannot play {name}: {reason}{that_play(task)}")
        reason = None if log is None else log.refusal(player.agent, task)
        if reason is not None:
            raise ValueError(f"{player.label} cannot be logged: {reason}")
    workers, threads = whole("workers", workers), whole("threads", threads)
    if log is not None and workers > 1:
        raise ValueError(f"a log is written by one process: take workers=1, got {workers}")
    with _progress(len(players)) as show:
        traces = traces_of(
            name,
            settings,
            players,
            chosen,
            rounds=rounds,
            workers=workers,
            threads=threads,
            show=show,
            **({} if log is None else {"log": log}),
        )
    measures = next(iter(traces.values())).measures  # all traces have the same measures
    measure = next(name for name in ("regret", *RATES, "reward") if name in measures)
    own = {player.label for player in players if not is_own(type(player.agent))}
    labels = getattr(task, "labels", None)
    return Comparison(name, settings, measure, traces, frozenset(own), task.family, labels)


def labels_of(agents: Sequence[Agent | str]) -> list[str]:
    """The labels that agents have in a comparison, in their order."""
    return [player.label for player in _players(agents)]


def _players(agents: object) -> list[Player]:
    """The agents with labels made unique."""
    several: Any = [agents] if isinstance(agents, str | Agent | type) else agents
    if not isinstance(several, Sequence):
        raise ValueError(f"agents must be Agents or their names, got {brief(agents)}")
    for agent in several:
        if isinstance(agent, type):
            raise ValueError(f"{agent.__name__} is a class: give {agent.__name__}()")
        if not isinstance(agent, str | Agent):
            raise ValueError(f"agents must be Agents or their names, got {brief(agent)}")
    if not several:
        raise ValueError("agents must name at least one agent, got none")
    made = [
        named(given, partial(naming.resolve, given)) if isinstance(given, str) else given
        for given in several
    ]
    return list(map(Player, unique_labels(map(naming.label, made)), made, several))


def _named(player: Player) -> str:
    """The text that names an agent, which a stored result needs."""
    if isinstance(player.given, str):
        return player.given
    if not is_own(type(player.agent)):
        raise ValueError(f"until_decided stores results: name {player.label}, 'file.py:Class'")
    return naming.label(player.agent)


def _say(text: str) -> None:
    print(visible(text), file=sys.stderr, flush=True)


def _env(
    env: str | Mapping[str, Any], settings: Mapping[str, Any], horizon: int | None
) -> tuple[str, dict[str, Any]]:
    given = {"id": env} if isinstance(env, str) else dict(env)
    if not isinstance(given.get("id"), str):
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
