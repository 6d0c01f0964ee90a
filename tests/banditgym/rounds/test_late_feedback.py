import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import banditgym  # noqa: F401 (registers the ids)
from agents.inputs.late_rewards import arrivals_of
from banditgym.rounds.delays import Geometric, read_law
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import Feedback
from banditgym.vector_env import DELAYS, MISSING

T = 40
FAMILIES = {
    "ArmedBandit-v0": {"n_arms": 3},
    "LinearBandit-v0": {"n_arms": 3, "dim": 2},
    "LogisticBandit-v0": {"n_arms": 3, "dim": 2},
    "DriftingLinearBandit-v0": {"n_arms": 3, "dim": 2},
    "BallBandit-v0": {"dim": 2},
    "KernelBandit-v0": {"n_arms": 3, "dim": 1},
    "SynSep-v0": {},
    "SynSep-v0 ranked": {"slots": 2},
    "OnlineRegression-v0": {"dim": 2},
    "OnlineConvex-v0": {"dim": 2},
    "NewsReplay-v0": {},
    "LoggedBandit-v0": {},
}
GEOMETRIC = {"kind": "geometric", "mean": 4}
LATE = {
    "a constant": {"delay": 3},
    "a law": {"delay": GEOMETRIC},
    "missing": {"missing": 0.3},
    "batches": {"update_every": 7},
    "all but a window": {"delay": GEOMETRIC, "missing": 0.2, "update_every": 3},
    "delivered": {"delay": 9, "update_every": 6, "at_end": "delivered"},
}
WINDOWS = {
    "a window": {"delay": GEOMETRIC, "window": 5},
    "all": {"delay": GEOMETRIC, "missing": 0.2, "window": 4, "update_every": 3},
}


def made(name, n, **settings):
    return gymnasium.make_vec(name.split()[0], num_envs=n, horizon=T, **FAMILIES[name], **settings)


def plain(infos, name):
    """A value of a round, with mappings by dotted names."""
    value = infos.get(name)
    if isinstance(value, dict):
        return {f"{name}.{key}": rows for key, rows in value.items() if key[0] != "_"}
    return {} if value is None else {name: value}


def reference(name, n, seed, *, delay=0, missing=0.0, window=None, update_every=1, at_end="lost"):
    """What arrives in each round by a list of open rewards in Python, and what is played."""
    envs = made(name, n)
    envs.reset(seed=seed)
    law = read_law(delay)
    seeds = [seed + i for i in range(n)]
    to_delay, to_miss = (Stream(seeds, ENVIRONMENT, which, 0) for which in (DELAYS, MISSING))
    open_rewards, rounds, played = [], [], []
    envs.action_space.seed(5)
    for t in range(T):
        actions = envs.action_space.sample()
        _, rewards, _, _, info = envs.step(actions)
        u, v = to_delay.uniform(t), to_miss.uniform(t)
        delays = law.draw(u, t, actions)
        for i in range(n):
            if "observed" in info and not info["observed"][i]:
                continue
            reward, due = rewards[i], t + delays[i]
            lost = v[i] < missing
            if window is not None and (lost or reward <= 0 or delays[i] > window):
                reward, due, lost = 0.0, t + window, False
                if "ranked" in name:
                    info["feedback"][i] = -1
            if lost:
                continue
            while (due + 1) % update_every:
                due += 1
            if at_end == "delivered":
                due = min(due, T - 1)
            revealed = plain(info, "feedback") | plain(info, "label")
            given = {key: np.array(rows[i]).tolist() for key, rows in revealed.items()}
            action = np.array(actions[i]).tolist()
            open_rewards.append((due, i, t, {"action": action, "reward": reward} | given))
        dues = [[x[0] for x in open_rewards if x[1] == i] for i in range(n)]
        now = sorted((x for x in open_rewards if x[0] == t), key=lambda x: x[1:3])
        open_rewards = [x for x in open_rewards if x[0] != t]
        still = [sum(due > t for due in of_one) for of_one in dues]
        rounds.append(([(i, r, given) for _, i, r, given in now], still))
        played.append((actions, rewards, info.get("regret")))
    return rounds, played


