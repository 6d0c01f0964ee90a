"""Faults of agents and environments that the claims of lattimore2017 must see.

Four more were played and are not seen: OFUL without a bonus and IDS that takes the largest ratio,
in the full form either; Thompson sampling that draws twenty times as wide, and LinMED that ignores
its data. `growth` is inconclusive and `no-optimists` holds partly, and a claim stays so when it
fails in more parts.
"""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/numerics/choice.py
    OFUL's bonus is ten times as large [few-plays]
    - return mean + radius * math.sqrt(max(variance, 0.0))
    + return mean + 10.0 * radius * math.sqrt(max(variance, 0.0))

    --- agents/parts/confidence/linear_radii.py
    OFUL's radius is ten times that of the theorem [few-plays]
    - return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)
    + return 10.0 * param_norm + 10.0 * noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)

    --- agents/linear/ids.py
    information is counted as its inverse [no-optimists, ids-and-batches]
    - ratio = expected * expected / gained if gained > 0.0 else math.inf
    + ratio = expected * expected * gained if gained > 0.0 else math.inf

    --- agents/linear/rarely_switching_oful.py
    rs-OFUL's parameter is not optimistic [ids-and-batches]
    - weight, z = radii[i] / math.sqrt(max(model.variance[i, b], 1e-300)), scratch[0]
    + weight, z = 0.0, scratch[0]
    """
)
