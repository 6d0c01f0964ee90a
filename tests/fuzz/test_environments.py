"""Settings of every environment: it plays three rounds, or says in a line what is wrong."""

from typing import Any

import numpy as np
import pytest
from fuzzing import examples, readable, values
from hypothesis import given
from hypothesis import strategies as st

from agents.check.small_environments import ENVIRONMENTS as SMALL
from banditgym.entry_points import make_batch
from banditgym.registration import ENVIRONMENTS
from banditgym.vector_env import load_env, settings_of

IDS = [env_id for env_id in ENVIRONMENTS if env_id != "Reuters4-v0"] + ["Reuters4-v0"]
STARTS = {env_id: [{}] for env_id in ENVIRONMENTS}
for rows in SMALL.values():
    for env_id, given_settings in rows:
        STARTS[env_id].append(given_settings)


@st.composite
def settings_for(draw: st.DrawFn, env_id: str, known: list[str]) -> dict[str, Any]:
    start = draw(st.sampled_from(STARTS[env_id]))
    changed = draw(st.dictionaries(st.sampled_from(known), values(), max_size=3))
    return start | changed


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("env_id", IDS)
def test_settings(env_id):
    known = sorted(settings_of(load_env(ENVIRONMENTS[env_id].path)))

    @examples(40)
    @given(settings_for(env_id, known), st.integers(1, 3))
    def check(settings, n):
        with readable():
            envs = make_batch(env_id, n, settings)
            observation, _ = envs.reset(seed=3)
            for _ in range(3):
                envs.action_space.seed(0)
                observation, reward, *_ = envs.step(envs.action_space.sample())
                assert np.isfinite(reward).all()
            del observation

    check()


@examples(100)
@given(values(), values())
def test_seeds_and_actions(seed, action):
    envs = make_batch("LinearBandit-v0", 2, {"n_arms": 3, "dim": 2})
    with readable():
        envs.reset(seed=seed)
        envs.step(action)
