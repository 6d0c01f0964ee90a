"""The table of environments: id -> world, settings, and one line on what it is."""

from dataclasses import dataclass, field
from typing import Any

import gymnasium


@dataclass(frozen=True)
class World:
    """A row of the table.

    Parameters
    ----------
    path : str
        ``"module:Class"`` of the batched world; loaded when an environment is made.
    family : str
        The problem it belongs to, as ``task.family`` says it.
    summary : str
        One line for ``banditgym list envs`` and the README.
    settings : dict
        Settings that this id fixes; those of ``make`` take precedence.
    """

    path: str
    family: str
    summary: str
    settings: dict[str, Any] = field(default_factory=dict)


WORLDS: dict[str, World] = {
    "ArmedBandit-v0": World(
        "banditgym.envs.armed:ArmedBandit",
        "armed",
        "K arms with Bernoulli or Gaussian rewards, no features",
    ),
    "LinearBandit-v0": World(
        "banditgym.envs.linear:LinearBandit",
        "linear",
        "rewards linear in the chosen arm's features, fresh or fixed arms",
    ),
    "DriftingLinearBandit-v0": World(
        "banditgym.envs.drifting:DriftingLinearBandit",
        "linear",
        "a linear bandit whose parameter jumps at given or random rounds, or rotates",
    ),
}


def register_worlds() -> None:
    """Register every world with Gymnasium, single and batched, as strings."""
    for name, world in WORLDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="banditgym.single:SingleBandit",
                vector_entry_point="banditgym.world:make_world",
                kwargs={"world": world.path, **world.settings},
            )
