"""Describes the agents to be scored, which are named by texts such as ``LinUCB``.

This package's agents are made in this process. Third-party code never runs in a process that plans,
stores results or scores: a separate process describes it.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from agents.agent import Agent
from agents.naming import resolve
from agents.play import task_of
from banditgym.files.class_paths import names_own
from banditgym.tasks import Task
from leaderboards.processes.interrupts import attempt
from leaderboards.processes.subprocess_answer import ask
from leaderboards.processes.workers import Lost
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.keys.sources import of_agent, of_environment, versions
from leaderboards.run.outcomes import make
from leaderboards.run.reasons import describe, one_line
from leaderboards.run.store.store import Row
from leaderboards.sandbox.agent_description import description
from leaderboards.suites.baselines_file import of_file
from leaderboards.suites.suite import Suite, SuiteTask

SLOWEST = 3600.0  # largest seconds per round that an agent may state
ASKING = 120.0  # CPU seconds that third-party code may take to describe itself, by default


@dataclass(frozen=True)
class Entrant:
    """An agent to be scored, and the fields that all its rows of results share.

    Attributes
    ----------
    about : dict of str to object
        The fields of its rows.
    agent : Agent or None
        None for third-party code, which does not run in this process.
    refusals : dict of str to str
        For third-party code: the tasks that it cannot play, with its reasons.
    seconds_per_round : float
        The pace that its class states; it decides how the agent's seeds are split into cells.
    """

    about: dict[str, Any]
    agent: Agent | None = None
    refusals: Mapping[str, str] = field(default_factory=dict)
    seconds_per_round: float = 0.0

    def refusal(self, task: SuiteTask, known: Task | None) -> str | None:
        """Why it cannot play a task with the facts ``known``; None if it can or may."""
        if self.agent is None:
            return self.refusals.get(task.name)
        return _refusal(self.agent, known)

    def row(self, suite: Suite, task: SuiteTask) -> Row:
        """A row of this agent on a task, without seed and numbers."""
        return Row(
            suite=suite.hash,
            task=task.name,
            seed=-1,
            data={name: of_file(path) for name, path in task.files},
            environment=of_environment(task),
            versions=versions(),
            **self.about,
        )


def entrants(
    specs: Iterable[str],
    tasks: Iterable[SuiteTask] = (),
    *,
    limit: float | None = ASKING,
    confinement: Confinement = HERE,
) -> list[Entrant]:
    """Describe the agents that texts name, without repetition.

    Parameters
    ----------
    tasks : iterable of SuiteTask
        Third-party code is asked which of these it refuses.
    limit : float, optional
        CPU seconds that third-party code may take to describe itself; None runs it in this process.
    confinement : Confinement
        Where the agents play; in the sandbox, third-party code is asked there.

    Raises
    ------
    ValueError
        If an agent does not exist, with the nearest name, or cannot be made.
    """
    tasks = list(tasks)
    found: dict[str, Entrant] = {}
    for spec in specs:
        if names_own(spec) or (limit is None and not confinement.apart):
            agent, known = about(spec)
            pace = known["seconds_per_round"]
            entrant = Entrant(_fields(spec, known), agent, seconds_per_round=pace)
        else:
            entrant = _third_party(spec, tasks, limit or ASKING, confinement)
        entrant = replace(entrant, about={**entrant.about, **confinement.about})
        found.setdefault(entrant.about["spec"], entrant)
    return list(found.values())


def about(spec: str) -> tuple[Agent, dict[str, Any]]:
    """Make the agent that a text names, and describe it in plain data for its rows.

    The ``name`` of its class and the hyperparameters ``given``, those that differ from their
    defaults, make up the text by which its rows name it.

    Raises
    ------
    ValueError
        If there is no such agent, it cannot be made, or its hyperparameters are not plain data.
    """
    return named(spec, partial(_made, spec))


def named(spec: str, call: Callable[[], Any]) -> Any:
    """Call third-party code and return its result; any exception becomes an error of one line.

    Raises
    ------
    ValueError, OSError
        Those that the call raises; every other exception as a ``ValueError``.
    """
    found, error = attempt(call)
    if isinstance(error, ValueError | OSError):
        raise error
    if error is not None:
        place = spec.partition("(")[0].rpartition(":")[0]
        file = place if place.endswith(".py") else getattr(sys.modules.get(place), "__file__", "")
        raise ValueError(f"{spec}: {describe(error, {os.path.abspath(file or '')})}") from error
    return found


def refusals(agent: Agent, tasks: Iterable[SuiteTask]) -> dict[str, str]:
    """The names of the tasks that an agent refuses, with its reasons."""
    found = {task.name: _refusal(agent, known_of(task)) for task in tasks}
    return {name: reason for name, reason in found.items() if reason is not None}


def known_of(task: SuiteTask) -> Task | None:
    """What agents may know of a task; None if its data is missing, which cells report.

    Raises
    ------
    ValueError
        If the environment does not accept the settings.
    """
    try:
        return task_of(make(task, 1))
    except FileNotFoundError:
        return None


def _refusal(agent: Agent, known: Task | None) -> str | None:
    if known is None:
        return None
    reason, error = attempt(lambda: agent.refuses(known))
    # If ``refusal`` raises, the agent has not refused: it plays, and its row may have the error.
    return None if error is not None or reason is None else one_line(str(reason))


def _made(spec: str) -> tuple[Agent, dict[str, Any]]:
    agent = resolve(spec)
    known = description(agent)
    _check_plain(spec, known)
    return agent, known


def _check_plain(spec: str, known: Mapping[str, Any]) -> None:
    try:
        # A row cannot store numbers that are not finite, nor unpaired surrogates.
        json.dumps(known, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{spec}: hyperparameters, facts and paper must be plain data that JSON can hold: "
            f"{error}"
        ) from None


def _fields(spec: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an agent's rows, from its description.

    ``spec`` has one spelling for each agent, which ``resolve`` can read. It keeps the place that
    the text names, so that agents of two files never share rows.
    """
    place, colon, _ = spec.strip().partition("(")[0].rpartition(":")
    given = f"({known['given']})" if known["given"] else ""
    return {
        "agent": one_line(known["label"]),
        "spec": f"{place}{colon}{known['name']}{given}",
        "hyperparameters": known["hyperparameters"],
        "sources": of_agent(spec),
        "facts": known["facts"],
        "paper": known["paper"],
        "full_information": known["full_information"],
    }


