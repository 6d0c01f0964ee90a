"""What tuning found for an agent, and its line in a ranking of tuned agents: plain data."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked_dataclass

from leaderboards.rank.standing import Curve, Interval

EDGE = 0.05  # share of a range, on its own scale


@checked_dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Tuned:
    """What tuning found for one agent on one family; lists, as JSON has them, become tuples.

    Attributes
    ----------
    agent, spec : str
        Label and text of the agent with its defaults.
    tuned : str
        The text of the agent as tuned; equal to ``spec`` if the defaults were kept.
    tasks : tuple of str
        The family's tasks that the agent plays.
    setting : dict of str to object
        The tuned hyperparameters; empty if the defaults were kept.
    best : dict of str to object
        The best setting of the trials, whether it was taken or not.
    trials, failed : int
        Number of trials, and how many of them failed.
    seeds : (int, int)
        The first seed of the trials, and their number.
    further : (int, int)
        The first and the number of the seeds that compared the best setting with the defaults.
    scores : dict of str to (float, float)
        By ranking, the scores of the defaults and of the setting on the trials' seeds, as the
        version that tuned computed them.
    gain : tuple of three floats, or None
        On the further seeds, the best setting's score less the defaults', with its paired 95 %
        interval; None if no setting beat the defaults on the trials' seeds.
    same_data : tuple of str
        Tasks whose data are the same in tuning and in scoring.
    space : dict
        The search space as plain data.
    suite, sources : str
        The suite's hash, and the hash of the code that the agent's numbers depend on.
    """

    agent: str
    spec: str
    tuned: str
    family: str
    tasks: tuple[str, ...]
    setting: dict[str, Any]
    best: dict[str, Any]
    trials: int
    failed: int
    seeds: tuple[int, int]
    further: tuple[int, int]
    scores: dict[str, tuple[float, float]]
    gain: tuple[float, float, float] | None
    same_data: tuple[str, ...]
    space: dict[str, Any]
    suite: str
    sources: str

    def saw(self, seed: int) -> bool:
        """Whether the setting was tuned on a seed, or compared with the defaults on it."""
        spans = (self.seeds, self.further)
        return any(first <= seed < first + count for first, count in spans)

    @property
    def edges(self) -> dict[str, tuple[float, float]]:
        """The ends of the range of each value of the setting that lies in its outer 5 %."""
        found = {}
        for name, value in self.setting.items():
            scale, *ends = self.space.get(name, ["Choice"])
            if scale == "Choice":
                continue
            low, high, own = map(math.log, (*ends, value)) if scale == "Log" else (*ends, value)
            if not EDGE < (own - low) / (high - low) < 1 - EDGE:
                found[name] = (ends[0], ends[1])
        return found

    def plain(self) -> dict[str, Any]:
        """The record as data that JSON can hold, from which ``Tuned(**plain)`` makes it again."""
        return json.loads(json.dumps(asdict(self)))


def as_text(found: Iterable[Tuned]) -> str:
    """The contents of a file of records, which `from_text` reads."""
    return json.dumps([one.plain() for one in found], indent=1) + "\n"


def from_text(text: str) -> list[Tuned]:
    """The records of a file."""
    return [Tuned(**fields) for fields in json.loads(text)]


@dataclass(frozen=True)
class TunedStanding:
    """One agent in a ranking in which every agent is tuned.

    Attributes
    ----------
    label : str
        As in the ranking of the defaults.
    rank : (int, int)
        Among agents that are all tuned.
    score : Interval
        On the suite's seeds.
    default : Interval
        The score of the defaults on the same seeds.
    gain : Interval or None
        The paired difference of the two; None if the defaults were kept.
    tuned : Tuned or None
        None if it has nothing to tune.
    curves : dict of str to Curve
        By task, with the tuned setting; empty if the defaults were kept.
    """

    label: str
    rank: tuple[int, int]
    score: Interval
    default: Interval
    gain: Interval | None
    tuned: Tuned | None
    curves: dict[str, Curve] = field(default_factory=dict)
