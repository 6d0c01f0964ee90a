import gymnasium
import pytest

import agents
import banditgym  # noqa: F401 (registers the ids)
from agents.storage.states import equal

T = 60
COME_AND_GO = {"kind": "drawn", "mean_life": 5.0, "at_least": 2}
PLAYED = [  # agents of every family, with their environments
    ("UCB1", "ArmedBandit-v0", {"n_arms": 3}),
    ("BetaThompson", "ArmedBandit-v0", {"n_arms": 3}),
    ("LinUCB", "LinearBandit-v0", {"n_arms": 4, "dim": 2}),
    ("LinTS", "LinearBandit-v0", {"n_arms": 4, "dim": 2, "fixed_arms": True}),
    ("UCB2", "ArmedBandit-v0", {"n_arms": 4, "available": COME_AND_GO}),
    ("DisjointLinUCB", "LinearBandit-v0", {"n_arms": 4, "dim": 2, "available": COME_AND_GO}),
    ("BKB", "KernelBandit-v0", {"n_arms": 5, "dim": 1, "available": COME_AND_GO}),
    ("DisjointLinUCB", "NewsReplay-v0", {}),
    ("PEGE", "BallBandit-v0", {"dim": 2}),
    ("GPUCB", "KernelBandit-v0", {"n_arms": 4, "dim": 1}),
    ("Banditron", "SynSep-v0", {}),
    ("Perceptron", "SynSep-v0", {}),
    ("OnlineRidge", "OnlineRegression-v0", {"dim": 2}),
    ("OnlineGradientDescent", "OnlineConvex-v0", {"dim": 2}),
]
LATE = {"delay": {"kind": "geometric", "mean": 3}, "missing": 0.1, "update_every": 2}


def by_hand(agent, name, seed, agent_seed, **settings):
    """One replicate, with a list of open decisions in Python; its final state and regret."""
    env = gymnasium.make(name, horizon=T, **settings)
    agent.reset(env.unwrapped.task, seed=agent_seed)
    observation, _ = env.reset(seed=seed)
    secret = "label" if agent.full_information else "feedback"
    shown, regret, reward = {}, 0.0, 0.0
    for t in range(T):
        shown[t] = observation
        observation, _, _, _, info = env.step(agent.act(observation))
        regret, reward = regret + info.get("regret", 0.0), reward + info["reward"]
        come = info["arrivals"]
        for j, r in enumerate(come["round"]):
            given = {"feedback": come[secret][j]} if secret in come else {}
            agent.observe(shown[r], come["action"][j], come["reward"][j], decision=r, **given)
    return regret, reward


@pytest.mark.parametrize("n", [None, 1, 2, 7])
@pytest.mark.parametrize(
    ("agent", "name", "settings"), PLAYED, ids=[f"{row[0]}-{row[1]}" for row in PLAYED]
)
def test_a_play_learns_what_a_loop_by_hand_learns(agent, name, settings, n):
    given = {"horizon": T, **settings, **LATE}
    env = gymnasium.make(name, **given) if n is None else gymnasium.make_vec(name, n, **given)
    playing = agents.resolve(agent)
    trace = agents.play(env, playing, seed=3, rounds=[T])
    seeds = agents.derived_seeds([3 + i for i in range(n or 1)], n or 1)
    for i, agent_seed in enumerate(seeds):
        alone = agents.resolve(agent)
        regret, reward = by_hand(alone, name, 3 + i, agent_seed, **settings, **LATE)
        assert trace.reward[i, 0] == reward
        if trace.regret is not None:
            assert trace.regret[i, 0] == regret
        if n is None:
            skipped = ("solo", "seeds")
            states = [
                {k: v for k, v in vars(a).items() if k not in skipped} for a in (playing, alone)
            ]
            assert equal(*states)


@pytest.mark.parametrize(
    ("agent", "name", "settings"), PLAYED, ids=[f"{row[0]}-{row[1]}" for row in PLAYED]
)
def test_delay_0_has_the_bits_of_no_setting(agent, name, settings):
    traces = []
    states = []
    for late in ({}, {"delay": 0}, {"update_every": 1}):
        env = gymnasium.make_vec(name, 3, horizon=T, **settings, **late)
        playing = agents.resolve(agent)
        traces.append(agents.play(env, playing, seed=3))
        states.append({k: v for k, v in vars(playing).items() if k != "task"})
    for trace, state in zip(traces[1:], states[1:], strict=True):
        assert equal(dict(trace.measures), dict(traces[0].measures))
        assert equal(trace.pulls, traces[0].pulls)
        for key, value in state.items():
            if not key.startswith("_"):
                assert equal(value, states[0][key]), key


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_gymnasiums_vectors_give_the_same_play(kind):
    given = {"horizon": T, "n_arms": 4, "dim": 2, **LATE}
    ours = gymnasium.make_vec("LinearBandit-v0", 3, **given)
    theirs = gymnasium.make_vec("LinearBandit-v0", 3, vectorization_mode=kind, **given)
    try:
        traces = [agents.play(env, agents.LinUCB(), seed=3) for env in (ours, theirs)]
    finally:
        theirs.close()
    assert equal(*(dict(trace.measures) for trace in traces))


@pytest.mark.parametrize("threads", [1, 2])
def test_tiles_give_the_same_play(threads):
    given = {"horizon": T, "n_arms": 4, "dim": 2, **LATE}
    env = gymnasium.make_vec("LinearBandit-v0", 100, **given)
    whole = agents.play(env, agents.LinUCB(), seed=3)
    tiled = agents.play(env, agents.LinUCB(), seed=3, threads=threads)
    assert equal(dict(whole.measures), dict(tiled.measures))


def test_memory_grows_with_open_rewards_alone():
    from agents.inputs.late_rewards import LateRewards

    env = gymnasium.make_vec("LinearBandit-v0", 4, horizon=400, delay=5, missing=0.5)
    agent = agents.LinUCB().reset(env.unwrapped.task, n=4)
    late = LateRewards(agent.task, 4, False, "feedback")
    observation, _ = env.reset(seed=0)
    for _ in range(400):
        actions = agent.act(observation)
        following, _, _, _, info = env.step(actions)
        late.learn(agent, observation, actions, info)
        observation = following
        assert len(late._places) == info["open"].sum() <= 20
    assert len(late._rows._rows[""]) <= 40
