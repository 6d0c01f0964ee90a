"""Bad inputs that agents must refuse, by name."""

from typing import Any

import numpy as np

from agents.agent import Agent
from agents.check.short_runs import each_array
from banditgym.rounds.kinds import ARM, NOTHING, OUTCOME, PAIRS, POINT, RANKING, REWARD
from banditgym.tasks import Task


def bad_rewards(task: Task) -> dict[str, Any]:
    bad: dict[str, Any] = {}
    if task.reveals is REWARD:
        bad["a NaN reward"] = np.array([1.0, np.nan, 1.0])
        bad["an infinite reward"] = np.array([1.0, 1.0, np.inf])
    return bad | {"rewards of the wrong shape": np.ones(4), "a word for a reward": ["high"] * 3}


def bad_decisions(rounds: int) -> dict[str, Any]:
    return {
        "decision -1": -1,
        "a decision that was not made": np.array([0, rounds, 0]),
        "a decision that is not an integer": 0.5,
        "one decision too few": np.array([0, 0]),
    }


def bad_actions(task: Any, legal: np.ndarray) -> dict[str, Any]:
    bad: dict[str, Any] = {
        "an action with one axis too many": legal[..., None],
        "one action too few": legal[:2],
    }
    if task.plays is ARM:
        bad["arm -1"] = np.array([0, -1, 0])
        bad["an arm above the last"] = np.array([0, 0, task.n_arms])
        bad["arms that are not integers"] = np.array([0.0, 0.0, 0.5])
    elif task.plays is RANKING:
        for name, label in {"-1": -1, "above the last": task.n_labels}.items():
            bad[f"label {name}"] = legal.copy()
            bad[f"label {name}"][1, -1] = label
        if task.slots > 1:
            bad["a label twice"] = legal.copy()
            bad["a label twice"][2, 0] = legal[2, 1]
        bad["labels that are not integers"] = legal + 0.5
    else:
        bad["an action that is NaN"] = np.full(legal.shape, np.nan)
    if task.plays is POINT:
        bad["points with one coordinate too many"] = np.concatenate([legal, legal[:, :1]], axis=1)
        bad["a point that is infinite"] = legal.copy()
        bad["a point that is infinite"][1, -1] = np.inf
    return bad


def bad_observations(task: Any, legal: Any) -> dict[str, Any]:
    if task.observes is NOTHING:
        return {}
    cut = each_array(lambda array: array[..., :0], legal)
    bad = {"features of the wrong shape": cut}
    return bad | _bad_pairs(task, legal) if task.observes is PAIRS else bad


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
        "indices that are not integers": legal | {"indices": indices + 0.5},
    }
    for index in (-1, task.dim, 2**32):
        beyond = indices.copy()
        beyond[2, 0] = index
        bad[f"index {index}"] = legal | {"indices": beyond}
    return bad


def bad_feedback(agent: Agent, feedback: Any) -> dict[str, Any]:
    task = agent.task
    if agent.full_information:
        return {
            "no label": None,
            "a label out of range": np.array([0, task.n_labels, 0]),
            "a label of -1": np.array([0, 0, -1]),
            "labels that are not integers": np.zeros(3),
            "one label too few": np.zeros(2, int),
        }
    if task.plays is RANKING:
        return {
            "no click": None,
            "a click on no label": np.array([0, task.n_labels, 0]),
            "clicks of the wrong shape": np.zeros(4, int),
        }
    if task.reveals is REWARD:
        return {}
    bad: dict[str, Any] = {"no feedback": None}
    if task.reveals is OUTCOME:
        bad["a NaN outcome"] = np.array([0.0, np.nan, 0.0])
        bad["outcomes of the wrong shape"] = np.zeros(4)
        return bad
    for name in ("loss", "gradient", "curvature"):
        bad[f"feedback without {name}"] = {k: v for k, v in feedback.items() if k != name}
        bad[f"a {name} that is NaN"] = feedback | {name: np.full_like(feedback[name], np.nan)}
        bad[f"a {name} of the wrong shape"] = feedback | {name: np.zeros(4)}
    bad["a negative curvature"] = feedback | {"curvature": np.full(3, -1.0)}
    return bad
