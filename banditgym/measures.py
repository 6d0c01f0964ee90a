"""Which measures are minimised, which maximised, and which are ratios of two sums.

Environments report increments, which are summed over the rounds of an episode. Where not all rounds
count, a sum says little, and a rate is used: the ratio of two sums.
"""

from collections.abc import Mapping

import numpy as np

# Rate -> the numerator, the denominator, and the factor.
RATES = {
    "clicks_per_10000": ("clicks", "matched", 10_000.0),
    "reward_per_match": ("earned", "matched", 1.0),
}

# Measures of 0 are the best possible; of others, only a reference says what is.
BEST_AT_0 = ("regret", "simple_regret", "error", "stopping_time")

# Measures that stay between two bounds instead of growing with the rounds.
LEVELS = (*RATES, "simple_regret", "error")

_GAINS = ("reward", "optimal", "clicks", "earned", "matched", *RATES)


def higher_is_better(measure: str) -> bool:
    """Whether a measure is maximised: rewards and clicks are, regret is not.

    >>> higher_is_better("clicks_per_10000"), higher_is_better("regret"), higher_is_better("error")
    (True, False, False)
    """
    return measure in _GAINS


def with_rates(sums: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Sums of measures, and the rates that can be computed from them.

    Parameters
    ----------
    sums : mapping of str to ndarray
        Cumulative measures, of any one shape.

    Returns
    -------
    dict of str to ndarray
        A rate is 0 while its denominator is 0.

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
