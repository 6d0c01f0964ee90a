"""Estimates how long a run would take, so that a very long run is not started by mistake."""

from collections.abc import Mapping, Sequence
from typing import Any

from loky import cpu_count

from agents.naming import families_of, named, own_agents
from agents.trace import default_rounds
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import memory
from banditgym.vector_env import horizon_of
from leaderboards.processes.workers import Here
from leaderboards.run.execution import Execution
from leaderboards.run.plan import work
from leaderboards.suites.suite import Suite, SuiteTask

LONG = 3600.0  # a run of more seconds of one core needs --yes

WORTH = 20.0  # seconds of work for which it is worth starting processes, which take 2 s each

_UNITS = (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0))


def of_suite(suite: Suite, specs: Sequence[str] | None) -> float:
    """Rough seconds of one core for a whole suite, regardless of existing results.

    Parameters
    ----------
    specs : sequence of str, or None
        Agents; None means those of the suite, mostly every agent of ours.
    """
    own = named()
    names = [spec.partition("(")[0] for spec in suite.agents or own_agents()]
    kinds = [own[name] for name in names if name in own]
    families = [family for kind in kinds for family in families_of(kind)]
    seconds = 0.0
    for task in suite.tasks:
        players = families.count(task.family) if specs is None else len(specs)
        seconds += work(task) * len(suite.seeds) * players
    return seconds


def of_baselines(suite: Suite) -> float:
    """Rough seconds of one core for the baselines and references of a whole suite."""
    return sum(
        work(task) * len(suite.seeds) * (1 if task.reference is None else 2) for task in suite.tasks
    )


def of_comparison(
    env: str, settings: Mapping[str, Any], horizon: int | None, seeds: int, n_agents: int
) -> tuple[float, float]:
    """Rough seconds of one core, and bytes, for agents on one environment.

    Raises
    ------
    ValueError
        If there are more rounds than allowed, or the curves alone need more memory than the machine
        has.
    """
    rounds = horizon_of(horizon, None)
    family = ENVIRONMENTS[env].family if env in ENVIRONMENTS else ""
    task = SuiteTask(name=env, env=env, settings=dict(settings), horizon=rounds, family=family)
    # For every replicate: a seed, and two measures at the recorded rounds.
    size = float(max(seeds, 0) * (64 + n_agents * 2 * 8 * len(default_rounds(rounds))))
    if size > memory():
        raise ValueError(
            f"{seeds} seeds would take about {size / 1e9:.3g} GB of memory, and this machine has "
            f"{memory() / 1e9:.3g} GB"
        )
    return work(task) * seeds * n_agents, size


def workers_for(seconds: float) -> int:
    """The number of processes that finishes a comparison of ``seconds`` of one core soonest."""
    return 1 if seconds < WORTH else cpu_count()


def execution_for(seconds: float, workers: int | None = None) -> Execution:
    """The execution of ``seconds`` of work: in this process with one worker, which trusts agents.

    Parameters
    ----------
    workers : int, optional
        By default `workers_for` decides.
    """
    workers = workers or workers_for(seconds)
    return Execution(workers=workers, executor=Here if workers == 1 else None)


def threads_for(processes: int) -> int:
    """The number of threads of each of some processes that leaves no core idle."""
    return max(1, cpu_count() // processes)


def refuse_long(seconds: float, size: float = 0.0) -> None:
    """Refuse a run of more than ``LONG`` seconds without --yes.

    Raises
    ------
    ValueError
        With the time, and the memory if it is above a gigabyte.
    """
    if not seconds > LONG:
        return
    name, unit = next((name, unit) for name, unit in _UNITS if seconds >= unit)
    memory_text = f" and {size / 1e9:.3g} GB of memory" if size >= 1e9 else ""
    raise ValueError(
        f"this would take about {seconds / unit:.3g} {name} of one core{memory_text}: take fewer "
        "seeds, rounds or arms, or start it anyway with --yes"
    )
