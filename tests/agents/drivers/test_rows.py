"""A block of rows gives the predictions and the state of its rounds, played one by one."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
from agents.storage.states import equal


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize(
    "name", ["OnlineRidge", "Forward", "GradientDescentRegression", "SAGRegression"]
)
def test_blocks_in_a_row_are_their_rounds(name, bounded):
    """Agents that keep samples have room for 64 at first, and must make more in the third block."""
    settings: dict[str, Any] = {"dim": 3, "horizon": 130} | ({"bound": 0.2} if bounded else {})
    env, plain = (
        gymnasium.make_vec("OnlineRegression-v0", num_envs=2, **settings) for _ in range(2)
    )
    shown = plain.reset(seed=4)[0]
    env.reset(seed=4)
    ours, theirs = (getattr(agents, name)() for _ in range(2))
    for player in (ours, theirs):
        player.reset(env.unwrapped.task, n=2, seed=1)
    for rounds in (50, 14, 66):
        block = env.unwrapped.block(rounds)
        predictions = ours.play_block(block)
        assert len(predictions) == rounds
        env.unwrapped.step_block(block, predictions)
        for own in predictions:
            expected = theirs.act(shown)
            np.testing.assert_array_equal(own, expected)
            following, reward, *_, info = plain.step(expected)
            theirs.observe(shown, expected, reward, feedback=info["feedback"])
            shown = following
        assert equal(vars(ours), vars(theirs))
