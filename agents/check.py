"""check_agent: whether a learner keeps the contract. Run it on your own."""

import copy
import dataclasses
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import banditgym  # noqa: F401 (registers the environments)
from agents.agent import Agent
from agents.naming import hyperparameters, resolve
from agents.saving import load, save
from banditgym.check import expect, expect_error

# Rows of both signs, some of them 0, some entries too, and one of them of length 0.
_DATA = (np.arange(-180.0, 180.0).reshape(60, 6) % 7.0 - 3.0, np.arange(60) ** 2 % 5 % 3)
_DATA[0][17] = 0.0
_SMALL = (_DATA[0][:, :2] / 5.0, np.arange(60) % 2)

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
    "regression": [
        ("OnlineRegression-v0", {"dim": 3}),
        ("OnlineRegression-v0", {"dim": 1, "contexts": "gaussian", "noise": "rademacher"}),
        ("OnlineRegression-v0", {"dim": 4, "outcomes": "adaptive", "bound": 0.5}),
    ],
    "losses": [
        ("OnlineConvex-v0", {"dim": 3}),
        ("OnlineConvex-v0", {"dim": 1, "losses": "sign", "radius": 2.0}),
        ("OnlineConvex-v0", {"dim": 2, "losses": "switch", "curved_rounds": 5}),
    ],
    "multiclass": [
        ("SynSep-v0", {}),
        ("SynNonSep-v0", {"label_noise": 0.3, "sparse": False}),
        ("SynSep-v0", {"slots": 3, "label_noise": 0.3}),
        ("MulticlassBandit-v0", {"data": _DATA}),
        ("MulticlassBandit-v0", {"data": _DATA, "sparse": True, "order": "chronological"}),
        ("MulticlassBandit-v0", {"data": _SMALL}),
        ("MulticlassBandit-v0", {"data": _DATA, "slots": 2}),
        ("MulticlassBandit-v0", {"data": _DATA, "slots": 1, "sparse": True}),
    ],
}
_ROUNDS = 40
# What a solo learner answers, and of what its actions are made, by what the family plays.
_SOLO = {
    "arm": (int, "a Python int"),
    "number": (float, "a Python float"),
    "point": (np.ndarray, "an array"),
    "ranking": (np.ndarray, "an array"),
}
_MADE_OF = {"arm": "iu", "number": "f", "point": "f", "ranking": "iu"}


