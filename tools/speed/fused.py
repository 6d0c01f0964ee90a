"""The fused loops that light rows are judged by, ready to play as ``agents.play`` does.

A fused loop is what a specialist would write by hand for one agent on one environment: all
replicates, and of each round the environment, the decision and the update in one compiled function
without any Python. It is given the same seeds and draws the same random numbers, so that it plays
the same arms and returns the same measures as ``agents.play``; a test compares them. Like all
compiled code here it does without fast-math. The hidden parameters and the keys of the random
numbers are made before it is timed.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import agents
from agents.numerics.ridge.factor_across import lanes_together
from agents.numerics.ridge.fixed_arms_across import width
from agents.parts.estimators import Ridge
from agents.parts.estimators.samples import DRAWS
from agents.trace import default_rounds
from banditgym.action_sets import Sphere
from banditgym.envs.parameters import hidden_theta
from banditgym.envs.synthetic_text import N_TOPICS
from banditgym.linalg.triangular import initial_factor
from banditgym.streams import AGENT, ENVIRONMENT, Stream
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA
from tools.speed.fused_labels import banditron
from tools.speed.fused_linear import (
    lints_fresh,
    linucb_few_fixed,
    linucb_fixed,
    linucb_fresh,
)
from tools.speed.fused_points import fast_pege, pege
from tools.speed.fused_regression import regression
from tools.speed.fused_same import few_fixed_same, fixed_same, regression_same

Loop = Callable[..., dict[str, np.ndarray]]
_MEASURES = ("reward", "regret")


class _Seeds(NamedTuple):
    """The seeds 0, .., n - 1 of environments and those that ``agents.play`` derives for agents."""

    environment: list[int]
    agent: list[int]

    @classmethod
    def of(cls, n: int) -> "_Seeds":
        return cls(list(range(n)), agents.derived_seeds(0, n))

    def keys(self, purpose: int) -> np.ndarray:
        """Keys (n, 2) of the environment's random numbers."""
        return Stream(self.environment, ENVIRONMENT, purpose, 0).keys

    def own_keys(self, purpose: int = 0) -> np.ndarray:
        """Keys (n, 2) of the agent's random numbers."""
        return Stream(self.agent, AGENT, purpose, 0).keys

    def theta(self, dim: int) -> np.ndarray:
        """The hidden parameters (n, d)."""
        return hidden_theta(None, Stream(self.environment, ENVIRONMENT, THETA, 0), 1.0, dim)


def fused(agent: str, settings: dict[str, Any], n: int) -> Loop:
    """The fused loop of an agent on n replicates with the seeds 0, .., n - 1.

    Parameters
    ----------
    agent : str
        One of ``FUSED_AGENTS``.
    settings : dict
        Those of its environment, as in ``benchmarks.ROWS``: a loop knows no others.

    Returns
    -------
    callable
        From a number of rounds, and the rounds to keep if they are not those of ``agents.play``,
        to what it keeps: the measures, (n, c) each, and the pulls (n, K) of finite arms.
    """
    return FUSED_AGENTS[agent](agent, settings, _Seeds.of(n))


def fused_same(agent: str, env: Any) -> Loop | None:
    """The fused loop with the agent's and the environment's own arithmetic, or None without one.

    Parameters
    ----------
    agent : str
        Its name, as in ``FUSED_AGENTS``.
    env : BanditVectorEnv
        The environment of its row, whose state the loop overwrites. Its seeds are 0, .., n - 1.
    """
    task, n = env.task, env.num_envs
    seeds, player = _Seeds.of(n), agents.resolve(agent)
    settings = player.hyperparameters()
    if agent in ("OnlineRidge", "Forward"):
        env.reset(seed=0)

        def play_regression(*given: Any) -> None:
            factor = initial_factor(n, task.dim, settings["ridge"])
            regression_same(factor, env._model, agent == "Forward", *given)

        keys = (seeds.keys(CONTEXTS), seeds.keys(NOISE))
        return _loop(play_regression, keys, n=n, measures=(*_MEASURES, "regret_batch"))
    if agent != "LinUCB" or not task.fixed_arms:
        return None
    env.reset(seed=0)
    block = env.block(1)
    few = task.n_arms <= task.dim
    together = width(n, task.n_arms) if few else lanes_together(n, task.dim, task.n_arms)

    def play_linear(*given: Any) -> None:
        model: Any = Ridge(ridge=settings["ridge"]).reset(task, n)
        model.predict(block.features[0])
        radius = np.full(n, settings["alpha"])
        # Side by side even where the agent plays one after the other: the bits are the same.
        problem = radius, block.means, block.best, together or n
        (few_fixed_same if few else fixed_same)(model[:], problem, *given)

    return _loop(play_linear, seeds.keys(NOISE), n=n, n_arms=task.n_arms)


