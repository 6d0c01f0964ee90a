"""The contract that check_agent holds an agent to."""

import dataclasses
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.check.bad_input import bad_actions, bad_feedback, bad_pairs
from agents.check.late import check_counting, check_draws, check_late
from agents.check.short_runs import ROUNDS, each_array, global_state, short_run, task_of
from agents.check.small_environments import ENVIRONMENTS
from agents.loading import load
from agents.naming import hyperparameters, resolve
from agents.own import files_of, raised_at
from agents.saving import classes_of, save
from agents.states import changed, equal, rows_of, state_of
from banditgym.check import expect, expect_error
from banditgym.rounds import ARM, NOTHING, NUMBER, PAIRS, RANKING, REWARD, SLOTS

# What a solo agent returns.
_SOLO = {ARM: (int, "a Python int"), NUMBER: (float, "a Python float")}
_ARRAY = (np.ndarray, "an array")


def check_agent(agent: Agent | type[Agent] | str) -> None:
    """Try an agent on small environments of every family that it accepts.

    It checks that

    - actions have the right shapes and types, and are never written to later;
    - solo, batched and differently batched runs agree action by action;
    - equal seeds give equal runs, also after ``reset``;
    - a reward that is not ``observed`` changes no bit of the state;
    - every act counts as a decision and, if the agent randomises, draws numbers of its own, also
      before the first reward;
    - it learns from late rewards, or refuses them in a one-line message;
    - after saving and loading it continues as if nothing had happened, also while rewards are open;
    - it neither uses numpy's or Python's global random numbers nor changes its observations;
    - read-only, writable and non-contiguous observations give the same actions;
    - in news it plays slots that have an arm;
    - bad input raises ValueError and changes nothing.

    Parameters
    ----------
    agent : Agent, its class, or its name as ``agents.resolve`` takes it

    Raises
    ------
    AssertionError
        The message names the broken rule and the environment.
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
    for env, settings in (row for rows in ENVIRONMENTS.values() for row in rows):
        task = _known_task(env, settings)
        reason = agent.refusal(task)
        if reason is not None:
            expect_error(ValueError, lambda task=task: agent.reset(task), f"{name}: a refused task")
            continue
        tried += 1
        where = f"{name} on {env} {settings}"
        try:
            _check_on(agent, env, settings, where)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{where}: {_raised(agent, task, error)}") from error
    expect(tried > 0, f"{name} refuses every environment that it says it accepts")


_tasks: dict[int, tuple[dict[str, Any], Any]] = {}  # by the identity of their settings


def _known_task(env: str, settings: dict[str, Any]) -> Any:
    """The task of a small environment, made once: most agents refuse most of the environments."""
    if id(settings) not in _tasks:
        _tasks[id(settings)] = settings, task_of(env, settings)
    return _tasks[id(settings)][1]


def _raised(agent: Agent, task: Any, error: Exception) -> str:
    """A message with the exception of an agent, its line, and how to refuse such tasks."""
    at = raised_at(error, files_of(type(agent)))
    kind, others = type(task), [other for other in agent.accepts if not isinstance(task, other)]
    remedy = "let refusal(task) say why"
    if others:
        left = ", ".join(other.__name__ for other in others)
        remedy = f"set accepts = ({left}{',' * (len(others) == 1)}), without {kind.__name__}"
    return (
        f"raised {type(error).__name__}: {error}{at}; if it is not meant for {task.family} tasks "
        f"like this one, {remedy}"
    )


def _check_on(agent: Agent, env: str, settings: dict[str, Any], where: str) -> None:
    before = global_state()
    batch = short_run(agent, env, settings, seeds=[5, 6, 7])
    expect(equal(before, global_state()), f"{where}: it draws from a global random generator")

    actions, plays = batch.actions, agent.task.plays
    what, kinds = ("integers", "iu") if plays.dtype.kind == "i" else ("floats", "f")
    expect(actions.dtype.kind in kinds, f"{where}: batched actions must be {what}")
    expect(batch.untouched_actions, f"{where}: it writes to actions that it returned")
    again = short_run(agent, env, settings, seeds=[5, 6, 7])
    _same(actions, again.actions, f"{where}: after a reset with the same seeds it differs")
    for i, seed in enumerate([5, 6, 7]):
        alone = short_run(agent, env, settings, seeds=[seed], solo=True)
        kind, kind_name = _SOLO.get(plays, _ARRAY)
        expect(
            all(type(action) is kind for action in alone.raw),
            f"{where}: a solo action must be {kind_name}, got {type(alone.raw[0]).__name__}",
        )
        _same(actions[:, i], alone.actions[:, 0], f"{where}: solo and batched runs differ")
    wide = short_run(agent, env, settings, seeds=[1, 2, 3, 4, 5, 6, 7])
    _same(actions, wide.actions[:, 4:], f"{where}: a replicate depends on the batch size")
    _check_observations(agent, env, settings, where, actions)
    check_counting(agent, env, settings, where)
    _check_mask(agent, env, settings, where)
    named = short_run(agent, env, settings, seeds=[5, 6, 7], named=True)
    _same(actions, named.actions, f"{where}: its actions change if decision= is given")
    check_draws(agent, env, settings, where)
    check_late(agent, env, settings, where, _through_disk if agent.saveable else None)
    if agent.task.observes is SLOTS:
        _check_slots(agent, env, settings, where)
    _check_saving(agent, env, settings, where, actions)
    _check_bad_input(agent, env, settings, where)


def _check_observations(agent, env, settings, where, actions) -> None:
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
        each = partial(each_array, form)
        run = short_run(agent, env, settings, seeds=[5, 6, 7], form=each)
        _same(actions, run.actions, f"{where}: its actions change with {what} the observations")
        expect(run.untouched, f"{where}: it writes to its observations")


def _check_mask(agent, env, settings, where) -> None:
    run = short_run(agent, env, settings, seeds=[5, 6, 7], rounds=ROUNDS // 2)
    observation, rewards, feedback = run.observation, np.ones(3), run.feedback
    arms = agent.act(observation)
    if agent.task.plays is RANKING:
        feedback = arms[:, 0]  # the last round's click may be on a label that is not shown now
    state = state_of(agent)
    agent.observe(observation, arms, rewards, feedback=feedback, observed=np.zeros(3, bool))
    differs = changed(state, vars(agent))
    expect(not differs, f"{where}: an unobserved round changes its state, in {differs}")
    one = np.array([False, True, False])
    agent.observe(observation, arms, rewards, feedback=feedback, observed=one)
    for i in (0, 2):
        differs = changed(rows_of(state, i), rows_of(vars(agent), i))
        expect(
            not differs,
            f"{where}: a replicate whose reward was not observed changes its state, in {differs}",
        )


def _check_slots(agent, env, settings, where) -> None:
    observation = short_run(agent, env, settings, seeds=[5, 6, 7], rounds=ROUNDS // 2).observation
    mask = observation["action_mask"]
    for slot in np.flatnonzero(mask.all(axis=0)):
        # The other slots keep their features, so that some look better than the one with an arm.
        only = np.zeros_like(mask)
        only[:, slot] = 1
        played = agent.act(observation | {"action_mask": only})
        expect(np.array_equal(played, [slot] * 3), f"{where}: it plays a slot that has no arm")


def _check_saving(agent, env, settings, where, actions) -> None:
    if agent.saveable:
        run = short_run(agent, env, settings, seeds=[5, 6, 7], swap=_through_disk)
        what = "after saving and loading in mid-run, it continues differently"
        remedy = "keep all state in attributes of the agent, or set saveable = False"
        _same(actions, run.actions, f"{where}: {what} ({remedy})")


def _through_disk(playing: Agent) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.npz"
        try:
            save(playing, path)
            return load(path, allow=classes_of(playing))
        except Exception as error:
            raise AssertionError(
                f"{type(playing).__name__} cannot be saved and loaded: {error}; let its state be "
                "arrays, plain data and dataclasses of these, or set saveable = False"
            ) from error


def _check_bad_input(agent, env, settings, where) -> None:
    run = short_run(agent, env, settings, seeds=[5, 6, 7], rounds=ROUNDS // 2)
    observation, feedback, task = run.observation, run.feedback, agent.task
    actions = agent.act(observation)
    if task.plays is RANKING:
        feedback = actions[:, 0]
    state = state_of(agent)
    ones = np.ones(3)
    rewards: dict[str, Any] = {}
    if task.reveals is REWARD:
        rewards["a NaN reward"] = np.array([1.0, np.nan, 1.0])
        rewards["an infinite reward"] = np.array([1.0, 1.0, np.inf])
    rewards["rewards of the wrong shape"] = np.ones(4)
    rewards["a word for a reward"] = ["high"] * 3
    bad = {name: (observation, actions, reward, feedback) for name, reward in rewards.items()}
    for name, action in bad_actions(task, actions).items():
        bad[name] = (observation, action, ones, feedback)
    for name, revealed in bad_feedback(task, feedback).items():
        bad[name] = (observation, actions, ones, revealed)
    if task.observes is not NOTHING:
        cut = each_array(lambda array: array[..., :0], observation)
        bad["features of the wrong shape"] = (cut, actions, ones, feedback)
    if task.observes is PAIRS:
        for name, shown in bad_pairs(task, observation).items():
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
    calls = {
        what: partial(agent.observe, shown, action, reward, feedback=revealed)
        for what, (shown, action, reward, revealed) in bad.items()
    }
    legal = partial(agent.observe, observation, actions, ones, feedback=feedback)
    for what, decision in {
        "decision -1": -1,
        "a decision that was not made": np.array([0, ROUNDS, 0]),
        "a decision that is no integer": 0.5,
        "a decision too few": np.array([0, 0]),
    }.items():
        calls[what] = partial(legal, decision=decision)
    for what, call in calls.items():
        expect_error(ValueError, call, f"{where}: {what}")
        expect(equal(state, vars(agent)), f"{where}: {what} changes its state")


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
