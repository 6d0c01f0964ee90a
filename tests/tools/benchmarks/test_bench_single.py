"""Single environments of every family get legal actions, in each way."""

import gymnasium
import pytest

from banditgym.registration import ENVIRONMENTS
from tools.benchmarks import bench_single
from tools.benchmarks.bench_single import BARE, CASES, LOOP, WAYS, agents, bench_episode


def test_every_family_is_measured():
    families = {ENVIRONMENTS[env].family for _, env in CASES.values()}
    assert families == {entry.family for entry in ENVIRONMENTS.values()}


@pytest.mark.parametrize("case", CASES)
def test_the_actions_are_legal_and_each_way_plays_them(once, case, monkeypatch):
    monkeypatch.setattr(bench_single, "ROUNDS", 30)
    env = gymnasium.make(CASES[case][1], horizon=30)
    played, wrapped, playing = [], [], []
    of_env, of_wrapper = type(env.unwrapped).step, type(env).step
    resolve, actions_of = agents.resolve, bench_single.actions_of

    def step(self, action):
        played.append(action)
        return of_env(self, action)

    def wrapped_step(self, action):
        wrapped.append(action)
        return of_wrapper(self, action)

    monkeypatch.setattr(type(env.unwrapped), "step", step)
    monkeypatch.setattr(type(env), "step", wrapped_step)
    monkeypatch.setattr(
        agents, "resolve", lambda name: playing.append(resolve(name)) or playing[-1]
    )
    given = []
    monkeypatch.setattr(
        bench_single, "actions_of", lambda env: given.append(actions_of(env)) or given[-1]
    )
    for way in WAYS:
        played.clear(), wrapped.clear()
        bench_episode(once, case, way)
        assert len(played) == 30
        assert len(wrapped) == (0 if way == BARE else 30)
        if way == LOOP:
            assert playing[-1].decisions.tolist() == [30]
        else:
            assert all(mine is theirs for mine, theirs in zip(played, given[-1], strict=True))
