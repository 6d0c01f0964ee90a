import copy
import itertools
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import banditgym  # noqa: F401 (registers the ids)
from banditgym.rounds.availability import Drawn, read_availability
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.vector_env import AVAILABLE

T, K = 40, 4
SCHEDULE = [[0, [0, 2]], [7, [1, 2, 3]], [30, [3]]]
DRAWN = {"kind": "drawn", "mean_life": 5.0, "at_least": 2}
EVERY = {"a schedule": SCHEDULE, "drawn": DRAWN}
FAMILIES = {
    "armed": ("ArmedBandit-v0", {}),
    "drifting armed": ("DriftingArmedBandit-v0", {"walk_std": 0.1, "changes": 3}),
    "linear": ("LinearBandit-v0", {"dim": 2}),
    "fixed": ("LinearBandit-v0", {"dim": 2, "fixed_arms": True}),
    "logistic": ("LogisticBandit-v0", {"dim": 2, "param_norm": 4.0}),
    "drifting": ("DriftingLinearBandit-v0", {"dim": 2}),
    "drifting fixed": ("DriftingLinearBandit-v0", {"dim": 2, "fixed_arms": True}),
    "kernelized": ("KernelBandit-v0", {}),
    "changing": ("KernelBandit-v0", {"function": "branin", "fixed_arms": False}),
}


def made(name, n, **settings):
    env_id, given = FAMILIES[name]
    return gymnasium.make_vec(env_id, num_envs=n, horizon=T, n_arms=K, **given, **settings)


def single(name, **settings):
    env_id, given = FAMILIES[name]
    return gymnasium.make(env_id, horizon=T, n_arms=K, **given, **settings)


def masks_of(available, seed, rounds=T, n_arms=K):
    """Which arms a replicate has in each round, as lists of 0 and 1: the laws in plain Python."""
    draws, there, masks = Stream([seed], ENVIRONMENT, AVAILABLE, 0), set(), []
    for t in range(rounds):
        if isinstance(available, list):
            there = next((set(arms) for s, arms in available if s == t), there)
        else:
            u, least = draws.uniform(t, (n_arms,))[0], available["at_least"]
            by_number = sorted(range(n_arms), key=lambda k, u=u: u[k])
            if t == 0:
                there = {k for k in range(n_arms) if u[k] < 0.5} | set(by_number[:least])
            else:
                changing = [k for k in by_number if u[k] < 1 / available["mean_life"]]
                leaving = [k for k in changing if k in there]
                there = there | set(changing)
                for k in leaving:
                    if len(there) > least:
                        there = there - {k}
        masks.append([int(k in there) for k in range(n_arms)])
    return masks


