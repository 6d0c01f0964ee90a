"""Plays an agent beside the definitions of its replicates, and compares state and decision.

A definition is the class ``Definition`` of a file of ``definitions/``: the algorithm of one
replicate in plain numpy, as slow as it may be.

- ``Definition(task, draws, **hyperparameters)``, with the defaults that the agent has, and the
  task's facts where they are None;
- ``choose(x, t)`` in decision t, counted from 0: the action; or for every arm a number, of which
  the first largest is played;
- ``learn(x, action, outcome, t)``: the outcome of decision t, late or not;
- ``recommend()``, where the best arm is to be found: the arm that it holds for the best.

``x`` are the features (K, d) of the arms, of the available ones if they are new in every round; or
the row (d,) of regression and of labels; or None. A ``choose`` that takes ``mask`` is given which
arms may be played, bool (K,); if it returns a number for every arm, only theirs count. If points of
a set are played, ``choose`` may return a number for each of the points ``x`` (m, d), none of which
may exceed that of the point played, the first one.
Public attributes are the agent's state under the same names; the others are the definition's own.
"""

import copy
import functools
import importlib
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents import naming
from banditgym.rounds.kinds import ARM, POINT
from banditgym.streams import AGENT, Stream, beta_at

N, SEED = 2, 11
# Numbers within this of the largest count as largest; states agree to it, relative above 1. Sums
# of a hundred terms in another order, and solutions at condition numbers of 1e4, are off by 1e-10.
# Embeddings of arms that nearly coincide are off by 1e-8, and by 1e-6 of points of a box, of which
# a rule plays many that are closer. The search of a box ends up to 1e-4 below the maximum.
TIE, EMBEDDED, ON_BOX, SEARCHED = 1e-9, 1e-7, 1e-5, 1e-3
# What a regression does not keep where arms are fixed, or where rows are predicted.
NOT_KEPT = {"theta", "gram"}
FACTS = {
    "noise_std": lambda task: task.noise_std if task.subgaussian is None else task.subgaussian,
    "param_norm": lambda task: task.param_norm,
    "covariance": lambda task: task.covariance,
    "gradient_norm": lambda task: task.gradient_norm,
}


class Draws:
    """The random numbers of one replicate, each with its address."""

    def __init__(self, seed: int):
        self.seed = seed

    def stream(self, purpose: int) -> Stream:
        return Stream([self.seed], AGENT, purpose, 0)

    def uniform(self, t: int, size: int = 1, purpose: int = 0) -> np.ndarray:
        return self.stream(purpose).uniform(t, (size,))[0]

    def normal(self, t: int, size: int = 1, purpose: int = 0) -> np.ndarray:
        return self.stream(purpose).normal(t, (size,))[0]

    def beta(self, t: int, index: int, a: float, b: float) -> float:
        return float(beta_at(*self.stream(0).keys[0], t, index, a, b))

    def point(self, action_set: Any, t: int) -> np.ndarray:
        return action_set.draw(self.stream(0).keys, np.array([t]))[0]


def definition_of(name: str) -> Any:
    """The definition of an agent: in the file that is named as the agent's module."""
    module = naming.named()[name].__module__.replace("agents.", "tests.agents.definitions.", 1)
    return importlib.import_module(module).Definition


def known(agent: Any, task: Any) -> dict[str, Any]:
    """The hyperparameters of an agent, with the task's facts where they are None.

    Another agent among them is the function (task, draws) that makes its definition.
    """
    given = agent.hyperparameters()
    for name, value in given.items():
        if isinstance(value, agents.Agent):
            inner = definition_of(type(value).__name__)
            given[name] = functools.partial(inner, **known(value, task))
    for name, fact in FACTS.items():
        if given.get(name, 0) is None:
            given[name] = fact(task)
    if given.get("ridge", 0) is None:
        points = np.ones((1, task.dim)) if task.arms is None else task.arms
        least = 1e-6 * given["covariance"].diagonal(points).max()
        given["ridge"] = max(given["noise_std"] ** 2, least)
    given.pop("evaluations", None)  # of the search on a box
    return given


