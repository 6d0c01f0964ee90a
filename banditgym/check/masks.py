"""Where arms come and go, those that are not there are refused, and empty slots show nothing."""

from functools import partial

import numpy as np

from banditgym.check.expectations import expect, expect_error
from banditgym.check.runs import SEEDS, comes_and_goes, expect_same, legal_actions, returned
from banditgym.rounds.kinds import CONTEXT, NOTHING, SLOTS


def check_masks(make: partial, single: partial, horizon: int) -> None:
    """Expect masks that say which arms there are, and that no other arm can be played."""
    envs, env = make(num_envs=3), single().unwrapped
    task = envs.unwrapped.task
    if not comes_and_goes(task):
        return
    expected: dict[str, tuple[int, ...]] = {"action_mask": (3, task.n_arms)}
    if task.observes is not NOTHING:
        shared = task.observes is CONTEXT
        expected["context" if shared else "arms"] = (3, *task.observes.shape(task))
    if task.observes is SLOTS:
        expected["ids"] = (3, task.n_arms)
    if "noise_std" in envs.single_observation_space.spaces:
        expected["noise_std"] = (3, task.n_arms)
    twin = make(num_envs=3)
    actions = legal_actions(envs, horizon)
    for each in (envs, twin):
        shown, _ = each.reset(seed=list(SEEDS[:3]))
    env.reset(seed=SEEDS[0])
    for t, action in enumerate(actions):
        shapes = {name: np.shape(value) for name, value in shown.items()}
        expect(shapes == expected, f"observations must be of shapes {expected}, got {shapes}")
        mask = shown["action_mask"]
        expect(
            mask.dtype == np.int8 and bool(np.isin(mask, (0, 1)).all() and mask.any(axis=1).all()),
            f"action_mask must be int8 of 0 and 1, not all 0 before the end; wrong in round {t}",
        )
        if task.observes is SLOTS:
            _check_slots(shown, t)
        what = "empty slot" if task.observes is SLOTS else "withdrawn arm"
        for arm in np.flatnonzero(mask[2] == 0)[:2]:
            bad = action.copy()
            bad[2] = arm
            expect_error(ValueError, partial(envs.step, bad), f"{what} {arm}")
            expect(arm not in env.action_space, f"{what} {arm} is of the action space")
            alone = partial(env.step, arm)
            expect_error(ValueError, alone, f"{what} {arm}, in a single environment,")
        step = returned(envs.step(action))
        same = [returned(twin.step(action))]
        expect_same([step], same, f"a refused action, {what}, changes what follows")
        env.step(action[0])
        unobserved = ~step["info"].get("observed", np.ones(3, bool))
        none = not step["reward"][unobserved].any()
        expect(none, "the reward must be 0 where it is not observed")
        shown = step["observation"]


def _check_slots(shown: dict[str, np.ndarray], t: int) -> None:
    """Expect that empty slots show nothing, and that no arm stands in two slots."""
    mask, ids = shown["action_mask"], shown["ids"]
    expect(
        np.array_equal(ids >= 0, mask == 1) and not shown["arms"][mask == 0].any(),
        f"an empty slot must have features 0 and id -1; wrong in round {t}",
    )
    for row in ids:
        there = row[row >= 0]
        expect(len(set(there)) == len(there), f"an arm stands in two slots in round {t}")
