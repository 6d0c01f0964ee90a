"""Rewards that arrive in later rounds, as an agent learns them in a play."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from banditgym.rounds.kinds import NOTHING
from banditgym.rounds.open_rows import OpenRows


class LateRewards:
    """The observations of decisions whose rewards are still to come, and what arrives.

    The memory grows with the number of these decisions alone.

    Parameters
    ----------
    task : dataclass of ``banditgym.tasks``
    n : int
        Number of replicates.
    solo : bool
        Whether the environment is a single one.
    secret : str
        What the agent learns from besides rewards: ``"feedback"`` or ``"label"``.
    """

    def __init__(self, task: Any, n: int, solo: bool, secret: str):
        self.n, self.solo, self.secret = n, solo, secret
        # Otherwise every round shows the same.
        self._shows = task.observes is not NOTHING and not getattr(task, "fixed_arms", False)
        self._rows: Any = None
        self._places: dict[int, int] = {}  # round n + replicate -> place among the rows
        self._t = 0

    def learn(self, agent: Any, observation: Any, action: Any, info: Mapping[str, Any]) -> None:
        """Let an agent learn what arrived in the round that it has just played.

        A replicate learns its rewards in the order of their rounds.
        """
        t, self._t = self._t, self._t + 1
        arrived = arrivals_of(info["arrivals"])
        shown: dict[str, Any] = {}
        earlier: dict[str, Any] = {}
        if self._shows:
            shown = _arrays(observation, self.solo)
            self._keep(t, shown, np.atleast_1d(info["arrival"]))
        who, rounds = arrived["replicate"], arrived["round"]
        if self._shows:
            numbers = (rounds * self.n + who).tolist()
            earlier = self._rows.take([self._places.pop(number) for number in numbers])
        first = np.searchsorted(who, who)  # of the same replicate
        nth = np.arange(len(who)) - first
        for k in range(int(nth.max(initial=-1)) + 1):
            chosen = np.flatnonzero(nth == k)
            these = {name: _rows(values, chosen) for name, values in arrived.items()}
            seen = observation
            if self._shows and (rounds[chosen] != t).any():
                old = _rows(earlier, chosen)
                seen = _replaced(shown, who[chosen], old, observation, self.solo)
            self._observe(agent, t, seen, action, these)

    def _keep(self, t: int, shown: dict[str, np.ndarray], arrival: np.ndarray) -> None:
        if self._rows is None:
            self._rows = OpenRows(shown)
        which = np.flatnonzero(arrival >= 0)
        numbers = (t * self.n + which).tolist()
        self._places.update(zip(numbers, self._rows.put(shown, which), strict=True))

    def _observe(self, agent: Any, t: int, seen: Any, action: Any, arrived: dict[str, Any]) -> None:
        given: dict[str, Any] = {}
        if self.secret in arrived:
            given["feedback"] = arrived[self.secret]
        if self.solo:
            [played], [reward], [decision] = (arrived[k] for k in ("action", "reward", "round"))
            if "feedback" in given:
                given["feedback"] = _only(given["feedback"])
            played = played.item() if played.ndim == 0 else played
            agent.observe(seen, played, reward.item(), decision=int(decision), **given)
            return
        who, n = arrived["replicate"], self.n
        actions, decisions = np.array(action), np.full(n, t)
        actions[who], decisions[who] = arrived["action"], arrived["round"]
        rewards, observed = np.zeros(n), np.zeros(n, bool)
        rewards[who], observed[who] = arrived["reward"], True
        if "feedback" in given:
            given["feedback"] = _spread(given["feedback"], who, n)
        agent.observe(seen, actions, rewards, observed=observed, decision=decisions, **given)


def arrivals_of(arrivals: Mapping[str, Any]) -> dict[str, Any]:
    """``info["arrivals"]`` as flat arrays, whether of a vector, a vector of singles, or a single.

    They have one entry for each arrival, in the order of replicates, and ``replicate``.
    """
    if "replicate" in arrivals:
        return dict(arrivals)
    each = arrivals["round"]
    if isinstance(each, list):
        lists: dict[str, Any] = {name: [values] for name, values in arrivals.items()}
        each = [each]
    else:  # of Gymnasium's vectors: an array of lists, and masks
        lists = {name: values for name, values in arrivals.items() if name[0] != "_"}
    flat: dict[str, Any] = {"replicate": np.repeat(np.arange(len(each)), [len(x) for x in each])}
    for name, values in lists.items():
        flat[name] = _stacked([value for of_one in values for value in of_one])
    return flat


def _stacked(values: list[Any]) -> Any:
    """An array of numbers or rows; a mapping of arrays for mappings."""
    if values and isinstance(values[0], Mapping):
        return {key: np.array([value[key] for value in values]) for key in values[0]}
    return np.array(values)


def _rows(values: Any, which: np.ndarray) -> Any:
    if isinstance(values, dict):
        return {name: array[which] for name, array in values.items()}
    return values[which]


def _only(values: Any) -> Any:
    """The only row of an array or of a mapping of arrays, as a single environment shows it."""
    if isinstance(values, dict):
        return {name: _only(array) for name, array in values.items()}
    return values.item() if values.ndim == 1 else values[0]


def _spread(values: Any, who: np.ndarray, n: int) -> Any:
    """Arrays (n, ..) that are 0 but for the rows of the replicates ``who``."""
    if isinstance(values, dict):
        return {name: _spread(array, who, n) for name, array in values.items()}
    spread = np.zeros((n, *values.shape[1:]), values.dtype)
    spread[who] = values
    return spread


def _arrays(observation: Any, solo: bool) -> dict[str, np.ndarray]:
    """An observation as a mapping of arrays (n, ..)."""
    parts = observation if isinstance(observation, Mapping) else {"": observation}
    return {
        name: np.asarray(part)[None] if solo else np.asarray(part) for name, part in parts.items()
    }


def _replaced(
    shown: dict[str, np.ndarray],
    who: np.ndarray,
    earlier: dict[str, np.ndarray],
    observation: Any,
    solo: bool,
) -> Any:
    """The observation with the rows of some replicates replaced by earlier ones."""
    new = {name: array.copy() for name, array in shown.items()}
    for name, array in new.items():
        array[who] = earlier[name]
        if solo:
            new[name] = array[0]
    return new if isinstance(observation, Mapping) else new[""]
