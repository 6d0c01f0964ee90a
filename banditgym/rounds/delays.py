r"""Laws of delays: how many rounds after its own a reward arrives.

A law is a frozen dataclass of plain data. ``law.draw(u, t, actions)`` -> the delays (n,), int64
and >= 0, of round t, given one uniform u (n,) on [0, 1) for each replicate. They depend on the
seed, the round and the arm, and never on the reward.

============= ===========================================================
``Constant``  always ``delay``
``Geometric`` :math:`P(D \ge k) = (m / (1 + m))^k`, with m ``mean``
``Pareto``    :math:`D = \lfloor X \rfloor` with
              :math:`P(X \ge x) = (x_0 / x)^a` for :math:`x \ge x_0`, with
              :math:`x_0` ``scale`` and a ``shape``
``Table``     given for each round, or for each round and arm
``PerArm``    given for each arm
============= ===========================================================
"""

from dataclasses import dataclass

import numpy as np

from banditgym.elementary import each_exp, each_log1p
from banditgym.rounds.read_only import read_only
from banditgym.validation import as_array, brief, nonnegative, of_kind, positive, whole

MOST = 2**62  # rounds; longer delays are cut, so that a round and a delay fit in an int64


@dataclass(frozen=True, kw_only=True)
class Constant:
    """Every delay is the same.

    Parameters
    ----------
    delay : int
        Rounds, >= 0.
    """

    delay: int

    def __post_init__(self):
        object.__setattr__(self, "delay", min(whole("delay", self.delay, 0), MOST))

    def draw(self, u: np.ndarray, t: int, actions: np.ndarray) -> np.ndarray:
        return np.full(len(u), self.delay)


@dataclass(frozen=True, kw_only=True)
class Geometric:
    """Every round an open reward arrives with the same probability.

    Parameters
    ----------
    mean : float
        The mean delay in rounds, >= 0.
    """

    mean: float

    def __post_init__(self):
        nonnegative("the mean of delays", self.mean)

    def draw(self, u: np.ndarray, t: int, actions: np.ndarray) -> np.ndarray:
        if self.mean == 0:
            return np.zeros(len(u), np.int64)
        return _floored(each_log1p(-u) / -each_log1p(1.0 / self.mean))


@dataclass(frozen=True, kw_only=True)
class Pareto:
    """Most rewards arrive soon, and a few very late.

    Parameters
    ----------
    shape : float
        The exponent a > 0 of the tail; the mean is infinite if a <= 1.
    scale : float
        The least delay in rounds before it is floored, > 0.
    """

    shape: float
    scale: float

    def __post_init__(self):
        positive("the shape of delays", self.shape)
        positive("the scale of delays", self.scale)

    def draw(self, u: np.ndarray, t: int, actions: np.ndarray) -> np.ndarray:
        return _floored(self.scale * each_exp(each_log1p(-u) / -self.shape))


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Delays that are given, the same for all replicates.

    Parameters
    ----------
    values : int array of shape (T,) or (T, K)
        The delay of each round, or of each round and arm. It has a row for every round.
    """

    values: np.ndarray

    def __post_init__(self):
        values = _whole_numbers("values", self.values)
        if values.ndim not in (1, 2) or not values.size:
            raise ValueError(f"values of delays must be (T,) or (T, K), got {values.shape}")
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())

    def draw(self, u: np.ndarray, t: int, actions: np.ndarray) -> np.ndarray:
        row = self.values[t]
        return np.full(len(u), row) if row.ndim == 0 else row[actions]


@dataclass(frozen=True, kw_only=True)
class PerArm:
    """Every arm has its delay.

    Parameters
    ----------
    delays : sequence of K ints
        Rounds, >= 0.
    """

    delays: tuple[int, ...]

    def __post_init__(self):
        given = _whole_numbers("delays", self.delays)
        if given.ndim != 1 or not given.size:
            raise ValueError(f"delays must have one for each arm, got {brief(self.delays)}")
        object.__setattr__(self, "delays", tuple(given.tolist()))

    def draw(self, u: np.ndarray, t: int, actions: np.ndarray) -> np.ndarray:
        return np.array(self.delays)[actions]


Law = Constant | Geometric | Pareto | Table | PerArm
KINDS: dict[str, type] = {
    "constant": Constant,
    "geometric": Geometric,
    "pareto": Pareto,
    "table": Table,
    "per_arm": PerArm,
}
_FORMS = "an integer, or a mapping such as {'kind': 'geometric', 'mean': 100}"


def read_law(value: object) -> Law:
    """A law from itself or from plain data: 10, {"kind": "geometric", "mean": 100}.

    Raises
    ------
    ValueError
        For anything else, with the nearest name.
    """
    if isinstance(value, Law):
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return Constant(delay=int(value))
    return of_kind("delay", KINDS, value, _FORMS)


def _floored(delays: np.ndarray) -> np.ndarray:
    return np.minimum(np.floor(delays), float(MOST)).astype(np.int64)


def _whole_numbers(name: str, values: object) -> np.ndarray:
    """Integers >= 0 as a read-only int64 array of any shape."""
    array = as_array(values, object)
    if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() <= MOST):
        raise ValueError(f"{name} of delays must be integers >= 0, got {brief(values)}")
    return read_only(array.astype(np.int64))
