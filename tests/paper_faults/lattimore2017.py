"""Faults of agents and environments that the claims of lattimore2017 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/numerics/choice.py
    OFUL's bonus is ten times as large [few-plays]
    - return mean + radius * math.sqrt(max(variance, 0.0))
    + return mean + 10.0 * radius * math.sqrt(max(variance, 0.0))

    OFUL has no bonus [no-optimists]
    - return mean + radius * math.sqrt(max(variance, 0.0))
    + return mean + 0.0 * radius * math.sqrt(max(variance, 0.0))

    --- agents/parts/confidence/linear_radii.py
    OFUL's radius is ten times that of the theorem [few-plays]
    - return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)
    + return 10.0 * param_norm + 10.0 * noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)

    --- agents/linear/lints.py
    Thompson sampling draws parameters twenty times as wide [growth]
    - draw_parameter(factor, i, scale, normals[s, i], parameter)
    + draw_parameter(factor, i, 20.0 * scale, normals[s, i], parameter)

    --- agents/linear/ids.py
    IDS takes the pair with the largest information ratio [no-optimists]
    - if ratio < least:
    + if other == b or ratio > least:

    information is counted as its inverse [no-optimists, ids-and-batches]
    - ratio = expected * expected / gained if gained > 0.0 else math.inf
    + ratio = expected * expected * gained if gained > 0.0 else math.inf

    --- agents/linear/linmed.py
    LinMED draws arms whether they agree with the data or not [no-optimists]
    - weight[k] = f[k] * (weight[k] + of_best if k == best else weight[k])
    + weight[k] = weight[k] + of_best if k == best else weight[k]

    --- agents/linear/rarely_switching_oful.py
    rs-OFUL's parameter is not optimistic [ids-and-batches]
    - weight, z = radii[i] / math.sqrt(max(model.variance[i, b], 1e-300)), scratch[0]
    + weight, z = 0.0, scratch[0]
    """
)
