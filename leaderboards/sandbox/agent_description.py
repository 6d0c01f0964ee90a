"""An agent's description of itself as plain data, made where the agent runs."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.naming import hyperparameters, label
from banditgym.tasks import Task

LONGEST = 1 << 16  # bytes of a description


def description(agent: Agent) -> dict[str, Any]:
    """What a row of results says about an agent.

    The class's ``name`` and ``given``, the hyperparameters that differ from their defaults, are
    enough to make the agent again.
    """
    values = hyperparameters(agent)
    given = [
        f"{one.name}={values[one.name]!r}"
        for one in dataclasses.fields(agent)
        if getattr(agent, one.name) != one.default
    ]
    return {
        "label": label(agent),
        "name": type(agent).__name__,
        "given": ", ".join(given),
        "hyperparameters": values,
        "facts": list(agent.facts()),
        "paper": agent.paper or None,
        "full_information": agent.full_information,
        "seconds_per_round": float(agent.seconds_per_round),
    }


def answered(agent: Agent, tasks: Mapping[str, Task]) -> np.ndarray:
    """The description and the ``refusals`` of tasks, as JSON padded to ``LONGEST`` bytes.

    Raises
    ------
    ValueError
        If it is not plain data, or too long.
    """
    reasons = {name: agent.refuses(task) for name, task in tasks.items()}
    refusals = {name: str(reason)[:300] for name, reason in reasons.items() if reason is not None}
    said = json.dumps({**description(agent), "refusals": refusals}).encode()
    if len(said) > LONGEST:
        raise ValueError(f"the agent's description of itself has {len(said)} bytes, over {LONGEST}")
    return np.frombuffer(said.ljust(LONGEST, b"\0"), np.uint8)


def read(answer: bytes) -> dict[str, Any]:
    """Read and check what ``answered`` wrote; it is untrusted.

    Raises
    ------
    ValueError
        If it is not a valid description.
    """
    try:
        found = json.loads(answer.rstrip(b"\0"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError("it did not say what it is")
    return found
