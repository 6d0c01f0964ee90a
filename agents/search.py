"""Search spaces: which hyperparameters of an agent a user would tune, and over which values.

An agent declares its space as a class attribute, ``search``: a mapping from names of
hyperparameters to `Linear`, `Log` or `Choice`, or None if there is nothing to tune. A dot precedes
a hyperparameter of a part: ``"estimator.step"``. Spaces change no number of an agent, so its key
does not depend on them (see ``leaderboards.run.keys.syntax``).
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from banditgym.validation import brief, real

DIGITS = 3  # significant digits of a value that is tried; few, for users who type them

Owner = TypeVar("Owner")


@dataclass(frozen=True)
class Linear:
    """Values from ``low`` to ``high``, ends included; whole numbers if both ends are ints."""

    low: float
    high: float

    def __post_init__(self):
        low, high = real("low", self.low), real("high", self.high)
        if not -math.inf < low < high < math.inf:
            raise ValueError(
                f"a range needs two finite numbers, low < high, got {brief(ends(self))}"
            )

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"

    def nearest(self, value: float) -> float:
        """The value that is tried: rounded to a whole number, or to three significant digits."""
        if self._is_whole:
            return int(value)
        return min(max(float(f"{value:.{DIGITS}g}"), float(self.low)), float(self.high))

    def contains(self, value: object) -> bool:
        """Whether a value lies in the space."""
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return self.low <= value <= self.high and (isinstance(value, int) or not self._is_whole)

    @property
    def _is_whole(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int)


class Log(Linear):
    """`Linear` on a logarithmic scale: 0.01 and 0.1 are as far apart as 0.1 and 1."""

    def __post_init__(self):
        super().__post_init__()
        if not self.low > 0:
            raise ValueError(f"a logarithmic scale must begin above 0, got {self.low}")

    def __str__(self) -> str:
        return f"{super().__str__()} (logarithmic)"


@dataclass(frozen=True)
class Choice:
    """One of some values, without an order among them."""

    options: tuple[bool | int | float | str, ...]

    def __post_init__(self):
        if len(set(self.options)) < max(2, len(self.options)):
            raise ValueError(
                f"a choice needs two or more different values, got {brief(self.options)}"
            )

    def __str__(self) -> str:
        return " or ".join(map(str, self.options))

    def nearest(self, value: Any) -> Any:
        """The value itself."""
        return value

    def contains(self, value: object) -> bool:
        """Whether a value is one of the options."""
        return any(value == option for option in self.options)


Space = Mapping[str, Linear | Log | Choice]


def as_plain(space: Space) -> dict[str, list[Any]]:
    """A space as plain data: for each hyperparameter the name of its scale, then its values.

    >>> as_plain({"alpha": Log(0.01, 10.0), "size": Choice((5, 20))})
    {'alpha': ['Log', 0.01, 10.0], 'size': ['Choice', 5, 20]}
    """
    return {
        name: [type(among).__name__, *(among.options if isinstance(among, Choice) else ends(among))]
        for name, among in space.items()
    }


def ends(among: Linear | Log) -> tuple[float, float]:
    """The least and the greatest value."""
    return among.low, among.high


def value_of(owner: Any, name: str) -> Any:
    """The value of an agent's hyperparameter, or of a part's, whose name has a dot.

    Raises
    ------
    ValueError
        If there is no such hyperparameter.
    """
    first, dot, rest = name.partition(".")
    if first not in [field.name for field in dataclasses.fields(owner)]:
        raise ValueError(f"{type(owner).__name__} has no hyperparameter {first!r} to search")
    value = getattr(owner, first)
    return value_of(value, rest) if dot else value


def with_values(owner: Owner, values: Mapping[str, Any]) -> Owner:
    """A new agent with other values of some hyperparameters, and without state.

    Examples
    --------
    >>> import agents
    >>> agent = with_values(agents.FastLinUCB(), {"alpha": 0.2, "estimator.step": 50.0})
    >>> agent.alpha, agent.estimator.step, agent.estimator.ridge
    (0.2, 50.0, 1.0)
    """
    own: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        first, dot, rest = name.partition(".")
        if dot:
            inner.setdefault(first, {})[rest] = value
        else:
            own[first] = value
    parts = {name: with_values(getattr(owner, name), some) for name, some in inner.items()}
    return dataclasses.replace(owner, **own, **parts)  # pyright: ignore[reportArgumentType]
