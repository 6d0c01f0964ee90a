"""Faults of estimators that the claims of zhan2021 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- leaderboards/ope/adaptive_weights.py
    rounds are weighted by the inflation, not by its inverse [stablevar, accuracy]
    - weights[played] = means[played - 1] ** -power
    + weights[played] = means[played - 1] ** power

    --- leaderboards/ope/intervals.py
    standard errors are a tenth too small [stablevar, contextual-stablevar]
    - return float(np.sqrt((spread**2).sum()) / len(spread))
    + return float(0.9 * np.sqrt((spread**2).sum()) / len(spread))
    """
)
