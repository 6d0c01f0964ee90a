"""Where an agent plays: in the environment's process, in a separate one, or in the sandbox."""

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from leaderboards.suites.resources import Resources


@dataclass(frozen=True, kw_only=True)
class Confinement:
    """How an agent is isolated from the process that scores it.

    Parameters
    ----------
    isolation : str
        ``none``, in the environment's process; ``process``, in a separate process; ``full``, inside
        bubblewrap.
    bound : tuple of str
        The limits that were shown to hold on this machine.
    audit : bool
        Whether each replicate has its own process, so that replicates cannot share information.
    resources : Resources or None
        The suite's resource class; if None, CPU time per round is not limited.
    total : float
        Wall-clock seconds that all tasks of a submission may take together, summed over the
        workers that play them.
    """

    isolation: str = "none"
    bound: tuple[str, ...] = ()
    audit: bool = False
    resources: Resources | None = None
    total: float = math.inf

    def __post_init__(self):
        if self.audit and not self.apart:
            raise ValueError("one process per replicate needs the sandbox")
        if not self.total > 0:
            raise ValueError(f"a limit is in seconds and must be > 0, got {self.total}")

    @property
    def apart(self) -> bool:
        """Whether agent and environment are in different processes."""
        return self.isolation != "none"

    @property
    def about(self) -> dict[str, Any]:
        """What every row of results says about the confinement."""
        return {"isolation": self.isolation, "bound": list(self.bound), "audit": self.audit}

    def agent(self, spec: str, *, folder: str | None = None, recorded: Any = None) -> Any:
        """The agent that a spec names, in the sandbox; the caller must close it.

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
    """The best confinement on this machine, and the reason, in one line, if it is not ``full``."""
    from leaderboards.sandbox.isolation import isolation

    found = isolation()
    return Confinement(isolation=found.level, bound=found.shown, audit=audit), found.reason


def needed(isolation: str, why: str, without: str, *, audit: bool = False) -> Confinement:
    """The confinement of a level that the user names: ``full``, or ``process``.

    Raises
    ------
    ValueError
        If there is no such level, or ``full`` cannot be had on this machine. The message begins
        with ``why`` and ends with ``without``, what works without full isolation.
    """
    if isolation == "process":
        return Confinement(isolation=isolation, audit=audit)
    if isolation != "full":
        raise ValueError(f"--isolation is full or process, got {isolation!r}")
    found, reason = best(audit=audit)
    if reason is not None:
        raise ValueError(
            f"{why} needs full isolation, and here it is {found.isolation!r}: {reason}. {without}"
        )
    return found
