"""check_agent: whether a learner keeps the contract. Run it on your own."""

import copy
import dataclasses
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import banditgym  # noqa: F401 (registers the environments)
from agents.agent import Agent
from agents.naming import hyperparameters, resolve
from agents.saving import load, save
from banditgym.check import expect, expect_error

# Small worlds of each family: what a learner that accepts the family is tried on.
_WORLDS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "armed": [
        ("ArmedBandit-v0", {"n_arms": 4}),
        ("ArmedBandit-v0", {"n_arms": 3, "noise": "gaussian", "noise_std": 0.5}),
        ("ArmedBandit-v0", {"n_arms": 1}),
    ],
    "linear": [
        ("LinearBandit-v0", {"n_arms": 5, "dim": 3}),
        ("LinearBandit-v0", {"n_arms": 7, "dim": 3, "fixed_arms": True}),
        ("LinearBandit-v0", {"n_arms": 3, "dim": 6, "fixed_arms": True}),
        ("LinearBandit-v0", {"n_arms": 1, "dim": 1}),
        ("DriftingLinearBandit-v0", {"n_arms": 4, "dim": 2, "rate": 0.1}),
    ],
}
_ROUNDS = 40


def check_agent(agent: Agent | type[Agent] | str) -> None:
    """Try a learner on small worlds of every family that it accepts.

    Checked: shapes and types of actions; solo, batched and differently batched runs agree action
    by action; equal seeds give equal runs, also after ``reset``; ``observed`` masks leave state bit
    for bit alone; saved and loaded it goes on as if nothing had happened; it neither reads nor
    changes numpy's or Python's global random numbers, nor its observations; read-only, writable and
    non-contiguous observations are one; bad input raises ValueError and changes nothing.

    Parameters
    ----------
    agent : Agent, its class, or its name as ``agents.resolve`` takes it

    Raises
    ------
    AssertionError
        With what is broken, and on which world.
    """
    if isinstance(agent, str):
        agent = resolve(agent)
    elif isinstance(agent, type):
        agent = agent()
    name = type(agent).__name__
    expect(dataclasses.is_dataclass(agent), f"{name} must be a dataclass")
    expect(bool(agent.accepts), f"{name}.accepts must name the task types that it plays")
    expect(
        all(_plain(value) for value in hyperparameters(agent).values()),
        f"{name}: hyperparameters must be plain data or parts, got {hyperparameters(agent)}",
    )
    tried = 0
    for world, settings in (row for rows in _WORLDS.values() for row in rows):
        task = gymnasium.make(world, horizon=_ROUNDS, **settings).unwrapped.task  # type: ignore[attr-defined]
        reason = agent.refusal(task)
        if reason is not None:
            expect_error(ValueError, lambda task=task: agent.reset(task), f"{name}: a refused task")
            continue
        tried += 1
        where = f"{name} on {world} {settings}"
        try:
            _check_on(agent, world, settings, where)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{where}: raised {type(error).__name__}: {error}") from error
    expect(tried > 0, f"{name} refuses every world that it says it accepts")


def _check_on(agent: Agent, world: str, settings: dict[str, Any], where: str) -> None:
    before = _global_state()
    batch = _run(agent, world, settings, seeds=[5, 6, 7])
    expect(_equal(before, _global_state()), f"{where}: it draws from a global random generator")

    actions = batch.actions
    expect(actions.dtype.kind in "iu", f"{where}: batched actions must be integers")
    again = _run(agent, world, settings, seeds=[5, 6, 7])
    _same(actions, again.actions, f"{where}: reset and run again with the same seeds, it differs")
    for i, seed in enumerate([5, 6, 7]):
        alone = _run(agent, world, settings, seeds=[seed], solo=True)
        expect(
            all(type(action) is int for action in alone.raw),
            f"{where}: a solo action must be a Python int, got {type(alone.raw[0]).__name__}",
        )
        _same(actions[:, i], alone.actions[:, 0], f"{where}: solo and batched runs differ")
    wide = _run(agent, world, settings, seeds=[1, 2, 3, 4, 5, 6, 7])
    _same(actions, wide.actions[:, 4:], f"{where}: a replicate depends on the batch size")
    _check_observations(agent, world, settings, where, actions)
    _check_mask(agent, world, settings, where)
    _check_saving(agent, world, settings, where, actions)
    _check_bad_input(agent, world, settings, where)


def _check_observations(agent, world, settings, where, actions) -> None:
    def scrambled(observation):
        if observation.ndim < 3:
            return observation.copy()
        wide = np.zeros((*observation.shape[:-1], 2 * observation.shape[-1]))
        wide[..., ::2] = observation
        return wide[..., ::2]

    forms: dict[str, Callable] = {
        "a writable copy of": np.array,
        "a non-contiguous copy of": scrambled,
    }
    for what, form in forms.items():
        run = _run(agent, world, settings, seeds=[5, 6, 7], form=form)
        _same(actions, run.actions, f"{where}: {what} the observations changes its actions")
        expect(run.untouched, f"{where}: it writes to its observations")