def check_agent(agent: Agent | type[Agent] | str) -> None:
    """Try a learner on small worlds of every family that it accepts.

    Checked: shapes and types of actions, which nothing later writes to; solo, batched and
    differently batched runs agree action by action; equal seeds give equal runs, also after
    ``reset``; ``observed`` masks leave state bit for bit alone; saved and loaded it goes on as if
    nothing had happened; it neither reads nor changes numpy's or Python's global random numbers,
    nor its observations; read-only, writable and non-contiguous observations are one; bad input
    raises ValueError and changes nothing.

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

    actions, plays = batch.actions, agent.task.plays
    what = "integers" if _MADE_OF[plays] == "iu" else "floats"
    expect(actions.dtype.kind in _MADE_OF[plays], f"{where}: batched actions must be {what}")
    expect(batch.untouched_actions, f"{where}: it writes to actions that it returned")
    again = _run(agent, world, settings, seeds=[5, 6, 7])
    _same(actions, again.actions, f"{where}: reset and run again with the same seeds, it differs")
    for i, seed in enumerate([5, 6, 7]):
        alone = _run(agent, world, settings, seeds=[seed], solo=True)
        kind, kind_name = _SOLO[plays]
        expect(
            all(type(action) is kind for action in alone.raw),
            f"{where}: a solo action must be {kind_name}, got {type(alone.raw[0]).__name__}",
        )
        _same(actions[:, i], alone.actions[:, 0], f"{where}: solo and batched runs differ")
    wide = _run(agent, world, settings, seeds=[1, 2, 3, 4, 5, 6, 7])
    _same(actions, wide.actions[:, 4:], f"{where}: a replicate depends on the batch size")
    _check_observations(agent, world, settings, where, actions)
    _check_mask(agent, world, settings, where)
    _check_saving(agent, world, settings, where, actions)
    _check_bad_input(agent, world, settings, where)


def _check_observations(agent, world, settings, where, actions) -> None:
    def scrambled(array):
        if array.ndim < 2:
            return array.copy()
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]

    forms: dict[str, Callable] = {
        "a writable copy of": np.array,
        "a non-contiguous copy of": scrambled,
    }
    for what, form in forms.items():
        each = partial(_each_array, form)
        run = _run(agent, world, settings, seeds=[5, 6, 7], form=each)
        _same(actions, run.actions, f"{where}: {what} the observations changes its actions")
        expect(run.untouched, f"{where}: it writes to its observations")


def _check_mask(agent, world, settings, where) -> None:
    run = _run(agent, world, settings, seeds=[5, 6, 7], rounds=_ROUNDS // 2)
    observation, rewards, feedback = run.observation, np.ones(3), run.feedback
    arms = agent.act(observation)
    if agent.task.plays == "ranking":
        feedback = arms[:, 0]  # the last round's click may be on a label that is not shown now
    state = _state(agent)
    agent.observe(observation, arms, rewards, feedback=feedback, observed=np.zeros(3, bool))
    changed = _changed(state, _state(agent))
    expect(not changed, f"{where}: an unobserved round changes its state, in {changed}")
    one = np.array([False, True, False])
    agent.observe(observation, arms, rewards, feedback=feedback, observed=one)
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
    observation, feedback, task = run.observation, run.feedback, agent.task
    actions = agent.act(observation)
    if task.plays == "ranking":
        feedback = actions[:, 0]
    state = _state(agent)
    ones = np.ones(3)
    rewards: dict[str, Any] = {}
    if task.reveals == "reward":
        rewards["a NaN reward"] = np.array([1.0, np.nan, 1.0])
        rewards["an infinite reward"] = np.array([1.0, 1.0, np.inf])
    rewards["rewards of the wrong shape"] = np.ones(4)
    rewards["a word for a reward"] = ["high"] * 3
    bad = {name: (observation, actions, reward, feedback) for name, reward in rewards.items()}
    for name, action in _bad_actions(task, actions).items():
        bad[name] = (observation, action, ones, feedback)
    for name, revealed in _bad_feedback(task, feedback).items():
        bad[name] = (observation, actions, ones, revealed)
    if task.observes != "nothing":
        cut = _each_array(lambda array: array[..., :0], observation)
        bad["features of the wrong shape"] = (cut, actions, ones, feedback)
    if task.observes == "pairs":
        for name, shown in _bad_pairs(task, observation).items():
            bad[name] = (shown, actions, ones, feedback)
    if agent.full_information:
        for name, label in {
            "no label": None,
            "a label out of range": np.array([0, task.n_labels, 0]),
            "a label of -1": np.array([0, 0, -1]),
            "labels that are no integers": np.zeros(3),
            "a label too few": np.zeros(2, int),
        }.items():
            bad[name] = (observation, actions, ones, label)
    for what, (shown, action, reward, revealed) in bad.items():
        expect_error(
            ValueError,
            partial(agent.observe, shown, action, reward, feedback=revealed),
            f"{where}: {what}",
        )
        expect(_equal(state, _state(agent)), f"{where}: {what} changes its state")


def _bad_actions(task: Any, legal: np.ndarray) -> dict[str, Any]:
    bad: dict[str, Any] = {
        "an action with an axis too many": legal[..., None],
        "an action too few": legal[:2],
    }
    if task.plays == "arm":
        bad["arm -1"] = np.array([0, -1, 0])
        bad["an arm above the last"] = np.array([0, 0, task.n_arms])
        bad["arms that are no integers"] = np.array([0.0, 0.0, 0.5])
    elif task.plays == "ranking":
        for name, label in {"-1": -1, "above the last": task.n_labels}.items():
            bad[f"label {name}"] = legal.copy()
            bad[f"label {name}"][1, -1] = label
        if task.slots > 1:
            bad["a label twice"] = legal.copy()
            bad["a label twice"][2, 0] = legal[2, 1]
        bad["labels that are no integers"] = legal + 0.5
    else:
        bad["an action that is NaN"] = np.full(legal.shape, np.nan)
    return bad


def _bad_pairs(task: Any, legal: Any) -> dict[str, Any]:
    if not task.sparse:
        infinite = legal.copy()
        infinite[1, -1] = np.inf
        return {"a feature that is infinite": infinite}
    values, indices = legal["values"].copy(), legal["indices"].astype(np.int64)
    values[1, -1] = np.nan
    bad: dict[str, Any] = {
        "a value that is NaN": legal | {"values": values},
        "no values": {"indices": indices},
        "indices that are no integers": legal | {"indices": indices + 0.5},
    }
    for index in (-1, task.dim, 2**32):
        beyond = indices.copy()
        beyond[2, 0] = index
        bad[f"index {index}"] = legal | {"indices": beyond}
    return bad


def _bad_feedback(task: Any, feedback: Any) -> dict[str, Any]:
    if task.plays == "ranking":
        return {
            "no click": None,
            "a click on no label": np.array([0, task.n_labels, 0]),
            "clicks of the wrong shape": np.zeros(4, int),
        }
    if task.reveals == "reward":
        return {}
    bad: dict[str, Any] = {"no feedback": None}
    if task.reveals == "outcome":
        bad["a NaN outcome"] = np.array([0.0, np.nan, 0.0])
        bad["outcomes of the wrong shape"] = np.zeros(4)
        return bad
    for name in ("loss", "gradient", "curvature"):
        bad[f"feedback without {name}"] = {k: v for k, v in feedback.items() if k != name}
        bad[f"a {name} that is NaN"] = feedback | {name: np.full_like(feedback[name], np.nan)}
        bad[f"a {name} of the wrong shape"] = feedback | {name: np.zeros(4)}
    bad["a negative curvature"] = feedback | {"curvature": np.full(3, -1.0)}
    return bad


@dataclasses.dataclass
class _Run:
    raw: list[Any]
    actions: np.ndarray
    observation: Any
    feedback: Any
    untouched: bool
    untouched_actions: bool


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
    raw, copies, untouched, playing, feedback = [], [], True, agent, None
    for t in range(rounds):
        if swap is not None and t == rounds // 2:
            playing = swap(playing)
        shown = form(observation) if not solo else observation
        kept = copy.deepcopy(shown)
        action = playing.act(shown)
        raw.append(action)
        copies.append(copy.deepcopy(action))
        following, reward, *_, info = env.step(action)
        feedback = info.get("label" if agent.full_information else "feedback")
        playing.observe(shown, action, reward, feedback=feedback)
        untouched = untouched and _equal(shown, kept)
        observation = following
    return _Run(
        raw=raw,
        actions=np.array(copies).reshape(rounds, len(seeds), -1),
        observation=observation,
        feedback=feedback,
        untouched=untouched,
        untouched_actions=all(map(np.array_equal, raw, copies)),
    )


def _each_array(form: Callable, observation: Any) -> Any:
    """The observation with ``form`` of its arrays; a mapping has several."""
    if isinstance(observation, dict):
        return {name: form(array) for name, array in observation.items()}
    return form(observation)


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
