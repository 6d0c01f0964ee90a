"""The contract of agents, as check_agent tests it."""

import dataclasses
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.check.advice import check_recommendations
from agents.check.bad_input import (
    bad_actions,
    bad_decisions,
    bad_feedback,
    bad_observations,
    bad_rewards,
)
from agents.check.late import check_counting, check_draws, check_late
from agents.check.short_runs import ROUNDS, SEEDS, Trial, each_array, global_state, task_of
from agents.check.small_environments import ENVIRONMENTS
from agents.check.stated_chances import check_propensities
from agents.naming import hyperparameters, is_plain, resolve
from agents.ownership import files_of
from agents.storage.loading import load
from agents.storage.saving import classes_of, save
from agents.storage.states import equal, rows_of, state_of
from banditgym.check import expect, expect_error
from banditgym.files.class_paths import raised_at
from banditgym.rounds.kinds import ARM, NUMBER, RANKING
from banditgym.tasks import Task

# What a solo agent returns.
_SOLO = {ARM: (int, "a Python int"), NUMBER: (float, "a Python float")}
_ARRAY = (np.ndarray, "an array")


def check_agent(agent: Agent | type[Agent] | str) -> None:
    """Try an agent on small environments of every family that it accepts.

    It checks that

    - actions have the right shapes and types, and the agent never writes to them later;
    - solo, batched and differently batched runs agree action by action;
    - equal seeds give equal runs, also after ``reset``;
    - a reward that is not ``observed`` changes no bit of the state;
    - every act counts as a decision and, if the agent randomises, draws new random numbers, also
      before the first reward;
    - it learns from late rewards, or refuses them in a one-line message;
    - after saving and loading it continues as before, even if some decisions have no reward yet;
    - it neither uses numpy's or Python's global random numbers nor changes its observations;
    - read-only, writable and non-contiguous observations give the same actions, also if they are
      overwritten after each call, as their owner may do;
    - propensities, of an agent that gives them, are the frequencies with which it acts, sum to 1,
      and giving them changes nothing;
    - an agent that finds the best arm recommends legal arms, which changes nothing, and a replicate
      that has finished learns nothing any more;
    - where arms come and go it plays those that are there, or refuses;
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
        all(is_plain(value) for value in hyperparameters(agent).values()),
        f"{name}: hyperparameters must be plain data or parts, got {hyperparameters(agent)}",
    )
    tried = 0
    for env, settings in (row for rows in ENVIRONMENTS.values() for row in rows):
        task = _known_task(env, settings)
        reason = agent.refuses(task)
        if reason is not None:
            expect_error(ValueError, lambda task=task: agent.reset(task), f"{name}: a refused task")
            continue
        tried += 1
        trial = Trial(agent, env, settings)
        try:
            _check_on(trial)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{trial.where}: {_raised(agent, task, error)}") from error
    expect(tried > 0, f"{name} refuses every environment that it says it accepts")


_tasks: dict[int, tuple[dict[str, Any], Any]] = {}  # by the identity of their settings


def _known_task(env: str, settings: dict[str, Any]) -> Task:
    """The task of a small environment; made once, because most agents refuse most of them."""
    if id(settings) not in _tasks:
        _tasks[id(settings)] = settings, task_of(env, settings)
    return _tasks[id(settings)][1]


def _raised(agent: Agent, task: Task, error: Exception) -> str:
    """A message that gives an agent's exception, its line, and how to refuse such tasks."""
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


def _check_on(trial: Trial) -> None:
    agent = trial.agent
    before = global_state()
    batch = trial.run()
    trial.expect(equal(before, global_state()), "it draws from a global random generator")

    actions, plays = batch.actions, agent.task.plays
    what, kinds = ("integers", "iu") if plays.dtype.kind == "i" else ("floats", "f")
    trial.expect(actions.dtype.kind in kinds, f"batched actions must be {what}")
    trial.expect(batch.untouched_actions, "it writes to actions that it returned")
    again = trial.run()
    _same(trial, actions, again.actions, "after a reset with the same seeds it differs")
    for i, seed in enumerate(SEEDS):
        alone = trial.run([seed], solo=True)
        kind, kind_name = _SOLO.get(plays, _ARRAY)
        trial.expect(
            all(type(action) is kind for action in alone.raw),
            f"a solo action must be {kind_name}, got {type(alone.raw[0]).__name__}",
        )
        _same(trial, actions[:, i], alone.actions[:, 0], "solo and batched runs differ")
    wide = trial.run([1, 2, 3, 4, *SEEDS])
    _same(trial, actions, wide.actions[:, 4:], "a replicate depends on the batch size")
    _check_observations(trial, actions)
    check_counting(trial)
    _check_mask(trial)
    named = trial.run(named=True)
    _same(trial, actions, named.actions, "its actions change if decision= is given")
    check_draws(trial)
    check_propensities(trial)
    if agent.recommends:
        check_recommendations(trial)
    check_late(trial, _through_disk if agent.saveable else None)
    if agent.task.arms_vary:
        _check_withdrawn(trial)
    if agent.saveable:
        run = trial.run(swap=_through_disk)
        what = "after saving and loading in mid-run, it continues differently"
        remedy = "keep all state in attributes of the agent, or set saveable = False"
        _same(trial, actions, run.actions, f"{what} ({remedy})")
    _check_bad_input(trial)


