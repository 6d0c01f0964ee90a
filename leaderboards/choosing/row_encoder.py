"""What a chosen agent is shown of a row, and what its answers mean: for a service."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from banditgym.data.labelled_rows import powers_of
from banditgym.data.table_encoder import TableEncoder
from banditgym.validation import brief, real, whole

FARTHEST = 10.0  # standard deviations from the mean of its column, at which a number is bounded


@dataclass(frozen=True)
class RowEncoder:
    """Rows as an agent sees them, and its answers as the owner of the table knows them.

    A row's features are those of ``columns``, clipped to [-10, 10], and a constant 1, all divided
    by the square root of their number d. So an absurd number in a row, such as one that lost its
    decimal point, moves an agent no more than one ten deviations from the mean. What an agent is
    told is not bounded.

    Parameters
    ----------
    columns : TableEncoder
    target : str
        The column that is played or predicted.
    labels : tuple of str
        The names of the classes; empty for numbers.
    mean, deviation : float
        Of the numbers: agents predict (y - mean) / deviation.
    """

    columns: TableEncoder
    target: str
    labels: tuple[str, ...] = ()
    mean: float = 0.0
    deviation: float = 1.0

    @property
    def dim(self) -> int:
        """Number of features d."""
        return self.columns.dim + 1

    def __call__(self, rows: Any) -> np.ndarray:
        """The observation (d,) for a row, a mapping of columns, or (N, d) for a DataFrame.

        Raises
        ------
        ValueError
            If a column is not there, or a number is infinite.
        """
        with np.errstate(over="ignore"):  # of a number beyond all bounds
            features = self.columns(rows)
        return self.observed(features)

    def observed(self, features: np.ndarray) -> np.ndarray:
        """Observations (.., d) from the features (.., d - 1) of the columns."""
        constant = np.ones((*features.shape[:-1], 1))
        bounded = np.clip(features, -FARTHEST, FARTHEST)
        return np.concatenate([bounded, constant], axis=-1) / math.sqrt(self.dim)

    def meaning(self, action: Any) -> Any:
        """What an action says: the name of a class, or a number of the target's own scale."""
        if self.labels:
            place, many = whole("the action", action, least=0), len(self.labels)
            if place >= many:
                raise ValueError(f"the action must be below {many}, got {place}")
            return self.labels[place]
        return self.mean + self.deviation * real("the action", action)

    def outcome(self, numbers: Any) -> Any:
        """The outcomes that an agent learns, of numbers in the target's own scale."""
        return (numbers - self.mean) / self.deviation


def for_numbers(columns: TableEncoder, target: str, numbers: np.ndarray) -> RowEncoder:
    """The encoder whose scale is that of some numbers (M,), also where their squares overflow."""
    power = int(powers_of(numbers[:, None])[0])
    unit = np.ldexp(numbers, -power)
    mean, deviation = (math.ldexp(float(x), power) for x in (unit.mean(), unit.std() or 1.0))
    return RowEncoder(columns, target, mean=mean, deviation=deviation)


def from_plain(plain: Any) -> RowEncoder:
    """The encoder whose ``dataclasses.asdict`` JSON holds; the text is not trusted.

    Raises
    ------
    ValueError
        If it is none.
    """
    from pydantic import TypeAdapter  # takes a while to import

    try:
        encoder = TypeAdapter(RowEncoder).validate_python(plain)
        if json.loads(json.dumps(asdict(encoder))) != plain:
            raise ValueError("it has entries of another kind")
        names = [one.name for one in (*encoder.columns.numbers, *encoder.columns.text)]
        with np.errstate(all="ignore"):
            trial = [*encoder.columns(dict.fromkeys(names)), encoder.outcome(0.0)]
        if not (np.isfinite(trial).all() and encoder.deviation > 0):
            raise ValueError("a mean or a deviation is none")
    except (LookupError, TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"it describes no encoder of rows: {brief(str(error))}") from None
    return encoder