def as_list(arrivals):
    """The arrivals of a round as ``reference`` lists them: (replicate, round, the rest)."""
    flat = {}
    for name in arrivals:
        flat |= plain(arrivals, name)
    who, rounds = flat.pop("replicate").tolist(), flat.pop("round").tolist()
    each = [{key: rows[j].tolist() for key, rows in flat.items()} for j in range(len(who))]
    return list(zip(who, rounds, each, strict=True))


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("settings", LATE.values(), ids=LATE)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_list_of_open_rewards_gives_the_same_arrivals(name, settings, n):
    check_against_reference(name, settings, n)


@pytest.mark.parametrize("settings", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize(
    "name", [name for name in FAMILIES if name not in ("OnlineRegression-v0", "OnlineConvex-v0")]
)
def test_windows_close_decisions_by_a_reward_of_0(name, settings):
    check_against_reference(name, settings, 3)


def check_against_reference(name, settings, n):
    expected, played = reference(name, n, 11, **settings)
    envs = made(name, n, **settings)
    _, info = envs.reset(seed=11)
    assert as_list(info["arrivals"]) == []
    for t, (actions, paid, regret) in enumerate(played):
        if t == T // 2:  # saved and loaded in the middle
            envs = pickle.loads(pickle.dumps(envs)) if n == 2 else copy.deepcopy(envs)
        _, rewards, _, _, info = envs.step(actions)
        arrived, still = expected[t]
        assert as_list(info["arrivals"]) == arrived
        sums = np.zeros(n)
        for i, _, given in arrived:
            sums[i] += given["reward"]
        assert rewards.tolist() == sums.tolist()
        assert info["reward"].tolist() == paid.tolist()
        if regret is not None:
            assert info["regret"].tolist() == regret.tolist()
        own = [[r for j, r, _ in arrived if j == i] == [t] for i in range(n)]
        assert info["observed"].tolist() == own
        assert info["open"].tolist() == still
        assert not {"feedback", "_feedback", "_label"} & info.keys()
        assert "label" not in info


def test_open_counts_what_will_arrive():
    envs = made("ArmedBandit-v0", 2, delay=5, missing=[0.0, 1.0, 0.0])
    envs.reset(seed=0)
    arms = np.array([0, 1])
    opened = [envs.step(arms)[4]["open"].tolist() for _ in range(T)]
    assert opened == [[min(t + 1, 5), 0] for t in range(T)]
    arrival = envs.reset(seed=0)[1] and envs.step(arms)[4]["arrival"]
    assert arrival.tolist() == [5, -1]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("kind", ["single", "sync", "async"])
def test_single_and_gymnasiums_vectors_have_the_same_arrivals(name, kind):
    if kind == "async" and name not in ("ArmedBandit-v0", "OnlineConvex-v0", "SynSep-v0"):
        kind = "sync"  # each is a process
    settings = {"horizon": T, "delay": GEOMETRIC, "missing": 0.1, **FAMILIES[name]}
    n = 1 if kind == "single" else 3
    name = name.split()[0]
    ours = gymnasium.make_vec(name, num_envs=n, **settings)
    if kind == "single":
        theirs = gymnasium.make(name, **settings)
    else:
        theirs = gymnasium.make_vec(name, num_envs=n, vectorization_mode=kind, **settings)
    try:
        assert as_list(arrivals_of(theirs.reset(seed=4)[1]["arrivals"])) == []
        ours.reset(seed=4)
        ours.action_space.seed(5)
        for _ in range(T):
            actions = ours.action_space.sample()
            _, rewards, _, _, info = ours.step(actions)
            alone = actions[0] if kind == "single" else actions
            _, reward, _, _, other = theirs.step(alone)
            assert np.atleast_1d(reward).tolist() == rewards.tolist()
            assert as_list(arrivals_of(other["arrivals"])) == as_list(info["arrivals"])
            assert np.atleast_1d(other["observed"]).tolist() == info["observed"].tolist()
            if kind == "single":
                lists = [v for k, v in other["arrivals"].items()]
                assert all(type(values) is list for values in lists)
    finally:
        theirs.close()


def test_delays_are_those_of_the_seed_and_the_round():
    arrival = {}
    for name in ("ArmedBandit-v0", "LinearBandit-v0"):
        envs = made(name, 3, delay=GEOMETRIC)
        envs.reset(seed=8)
        arrival[name] = [envs.step(np.zeros(3, int))[4]["arrival"].tolist() for _ in range(T)]
    assert arrival["ArmedBandit-v0"] == arrival["LinearBandit-v0"]
    envs = made("ArmedBandit-v0", 1, delay=GEOMETRIC)
    envs.reset(seed=10)
    alone = [envs.step([1])[4]["arrival"].item() for _ in range(T)]
    assert alone == [of_round[2] for of_round in arrival["ArmedBandit-v0"]]
    envs.reset()  # the next episode has delays of its own
    assert [envs.step([1])[4]["arrival"].item() for _ in range(T)] != alone


@pytest.mark.parametrize("mode", AutoresetMode)
def test_arrivals_are_there_when_episodes_end(mode):
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=3, delay=1, autoreset_mode=mode)
    envs.reset(seed=0)
    infos = [envs.step(np.zeros(2, int))[4] for _ in range(3)]
    assert all("arrivals" in info for info in infos)
    if mode is AutoresetMode.NEXT_STEP:
        assert as_list(envs.step(np.zeros(2, int))[4]["arrivals"]) == []
    if mode is AutoresetMode.SAME_STEP:
        assert as_list(infos[-1]["arrivals"]) == []
        assert [r for _, r, _ in as_list(infos[-1]["final_info"]["arrivals"])] == [1, 1]


