"""Plays an agent on a task; gives its measures, times and size as plain data."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv

from agents.agent import Agent
from agents.naming import resolve
from agents.ownership import files_of
from agents.play import play, task_of
from agents.trace import Trace
from leaderboards.processes.interrupts import attempt
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.reasons import failure
from leaderboards.sandbox.warming import warm
from leaderboards.suites import environments
from leaderboards.suites.baselines_file import BEST_CONSTANT, BEST_FIXED
from leaderboards.suites.suite import SuiteTask


def make(task: SuiteTask, num_envs: int) -> VectorEnv:
    """The environment of a task, batched over ``num_envs`` replicates.

    Raises
    ------
    ValueError
        If the environment does not accept the settings.
    """
    return environments.make(task.place, num_envs, {"horizon": task.horizon, **task.settings})


_compiled: set[str] = set()  # tasks whose environments this process has played


def compile_for(task: SuiteTask, spec: str) -> None:
    """Compile the code of this package that agents in other processes need, once per task.

    What another process compiles is lost when it ends. So the code that all of them need is
    compiled here, once per process and task.
    """
    if environments.is_ours(task.env) and repr(task) not in _compiled:
        _compiled.add(repr(task))
        # Two replicates are enough: machine code does not depend on their number.
        # Errors are ignored here: the cell itself will have them too.
        attempt(lambda: warm(make(task, 2), spec))


def play_warm(
    make: Callable[[], VectorEnv],
    agent: Agent,
    seeds: Sequence[int],
    *,
    horizon: int | None = None,
    rounds: Sequence[int] | None = None,
    threads: int = 1,
) -> Trace:
    """``agents.play`` on a fresh environment, timed without the extra cost of a first round.

    A copy of the agent first plays two rounds on another environment, so that the measured seconds
    exclude compilation, imports and first accesses to memory. An agent that refuses so short a task
    plays all rounds there. They have other seeds, so an agent that keeps data in its process learns
    nothing about the measured rounds. Both are played in tiles of replicates, where ``agents.play``
    offers them.
    """
    envs = make()
    task = task_of(envs)
    first = min(t for t in (2, horizon, task.horizon) if t is not None)
    if agent.refuses(replace(task, horizon=first)) is not None:
        first = horizon
    others = [seed + max(seeds) + 1 for seed in seeds]
    play(envs, copy.deepcopy(agent), horizon=first, seed=others, threads=threads)
    return play(make(), agent, horizon=horizon, seed=seeds, rounds=rounds, threads=threads)


def outcome(
    task: SuiteTask,
    spec: str,
    seeds: Sequence[int],
    confinement: Confinement = HERE,
    threads: int = 1,
    **sandboxed: Any,
) -> dict[str, Any]:
    """Play an agent on a task; gives its results as plain data.

    Parameters
    ----------
    task : SuiteTask
    spec : str
    seeds : sequence of int
    confinement : Confinement
        Where the agent plays.
    threads : int
        As for ``agents.play``.
    **sandboxed
        As for ``Confinement.agent``, if the agent plays in another process.

    Returns
    -------
    dict
        ``rounds``, ``measures`` by name and then by seed, ``seconds`` and ``bytes``, and from the
        sandbox ``faults`` by seed; after a failure, the result of ``failure``.
    """
    n, files = len(seeds), set()

    def played() -> dict[str, Any]:
        if confinement.apart:
            compile_for(task, spec)
            with confinement.agent(spec, **sandboxed) as agent:
                return by(agent)
        agent = resolve(spec)
        files.update(files_of(type(agent)))
        return by(agent)

    def by(agent: Any) -> dict[str, Any]:
        if spec in (BEST_FIXED, BEST_CONSTANT):
            agent.foresee(make(task, n), task.played(seeds))
        trace = play_warm(
            lambda: make(task, n), agent, task.played(seeds), horizon=task.horizon, threads=threads
        )
        curves = {name: curve for name, curve in trace.measures.items() if curve is not None}
        size, seconds = trace.state_bytes, trace.seconds
        if size is None:
            size = int(agent.state_bytes())
        found = {}
        if confinement.apart:  # the environment's own time is then unknown
            seconds = math.nan, agent.cpu_seconds()
            found["faults"] = [
                [] if one is None else [[one.round, one.kind]] for one in agent.faults
            ]
        return found | {
            "rounds": [int(t) for t in trace.rounds],
            "measures": {name: np.asarray(curve).tolist() for name, curve in curves.items()},
            "seconds": _per_round(seconds, n * task.horizon),
            "bytes": size // n,
        }

    found, error = attempt(played)
    return found if error is None else failure(error, files)


def _per_round(seconds: Sequence[float | None], rounds: int) -> list[float]:
    """[environment, agent]; NaN, null in the store, for an unmeasured part."""
    return [math.nan if total is None else total / rounds for total in seconds]
