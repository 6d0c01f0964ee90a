"""Faults of an agent, what they cost, and how a replay repeats them.

From the round of a fault on, the judge plays for the replicate: uniformly at random, from the
judge's own stream, or 0 in regression. It ignores the agent's answers. A bad action costs only its
own replicate. A fault that concerns no single replicate, such as no answer, costs all replicates of
the process. Results record the round and the kind. A replay takes both from the results, not from
the clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.inputs.observations import Observation
from agents.naming import resolve
from banditgym.action_sets import DistinctLabels, PointSet
from banditgym.rounds.kinds import ARM, NUMBER, POINT
from banditgym.streams import derived_seed
from banditgym.tasks import Task
from leaderboards.suites.baselines_file import baseline_of

ILLEGAL, MALFORMED, ERROR = "illegal", "malformed", "error"
TIMEOUT, CPU, DEATH = "timeout", "cpu", "death"
KINDS = (ILLEGAL, MALFORMED, ERROR, TIMEOUT, CPU, DEATH)
# The domain of the judge's random numbers; environments and agents have other domains.
_JUDGE = 2


@dataclass(frozen=True)
class Fault:
    """A replicate's first fault.

    Attributes
    ----------
    round : int
        The first round, counted from 1, that the judge played for the agent; one past the last
        round if the agent failed only in learning from the last round.
    kind : str
        One of ``KINDS``.
    text : str
        What happened, in words; a replay does not need it.
    """

    round: int
    kind: str
    text: str = ""

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if isinstance(self.round, bool) or not isinstance(self.round, int) or self.round < 1:
            raise ValueError(f"round must be an integer >= 1, got {self.round!r}")


class Substitute:
    """Plays for replicates whose agent had a fault.

    The actions of a round depend only on the seed and the round, not on when the fault happened.

    Parameters
    ----------
    seeds : sequence of int
        The agent's seeds, from which the stream is derived.
    """

    def __init__(self, task: Task, n: int | None, seeds: Sequence[int]):
        derived = [derived_seed(seed, _JUDGE) for seed in seeds]
        self._agent = resolve(baseline_of(task.family)).reset(task, n=n, seed=derived)

    def act(self, observation: Observation, t: int) -> Any:
        """The actions of round t, from 0."""
        self._agent.decisions[:] = t
        return self._agent.act(observation)


def illegal(task: Any, actions: np.ndarray, observation: Any) -> np.ndarray | None:
    """Which actions (n,), (n, d) or (n, r) the environment would refuse, bool (n,); None if none.

    Parameters
    ----------
    actions : ndarray
        Of the dtype and shape of the task's actions.
    observation : Any
        The observation that the actions answer; where arms come and go, it says which there are.
    """
    n = len(actions)
    if task.plays is ARM:
        fine = (actions >= 0) & (actions < task.n_arms)
        if task.arms_vary:
            mask = np.asarray(observation["action_mask"]).reshape(n, -1) != 0
            fine &= mask[np.arange(n), np.where(fine, actions, 0)]
        return None if fine.all() else ~fine
    if task.plays is NUMBER:
        most = getattr(task, "bound", None)
        fine = np.isfinite(actions) if most is None else np.abs(actions) <= most
        return None if fine.all() else ~fine
    points = task.action_set if task.plays is POINT else DistinctLabels(task.n_labels, task.slots)
    if _reads(points, actions):
        return None
    return np.array([not _reads(points, actions[i : i + 1]) for i in range(n)])


def _reads(points: PointSet | DistinctLabels, actions: np.ndarray) -> bool:
    try:
        points.read(actions, len(actions))
    except ValueError:
        return False
    return True
