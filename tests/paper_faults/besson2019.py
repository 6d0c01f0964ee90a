"""Faults of agents and environments that the claims of besson2019 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/armed/glrklucb.py
    a change restarts nothing [efficient]
    - if k == arm or rule.everywhere:
    + if k < 0:

    the threshold is eight times as high [efficient]
    - threshold = 1.5 * log(float(pulls)) - rule.log_delta
    + threshold = 8.0 * (1.5 * log(float(pulls)) - rule.log_delta)

    --- agents/parts/forced_exploration.py
    forced plays are ten times as many [efficient]
    - alpha = rate * math.sqrt(restarts + 1.0)
    + alpha = 10.0 * rate * math.sqrt(restarts + 1.0)

    --- banditgym/envs/drifting_armed.py
    means stay as they were [efficient]
    - walk[k] = drift.given[begun, i, k]
    + walk[k] = drift.given[0, i, k]
    """
)
