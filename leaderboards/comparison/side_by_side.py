"""Plays the agents of a comparison in separate processes, several at a time."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any

from gymnasium.envs.registration import EnvSpec

from agents.agent import Agent
from agents.naming import resolve
from agents.ownership import files_of, plays_apart
from agents.trace import Trace
from leaderboards.processes.workers import Processes
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
    spec : str or None
        Its spec for another process; None if the object itself was given.
    """

    label: str
    agent: Agent
    spec: str | None


class RemoteError(Exception):
    """The traceback of an agent's error in another process, as text."""


def play_side_by_side(
    env: str,
    settings: Mapping[str, Any],
    players: Sequence[Player],
    seeds: Sequence[int],
    at_once: tuple[int, int],
    show: Callable[[int, Sequence[str]], None],
) -> dict[str, Trace]:
    """Play agents in several processes; traces equal those of sequential play, except for times.

    Agents of this package share processes, except those that use another library. Every other agent
    has its own process, which ends with it, so that it cannot affect another agent's result.

    Parameters
    ----------
    env : str
        As in `leaderboards.suites.environments`.
    settings : mapping
        The environment's settings.
    at_once : (int, int)
        Number of agents that play at a time, and threads of each.
    show : callable
        Called with the number of finished agents and the labels of those that play.

    Raises
    ------
    ValueError
        If an agent fails, with its label and its error; the cause has the traceback.
    """
    # Another process does not know ids that were registered only in this one.
    of = environments.spec(env) if ":" not in env else environments.located(env, ".")
    workers, threads = at_once
    waiting, running = deque(players), dict[Future, tuple[Player, Processes]]()
    shared = Processes(min(workers, len(players)))
    pools, traces = [shared], {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                player = waiting.popleft()
                pool = Processes(1) if plays_apart(type(player.agent)) else shared
                pools += [pool] if pool is not shared else []
                given = player.spec or player.agent
                future = pool.submit(_played, of, settings, given, seeds, threads)
                running[future] = player, pool
            show(len(traces), [player.label for player, _ in running.values()])
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                player, pool = running.pop(future)
                traces[player.label] = _trace(future, player.label)
                if pool is not shared:
                    pool.shutdown(wait=True, cancel_futures=True)
    finally:
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)
    return {player.label: traces[player.label] for player in players}


def _played(
    env: str | EnvSpec,
    settings: Mapping[str, Any],
    player: Agent | str,
    seeds: Sequence[int],
    threads: int,
) -> Trace | tuple[str, str]:
    """A trace, or an agent's error as one line and as a traceback."""
    files: set[str] = set()
    try:
        agent = resolve(player) if isinstance(player, str) else player
        files = files_of(type(agent))
        fresh = partial(environments.make, env, len(seeds), settings)
        return play_warm(fresh, agent, seeds, threads=threads)
    except BaseException as error:  # report any error
        told = failure(error, files)
        return told["error"], told["traceback"]


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
    line, text = result
    raise ValueError(f"{label} failed: {line}") from RemoteError(f"\n{text}")
