"""How long a run would take, so that none of days is begun by a slip of the hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from loky import cpu_count

from agents.naming import own_agents
from agents.play import default_rounds
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import memory
from banditgym.vector_env import horizon_of
from leaderboards.run.plan import work
from leaderboards.suite import Suite, SuiteTask

LONG = 3600.0  # seconds of one core from which on a run is asked for with --yes

WORTH = 20.0  # seconds of work from which on it pays to start processes, 2 s each

_UNITS = (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0))


def of_suite(suite: Suite, specs: Sequence[str] | None) -> float:
    """Rough seconds of one core for all of a suite, whatever a store holds already.

    Parameters
    ----------
    suite : Suite
    specs : sequence of str, or None
        Agents; None means every agent of ours.
    """
    families = [task.family for kind in own_agents().values() for task in kind.accepts]
    seconds = 0.0
    for task in suite.tasks:
        players = families.count(task.family) if specs is None else len(specs)
        seconds += work(task) * len(suite.seeds) * players
    return seconds


def of_baselines(suite: Suite) -> float:
    """Rough seconds of one core for uniform play, and the references, on all of a suite."""
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
        If there are more rounds than there may be, or the curves alone take more memory than the
        machine has.
    """
    rounds = horizon_of(horizon, None)
    family = ENVIRONMENTS[env].family if env in ENVIRONMENTS else ""
    task = SuiteTask(name=env, env=env, settings=dict(settings), horizon=rounds, family=family)
    # A seed, and two measures at the rounds that are kept, of every replicate.
    size = float(max(seeds, 0) * (64 + n_agents * 2 * 8 * len(default_rounds(rounds))))
    if size > memory():
        raise ValueError(
            f"{seeds} seeds would take about {size / 1e9:.3g} GB of memory, and this machine has "
            f"{memory() / 1e9:.3g} GB"
        )
    return work(task) * seeds * n_agents, size


def workers_for(seconds: float) -> int:
    """How many processes a comparison of so many seconds of one core is done soonest with."""
    return 1 if seconds < WORTH else cpu_count()


def refuse_long(seconds: float, size: float = 0.0) -> None:
    """Refuse a run of more than ``LONG`` seconds, for want of a --yes.

    Raises
    ------
    ValueError
        With the time, and the memory where it is above a gigabyte.
    """
    if not seconds > LONG:
        return
    name, unit = next((name, unit) for name, unit in _UNITS if seconds >= unit)
    memory_text = f" and {size / 1e9:.3g} GB of memory" if size >= 1e9 else ""
    raise ValueError(
        f"this would take about {seconds / unit:.3g} {name} of one core{memory_text}: take fewer "
        "seeds, rounds or arms, or start it anyway with --yes"
    )
