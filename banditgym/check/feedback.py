"""Feedback is what the task reveals: outcomes, or losses with lower bounds."""

from functools import partial

import numpy as np

from banditgym.check.expectations import expect
from banditgym.check.runs import is_adaptive, legal_actions, simulate
from banditgym.rounds.kinds import OUTCOME, REWARD


def check_feedback(make: partial, single: partial, horizon: int) -> None:
    """Expect what ``task.reveals``, and that it fits the reward."""
    # One seed for all: replicates are one environment, in which they play differently.
    envs = make(num_envs=20)
    task = envs.unwrapped.task
    if task.reveals is REWARD:
        return
    actions = legal_actions(envs, horizon)
    for t, step in enumerate(simulate(envs, [11] * 20, actions)[1:]):
        feedback, reward = step["info"].get("feedback"), step["reward"]
        if task.reveals is OUTCOME:
            expect(np.shape(feedback) == (20,), "info['feedback'] must be the outcomes (n,)")
            expected = -((actions[t] - feedback) ** 2)
            equal = np.allclose(reward, expected, 1e-9, 1e-9)
            expect(equal, "the reward must be -(prediction - y)²")
            expect(
                is_adaptive(task) or np.ptp(feedback) == 0,
                f"the outcome of round {t + 1} depends on the prediction, but task.adaptive is "
                "false",
            )
            continue
        names = {"loss", "gradient", "curvature"}
        expect(
            isinstance(feedback, dict) and names <= feedback.keys(),
            f"info['feedback'] must have {', '.join(sorted(names))}",
        )
        loss, gradient, curvature = feedback["loss"], feedback["gradient"], feedback["curvature"]
        expect(np.array_equal(reward, -loss), "the reward must be -loss")
        expect(bool((curvature >= 0).all()), f"curvature must be >= 0, got {curvature.min()}")
        steepest = np.sqrt((gradient * gradient).sum(axis=1)).max()
        expect(
            bool(steepest <= task.gradient_norm * (1 + 1e-9)),
            f"a gradient has norm {steepest}, above task.gradient_norm {task.gradient_norm}",
        )
        if is_adaptive(task):  # then each has a loss of its own
            continue
        points = task.action_set.project(actions[t])
        away = points - points[:, None]  # [i, j] leads from i to j
        bound = loss[:, None] + (gradient[:, None] * away).sum(axis=2)
        bound += 0.5 * curvature[:, None] * (away * away).sum(axis=2)
        expect(
            bool((loss >= bound - 1e-9 * (1 + np.abs(loss).max())).all()),
            f"the loss of round {t + 1} lies below the bound that loss, gradient and curvature at "
            "another point give",
        )