def results_of_every_arm(name, seed):
    """Rewards and regrets (T, K) of each arm, all of them available."""
    envs = made(name, K)
    envs.reset(seed=[seed] * K)
    steps = [envs.step(np.arange(K)) for _ in range(T)]
    return np.array([step[1] for step in steps]), np.array([s[4]["regret"] for s in steps])


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("available", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("name", FAMILIES)
def test_masks_regrets_and_rewards_are_those_of_a_plain_reference(name, available, n):
    masks = np.array([masks_of(available, 11 + i, T) for i in range(n)])
    every = [results_of_every_arm(name, 11 + i) for i in range(n)]
    envs, unmasked = made(name, n, available=available), made(name, n)
    observation, _ = envs.reset(seed=11)
    shown, _ = unmasked.reset(seed=11)
    assert envs.unwrapped.task.arms_vary is True
    assert unmasked.unwrapped.task.arms_vary is None
    envs.action_space.seed(5)
    for t in range(T):
        assert observation in envs.observation_space
        assert observation["action_mask"].dtype == np.int8
        assert observation["action_mask"].tolist() == masks[:, t].tolist()
        assert ("arms" in observation) == (shown.ndim == 3)
        np.testing.assert_array_equal(observation.get("arms", shown), shown)
        if t == T // 2:  # saved and loaded in the middle
            envs = pickle.loads(pickle.dumps(envs)) if n == 2 else copy.deepcopy(envs)
        for i in range(n):
            for arm in np.flatnonzero(masks[i, t] == 0):
                actions = observation["action_mask"].argmax(axis=1)
                actions[i] = arm
                with pytest.raises(ValueError, match=f"arm {arm} of replicate {i} is not avail"):
                    envs.step(actions)
        actions = envs.action_space.sample()
        observation, rewards, _, _, info = envs.step(actions)
        shown = unmasked.step(np.zeros(n, int))[0]
        for i, arm in enumerate(actions):
            assert masks[i, t, arm] == 1
            of_arms, lost = every[i][0][t], every[i][1][t]
            assert rewards[i] == of_arms[arm]
            best = lost[masks[i, t] == 1].min()
            assert 0 <= info["regret"][i] == pytest.approx(lost[arm] - best, abs=1e-12)


@pytest.mark.parametrize("name", ["armed", "fixed", "changing"])
def test_single_and_vector_environments_agree(name):
    settings = {"available": DRAWN, "delay": 3}
    native = made(name, 3, **settings)
    makers = [lambda: single(name, **settings)] * 3
    for kind in (SyncVectorEnv, AsyncVectorEnv):
        envs = kind(makers)
        ours, theirs = native.reset(seed=[3, 9, 4])[0], envs.reset(seed=[3, 9, 4])[0]
        native.action_space.seed(1)
        for t in range(2 * T):
            assert ours.keys() == theirs.keys()
            for key, rows in ours.items():
                np.testing.assert_array_equal(theirs[key], rows, strict=True)
            actions = native.action_space.sample()
            ours, reward, _, over, info = native.step(actions)
            theirs, same_reward, _, same_over, same_info = envs.step(actions)
            np.testing.assert_array_equal(reward, same_reward)
            np.testing.assert_array_equal(over, same_over)
            if t % (T + 1) != T:
                np.testing.assert_array_equal(info["regret"], same_info["regret"])
        envs.close()


def test_a_single_environment_masks_its_space_and_refuses():
    env = single("armed", available=SCHEDULE)
    env.reset(seed=0)
    env.action_space.seed(0)
    for t in range(T):
        mask = masks_of(SCHEDULE, 0)[t]
        assert env.unwrapped.action_masks().tolist() == [bool(there) for there in mask]
        assert {int(env.action_space.sample()) for _ in range(60)} == set(np.flatnonzero(mask))
        with pytest.raises(ValueError, match="is not available in this round; those that are: "):
            env.step(mask.index(0))
        *_, info = env.step(mask.index(1))
        assert isinstance(info["regret"], float)


def test_all_arms_in_all_rounds_are_the_environment_without_the_setting():
    for name in FAMILIES:
        one, two = made(name, 2), made(name, 2, available=[[0, list(range(K))]])
        one.reset(seed=1)
        two.reset(seed=1)
        one.action_space.seed(3)
        for _ in range(T):
            actions = one.action_space.sample()
            (_, *plain, info), (_, *masked, of_masked) = one.step(actions), two.step(actions)
            for a, b in zip(plain, masked, strict=True):
                np.testing.assert_array_equal(a, b)
            for key, values in info.items():
                np.testing.assert_array_equal(values, of_masked[key])


def test_lives_have_their_law():
    law, n = Drawn(mean_life=8.0), 200
    draws = Stream(range(n), ENVIRONMENT, AVAILABLE, 0)
    there, rounds = np.zeros((n, 30), bool), []
    for t in range(300):
        there = law.there(there, t, lambda t=t: draws.uniform(t, (30,)))
        rounds.append(there)
    rounds = np.array(rounds).reshape(300, -1)  # of 30 arms: never fewer than one
    # Of 6000 arms: five standard deviations of 0.5 / 77.
    assert abs(rounds[0].mean() - 0.5) < 0.033
    assert abs(rounds[-1].mean() - 0.5) < 0.033
    changes = (rounds[1:] != rounds[:-1]).mean(axis=1)
    # Each of 6000 arms changes in each of 299 rounds with probability 1/8, independently.
    assert abs(changes.mean() - 1 / 8) < 5 * np.sqrt(7 / 64 / 6000 / 299)
    for state in (False, True):
        lives = []
        for arm in range(200):
            ends = np.flatnonzero(np.diff(rounds[:, arm])) + 1
            lives += [b - a for a, b in itertools.pairwise(ends) if rounds[a, arm] == state]
        assert len(lives) > 2500
        # Their mean has a standard deviation of 7.5 / 50 = 0.15. Those that the end cuts off, one
        # of 37, are left out, and are longer.
        assert abs(np.mean(lives) - 8) < 5 * 0.15 + 0.3


def test_there_are_never_fewer_than_at_least():
    for least in (1, 3, 4):
        for seed in range(20):
            masks = np.array(masks_of({**DRAWN, "mean_life": 1.5, "at_least": least}, seed))
            assert masks.sum(axis=1).min() >= least
            if least == K:
                assert masks.all()


BAD = {
    "no round": ([], "must say which arms there are in round 0"),
    "not from 0": ([[1, [0]]], r"in round 0, got \[1\]"),
    "no arm is left": ([[0, [0]], [5, []]], "at least one arm"),
    "unordered": ([[0, [0]], [5, [1]], [3, [0]]], r"must increase, got \[0, 5, 3\]"),
    "a round twice": ([[0, [0]], [0, [1]]], "must increase"),
    "out of range": ([[0, [0, 4]]], "has arm 4 from round 0 on, not one of 4 arms"),
    "below 0": ([[0, [-1]]], "an arm of available must be an integer >= 0"),
    "an arm twice": ([[0, [1, 1]]], "each once"),
    "half a round": ([[0.5, [1]]], "a round of available must be an integer"),
    "no pair": ([[0, [1], 2]], "must have pairs"),
    "no arms": ([[0, 1]], "must have pairs"),
    "a word": ("all", "must be a schedule"),
    "an unknown kind": ({"kind": "geometric", "mean_life": 3}, "unknown available 'geometric'"),
    "no life": ({"kind": "drawn"}, "the available 'drawn' needs mean_life"),
    "a life of 0": ({"kind": "drawn", "mean_life": 0}, "mean_life must be finite and at least 1"),
    "NaN": ({"kind": "drawn", "mean_life": np.nan}, "mean_life must be finite and at least 1"),
    "for ever": ({"kind": "drawn", "mean_life": np.inf}, "mean_life must be finite"),
    "too many": ({**DRAWN, "at_least": 5}, "at_least is 5, but there are 4 arms"),
    "none": ({**DRAWN, "at_least": 0}, "at_least must be an integer >= 1"),
    "another field": ({**DRAWN, "mean_lif": 3}, "has no 'mean_lif'; did you mean mean_life"),
}


@pytest.mark.parametrize(("available", "message"), BAD.values(), ids=BAD)
def test_bad_settings_get_one_line_before_anything_is_played(available, message):
    with pytest.raises(ValueError, match=message) as told:
        made("armed", 2, available=available)
    assert "\n" not in str(told.value)


def test_points_of_a_box_do_not_come_and_go():
    with pytest.raises(ValueError, match="needs finitely many arms"):
        gymnasium.make("KernelBandit-v0", arms="box", function="branin", available=SCHEDULE)


def test_laws_are_read_from_themselves():
    law = read_availability("available", DRAWN)
    assert read_availability("available", law) is law
    assert law == Drawn(mean_life=5.0, at_least=2)
    assert read_availability("available", SCHEDULE) == read_availability("available", SCHEDULE)
