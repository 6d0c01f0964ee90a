"""Regret is against the comparator that the task names."""

import itertools
from functools import partial
from typing import Any

import numpy as np

from banditgym.check.expectations import expect
from banditgym.check.runs import SEEDS, comes_and_goes, is_adaptive, legal_actions, simulate
from banditgym.tasks import (
    BEST_ACTION,
    BEST_ARM,
    BEST_FIT,
    BEST_FIXED_ARM,
    BEST_LABEL,
    BEST_POINT,
)


def check_regret(make: partial, single: partial, horizon: int) -> None:
    """Expect regret where ``task.regret`` names a comparator, and against that one."""
    envs = make(num_envs=2)
    task = envs.unwrapped.task
    info = simulate(envs, 0, legal_actions(envs, 1))[1]["info"]
    expect(
        (task.regret is not None) == ("regret" in info),
        f"task.regret is {task.regret!r}, but the infos are {sorted(info)}",
    )
    if task.regret == BEST_ARM:
        _check_best_arm(make, horizon)
    elif task.regret == BEST_FIXED_ARM and task.bernoulli:
        pass  # an adversary may have means, which regret counts, not rewards
    elif task.regret is not None and not is_adaptive(task):
        _check_common_comparator(make, horizon)
    if task.regret == BEST_ACTION:
        if task.family == "strongly_convex":
            _check_best_action(make, horizon)
        else:
            _check_no_better_point(make, horizon)
    if task.regret == BEST_POINT:
        _check_best_point(make, horizon)
    if task.regret == BEST_LABEL:
        _check_best_label(make, horizon)
    if task.regret == BEST_FIT:
        _check_best_fit(make, horizon, "regret")
    if "regret_batch" in info:
        _check_best_fit(make, horizon, "regret_batch")
    if "simple_regret" in info:
        _check_best_play(make, horizon)


def _check_best_arm(make: partial, horizon: int) -> None:
    task = make(num_envs=1).unwrapped.task
    # One seed for all: replicates are one environment, in which each arm is played by one of them.
    envs, seeds = make(num_envs=task.n_arms), [11] * task.n_arms
    arms = np.tile(np.arange(task.n_arms), (2 * horizon, 1))
    if comes_and_goes(task):
        shown = simulate(envs, seeds, legal_actions(envs, 2 * horizon))
        masks = np.array([step["observation"]["action_mask"] for step in shown[:-1]])
        there = np.take_along_axis(masks, arms[..., None], axis=2)[..., 0] == 1
        arms = np.where(there, arms, masks.argmax(axis=2))
    steps = simulate(envs, seeds, arms)
    for t, step in enumerate(steps):
        reward, regret = step.get("reward"), step["info"].get("regret")
        if regret is None:
            continue
        expect(
            regret.min() == 0.0,
            f"the least regret of the arms in round {t} is {regret.min()}, not 0: it must be "
            f"against {BEST_ARM}",
        )
        if "noise_std" in getattr(envs.single_observation_space, "spaces", ()):
            continue  # arms differ in their noise too
        ranked = reward[np.argsort(regret, kind="stable")]
        better: Any = np.diff(np.sort(regret)) > 1e-9  # type: ignore[operator]
        expect(
            not np.any(better & (np.diff(ranked) > 1e-9)),
            f"with the noise of round {t} an arm of more regret has the larger reward",
        )
        if task.noise_std is not None:
            shared = reward + regret
            expect(
                np.ptp(shared) <= 1e-9 * (1.0 + np.abs(shared).max()),
                f"reward + regret differs between the arms of round {t}: either the noise depends "
                "on the arm or the regret is not that of the reward",
            )


def _check_best_play(make: partial, horizon: int) -> None:
    envs = make(num_envs=20)
    steps = simulate(envs, SEEDS[:20], legal_actions(envs, 2 * horizon + 1))[1:]
    for episode in (steps[:horizon], steps[horizon + 1 :]):
        regret = np.array([step["info"]["regret"] for step in episode])
        simple = np.cumsum([step["info"]["simple_regret"] for step in episode], axis=0)
        best = np.minimum.accumulate(regret, axis=0)
        expect(
            bool((np.abs(simple - best) <= 1e-9 * (1.0 + regret.max())).all()),
            "simple_regret must be increments whose sum is the best arm's mean reward minus that "
            "of the best play of the episode so far",
        )


def _check_best_action(make: partial, horizon: int) -> None:
    # One seed for all. The regrets of points b and -b add up to twice the best reward and differ by
    # twice the reward of b: the regrets of a basis and its opposite give theta and the best point.
    task = make(num_envs=1).unwrapped.task
    basis = task.action_set.basis
    envs = make(num_envs=20 + 2 * task.dim)
    actions = legal_actions(envs, 2 * horizon + 1)
    actions[:, 20:] = np.concatenate([basis, -basis])
    seeds = [11] * (20 + 2 * task.dim)
    steps = simulate(envs, seeds, actions)[1:]
    for t, (points, step) in enumerate(zip(actions, steps, strict=True), start=1):
        regret = step["info"].get("regret")
        if regret is None:  # this step only resets
            continue
        one, two = regret[20 : 20 + task.dim], regret[20 + task.dim :]
        theta = np.linalg.solve(basis, 0.5 * (two - one))
        worth = task.action_set.project(points) @ theta
        expected = task.action_set.argmax(theta[None])[0] @ theta - worth
        slack = 1e-9 * (1.0 + np.abs(worth).max())
        expect(
            bool(np.abs(regret - expected).max() <= slack),
            f"the regrets of step {t} are not those of one linear reward against {BEST_ACTION}",
        )


