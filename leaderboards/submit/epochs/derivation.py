r"""Derives seeds of environments, and settings drawn from ranges, from a secret.

Every number comes from

.. math:: \operatorname{HMAC-SHA256}(\text{secret},\ \text{label} \,\|\, \ell(f_1) \,\|\, f_1
    \,\|\, \ell(f_2) \,\|\, f_2 \,\|\, \dots)

where the fields f are UTF-8 text and :math:`\ell` is a field's length in bytes, an integer of 8
bytes, big-endian: no two lists of fields give the same message. The number is the first 16 bytes of
the digest, big-endian. Anyone with the secret can compute all numbers. Anyone without the secret
who knows all numbers except one learns nothing about that one.
"""

import hmac
from dataclasses import dataclass

from banditgym.elementary import exp, log

LABEL = b"banditgym held-out 1"  # includes the version: another version gives other numbers
SECRET_BYTES = 32


def number(secret: bytes, *fields: str) -> int:
    """An integer of 128 bits for a list of fields.

    Raises
    ------
    ValueError
        If the secret is not of 256 bits.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, got {len(secret)}")
    message = LABEL
    for field in fields:
        encoded = field.encode("utf-8")
        message += len(encoded).to_bytes(8, "big") + encoded
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:16], "big")


def seed(secret: bytes, suite: str, task: str, index: int) -> int:
    """The environment's seed of a replicate, from the suite's hash, the task's name and an index.

    Examples
    --------
    >>> hex(seed(bytes(32), "00", "coins", 0))
    '0x84e0874fa4311b4fd0804766eeabae85'
    """
    return number(secret, suite, task, str(index))


@dataclass(frozen=True)
class Range:
    """A range that a setting is drawn from: integers uniformly, floats log-uniformly.

    Parameters
    ----------
    low, high : int or float
        Ends of the range, both included and both of the same type. Floats are > 0.
    """

    low: int | float
    high: int | float

    def __post_init__(self):
        kinds = {type(self.low), type(self.high)}
        if kinds not in ({int}, {float}):
            raise ValueError(f"a range is two integers or two floats, got {self.low}, {self.high}")
        if not self.low < self.high:
            raise ValueError(f"a range goes from low to high, got {self.low}, {self.high}")
        if kinds == {float} and not (self.low > 0 and self.high < float("inf")):
            raise ValueError(f"a range of floats lies above 0, got {self.low}, {self.high}")

    def at(self, number: int) -> int | float:
        """The value for a number of 128 bits; floats have four significant digits."""
        if isinstance(self.low, int):
            assert isinstance(self.high, int)
            return self.low + (number * (self.high - self.low + 1) >> 128)
        share = (number >> 75) * 2.0**-53
        value = exp(log(self.low) + share * (log(float(self.high)) - log(self.low)))
        return min(max(float(f"{value:.4g}"), self.low), self.high)


def setting(
    secret: bytes, ranges: str, task: str, draw: int, name: str, among: Range
) -> int | float:
    """The value of a named setting in one draw of a task's settings.

    ``ranges`` is the hash of the file of ranges. The first field is ``settings``; that of a seed is
    a hash, so no setting shares a number with a seed.
    """
    return among.at(number(secret, "settings", ranges, task, str(draw), name))