def follow(agent: Any, env_id: str, settings: dict[str, Any], rounds: int = 60) -> None:
    """Play an episode; in every round compare the state and the decision of each replicate.

    In the first third every reward is observed at once. Then some wait for others, and are observed
    in another order, and some are never observed; and in one round of four another player acts. In
    news rewards are drawn here, because a log shows few.
    """
    env: Any = gymnasium.make_vec(env_id, num_envs=N, horizon=rounds, **settings)
    task, rng = env.unwrapped.task, np.random.default_rng(SEED)
    agent.reset(task, n=N, seed=SEED)
    pairs = [_Pair(agent, i) for i in range(N)]
    other = agents.UniformRandom()
    if other.refusal(task) is None:  # it predicts nothing
        other.reset(task, n=N, seed=SEED)
    observation, _ = env.reset(seed=SEED)
    waiting: list[tuple[Any, ...]] = []
    for t in range(rounds):
        shown = copy.deepcopy(observation)
        actions = agent.act(shown)
        for i, pair in enumerate(pairs):
            pair.compare(_part(shown, i), actions[i], t)
        if hasattr(other, "task") and t >= rounds // 3 and rng.random() < 0.25:
            actions = other.act(shown)
        observation, reward, *_, info = env.step(actions)
        reward = rng.random(N) if task.family == "news" else reward
        feedback = info.get("label" if agent.full_information else "feedback")
        waiting.append(copy.deepcopy((t, shown, actions, reward, feedback)))
        for place in _answered(len(waiting), t < rounds // 3, rng):
            of, shown, actions, reward, feedback = waiting.pop(place)
            seen = (rng.random(N) < 0.85) | (t < rounds // 3)
            given = {"feedback": feedback, "observed": seen, "decision": of}
            agent.observe(shown, actions, reward, **given)
            for i in np.flatnonzero(seen):
                outcome = reward[i] if feedback is None else _part(feedback, i)
                pairs[i].learn(_part(shown, i), actions[i], outcome, of)
    assert min(pair.determined for pair in pairs) >= 0.5 * rounds


def _answered(waiting: int, at_once: bool, rng: np.random.Generator) -> Iterator[int]:
    """Which of the waiting decisions are answered: the last one, or later some of all."""
    if at_once or rng.random() < 0.5:
        yield -1
    elif waiting > 5:
        yield from (int(rng.integers(waiting - gone)) for gone in range(3))


def _part(arrays: Any, i: int) -> Any:
    """Replicate i's part of an array, or of a mapping of arrays."""
    return {k: v[i] for k, v in arrays.items()} if isinstance(arrays, dict) else arrays[i]


class _Pair:
    """A replicate of an agent and its definition."""

    def __init__(self, agent: Any, i: int):
        self.agent, self.task, self.i = agent, agent.task, i
        self.definition = definition_of(type(agent).__name__)(
            self.task, Draws(SEED + i), **known(agent, self.task)
        )
        self.on_box = getattr(self.task, "on_box", False)
        self.tie = EMBEDDED if self.task.family == "kernelized" else TIE
        self.determined = 0  # decisions that rounding cannot change

    def compare(self, shown: Any, action: Any, t: int) -> None:
        shown = self._of_arms(shown)
        x, place, slots, mask = self._view(shown, action)
        played = place if self.task.plays is ARM else action
        takes = self.definition.choose.__code__.co_varnames
        masked = {"mask": mask} if "mask" in takes else {}
        chosen = self.definition.choose(x, t, *slots, **masked)
        self._compare_decision(chosen, x, played, t, mask)
        if hasattr(self.definition, "recommend"):
            assert self.agent.recommend(shown)[self.i] == self.definition.recommend()
        names = [name for name in dir(self.definition) if _is_state(self.definition, name)]
        missing = [name for name in names if not self._compare_state(name, x, shown)]
        assert set(missing) <= NOT_KEPT, f"the agent has no {missing}"

    def learn(self, shown: Any, action: Any, outcome: Any, t: int) -> None:
        x, action, slots, _ = self._view(self._of_arms(shown), action)
        self.definition.learn(x, action, outcome, t, *slots)

    def _of_arms(self, shown: Any) -> Any:
        """The observation with features (K, d) or (K, K d) in place of a context of all arms."""
        if not self.task.per_arm:
            return shown
        each = (
            np.ones((self.task.n_arms, 1)) if self.agent.models_arms else np.eye(self.task.n_arms)
        )
        if not isinstance(shown, dict):
            return np.kron(each, shown)
        return {"arms": np.kron(each, shown["context"]), "action_mask": shown["action_mask"]}

    def _view(self, shown: Any, action: Any) -> tuple[Any, Any, tuple, np.ndarray | None]:
        """``x`` and the action as definitions take them, ids of slots if they do, and the mask."""
        task, by_slot = self.task, "ids" in self.definition.choose.__code__.co_varnames
        mask = np.ones(task.n_arms, bool) if task.plays is ARM else None
        if task.arms_vary:
            mask, ids = shown["action_mask"] == 1, (shown["ids"],) if "ids" in shown else ()
            if not (getattr(task, "fixed_arms", True) or by_slot):
                there = np.flatnonzero(mask)
                return shown["arms"][there], int(np.searchsorted(there, action)), (), mask[there]
            x = shown["arms"] if "arms" in shown else getattr(task, "arms", None)
            return x, action, ids, mask
        if isinstance(shown, dict):
            row = np.zeros(task.dim)
            np.add.at(row, shown["indices"], shown["values"])
            return row, action, (), mask
        if task.plays is POINT and task.family != "losses":
            points = self._points(action)
            return points, 0 if task.family == "kernelized" else action, (), mask
        if task.family == "kernelized" and task.fixed_arms:
            return task.arms, action, (), mask
        return (shown if np.ndim(shown) else None), action, (), mask

    def _points(self, point: np.ndarray) -> np.ndarray:
        """A point, points of its set at random, and some that are near to it."""
        rng, action_set = np.random.default_rng(0), self.task.action_set
        steps = rng.standard_normal((60, len(point))) * 10.0 ** rng.uniform(-4, -1, (60, 1))
        near = action_set.project(point + action_set.longest * steps)
        return np.vstack([point, action_set.sample(rng, 100), near])

    def _compare_decision(self, chosen: Any, x: Any, action: Any, t: int, mask: Any) -> None:
        message = f"decision {t} of replicate {self.i}: {action}, but by definition {chosen}"
        values = np.asarray(chosen, float)
        room = (SEARCHED if self.on_box else self.tie) * (1 + np.abs(values).max())
        if self.task.plays is POINT and x is not None and len(values) == len(x):
            assert values[0] >= values.max() - room, message
        elif self.task.plays is ARM and values.ndim:
            best = np.flatnonzero(mask & (values >= values[mask].max() - room))
            equal = np.flatnonzero(mask & (values == values[action]))
            assert action in best, message
            assert action == equal[0], message
            self.determined -= len(best) > len(equal)
        else:
            assert np.abs(values - action).max() <= room, message
        self.determined += 1

    def _compare_state(self, name: str, x: Any, shown: Any) -> bool:
        """Whether the agent has such a state, which is then that of the definition."""
        agent, task = self.agent, self.task
        parts = [getattr(agent, part, None) for part in ("model", "choice", "members")]
        owners = [(own, of) for own in (*parts, agent) for of in (name, f"_{name}")]
        found = next((getattr(own, of) for own, of in owners if hasattr(own, of)), None)
        if name in ("mean", "variance") and self.on_box:
            found = agent.model.predict(_for_all(x))[name == "variance"]
        elif callable(found):
            armwise = np.ndim(getattr(self.definition, name)) > 0
            found = found(_for_all(_arms(shown))) if armwise else found()
        if found is None:
            return False
        got = np.asarray(found[self.i], float)
        expected = np.asarray(getattr(self.definition, name), float)
        if task.arms_vary and got.shape != expected.shape:
            got = got[shown["action_mask"] == 1]
        error = np.abs(got - expected).max() / (1 + np.abs(expected).max())
        assert error <= (ON_BOX if self.on_box else self.tie), (
            f"{name} of replicate {self.i} is {got}, by definition {expected}"
        )
        return True


def _arms(shown: Any) -> np.ndarray:
    return shown["arms"] if isinstance(shown, dict) else shown


def _for_all(x: np.ndarray) -> np.ndarray:
    """Features (K, d) as agents take them: (n, d, K), here the same for all replicates."""
    return np.repeat(np.ascontiguousarray(x.T)[None], N, axis=0)


def _is_state(definition: Any, name: str) -> bool:
    return not name.startswith("_") and not callable(getattr(definition, name))
