"""The corpus: the first rounds of every environment and a trace of every agent, as hashes.

An entry is named by a path, and its hash is by ``digest.Digest``:

- ``env/ID/what``: the task, observations, rewards and info of the first two episodes after
  seeding, with a fixed pattern of actions;
- ``play/scene/agent``: actions, rewards and info of every round of ``agents.play``; for agents that
  play many rounds at once, each round's entry in the trace;
- ``state/scene/agent``: the agent's attributes after the last round. This hash may change when an
  agent stores something else, though no decision changes.
"""

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorWrapper
from numpy.typing import ArrayLike

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.naming import label, own_agents
from banditgym.rounds import kinds
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.validation import nearest
from leaderboards.portability.digest import Digest, attributes
from leaderboards.portability.hashed_environments import ENVIRONMENTS, HashedEnvironment
from leaderboards.portability.players import SCENES, VARIANTS, Scene

# Attributes of an agent that hold its task, not its state: ``env`` has the hash of the task.
_NOT_STATE = ("task", "_seen")


def groups() -> list[str]:
    """The names of the groups, which are played as a whole: ``env/ID/what`` and ``play/scene``."""
    return [f"env/{name}" for name in ENVIRONMENTS] + [f"play/{name}" for name in SCENES]


def matching(patterns: Iterable[str] | None = None) -> list[str]:
    """The groups whose names match any of the patterns, as for files; all if there are none.

    Raises
    ------
    ValueError
        If a pattern matches no group.
    """
    known = groups()
    chosen: set[str] = set()
    for pattern in patterns or ["*"]:
        fitting = {name for name in known if fnmatchcase(name, pattern)}
        if not fitting:
            some = ", ".join(known[:3]) + f" and {len(known) - 3} more"
            raise ValueError(f"no group of the corpus fits {pattern!r}; there are {some}")
        chosen |= fitting
    return [name for name in known if name in chosen]


def hashes(chosen: Iterable[str] | None = None) -> Iterator[tuple[str, dict[str, str] | str]]:
    """Play groups and yield each with its entries, or with the error that stopped it.

    Parameters
    ----------
    chosen : iterable of str, optional
        Names from ``groups()``; all by default.

    Yields
    ------
    (str, dict of str to str, or str)
        The group; the hashes of its entries by name, or the error in one line.

    Raises
    ------
    ValueError
        If there is no group of a given name.
    """
    known = groups()
    chosen = known if chosen is None else list(chosen)
    for name in chosen:
        if name not in known:
            raise ValueError(f"no group of the corpus is called {name!r}{nearest(name, known)}")
    for name in chosen:
        try:
            yield name, entries(name)
        except Exception as error:  # another version of a package may raise anything
            yield name, f"{type(error).__name__}: {error}".splitlines()[0]


def entries(group: str) -> dict[str, str]:
    """Play a group; returns the hashes of its entries by name."""
    kind, _, name = group.partition("/")
    if kind == "env":
        with tempfile.TemporaryDirectory() as folder:
            return {group: _first_rounds(ENVIRONMENTS[name], Path(folder))}
    found: dict[str, str] = {}
    for agent in cast(SCENES[name], VARIANTS.get(name, [])):
        trace, state = _followed(SCENES[name], agent)
        found[f"play/{name}/{label(agent)}"] = trace
        found[f"state/{name}/{label(agent)}"] = state
    return found


def cast(scene: Scene, variants: Iterable[str]) -> list[agents.Agent]:
    """The agents of a scene: every agent that can play it with its defaults, and the variants."""
    task = _made(scene).unwrapped.task
    everyone = [cls() for cls in own_agents().values()]
    able = [agent for agent in everyone if agent.refusal(task) is None]
    if scene.n == 0:
        able = [agent for agent in able if agent.plays_blocks]
    return able + [agents.resolve(spec) for spec in variants]


def _made(scene: Scene) -> Any:
    settings = {"horizon": scene.rounds, **scene.settings}
    if scene.n == 0:
        return gymnasium.make(scene.env, **settings)
    return gymnasium.make_vec(scene.env, num_envs=scene.n, **settings)


def _followed(scene: Scene, agent: agents.Agent) -> tuple[str, str]:
    """Play a scene; returns the hashes of the trace and of the final state."""
    digest = Digest()
    env = _made(scene)
    if scene.n:
        env = _Recorded(env, digest)
    trace = agents.play(env, agent, seed=0, rounds=range(1, scene.rounds + 1))
    if scene.n == 0:
        digest.feed([_shown(dict(trace.measures)), trace.pulls])
    state = Digest()
    state.feed({name: of for name, of in attributes(agent).items() if name not in _NOT_STATE})
    return digest.hex(), state.hex()


class _Recorded(VectorWrapper):
    """An environment whose steps are hashed."""

    def __init__(self, env: Any, digest: Digest):
        super().__init__(env)
        self._digest = digest

    def step(self, actions: ArrayLike) -> Any:
        result = self.env.step(actions)
        self._digest.feed([actions, result[1], _shown(result[4])])
        return result


def _shown(info: dict[str, Any]) -> dict[str, Any]:
    """Info without Gymnasium's masks, and without ``optimal``, which follows from the regret."""
    return {
        name: _shown(value) if isinstance(value, dict) else value
        for name, value in info.items()
        if name[0] != "_" and name != "optimal"
    }


def _first_rounds(entry: HashedEnvironment, folder: Path) -> str:
    settings = entry.settings(folder) if callable(entry.settings) else entry.settings
    env: Any = gymnasium.make_vec(
        entry.env, num_envs=entry.n, **{"horizon": entry.rounds, **settings}
    )
    digest, task = Digest(), env.unwrapped.task
    with contextlib.closing(env):
        digest.feed(task)
        # The step after the last round only begins the next episode.
        observation, _ = env.reset(seed=0)
        digest.feed(observation)
        for step in range(2 * task.horizon + 1):
            actions = _actions(env.unwrapped, observation, step)
            observation, reward, _, truncated, info = env.step(actions)
            digest.feed([observation, reward, truncated, _shown(info)])
    return digest.hex()


def _actions(env: Any, observation: Any, step: int) -> np.ndarray:
    """The actions of a step: a fixed pattern, or points of the action set."""
    task, replicates = env.task, np.arange(env.num_envs)
    pattern = 7 * step + 3 * replicates
    match task.plays:
        case kinds.ARM if task.arms_vary:
            mask = observation["action_mask"]
            live = [np.flatnonzero(row) for row in mask]
            return np.array([slots[k % slots.size] for slots, k in zip(live, pattern, strict=True)])
        case kinds.ARM:
            return pattern % task.n_arms
        case kinds.RANKING:
            return (pattern[:, None] + np.arange(task.slots)) % task.n_labels
        case kinds.NUMBER:
            return (pattern % 5 - 2.0) / 4.0 * (1.0 if task.bound is None else task.bound)
    space = env.single_action_space
    if isinstance(space, gymnasium.spaces.Box):  # corners of the box may be outside the action set
        share = pattern[:, None] * (1 + np.arange(task.dim)) % 9 / 8.0
        return space.low + share * (space.high - space.low)
    keys = Stream(replicates.tolist(), ENVIRONMENT, 99, 0).keys
    return task.action_set.draw(keys, np.full(len(keys), step, np.int64))
