"""An agent for ``agents.play`` whose decisions are made in another process."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from agents.agent import Agent
from agents.inputs.learning_inputs import Feedback
from agents.inputs.observations import Observation
from agents.naming import own_agents
from banditgym.tasks import Task
from banditgym.validation import brief, whole
from banditgym.vector_env import seeds_of
from leaderboards.sandbox import seccomp
from leaderboards.sandbox.agent_description import read
from leaderboards.sandbox.agent_processes import AgentProcesses
from leaderboards.sandbox.faults import ERROR, ILLEGAL, MALFORMED, Fault, Substitute, illegal
from leaderboards.sandbox.host import LostError, Process
from leaderboards.sandbox.isolation import FULL, PROCESS
from leaderboards.sandbox.layout import parts_of, whole_of
from leaderboards.sandbox.limits import Limits


@dataclass(kw_only=True, eq=False)
class SandboxedAgent(Agent):
    """Forwards ``reset``, ``act`` and ``observe`` to an agent in a separate process.

    Without faults every number equals, bit for bit, that of the agent in this process. A fault does
    not raise: the judge plays on for the replicates that it costs, and the attribute ``faults``
    records it. Only a failure before the first round, such as a refused task or a failed import,
    raises ValueError, with the agent's message.

    Parameters
    ----------
    spec : str
        The agent, as ``agents.resolve`` takes it; a file's path is relative to ``folder``, or to
        the current folder. The agent's code is not imported in this process.
    folder : str, optional
        The agent's folder, all of which it may read. By default it may read only its own file or
        package.
    isolation : str
        ``"full"``, inside bubblewrap; or ``"process"``, an ordinary process of this user.
    limits : Limits
        What the process may use.
    one_process_per_replicate : bool
        Whether each replicate has its own process, for an audit: in one process replicates could
        share what they saw. Without effect on a solo agent.
    recorded : tuple, optional
        For a replay: the (round, kind) of each replicate's fault, or None where it has none.

    Attributes
    ----------
    faults : list of Fault or None
        The fault of each replicate since ``reset``, if any.
    """

    accepts: ClassVar = (object,)  # the agent's process checks the task, and gives it its form
    models_arms: ClassVar = True
    saveable: ClassVar = False

    spec: str
    folder: str | None = None
    isolation: str = FULL
    limits: Limits = field(default_factory=Limits)
    one_process_per_replicate: bool = False
    recorded: tuple | None = None

    def __post_init__(self):
        if self.isolation not in (FULL, PROCESS):
            raise ValueError(f"isolation must be {FULL!r} or {PROCESS!r}, got {self.isolation!r}")
        if self.isolation == FULL and (reason := seccomp.missing()) is not None:
            raise ValueError(f"isolation={FULL!r} cannot be had: {reason}; take {PROCESS!r}")
        self._own = AgentProcesses(self.spec, self.folder, full=self.isolation == FULL)
        self._warming = False
        known = own_agents().get(self.spec.partition("(")[0].strip())
        if known is not None:  # a third-party agent's own claim does not count
            self.full_information = known.full_information  # type: ignore[misc]

    def __deepcopy__(self, memo: dict[int, Any]) -> "SandboxedAgent":
        """A copy for the warm-up. It uses the same processes and has time to compile."""
        copied = type(self)(**self.hyperparameters())
        copied._own, copied._warming = self._own, True
        return copied

    def __enter__(self) -> "SandboxedAgent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the agent's processes."""
        self._own.end()

    def refusal(self, task: Task) -> str | None:
        """None for any task: ``reset`` asks the agent's process whether it plays the task."""
        known = hasattr(task, "family")
        return None if known else f"a task is env.unwrapped.task, got {brief(task)}"

    def facts(self) -> tuple[str, ...]:
        """Always empty: only the agent's process knows them."""
        return ()

    def described(self, tasks: Mapping[str, Task]) -> dict[str, Any]:
        """The agent's description of itself, and which of the tasks it refuses.

        Returns
        -------
        dict
            As described in ``agent_description.answered``. Untrusted.

        Raises
        ------
        ValueError
            If the agent cannot be made or sends no valid description; with the agent's message.
        """
        self._own.start(1, self.limits)
        try:
            return read(self._own.processes[0].describe(tasks))
        except LostError as lost:
            raise ValueError(str(lost)) from None

    def reset(self, task: Task, *, n: int | None = None, seed: int | Sequence[int] = 0) -> Self:
        """Forget everything and serve n replicates of a task; the processes start here.

        Raises
        ------
        ValueError
            If the agent cannot be made or refuses the task; with the agent's message.
        """
        reason = self.refusal(task)
        if reason is not None:
            raise ValueError(reason)
        self.n = 1 if n is None else whole("n", n)
        self.solo, self.task = n is None, task
        self.seeds = seeds_of(seed, self.n)
        if self.recorded is not None and len(self.recorded) != self.n:
            raise ValueError(f"recorded must have {self.n} faults, got {len(self.recorded)}")
        self.decisions = np.zeros(self.n, np.int64)
        self.faults: list[Fault | None] = [None] * self.n
        self._lost = np.zeros(self.n, bool)
        self._any_lost = False
        self._substitute: Substitute | None = None
        self._sliced: tuple[Any, dict[int, Any]] = (None, {})
        apart = self.one_process_per_replicate and not self.solo
        self._places = [slice(i, i + 1) for i in range(self.n)] if apart else [slice(0, self.n)]
        limits = self.limits.of_game(self.n // len(self._places), self._horizon)
        self._own.start(len(self._places), limits)
        for place, process in zip(self._places, self._own.processes, strict=True):
            among = None if self.solo else place.stop - place.start
            cpu = self.limits.for_rounds(place.stop - place.start, self._horizon)
            try:
                process.reset(task, among, self.seeds[place], warming=self._warming, cpu=cpu)
            except LostError as lost:
                if lost.kind == ERROR:
                    raise ValueError(str(lost)) from None
                self._blame(place, lost.kind, str(lost))
        self._cpu = self._cpu_used()
        return self

    def act(self, observation: Observation) -> Any:
        """The agent's actions; uniform play for replicates that had a fault."""
        t = int(self.decisions[0])
        if self.recorded is not None:
            self._take_from_record(t + 1)
        actions = self._answered(observation)
        if actions is None or self._any_lost:
            actions = self._substituted(actions, observation, t)
        self.decisions += 1
        if not self.solo:
            return actions
        return actions[0].item() if actions.ndim == 1 else actions[0]

    def _answered(self, observation: Observation) -> np.ndarray | None:
        """The actions from the agent's processes, None if none answers; records faults."""
        actions = None
        # Each has its observation before any is waited for.
        for place, process in self._playing():
            self._called(place, process.begin, self._part(observation, place))
        for place, process in self._playing():
            given = self._called(place, process.actions)
            if given is None:
                continue
            given = given[None] if self.solo else given
            wrong = illegal(self.task, given, self._part(observation, place))
            for i in () if wrong is None else np.flatnonzero(wrong).tolist():
                self._blame_one(place.start + i, ILLEGAL, f"it played {brief(given[i].tolist())}")
            if len(self._places) == 1:
                return given
            if actions is None:
                actions = np.zeros((self.n, *given.shape[1:]), given.dtype)
            actions[place] = given
        return actions

    def _playing(self) -> list[tuple[slice, Process]]:
        """The processes, and the replicates of each, but those whose replicates all had faults."""
        pairs = zip(self._places, self._own.processes, strict=True)
        if not self._any_lost:
            return list(pairs)
        return [(place, process) for place, process in pairs if not self._lost[place].all()]

    def _called(self, place: slice, call: Callable[..., Any], *args: Any) -> Any:
        """What a call returns; None if the process does not answer, a fault of its replicates."""
        try:
            return call(*args)
        except LostError as lost:
            self._blame(place, lost.kind, str(lost))
            return None

    def observe(
        self,
        observation: Observation,
        action: ArrayLike,
        reward: ArrayLike,
        *,
        feedback: Feedback = None,
        observed: ArrayLike | None = None,
        decision: ArrayLike | None = None,
    ) -> None:
        """Tell the agent the outcome of its actions; sent with the next message."""
        if self._any_lost and not self._lost.all():
            observed = ~self._lost if observed is None else np.asarray(observed) & ~self._lost
        given = {"action": action, "reward": reward, "observed": observed, "decision": decision}
        if isinstance(feedback, dict):
            given |= {f"feedback.{name}": value for name, value in feedback.items()}
        else:
            given["feedback"] = feedback
        outcome = {name: np.asarray(value) for name, value in given.items() if value is not None}
        for place, process in self._playing():
            part = outcome
            if len(self._places) > 1:
                part = {
                    name: array[place] if array.ndim else array for name, array in outcome.items()
                }
            self._called(place, process.learn, self._part(observation, place), part)

    @property
    def recommends(self) -> bool:
        """Whether the agent recommends an arm of every replicate that had no fault."""
        return bool((self._advice()[0] >= 0).all())

    @property
    def stops(self) -> bool:
        """Always true: only the agent's process knows whether replicates may finish."""
        return True

    @property
    def finished(self) -> np.ndarray:
        """Which replicates have finished, as the agent claims; none that had a fault."""
        return self._advice()[1] == 1

    def recommend(self, observation: Observation) -> Any:
        """The agent's recommendations; arms of uniform play for replicates that had a fault.

        A recommendation that is no arm is a fault.
        """
        arms = self._advice()[0]
        for i in np.flatnonzero((arms >= self.task.n_arms) & ~self._lost).tolist():
            self._blame_one(i, ILLEGAL, f"it recommended {arms[i]}")
        if self._any_lost:
            arms = self._substituted(arms, observation, int(self.decisions[0]))
        return arms[0].item() if self.solo else arms

    def _advice(self) -> np.ndarray:
        """What the agent recommends, and whether it has finished, (2, n); (0, 0) after a fault."""
        advice = np.zeros((2, self.n), np.int64)
        for place, process in self._playing():
            given = self._called(place, process.advice, place.stop - place.start)
            if given is not None:
                advice[:, place] = given
        advice[:, self._lost] = 0
        return advice

    def state_bytes(self) -> int:
        """Bytes of the agent's state, as it claims; 0 for replicates that had a fault.

        A claim of more than the process may hold, or of less than nothing, is a fault.
        """
        total = 0
        for place, process in self._playing():
            claimed = self._called(place, process.state_bytes)
            if claimed is None:
                continue
            if 0 <= claimed <= self.limits.memory:
                total += claimed
            else:
                what = f"it claims a state of {claimed} bytes in {self.limits.memory} of memory"
                self._blame(place, MALFORMED, what)
        return total

    def cpu_seconds(self) -> float:
        """CPU seconds that the agent's processes used since ``reset``, as the system counts."""
        return self._cpu_used() - self._cpu

    def _cpu_used(self) -> float:
        return sum(process.cpu_seconds() for process in self._own.processes)

    @property
    def _horizon(self) -> int | None:
        return getattr(self.task, "horizon", None)

    def _part(self, observation: Observation, place: slice) -> Any:
        """The part of an observation for one process; the same object within a round."""
        if len(self._places) == 1:
            return observation
        key, parts = self._sliced
        if key is not observation:
            parts: dict[int, Any] = {}
            self._sliced = observation, parts
        if place.start not in parts:
            whole = parts_of(observation)
            parts[place.start] = whole_of({name: part[place] for name, part in whole.items()})
        return parts[place.start]

    def _blame(self, place: slice, kind: str, text: str) -> None:
        """Record a fault for every replicate of a process that has none yet."""
        for i in range(place.start, place.stop):
            self._blame_one(i, kind, text)

    def _blame_one(self, i: int, kind: str, text: str) -> None:
        if self.faults[i] is None:
            self.faults[i] = Fault(int(self.decisions[i]) + 1, kind, text)
            self._lost[i] = self._any_lost = True

    def _take_from_record(self, now: int) -> None:
        for i, fault in enumerate(self.recorded or ()):
            if fault is not None and fault[0] == now:
                self._blame_one(i, fault[1], "as recorded")

    def _substituted(
        self, actions: np.ndarray | None, observation: Observation, t: int
    ) -> np.ndarray:
        if self._substitute is None:
            among = None if self.solo else self.n
            self._substitute = Substitute(self.task, among, self.seeds)
        played = np.asarray(self._substitute.act(observation, t))
        played = played[None] if self.solo else played
        if actions is None:
            return played.copy()
        actions[self._lost] = played[self._lost]
        return actions
