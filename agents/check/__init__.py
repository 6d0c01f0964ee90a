"""check_agent: whether a learner keeps the contract. Run it on your own."""

from agents.check.contract import check_agent

__all__ = ["check_agent"]