def _check_observations(trial: Trial, actions: np.ndarray) -> None:
    def scrambled(array):
        if array.ndim < 2:
            return array.copy()
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]

    def frozen(array):
        copied = np.array(array)
        copied.setflags(write=False)
        return copied

    forms: dict[str, Callable] = {
        "a read-only copy of": frozen,
        "a non-contiguous copy of": scrambled,
    }
    for what, form in forms.items():
        run = trial.run(form=partial(each_array, form))
        _same(trial, actions, run.actions, f"its actions change with {what} the observations")
        trial.expect(run.untouched, "it writes to its observations")
    run = trial.run(overwritten=True)
    what = "its actions change if observations are overwritten after its calls (copy what it keeps)"
    _same(trial, actions, run.actions, what)


def _half_way(trial: Trial) -> tuple[Any, np.ndarray, Any]:
    """An observation after half of the rounds, actions on it, and feedback that is legal there."""
    run = trial.run(rounds=ROUNDS // 2)
    actions = trial.agent.act(run.observation)
    # The last round's click may be on a label that is not shown now.
    ranked = trial.agent.task.plays is RANKING
    return run.observation, actions, actions[:, 0] if ranked else run.feedback


def _check_mask(trial: Trial) -> None:
    agent, rewards = trial.agent, np.ones(3)
    observation, arms, feedback = _half_way(trial)
    state = state_of(agent)
    agent.observe(observation, arms, rewards, feedback=feedback, observed=np.zeros(3, bool))
    trial.expect_unchanged(state, vars(agent), "an unobserved round changes its state, in ")
    one = np.array([False, True, False])
    agent.observe(observation, arms, rewards, feedback=feedback, observed=one)
    for i in (0, 2):
        trial.expect_unchanged(
            rows_of(state, i),
            rows_of(vars(agent), i),
            "a replicate whose reward was not observed changes its state, in ",
        )


def _check_withdrawn(trial: Trial) -> None:
    observation, *_ = _half_way(trial)
    mask = observation["action_mask"]
    for arm in np.flatnonzero(mask.any(axis=0)):
        # The others keep their features, so that some look better than the one that is left.
        only = np.zeros_like(mask)
        only[:, arm] = 1
        played = trial.agent.act(observation | {"action_mask": only})
        trial.expect(np.array_equal(played, [arm] * 3), "it plays an arm that is not available")


def _through_disk(playing: Agent) -> Agent:
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


def _check_bad_input(trial: Trial) -> None:
    agent = trial.agent
    observation, actions, feedback = _half_way(trial)
    state = state_of(agent)
    legal: dict[str, Any] = {
        "observation": observation,
        "action": actions,
        "reward": np.ones(3),
        "feedback": feedback,
    }
    bad = {
        "reward": bad_rewards(agent.task),
        "action": bad_actions(agent.task, actions),
        "feedback": bad_feedback(agent, feedback),
        "observation": bad_observations(agent.task, observation),
        "decision": bad_decisions(ROUNDS),
    }
    for argument, values in bad.items():
        for what, value in values.items():
            call = partial(agent.observe, **legal | {argument: value})
            expect_error(ValueError, call, f"{trial.where}: {what}")
            trial.expect(equal(state, vars(agent)), f"{what} changes its state")


def _same(trial: Trial, a: np.ndarray, b: np.ndarray, message: str) -> None:
    trial.expect(a.shape == b.shape, f"{message}: shapes {a.shape} and {b.shape}")
    differ = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1))
    first = differ[0] + 1 if differ.size else None
    trial.expect(first is None, f"{message}, first in round {first}")
