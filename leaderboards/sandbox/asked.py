"""What an agent says of itself, as plain data: asked where it runs, here or in the sandbox."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.naming import hyperparameters, label

LONGEST = 1 << 16  # bytes of all that it says


def description(agent: Agent) -> dict[str, Any]:
    """What rows say of an agent.

    ``name`` of the class and the hyperparameters ``given`` off their defaults are how to name it
    again.
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


def answered(agent: Agent, tasks: Mapping[str, Any]) -> np.ndarray:
    """All of it with the ``refusals`` of tasks, as JSON in ``LONGEST`` bytes, padded with zeros.

    Raises
    ------
    ValueError
        If it is no plain data, or too long.
    """
    reasons = {name: agent.refusal(task) for name, task in tasks.items()}
    refusals = {name: str(reason)[:300] for name, reason in reasons.items() if reason is not None}
    said = json.dumps({**description(agent), "refusals": refusals}).encode()
    if len(said) > LONGEST:
        raise ValueError(f"what the agent says of itself has {len(said)} bytes, over {LONGEST}")
    return np.frombuffer(said.ljust(LONGEST, b"\0"), np.uint8)


def read(answer: bytes) -> dict[str, Any]:
    """The same read again, which is not believed.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        found = json.loads(answer.rstrip(b"\0"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError("it did not say what it is")
    return found