def _loop(
    kernel: Any, *given: Any, n: int, measures: tuple[str, ...] = _MEASURES, n_arms: int = 0
) -> Loop:
    """A kernel that takes ``given``, the rounds kept, and the curves and pulls to write."""

    def played(horizon: int, rounds: Sequence[int] | None = None) -> dict[str, np.ndarray]:
        kept = default_rounds(horizon) if rounds is None else np.array(rounds)
        curves, pulls = np.empty((len(measures), n, len(kept))), np.zeros((n, n_arms), np.int64)
        kernel(*given, kept, curves, pulls)
        found = dict(zip(measures, curves, strict=True))
        return found | {"pulls": pulls} if n_arms else found

    return played


def _linear(agent: str, settings: dict[str, Any], seeds: _Seeds) -> Loop:
    dim, n_arms = settings["dim"], settings["n_arms"]
    fixed = settings["fixed_arms"]
    keys = (seeds.keys(ARMS if fixed else CONTEXTS), seeds.keys(NOISE))
    if agent == "LinTS":
        kernel, keys = lints_fresh, (*keys, seeds.own_keys())
    elif fixed:
        kernel = linucb_few_fixed if n_arms <= dim else linucb_fixed
    else:
        kernel = linucb_fresh
    return _loop(kernel, seeds.theta(dim), n_arms, keys, n=len(seeds.agent), n_arms=n_arms)


def _regression(agent: str, settings: dict[str, Any], seeds: _Seeds) -> Loop:
    return _loop(
        regression,
        seeds.theta(settings["dim"]),
        agent == "Forward",
        (seeds.keys(CONTEXTS), seeds.keys(NOISE)),
        n=len(seeds.agent),
        measures=(*_MEASURES, "regret_batch"),
    )


def _points(agent: str, settings: dict[str, Any], seeds: _Seeds) -> Loop:
    theta = seeds.theta(settings["dim"])
    best = Sphere(settings["dim"], 1.0).argmax(theta)
    if agent == "PEGE":
        return _loop(pege, theta, best, (seeds.keys(NOISE),), n=len(theta))
    return _loop(fast_pege, theta, best, (seeds.keys(NOISE), seeds.own_keys(DRAWS)), n=len(theta))


def _labels(agent: str, settings: dict[str, Any], seeds: _Seeds) -> Loop:
    env: Any = gymnasium.make_vec("SynSep-v0", num_envs=len(seeds.agent), **settings)
    env.reset(seed=0)
    topics = (env.unwrapped._sizes, env.unwrapped._topics)
    keys = (seeds.keys(CONTEXTS), seeds.own_keys())
    gamma = agents.Banditron().gamma
    return _loop(banditron, topics, gamma, keys, n=len(seeds.agent), n_arms=N_TOPICS)


FUSED_AGENTS: dict[str, Callable[[str, dict[str, Any], _Seeds], Loop]] = {
    "LinUCB": _linear,
    "LinTS": _linear,
    "OnlineRidge": _regression,
    "Forward": _regression,
    "PEGE": _points,
    "FastPEGE": _points,
    "Banditron": _labels,
}
