"""Which columns of a log hold what."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from banditgym.validation import brief, legible, nearest

# One column, or the columns of several numbers; those of features of K arms are K lists of names.
Names = str | Sequence["Names"]


@dataclass(frozen=True, kw_only=True)
class LogColumns:
    """Which column of a log holds what; by default the names that ``agents.LogFile`` writes.

    What has d numbers in a row is one column of lists, or d columns: ``context=["age", "income"]``.
    Features of every arm are one column of lists of lists, (K, d), or a list of names for each arm.
    Only ``action`` and ``reward`` must be there. A column that is named differently from the
    default must be there too, and None says that a column of the default name holds something else.

    Parameters
    ----------
    context : str or sequence, optional
        The features seen: d shared by all arms, or (K, d).
    action : str
        The arm played, 0 .. K - 1.
    reward : str
    propensity : str, optional
        The probability with which the action was played.
    propensities : str or sequence, optional
        The probabilities of all K arms.
    action_mask : str or sequence, optional
        K numbers, 1 where an arm could be played, else 0.
    position : str, optional
        Where the action was shown: a whole number that the policy did not choose.
    round, episode : str, optional
        Whole numbers. Within an episode of a replicate, rounds increase from row to row.
    time : str, optional
        Numbers, dates or times; they never decrease within a replicate.
    seed, replicate, agent : str, optional
        Rows that differ in one of these belong to different replicates. Agents are text.
    arrival : str, optional
        The round in which the reward became known; null if it never did.
    mean : str or sequence, optional
        The mean rewards of all K arms, where they are known.
    """

    context: Names | None = "context"
    action: str = "action"
    reward: str = "reward"
    propensity: str | None = "propensity"
    propensities: Names | None = "propensities"
    action_mask: Names | None = "action_mask"
    position: str | None = "position"
    round: str | None = "round"
    episode: str | None = "episode"
    time: str | None = "time"
    seed: str | None = "seed"
    replicate: str | None = "replicate"
    agent: str | None = "agent"
    arrival: str | None = "arrival"
    mean: Names | None = "mean"

    @classmethod
    def of(cls, given: "LogColumns | Mapping[str, Any] | None") -> Self:
        """The columns that a mapping names, such as ``{"action": "shown"}``; by default ours.

        Raises
        ------
        ValueError
            If a log has nothing of a given kind.
        """
        if given is None:
            return cls()
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise ValueError(f"columns must be a mapping or LogColumns, got {brief(given)}")
        known = [field.name for field in dataclasses.fields(cls)]
        for kind in given:
            if kind not in known:
                raise ValueError(
                    f"columns: no column of a log is {brief(kind)}{nearest(str(kind), known)}; "
                    f"there are {', '.join(known)}"
                )
        return cls(**given)

    def among(self, where: str, names: Sequence[str]) -> dict[str, Names]:
        """Those that a table with these columns has.

        Raises
        ------
        ValueError
            If a column is missing that must be there.
        """
        found = {}
        for field in dataclasses.fields(self):
            kind, given = field.name, getattr(self, field.name)
            if given is None:
                continue
            missing = [name for name in flat(given) if name not in names]
            if not missing:
                found[kind] = given
            elif given != field.default or kind in ("action", "reward"):
                hint = nearest(missing[0], names) or f"; it has {', '.join(map(legible, names))}"
                raise ValueError(
                    f"{where} has no column {missing[0]!r} for {kind}{hint}: name it by "
                    f"columns={{{kind!r}: ..}}"
                )
        return found


def flat(names: Names) -> Iterator[str]:
    """Every name in a nested sequence of names."""
    if isinstance(names, str):
        yield names
    else:
        for one in names:
            yield from flat(one)