def _check_no_better_point(make: partial, horizon: int) -> None:
    # One seed for all. If rewards are not linear, a few points do not give the best: many are
    # tried.
    envs = make(num_envs=1000)
    steps = simulate(envs, [11] * 1000, legal_actions(envs, horizon))[1:]
    least = min(float(step["info"]["regret"].min()) for step in steps)
    expect(
        least >= 0.0,
        f"a point has a regret of {least}: none may be below 0 against {BEST_ACTION}",
    )


def _check_best_label(make: partial, horizon: int) -> None:
    envs = make(num_envs=20)
    task = envs.unwrapped.task
    actions = legal_actions(envs, horizon)
    for t, step in enumerate(simulate(envs, SEEDS[:20], actions)[1:]):
        label = np.asarray(step["info"].get("label"))
        expect(
            label.dtype.kind == "i" and label.shape == (20,),
            "info['label'] must be the true labels (n,)",
        )
        expect(
            bool(((label >= 0) & (label < task.n_labels)).all()),
            f"labels must be in 0..{task.n_labels - 1}, got {label}",
        )
        right = (actions[t].reshape(20, -1) == label[:, None]).any(axis=1)
        expect(
            np.array_equal(step["reward"], right)
            and np.array_equal(step["info"]["regret"], ~right),
            f"round {t + 1} must give reward 1 where the true label was played, else 0, and a "
            "regret of 1 minus that",
        )


def _check_common_comparator(make: partial, horizon: int) -> None:
    # One seed for all: the comparator's reward in a round is the same for each of them.
    steps = simulate(make(num_envs=20), [11] * 20, legal_actions(make(num_envs=20), horizon))
    for t, step in enumerate(steps[1:], start=1):
        for name in {"regret", "regret_batch"} & step["info"].keys():
            theirs = step["reward"] + step["info"][name]
            expect(
                np.ptp(theirs) <= 1e-9 * (1.0 + np.abs(step["reward"]).max()),
                f"reward + {name} of round {t} depends on the action: it must be the "
                "comparator's reward",
            )


def _check_best_fit(make: partial, horizon: int, name: str) -> None:
    envs = make(num_envs=5)
    actions = legal_actions(envs, horizon)
    *steps, last = simulate(envs, 0, actions)
    rows = np.array([step["observation"] for step in steps])  # (horizon, 5, d)
    steps = [*steps[1:], last]
    outcome = np.array([step["info"]["feedback"] for step in steps])
    earned = np.cumsum([step["reward"] for step in steps], axis=0)
    regret = np.cumsum([step["info"][name] for step in steps], axis=0)
    for t, i in itertools.product(range(horizon), range(5)):
        x, y = rows[: t + 1, i], outcome[: t + 1, i]
        residual = y - x @ np.linalg.lstsq(x, y)[0]
        expected = -earned[t, i] - residual @ residual
        expect(
            abs(regret[t, i] - expected) <= 1e-8 * (1.0 - earned[t, i] + y @ y),
            f"{name} after round {t + 1} is {regret[t, i]}, not {expected}: it must be against "
            f"{BEST_FIT}",
        )


def _check_best_point(make: partial, horizon: int) -> None:
    # One seed for all. Two thirds stay at a point, half of them on the boundary.
    envs = make(num_envs=60)
    task = envs.unwrapped.task
    actions = legal_actions(envs, horizon)
    actions[:, 20:] = actions[0, 20:]
    actions[:, 20:40] = task.action_set.argmax(actions[0, 20:40])
    steps = simulate(envs, [11] * 60, actions)[1:]
    earned = np.cumsum([step["reward"] for step in steps], axis=0)  # (horizon, 60)
    regret = np.cumsum([step["info"]["regret"] for step in steps], axis=0)
    slack = 1e-9 * (1.0 + np.abs(earned).max())
    better = regret[:, 20:].min(axis=1)
    if not is_adaptive(task):  # the losses are the same for all
        better = np.minimum(better, (earned + regret).min(axis=1) - earned[:, 20:].max(axis=1))
    expect(
        bool(better.min() >= -slack),
        f"a fixed point does better than the comparator by {-better.min()}: it must be "
        f"{BEST_POINT}",
    )
    # The feedback bounds the losses from below, and so the regret from above.
    points = np.array([task.action_set.project(action) for action in actions])
    feedback = [step["info"]["feedback"] for step in steps]
    gradient = np.array([each["gradient"] for each in feedback])
    curvature = np.array([each["curvature"] for each in feedback])[..., None]
    total = np.cumsum(curvature, axis=0)
    pull = np.cumsum(curvature * points - gradient, axis=0)
    for t in range(horizon):
        free = pull[t] / np.where(total[t] > 0, total[t], 1.0)
        best = np.where(
            total[t] > 0, task.action_set.project(free), task.action_set.argmax(pull[t])
        )
        away = best - points[: t + 1]
        bound = gradient[: t + 1] * away + 0.5 * curvature[: t + 1] * away * away
        most = -bound.sum(axis=(0, 2))
        excess = float((regret[t] - most).max())
        expect(
            excess <= slack,
            f"the regret after round {t + 1} is more by {excess} than gradients and curvatures "
            f"allow: it must be against {BEST_POINT}",
        )