def test_tasks_say_what_may_be_known():
    def feedback(**settings):
        return made("ArmedBandit-v0", 1, **settings).task.feedback

    assert feedback() is None
    assert feedback(delay=GEOMETRIC) == Feedback()
    known = Feedback(window=9, update_every=2, law=Geometric(mean=4))
    assert feedback(delay=GEOMETRIC, window=9, update_every=2, law_known=True) == known


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("ArmedBandit-v0", {"missing": 1.5}, "probability"),
        ("ArmedBandit-v0", {"missing": float("nan")}, "finite|NaN|nan"),
        ("ArmedBandit-v0", {"missing": [0.5, 0.5]}, "2 arms, but there are 3"),
        ("ArmedBandit-v0", {"window": -1}, "window must be an integer >= 0"),
        ("ArmedBandit-v0", {"update_every": 0}, "update_every must be an integer >= 1"),
        ("ArmedBandit-v0", {"at_end": "lots", "delay": 1}, "did you mean lost"),
        ("ArmedBandit-v0", {"at_end": "lost"}, "at_end needs one of delay, missing"),
        ("ArmedBandit-v0", {"law_known": True}, "law_known needs one of"),
        ("ArmedBandit-v0", {"delay": {"kind": "table", "values": [1] * 9}}, "9 rounds, but .* 40"),
        ("ArmedBandit-v0", {"delay": {"kind": "table", "values": [[1] * 4] * T}}, "4 arms"),
        ("ArmedBandit-v0", {"delay": {"kind": "per_arm", "delays": [1]}}, "1 arms"),
        ("BallBandit-v0", {"delay": {"kind": "per_arm", "delays": [1]}}, "arms or labels"),
        ("BallBandit-v0", {"missing": [0.1, 0.2]}, "arms or labels"),
        ("OnlineRegression-v0", {"window": 5}, "only feedback"),
        ("OnlineConvex-v0", {"window": 5}, "only feedback"),
    ],
)
def test_bad_settings_are_refused_in_one_line(name, settings, words):
    with pytest.raises(ValueError, match=words) as error:
        made(name, 1, **settings)
    assert "\n" not in str(error.value)


def test_late_rewards_are_played_round_by_round():
    envs = made("ArmedBandit-v0", 2, delay=1)
    envs.reset(seed=0)
    assert envs.block(5) is None
    assert envs.resized(3).task == envs.task
