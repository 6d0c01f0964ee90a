"""The agents of a comparison, and how they play: in this process, or in several at a time."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from gymnasium.envs.registration import EnvSpec

from agents.agent import Agent
from agents.naming import resolve
from agents.ownership import files_of, plays_apart
from agents.play import play as agents_play
from agents.trace import Trace
from leaderboards.processes.interrupts import attempt
from leaderboards.processes.pool import collected
from leaderboards.processes.workers import Here, Processes
from leaderboards.run.outcomes import play_warm
from leaderboards.run.reasons import describe, failure
from leaderboards.suites import environments


@dataclass(frozen=True)
class Player:
    """An agent of a comparison.

    Attributes
    ----------
    label : str
        Unique within the comparison.
    agent : Agent
        The agent in this process.
    given : Agent or str
        The object or the spec that the caller gave, which is also what other processes get.
    """

    label: str
    agent: Agent
    given: Agent | str


class RemoteError(Exception):
    """The traceback of an agent's error in another process, as text."""


def traces_of(
    env: str,
    settings: Mapping[str, Any],
    players: Sequence[Player],
    seeds: Sequence[int],
    *,
    workers: int,
    show: Callable[[int, Sequence[str]], None],
    **how: Any,
) -> dict[str, Trace]:
    """Play agents, and return their traces by label; only times depend on the number of workers.

    With one worker all play in this process. With more, agents of this package share processes,
    except those that use another library. Every other agent has its own process, which ends with
    it, so that it cannot affect another agent's result.

    Parameters
    ----------
    env : str
        As in `leaderboards.suites.environments`.
    settings : mapping
        The environment's settings.
    workers : int
        Number of agents that play at a time.
    show : callable
        Called with the number of finished agents and the labels of those that play.
    **how
        ``rounds``, ``threads`` and ``log`` of `agents.play`; a log takes one worker.

    Raises
    ------
    ValueError
        If an agent fails, with its label and its error. The cause is the error; if it happened in
        another process, it has the traceback as text.
    """
    here = workers == 1
    of = env
    if not here:  # another process does not know ids that were registered only in this one
        of = environments.spec(env) if ":" not in env else environments.located(env, ".")
    play = partial(_played, of, settings, seeds, how, here)
    alone = [] if here else [one.label for one in players if plays_apart(type(one.agent))]
    pool = Here() if here else Processes(min(workers, len(players)))
    calls = {one.label: partial(play, one.agent if here else one.given) for one in players}
    traces: dict[str, Trace] = {}
    show(0, [*calls][:workers])
    for ended, _ in collected(pool, calls, at_once=workers, alone=alone):
        traces |= {label: _trace(future, label) for label, future in ended}
        show(len(traces), [label for label in calls if label not in traces][:workers])
    return {label: traces[label] for label in calls}


def _played(
    env: str | EnvSpec,
    settings: Mapping[str, Any],
    seeds: Sequence[int],
    how: Mapping[str, Any],
    here: bool,
    given: Agent | str,
) -> Trace | tuple[str, BaseException]:
    """A trace, or an agent's error as one line and as an error that can be sent."""
    files: set[str] = set()

    def played() -> Trace:
        agent = resolve(given) if isinstance(given, str) else given
        files.update(files_of(type(agent)))
        fresh = partial(environments.make, env, len(seeds), settings)
        if "log" in how:
            return agents_play(fresh(), agent, seed=seeds, **how)
        return play_warm(fresh, agent, seeds, **how)

    trace, error = attempt(played)
    if error is None:
        return trace
    found = failure(error, files)
    return found["error"], error if here else RemoteError(f"\n{found.get('traceback')}")


def _trace(future: Future, label: str) -> Trace:
    try:
        result = future.result()
    except BrokenExecutor as error:
        if error.__cause__ is not None and "un-serialize" in str(error):
            raise ValueError(
                f"{label} cannot be sent to another process: name it, 'file.py:Class', in place of "
                "the object, or take workers=1"
            ) from error
        raise ValueError(f"{label} failed: its process died") from error
    except Exception as error:  # the result could not be read
        raise ValueError(f"{label} failed: {describe(error)}") from error
    if isinstance(result, Trace):
        return result
    line, cause = result
    raise ValueError(f"{label} failed: {line}") from cause
