"""check_agent tests whether an agent obeys the contract. Run it on your own agents."""

from agents.check.contract import check_agent

__all__ = ["check_agent"]
