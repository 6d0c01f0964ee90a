"""Faults of agents and environments that the claims of garivier2016 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/best_arm/track_and_stop.py
    all arms are pulled equally often [optimal-slope]
    - wanted[k] = rule.t[i] * wanted[k] - rule.pulls[i, k]
    + wanted[k] = -float(rule.pulls[i, k])

    --- agents/numerics/transport_costs.py
    the threshold does not grow as delta falls [optimal-slope]
    - log((1.0 + log(float(t))) / delta)
    + log((1.0 + log(float(t))) / 0.1)

    an eighth of the threshold [lower-bound]
    - > log((1.0 + log(float(t))) / delta)
    + > 0.125 * log((1.0 + log(float(t))) / delta)

    twice the divergence [optimal-slope]
    -     return -(divergence + (
    +     return -2.0 * (divergence + (

    --- agents/numerics/tracked_shares.py
    the shares of the worse arms are too small [optimal-slope]
    - shares[best], every = 1.0, 1.0
    + shares[best], every = 4.0, 4.0

    --- agents/recommendations.py
    an error is counted as none [errors]
    - "error": lost > 0.0
    + "error": lost <= 0.0
    """
)
