"""Every way is played: in one batch, and in tiles on one thread and on two."""

import agents
from tools.benchmarks.bench_tiles import WAYS, Case, bench_play


def test_every_way_is_played(once, monkeypatch):
    played, own = [], agents.play

    def play(env, agent, **given):
        played.append((env.num_envs, env.task.horizon, given["threads"], given.get("horizon")))
        return own(env, agent, **given)

    monkeypatch.setattr(agents, "play", play)
    case = Case("arms", "Greedy", "LinearBandit-v0", {"dim": 4, "n_arms": 3}, 120, 10)
    for n, horizon in ((3, 40), (40, 10)):
        played.clear()
        for way in WAYS:
            bench_play(once, case, n, way)
        # Each way is warmed up by two rounds.
        assert played == [(n, horizon, t, rounds) for t in (None, 1, 2) for rounds in (2, None)]
