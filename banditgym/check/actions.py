"""Illegal actions are refused and change nothing; samples of the action space are legal."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike

from banditgym.action_sets import Sphere
from banditgym.check.expectations import expect, expect_error
from banditgym.check.runs import SEEDS, expect_same, legal_actions, returned, simulate
from banditgym.spaces import Points, Ranking


def check_illegal(make: partial, single: partial, horizon: int) -> None:
    """Expect a ValueError for each illegal action, and that it changes nothing."""
    envs = make(num_envs=3)
    actions = legal_actions(envs, 2 * horizon + 3)
    undisturbed = simulate(envs, SEEDS[:3], actions)
    projects = make.keywords.get("project", False)
    illegal = dict(_illegal(envs.single_action_space, actions[0], projects))
    for what, bad in illegal.items():
        disturbed = [returned(envs.reset(seed=list(SEEDS[:3])))]
        for t, action in enumerate(actions):
            if t % (horizon + 1) == horizon:  # this step only resets
                disturbed.append(returned(envs.step(bad)))
                continue
            expect_error(ValueError, partial(envs.step, bad), what)
            disturbed.append(returned(envs.step(action)))
        expect_same(undisturbed, disturbed, f"{what} changes what follows")
        env = single().unwrapped
        env.reset(seed=0)
        if len(bad) == 3:
            expect_error(ValueError, partial(env.step, bad[2]), f"{what}, in a single environment,")


def _illegal(
    space: gymnasium.Space, legal: np.ndarray, projects: bool
) -> Iterator[tuple[str, Any]]:
    """Illegal batches of actions; the last replicate's action is illegal."""

    def last(value: ArrayLike) -> np.ndarray:
        bad = legal.copy()
        bad[-1] = value
        return bad

    if isinstance(space, gymnasium.spaces.Discrete):
        for value in (space.start - 1, space.start + space.n):
            yield f"arm {value}", last(value)
        yield "an arm that is not an integer", legal + 0.5
        yield "an arm that is a truth value", np.ones(legal.shape, bool)
    if isinstance(space, Points):
        boundary = space.action_set.argmax(legal)[-1]  # type: ignore[attr-defined]
        factors = (1 + 1e-7, 1e200)
        if isinstance(space.action_set, Sphere):
            factors = (*factors, 1 - 1e-7, 0.0)
        for factor in factors:
            yield f"a point {factor} times as far as the boundary", last(boundary * factor)
    if isinstance(space, Ranking):
        for value in (-1, space.n_labels):
            yield f"label {value}", last([*legal[-1, :-1], value])
        if space.slots > 1:
            yield "a label twice", last(legal[-1, [0, *range(space.slots - 1)]])
        yield "labels that are not integers", legal + 0.5
    if isinstance(space, gymnasium.spaces.Box) and not projects:
        for bound, outwards in ((space.low, -1.0), (space.high, 1.0)):
            if np.isfinite(bound).all():
                beyond = bound + outwards * 1e-6 * (1.0 + np.abs(bound))
                yield f"an action of {beyond}, beyond the bound {bound}", last(beyond)
    if legal.ndim > 1:
        if legal.dtype.kind == "f":
            yield "a coordinate that is NaN", last([np.nan] + [0.0] * (legal.shape[1] - 1))
        yield "a coordinate too few", legal[:, :-1]
        yield "a coordinate too many", np.concatenate([legal, legal[:, :1]], axis=1)
        yield "coordinates that are truth values", np.ones(legal.shape, bool)
    if not isinstance(space, gymnasium.spaces.Discrete):
        yield "a complex action", legal + 0j
    yield "an action that is NaN", np.full(legal.shape, np.nan)
    yield "an infinite action", np.full(legal.shape, np.inf)
    yield "a word for an action", np.full(legal.shape, "best")
    yield "None for an action", [None] * len(legal)
    scalar = space.shape == () and isinstance(space, gymnasium.spaces.Box)  # also of shape (1,)
    yield "an action with an axis too many", legal[..., None, None] if scalar else legal[..., None]
    yield "one action too few", legal[:-1]
    yield "one action too many", np.concatenate([legal, legal[:1]])


def check_samples(make: partial, single: partial, horizon: int) -> None:
    """Expect samples of the action space to be in it, and to be accepted."""
    envs, env = make(num_envs=4), single().unwrapped
    for each in (envs, env):
        each.reset(seed=0)
        each.action_space.seed(0)
        for t in range(horizon - 1):
            action = each.action_space.sample()
            expect(action in each.action_space, f"a sampled action is not of its space: {action}")
            try:
                each.step(action)
            except ValueError as error:
                raise AssertionError(
                    f"a sampled action is refused in round {t}: {error}"
                ) from error
