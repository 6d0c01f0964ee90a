"""Where the set of arms changes, empty slots show nothing and are refused."""

from functools import partial

import numpy as np

from banditgym.check.expectations import expect, expect_error
from banditgym.check.runs import SEEDS, comes_and_goes, expect_same, legal_actions, returned


def check_masks(make: partial, single: partial, horizon: int) -> None:
    """Expect masks that say which slots have an arm, and that no other slot can be played."""
    envs, env = make(num_envs=3), single().unwrapped
    task = envs.unwrapped.task
    if not comes_and_goes(task):
        return
    n_arms, dim = task.n_arms, task.dim
    twin = make(num_envs=3)
    actions = legal_actions(envs, horizon)
    for each in (envs, twin):
        shown, _ = each.reset(seed=list(SEEDS[:3]))
    env.reset(seed=SEEDS[0])
    for t, action in enumerate(actions):
        shapes = {name: np.shape(value) for name, value in shown.items()}
        expected = {
            "arms": (3, n_arms, dim),
            "action_mask": (3, n_arms),
            "ids": (3, n_arms),
        }
        expect(shapes == expected, f"observations must be of shapes {expected}, got {shapes}")
        mask, ids = shown["action_mask"], shown["ids"]
        expect(
            mask.dtype == np.int8 and bool(np.isin(mask, (0, 1)).all() and mask.any(axis=1).all()),
            f"action_mask must be int8 of 0 and 1, not all 0 before the end; wrong in round {t}",
        )
        expect(
            np.array_equal(ids >= 0, mask == 1) and not shown["arms"][mask == 0].any(),
            f"an empty slot must have features 0 and id -1; wrong in round {t}",
        )
        for row in ids:
            there = row[row >= 0]
            expect(len(set(there)) == len(there), f"an arm stands in two slots in round {t}")
        for slot in np.flatnonzero(mask[2] == 0)[:2]:
            bad = action.copy()
            bad[2] = slot
            expect_error(ValueError, partial(envs.step, bad), f"empty slot {slot}")
            expect(slot not in env.action_space, f"empty slot {slot} is of the action space")
            alone = partial(env.step, slot)
            expect_error(ValueError, alone, f"empty slot {slot}, in a single environment,")
        step = returned(envs.step(action))
        expect_same([step], [returned(twin.step(action))], "an empty slot changes what follows")
        env.step(action[0])
        unobserved = ~step["info"].get("observed", np.ones(3, bool))
        none = not step["reward"][unobserved].any()
        expect(none, "the reward must be 0 where it is not observed")
        shown = step["observation"]
