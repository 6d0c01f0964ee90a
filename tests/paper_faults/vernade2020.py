"""Faults of agents and environments that the claims of vernade2020 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/linear/delayed_linucb.py
    no reward is learned [growth]
    - in_time = observed & (answered >= self.decisions - places)
    + in_time = observed & (answered > self.decisions)

    --- banditgym/rounds/late_feedback.py
    no reward arrives [growth]
    - comes = due != NEVER
    + comes = due < NEVER
    """
)