def _check_mask(agent, world, settings, where) -> None:
    run = _run(agent, world, settings, seeds=[5, 6, 7], rounds=_ROUNDS // 2)
    observation, rewards = run.observation, np.ones(3)
    arms = agent.act(observation)
    state = _state(agent)
    agent.observe(observation, arms, rewards, observed=np.zeros(3, bool))
    changed = _changed(state, _state(agent))
    expect(not changed, f"{where}: an unobserved round changes its state, in {changed}")
    agent.observe(observation, arms, rewards, observed=np.array([False, True, False]))
    for i in (0, 2):
        changed = _changed(_rows(state, i), _rows(_state(agent), i))
        expect(
            not changed,
            f"{where}: a replicate whose reward was not observed changes its state, in {changed}",
        )


def _check_saving(agent, world, settings, where, actions) -> None:
    if not agent.saveable:
        return

    def through_disk(playing):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "agent.npz"
            save(playing, path)
            return load(path)

    run = _run(agent, world, settings, seeds=[5, 6, 7], swap=through_disk)
    _same(actions, run.actions, f"{where}: saved and loaded in mid-run, it goes on differently")


def _check_bad_input(agent, world, settings, where) -> None:
    run = _run(agent, world, settings, seeds=[5, 6, 7], rounds=_ROUNDS // 2)
    observation, arms = run.observation, agent.act(run.observation)
    n_arms = agent.task.n_arms
    state = _state(agent)
    ones = np.ones(3)
    bad = {
        "a NaN reward": (observation, arms, np.array([1.0, np.nan, 1.0])),
        "an infinite reward": (observation, arms, np.array([1.0, 1.0, np.inf])),
        "arm -1": (observation, np.array([0, -1, 0]), ones),
        "an arm above the last": (observation, np.array([0, 0, n_arms]), ones),
        "arms that are no integers": (observation, np.array([0.0, 0.0, 0.5]), ones),
        "rewards of the wrong shape": (observation, arms, np.ones(4)),
        "arms of the wrong shape": (observation, np.zeros((3, 1), int), ones),
    }
    if observation.ndim == 3:
        bad["features of the wrong shape"] = (observation[:, :, :0], arms, ones)
    for what, arguments in bad.items():
        expect_error(ValueError, lambda given=arguments: agent.observe(*given), f"{where}: {what}")
        expect(_equal(state, _state(agent)), f"{where}: {what} changes its state")


@dataclasses.dataclass
class _Run:
    raw: list[Any]
    actions: np.ndarray
    observation: Any
    untouched: bool


def _run(
    agent: Agent, world: str, settings: dict[str, Any], *, seeds: list[int], solo: bool = False,
    rounds: int = _ROUNDS, form: Callable = lambda x: x, swap: Callable | None = None,
) -> _Run:  # fmt: skip
    if solo:
        env: Any = gymnasium.make(world, horizon=_ROUNDS, **settings)
        agent.reset(env.unwrapped.task, seed=seeds)
        observation, _ = env.reset(seed=seeds[0])
    else:
        env = gymnasium.make_vec(world, num_envs=len(seeds), horizon=_ROUNDS, **settings)
        agent.reset(env.unwrapped.task, n=len(seeds), seed=seeds)
        observation, _ = env.reset(seed=seeds)
    raw, untouched, playing = [], True, agent
    for t in range(rounds):
        if swap is not None and t == rounds // 2:
            playing = swap(playing)
        shown = form(observation) if not solo else observation
        kept = copy.deepcopy(shown)
        action = playing.act(shown)
        following, reward, *_ = env.step(action)
        playing.observe(shown, action, reward)
        untouched = untouched and np.array_equal(shown, kept)
        raw.append(action)
        observation = following
    return _Run(raw, np.array(raw).reshape(rounds, -1), observation, untouched)


def _global_state() -> Any:
    return np.random.get_state(), random.getstate()  # noqa: NPY002 (it is here to be watched)


def _state(agent: Any) -> Any:
    return copy.deepcopy(vars(agent))


def _equal(a: Any, b: Any) -> bool:
    """Whether two states are the same bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, np.random.Generator):
        return _equal(a.bit_generator.state, b.bit_generator.state)
    if dataclasses.is_dataclass(a):
        return _equal(vars(a), vars(b))
    if type(a).__eq__ is object.__eq__:
        return True  # opaque: a copy is never equal, and nothing can be said of it
    return bool(a == b)


def _changed(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Names of the attributes that differ, or nothing."""
    names = before.keys() | after.keys()
    differ = [n for n in sorted(names) if not _equal(before.get(n), after.get(n))]
    return ", ".join(differ)


def _rows(state: Any, i: int) -> Any:
    """What belongs to replicate i of three: row i of arrays and lists that have three."""
    if isinstance(state, np.ndarray):
        return state[i] if state.ndim and len(state) == 3 else None
    if isinstance(state, dict):
        return {key: _rows(value, i) for key, value in state.items()}
    if isinstance(state, list):
        return state[i] if len(state) == 3 else None
    if dataclasses.is_dataclass(state):
        return _rows(vars(state), i)
    return None


def _plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _same(a: np.ndarray, b: np.ndarray, message: str) -> None:
    expect(a.shape == b.shape, f"{message}: shapes {a.shape} and {b.shape}")
    differ = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1))
    expect(differ.size == 0, f"{message}, first in round {differ[0] + 1 if differ.size else 0}")
