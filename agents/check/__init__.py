"""check_agent: whether an agent keeps the contract. Run it on your own."""

from agents.check.contract import check_agent

__all__ = ["check_agent"]
