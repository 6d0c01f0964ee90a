"""Where an agent plays: in the environment's process, in one of its own, or in the sandbox."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from leaderboards.resources import Resources


@dataclass(frozen=True, kw_only=True)
class Confinement:
    """How an agent is kept apart from what scores it.

    Parameters
    ----------
    isolation : str
        ``none``, in the environment's process; ``process``, in one of its own; ``full``, within
        bubblewrap.
    bound : tuple of str
        The limits that were shown to bind on this machine.
    audit : bool
        Whether every replicate has a process of its own, so that none knows another.
    resources : Resources or None
        The class of the suite; without one CPU time is not counted by the round.
    """

    isolation: str = "none"
    bound: tuple[str, ...] = ()
    audit: bool = False
    resources: Resources | None = None

    def __post_init__(self):
        if self.audit and not self.apart:
            raise ValueError("one process per replicate needs the sandbox")

    @property
    def apart(self) -> bool:
        """Whether the agent is in another process than the environment."""
        return self.isolation != "none"

    @property
    def about(self) -> dict[str, Any]:
        """What every row says of it."""
        return {"isolation": self.isolation, "bound": list(self.bound), "audit": self.audit}

    def agent(self, spec: str, *, folder: str | None = None, recorded: Any = None) -> Any:
        """The agent of a text, in the sandbox; it is to be closed.

        Parameters
        ----------
        spec, folder, recorded
            As for ``sandbox.sandboxed_agent.SandboxedAgent``.
        """
        from leaderboards.sandbox.limits import MEGABYTE, Limits
        from leaderboards.sandbox.sandboxed_agent import SandboxedAgent

        limits, of = Limits(), self.resources
        if of is not None:
            limits = Limits(**asdict(replace(of, memory=of.memory * MEGABYTE)))
        return SandboxedAgent(
            spec=spec,
            folder=folder,
            isolation=self.isolation,
            limits=limits,
            one_process_per_replicate=self.audit,
            recorded=recorded,
        )


HERE = Confinement()


def best(*, audit: bool = False) -> tuple[Confinement, str | None]:
    """The best that this machine has, and why it is not ``full``, in one line, if it is not."""
    from leaderboards.sandbox.isolation import isolation

    found = isolation()
    return Confinement(isolation=found.level, bound=found.shown, audit=audit), found.reason
