"""Faults of agents and environments that the claims of lee2024 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/logistic/ofuglb_e.py
    the radius of OFUGLB-e is thirty times too large [less-than-ecolog, growth-with-the-norm]
    - radius = math.sqrt(2.0 * (1.0 + s) * (1.0 + beta))
    + radius = 30.0 * math.sqrt(2.0 * (1.0 + s) * (1.0 + beta))

    --- agents/parts/logistic/fitted_agent.py
    rewards are taken for losses [less-than-glm-ucb, less-than-ecolog]
    - samples[count, dim] = reward
    + samples[count, dim] = 1.0 - reward

    --- agents/logistic/ada_ofu_ecolog.py
    the radius of ada-OFU-ECOLog is thirty times too large [ecolog-or-glm-ucb]
    - return math.sqrt(max(square, 0.0))
    + return 30.0 * math.sqrt(max(square, 0.0))

    --- agents/logistic/glm_ucb.py
    the least slope is that at 0 [ecolog-or-glm-ucb]
    - scale = 0.25 * (1.0 + small) * (1.0 + small) / small
    + scale = 1.0

    the least slope is a tenth of what it is [almost-linear]
    - scale = 0.25 * (1.0 + small) * (1.0 + small) / small
    + scale = 2.5 * (1.0 + small) * (1.0 + small) / small

    --- agents/numerics/logistic/streaming.py
    nothing is ever better known [ecolog-or-glm-ucb]
    - rotate(upper, pivots, moment, x, 0.0, max(slope(score), _LEAST_WEIGHT), work)
    + rotate(upper, pivots, moment, x, 0.0, _LEAST_WEIGHT, work)
    """
)
