"""An agent learns from a log before it serves."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.open_decisions import OpenDecisions
from agents.ownership import plays_apart
from agents.parts.wrapping import Wrapping
from banditgym.logs import BanditLog, LogChunk, LogColumns, open_log
from banditgym.logs.log_tasks import features_shown, task_of_log
from banditgym.rounds.kinds import ARM, NOTHING, REWARD
from banditgym.validation import brief


def learn(
    agent: Agent, log: Any, *, columns: LogColumns | Mapping[str, Any] | None = None
) -> Agent:
    """Let an agent learn every row of a log, in the order of rows; returns it.

    It observes the features, the action and the reward of a row as those of a decision that was
    made for it, so that ``decisions`` rises by one a row. A log of its own play leaves the state
    that the play left, bit for bit. A reward whose ``arrival`` is null is not observed. Rewards
    that arrived late are learned with their row.

    An agent that has been reset learns on its task, and n replicates learn from n replicates of a
    log: its rows are then in the order of rounds, and within a round of replicates. An agent that
    has not been reset is reset for the log's own task (``banditgym.logs.log_tasks``), with seed 0,
    and is solo if the log has one replicate.

    Agents that weight a reward by the probability of its arm, such as EXP3, take the log's
    propensities of all arms in place of their own. Refused are agents that cannot: those that keep
    a guess of their own, such as Banditron; those whose rule follows their own choices, such as
    UCB2; and those that play by another agent or another library.

    Parameters
    ----------
    agent : Agent
    log : BanditLog, str, path, DataFrame or table
        As ``banditgym.logs.open_log`` takes it.
    columns : LogColumns or mapping, optional
        Which columns of ``log`` hold what.

    Raises
    ------
    ValueError
        If the agent cannot learn from the log, before it learned anything; or as ``observe`` does.

    Examples
    --------
    >>> import agents
    >>> from banditgym.logs import made_log
    >>> agent = agents.learn(agents.DisjointLinUCB(), made_log())
    >>> agent.act([0.5, -0.2, 0.1]), agent.decisions.tolist()
    (2, [1001])
    """
    if not isinstance(agent, Agent):
        raise ValueError(f"agent must be an Agent, such as agents.LinUCB(), got {brief(agent)}")
    if not isinstance(log, BanditLog):
        log = open_log(log, columns)
    n = len(log.replicates)
    if len({agent for agent, _, _ in log.replicates}) > 1:
        raise ValueError(f"{log.name} has rows of several agents: keep those of one")
    if not hasattr(agent, "task"):
        agent.reset(task_of_log(log), n=None if n == 1 else n)
    reason = _refusal(agent, log)
    if reason is not None:
        raise ValueError(f"{type(agent).__name__} cannot learn from {log.name}: {reason}")
    for _ in _rounds(log, n) if n > 1 else ():
        pass  # all rows are in order before the first is learned
    takes = getattr(agent, "_take_propensities", None)
    for rows in _rounds(log, n):
        features = None if agent.task.observes is NOTHING else features_shown(log, rows)
        arrived = rows.arrived
        for first in range(0, len(rows), n):
            here: Any = first if agent.solo else slice(first, first + n)
            if takes is not None:
                takes(rows.propensities[first : first + n])  # type: ignore[index]
            agent.decisions += 1
            agent.observe(
                _shown(agent.task, features, rows, here),
                rows.action[here],
                rows.reward[here],
                observed=arrived[first : first + n],
            )
    return agent


def _rounds(log: BanditLog, n: int) -> Iterator[LogChunk]:
    """Rows of whole rounds of n replicates, which are in one order."""
    first = None
    for rows in log.chunks(log.rows_at_once // n * n or n):
        if n > 1:
            keys = [key for key in (rows.seed, rows.replicate) if key is not None]
            of = np.stack(keys, axis=1)
            first = of[:n] if first is None else first
            wrong = (of != np.resize(first, of.shape)).any(axis=1)
            if len(rows) % n or wrong.any() or len(np.unique(first, axis=0)) < n:
                raise ValueError(
                    f"{log.name}, row {rows.first_row + int(wrong.argmax())}: rows must be in the "
                    f"order of rounds, and within a round of the {n} replicates: sort them, or "
                    "keep those of one replicate"
                )
        yield rows


def _shown(task: Any, features: Any, rows: LogChunk, here: Any) -> Any:
    """The observation of some rows, as the task's environment shows it."""
    seen = None if features is None else features[here]
    if not task.arms_vary:
        return seen
    name = {} if seen is None else {task.observes.name: seen}
    return {**name, "action_mask": rows.action_mask[here].astype(np.int8)}  # type: ignore[index]


def _refusal(agent: Agent, log: BanditLog) -> str | None:
    """Why an agent that was reset cannot learn from a log; None if it can."""
    task, n = agent.task, len(log.replicates)
    if task.plays is not ARM or task.reveals is not REWARD or agent.full_information:
        return f"logs have rewards of arms, and it learns otherwise from {task.family} tasks"
    if isinstance(agent, Wrapping):
        return "it plays by another agent: let that one learn"
    if plays_apart(type(agent)) and hasattr(type(agent), "apart"):
        return "another library computes it, which learns from its own play alone"
    if agent.kept_choosing:
        return "its rule follows the choices that it makes itself"
    if any(isinstance(value, OpenDecisions) for value in vars(agent).values()):
        if not hasattr(agent, "_take_propensities"):
            return "it weights a reward by its own guess, which a log does not have"
        if "propensities" not in log.holds:
            return (
                "it weights a reward by the propensities of all arms, which the log does not have"
            )
    if agent.n != n:
        return f"it has {agent.n} replicates, and the log has {n}"
    if log.n_arms > task.n_arms:
        return f"the log has {log.n_arms} arms, and its task has {task.n_arms}"
    if task.observes is not NOTHING and (log.context == "played" or not log.context_shape):
        return "the log does not have the features of all arms"
    if task.arms_vary and "action_mask" not in log.holds:
        return "its arms come and go, and the log has no action_mask"
    return None
