"""What of an environment's measures is to be had low, what high, and which of them are rates.

Environments report increments, which are summed over the rounds of an episode. Of rounds that do
not all count a sum says little: there a rate does, a quotient of two sums.
"""

from collections.abc import Mapping

import numpy as np

# Rate -> the sum that is divided, the sum that divides, and what for.
RATES = {"clicks_per_10000": ("clicks", "matched", 10_000.0)}

_GAINS = ("reward", "clicks", "matched", *RATES)


def higher_is_better(measure: str) -> bool:
    """Whether an agent wants much of a measure: of rewards and clicks, not of regret.

    >>> higher_is_better("clicks_per_10000"), higher_is_better("regret")
    (True, False)
    """
    return measure in _GAINS


def with_rates(sums: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Sums of measures, and the rates that can be had from them.

    Parameters
    ----------
    sums : mapping of str to ndarray
        Cumulative measures, of any one shape.

    Returns
    -------
    dict of str to ndarray
        A rate is 0 while its divisor is.

    Examples
    --------
    >>> sums = {"clicks": np.array([0.0, 3.0]), "matched": np.array([0.0, 60.0])}
    >>> with_rates(sums)["clicks_per_10000"]
    array([  0., 500.])
    """
    found = dict(sums)
    for name, (part, whole, scale) in RATES.items():
        if part in sums and whole in sums:
            found[name] = scale * sums[part] / np.maximum(sums[whole], 1.0)
    return found
