"""Questions to a third-party agent, inside the process in which it plays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from agents.agent import Agent
from agents.check.contract import check_agent
from agents.check.taken_facts import taken
from agents.naming import resolve
from banditgym.tasks import Task

# Beginnings of the reasons why a task is not played.
FOREIGN, REFUSED = "not of its families", "refused: "
FACTS = "facts:"


@dataclass(kw_only=True, eq=False)
class Questioned(Agent):
    """Makes an agent and raises errors that name its faults; ``reset`` raises if it refuses a task.

    It never plays. It is sent to a sandbox in place of the agent, and its errors are the answers.

    Parameters
    ----------
    spec : str
        The agent, as ``agents.resolve`` takes it.
    declared : sequence of str
        The facts that the submission declares to take from the task.
    contract : bool
        Whether ``agents.check_agent`` is run on it.
    """

    accepts: ClassVar = (object,)
    saveable: ClassVar = False

    spec: str
    declared: Sequence[str] = ()
    contract: bool = False

    def __post_init__(self):
        self._agent = resolve(self.spec)
        if self._agent.full_information:
            raise ValueError("it has full information, so it would be given the true labels")
        facts = taken(self._agent)
        if facts != sorted(self.declared):
            raise ValueError(f"{FACTS} {', '.join(facts)}")
        if self.contract:
            check_agent(self._agent)

    def refusal(self, task: Task) -> str | None:
        """Why the agent does not play a task; None if it does."""
        if not isinstance(task, self._agent.accepts):
            return FOREIGN
        reason = self._agent.refuses(task)
        return None if reason is None else f"{REFUSED}{reason}"

    def reset(self, task: Task, *, n: int | None = None, seed: int | Sequence[int] = 0) -> Self:
        """Raise the refusal of a task.

        Raises
        ------
        ValueError
            If the agent refuses the task; the message is the reason.
        """
        reason = self.refusal(task)
        if reason is not None:
            raise ValueError(reason)
        return self
