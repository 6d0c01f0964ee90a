"""What agents recommend during an episode whose best arm is to be found, and when they finish."""

from typing import Any

import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from agents.agent import Agent
from agents.inputs.observations import Observation
from agents.trace import Sums
from banditgym.rounds.kinds import ARM
from banditgym.validation import brief


class Recommendations:
    """The recommendations of n replicates, their measures, and who has finished.

    An agent that recommends nothing is taken to recommend the arm that it has played most; ties go
    to the lowest index. What a replicate recommended when it finished stays.

    Parameters
    ----------
    lost : ndarray of shape (n, K)
        By how much the mean of each arm is below the largest.
    sums : Sums
        Of the same episode. Its ``running`` are the replicates that have not finished.
    timed : bool
        Whether agents decide when to finish, so that there is a stopping time.
    """

    def __init__(self, lost: np.ndarray, sums: Sums, timed: bool):
        n = len(lost)
        self._lost, self._sums, self._timed = lost, sums, timed
        sums.running = self.running = np.ones(n, bool)
        sums.recommended = self._arms = np.zeros(n, np.int64)
        sums.stopped = self._stopped = np.full(n, sums.kept[-1])

    def after(self, t: int, agent: Agent, observation: Observation) -> bool:
        """Take the recommendations after round t, if it is kept; whether a replicate still runs."""
        sums, running = self._sums, self.running
        ends = running & agent.finished if self._timed and agent.stops else None
        kept = t == sums.kept[sums.reached - 1]
        if kept or (ends is not None and ends.any()):
            self._arms[running] = self._recommended(agent, observation)[running]
        if ends is not None:
            self._stopped[ends] = t
            running &= ~ends
        runs = bool(running.any())
        if kept or not runs:
            self._keep(t, sums.reached - kept)
        if not runs:
            sums.end()
        return runs

    def _recommended(self, agent: Agent, observation: Observation) -> np.ndarray:
        if not agent.recommends:
            pulls: Any = self._sums.pulls
            return pulls.argmax(axis=1)
        arms = np.atleast_1d(agent.recommend(observation))
        legal = arms.shape == self._arms.shape and arms.dtype.kind in "iu"
        if not (legal and ((arms >= 0) & (arms < self._lost.shape[1])).all()):
            raise ValueError(f"{type(agent).__name__} must recommend arms, got {brief(arms)}")
        return arms

    def _keep(self, t: int, place: int) -> None:
        """Write the measures of round t at a place of the rounds kept and all later ones."""
        lost = self._lost[np.arange(len(self._lost)), self._arms]
        measures = {"simple_regret": lost, "error": lost > 0.0}
        if self._timed:
            measures["stopping_time"] = np.minimum(self._stopped, t)
        for name, values in measures.items():
            self._sums.curve(name)[:, place:] = values[:, None]


def recommendations_of(env: Any, task: Any, sums: Sums) -> Recommendations | None:
    """Those of an episode that has begun in an unwrapped environment; None where regret counts.

    Raises
    ------
    ValueError
        If the environment does not say what arms lose.
    """
    if task.plays is not ARM or getattr(task, "objective", None) is None:
        return None
    try:
        lost = [_lost_by(env, sums.n, arm) for arm in range(task.n_arms)]
    except AttributeError:
        raise ValueError(
            f"the best arm is to be found in {env}, so it must define regret_of(actions), by how "
            "much their means are below the largest"
        ) from None
    return Recommendations(np.stack(lost, axis=1), sums, task.delta is not None)


def _lost_by(env: Any, n: int, arm: int) -> np.ndarray:
    """What an arm loses in every replicate, (n,)."""
    if isinstance(env, SyncVectorEnv | AsyncVectorEnv):
        return np.array(env.call("regret_of", arm))
    batched = isinstance(env, VectorEnv)
    return np.atleast_1d(env.regret_of(np.full(n, arm) if batched else arm))
