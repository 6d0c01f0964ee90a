"""check_agent tests whether an agent keeps the contract. Run it on your own agents."""

from agents.check.contract import check_agent

__all__ = ["check_agent"]