def _third_party(
    spec: str, tasks: Sequence[SuiteTask], limit: float, confinement: Confinement
) -> Entrant:
    """Third-party code, as it describes itself in the process where it plays."""
    shown: dict[str, Task] = {}
    if confinement.apart:
        shown = {task.name: facts for task in tasks if (facts := known_of(task)) is not None}
    try:
        if confinement.apart:
            with confinement.agent(spec) as agent:
                known = agent.described(shown)
        else:
            question = {"what": "about", "spec": spec, "tasks": [asdict(task) for task in tasks]}
            known = ask(question, limit=limit)
            if "error" in known:
                raise ValueError(str(known["error"]))
    except Lost as lost:
        raise ValueError(f"{spec}: {lost}") from None
    except ValueError as error:
        raise ValueError(one_line(str(error).removeprefix("ValueError: "))) from None
    try:
        about = _Description.model_validate(known)
    except ValidationError:
        raise ValueError(f"{spec}: its process returned no valid description of it") from None
    _check_plain(spec, known)
    refusals = about.refusals
    if confinement.apart and about.full_information:
        reason = "it needs the hidden labels, which only this package's own agents are given there"
        refusals = dict.fromkeys(shown, f"in the sandbox: {reason}")
    return Entrant(
        _fields(spec, known), refusals=refusals, seconds_per_round=about.seconds_per_round
    )


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise ValueError("no name of a class")
    return name


class _Description(BaseModel, strict=True):
    """The form of an agent's description of itself, which is untrusted."""

    label: str
    name: Annotated[str, AfterValidator(_identifier)]
    given: str
    hyperparameters: dict[str, Any]
    facts: list[str]
    paper: str | None
    full_information: bool
    refusals: dict[str, str]
    seconds_per_round: Annotated[float, Field(ge=0, le=SLOWEST)]
