"""What a log has of the rounds of a play."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.drivers.frequencies import DRAWS
from agents.logs.log_file import LogFile
from agents.naming import label
from agents.storage.states import changed, state_of
from banditgym.rounds.kinds import CONTEXT, NOTHING, PAIRS
from banditgym.validation import brief


class Recording:
    """The rounds of one play of an agent, which go to a log.

    Parameters
    ----------
    log : LogFile
    base : gymnasium.Env or gymnasium.vector.VectorEnv
        The environment without its wrappers.
    agent : Agent
        It has been reset for the play.
    task : dataclass of ``banditgym.tasks``
        Of the environment, with the horizon of the play.
    seeds : list of int
        Of the replicates.

    Raises
    ------
    ValueError
        If the agent's rounds cannot be logged.
    """

    def __init__(self, log: LogFile, base: Any, agent: Any, task: Any, seeds: list[int]):
        self._log, self._agent, self._task = log, agent, task
        kind = "none" if log.context == "none" or task.observes is NOTHING else "arms"
        if kind == "arms" and task.observes in (CONTEXT, PAIRS):
            kind = "shared"
        elif kind == "arms" and log.context == "played":
            kind = "played"
        reason = log.refusal(agent, task)
        if reason is not None:
            raise ValueError(f"{label(agent)} cannot be logged: {reason}")
        if max(seeds) >= 2**63:
            raise ValueError(f"seeds of a log must be below 2^63, got {max(seeds)}")
        self._means = getattr(base, "expected_rewards", lambda: None)
        self._t, self._kind, self._state = 0, kind, state_of(agent)
        self._play = {"agent": label(agent), "exact_propensities": agent.exact_propensities}
        spec = base.spec
        about = {
            "env": "" if spec is None else spec.id,
            "settings": {} if spec is None else _settings(spec.kwargs),
            "n_arms": task.n_arms,
            "context": kind,
        }
        self._same = {
            "episode": log.begin(about, self._play),
            "agent": self._play["agent"],
            "seed": np.array(seeds, np.int64),
            "replicate": np.arange(len(seeds)),
        }

    def before(self, observation: Any) -> None:
        """Note what there is before the act."""
        stated = np.atleast_2d(self._agent.propensities(observation))
        self._known = observation, stated, self._means()

    def after(self, action: Any, reward: Any, info: Mapping[str, Any]) -> None:
        """Write the round that was played."""
        observation, stated, means = self._known
        arms, n = np.atleast_1d(action), len(stated)
        each = np.arange(n)
        propensities = logged_propensities(stated, arms, self._agent.exact_propensities)
        observed = np.broadcast_to(info.get("observed", True), n)
        arrival = np.where(observed, self._t, -1)
        if "arrival" in info:  # late rewards: the sums of what arrives are no rewards of a round
            reward, due = info["reward"], np.broadcast_to(info["arrival"], n)
            arrival = np.where(due < self._task.horizon, due, -1)
        mapping = isinstance(observation, Mapping)
        columns = self._same | {
            "round": self._t,
            "action": arms,
            "propensity": propensities[each, arms],
            "propensities": propensities,
            "reward": reward,
            "arrival": arrival,
            "mean": None if means is None else np.atleast_2d(means),
        }
        if self._kind != "none":
            name = "context" if self._task.observes is CONTEXT else "arms"
            features = np.asarray(observation[name] if mapping else observation)
            features = features.reshape(n, *self._task.observes.shape(self._task))
            columns["context"] = features[each, arms] if self._kind == "played" else features
        if mapping and "action_mask" in observation:
            columns["action_mask"] = np.atleast_2d(observation["action_mask"])
        self._log.add(n, columns)
        self._t += 1

    def end(self) -> None:
        """The play has ended."""
        after = {name: value for name, value in vars(self._agent).items() if name != "decisions"}
        before = {name: value for name, value in self._state.items() if name != "decisions"}
        self._play["learns"] = bool(changed(before, after))
        self._log.end()


def logged_propensities(stated: np.ndarray, arms: np.ndarray, exact: bool) -> np.ndarray:
    """The propensities (n, K) to log where arms (n,) were played; ``LogFile`` says which.

    Raises
    ------
    ValueError
        If an agent played an arm to which it gave probability 0.
    """
    each = np.arange(len(arms))
    if not exact:
        counts = stated * DRAWS
        counts[each, arms] += 1.0
        return counts / (DRAWS + 1)
    never = stated[each, arms] <= 0.0
    if never.any():
        i = int(never.argmax())
        raise ValueError(
            f"replicate {i} played arm {arms[i]}, to which the agent gave probability 0: its "
            "propensities are wrong"
        )
    return stated


@contextlib.contextmanager
def opened(log: str | Path | LogFile) -> Iterator[LogFile]:
    """A log to write a play to; a file that is named ends with the play."""
    if isinstance(log, LogFile):
        yield log
    elif isinstance(log, str | Path):
        with LogFile(log) as file:
            yield file
    else:
        raise ValueError(f"log must be a file's name or an agents.LogFile, got {brief(log)}")


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    return {k: value for k, value in given.items() if k not in ("num_envs", "vectorization_mode")}
