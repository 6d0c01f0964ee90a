"""Blocks of environments hold what steps show and pay; they change nothing until played."""

import copy
import dataclasses
import platform
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from banditgym.envs.linear import LinearBandit
from banditgym.rounds import blocks
from banditgym.rounds.blocks import (
    BLOCK_BYTES,
    ArmsBlock,
    PairsBlock,
    PlayedPoints,
    PointsBlock,
    RowsBlock,
    rounds_at_once,
    still_equivalent,
)

T = 60


def make(env_id, n=3, **settings):
    return gymnasium.make_vec(env_id, num_envs=n, **({"horizon": T} | settings))


def shown_of(block, s):
    """What round s of a block shows, as an observation does."""
    if isinstance(block, PairsBlock):
        return {"indices": block.indices[s], "values": block.values[s]}
    if isinstance(block, PointsBlock):
        return np.zeros(block.noise.shape[1], np.int64)
    features = block.features[min(s, len(block.features) - 1)].transpose(0, 2, 1)
    return features if isinstance(block, ArmsBlock) else features[:, 0]


def brings(block, s, actions):
    """What actions (n,) bring in round s of a block: (n,)."""
    if isinstance(block, PairsBlock):
        return (actions == block.labels[s]).astype(float)
    if isinstance(block, RowsBlock):
        return -((actions - block.outcomes[s]) ** 2)
    if isinstance(block, PointsBlock):  # whose basis is the identity here
        return (actions * block.means).sum(axis=1) + block.noise[s]
    means = block.means[min(s, len(block.means) - 1)]
    best = block.best[min(s, len(block.means) - 1)]
    np.testing.assert_array_equal(means.max(axis=1), best)
    return means[np.arange(len(actions)), actions] + block.noise[s]


CASES = {
    "pairs": ("SynNonSep-v0", {"label_noise": 0.5}, PairsBlock),
    "fresh": ("LinearBandit-v0", {"noise": "student_t", "dim": 4, "n_arms": 3}, ArmsBlock),
    "fixed": ("LinearBandit-v0", {"fixed_arms": True, "noise": "uniform"}, ArmsBlock),
    "rows": ("OnlineRegression-v0", {"noise_std": 0.7, "contexts": "cube"}, RowsBlock),
    "coins": ("OnlineRegression-v0", {"outcomes": "random", "outcome_bound": 0.5}, RowsBlock),
    "points": ("BallBandit-v0", {"noise": "uniform", "dim": 3}, PointsBlock),
}


@pytest.mark.parametrize("n", [1, 3, 17])
@pytest.mark.parametrize("case", CASES)
def test_a_block_has_the_observations_and_rewards_of_steps(case, n, monkeypatch):
    env_id, settings, kind = CASES[case]
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 30)
    env = make(env_id, n, **settings)
    observation, _ = env.reset(seed=8)
    for _ in range(4):  # begins in the middle of an episode
        observation, *_ = env.step(env.action_space.sample())
    before = copy.deepcopy(env)
    block = env.block(T)
    assert isinstance(block, kind)
    assert block.start == 4
    actions = []
    for s in range(T - 4):
        np.testing.assert_equal(shown_of(block, s), observation)
        actions.append(env.action_space.sample())
        observation, reward, _, truncated, _ = env.step(actions[-1])
        paid = brings(block, s, actions[-1])
        if kind is PointsBlock:  # in another order of summation
            np.testing.assert_allclose(paid, reward, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(paid, reward)
    assert truncated.all()
    following, reward, info = before.step_block(block, np.array(actions))
    np.testing.assert_equal(following, observation)
    assert reward.shape == info["regret"].shape == (T - 4, n)
    assert before.block(1) is None  # over: the next step only resets
    assert env.block(1) is None
    np.testing.assert_equal(before.step(actions[0])[0], env.step(actions[0])[0])
    assert env.block(T).start == 0


def flat(result):
    """The arrays of a step: observation, reward, and measures."""
    observation, reward, *_, info = result
    return observation, reward, {name: info[name] for name in sorted(info) if name[0] != "_"}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_a_step_follows_a_block_that_shows_nothing(case, single):
    env_id, settings, _ = CASES[case]
    if single:
        env = gymnasium.make(env_id, horizon=T, **settings).unwrapped
    else:
        env = make(env_id, 3, **settings)
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(2):  # the second time after single steps
        silent = copy.deepcopy(env)
        block = env.block(5)
        rows = [env.action_space.sample() for _ in range(5)]
        actions = np.array(rows)[:, None] if single else np.array(rows)
        shown, reward, info = env.step_block(block, actions)
        nothing, own_reward, own_info = silent.step_block(silent.block(5), actions, False)
        assert nothing is None
        np.testing.assert_equal((own_reward, own_info), (reward, info))
        assert shown is not None
        for _ in range(rng.integers(1, 4)):
            action = env.action_space.sample()
            np.testing.assert_equal(flat(silent.step(action)), flat(env.step(action)))
        np.testing.assert_equal(vars(silent.block(4)), vars(env.block(4)))


@pytest.mark.parametrize("case", CASES)
def test_a_block_whose_observation_fails_is_played_all_the_same(case):
    env_id, settings, _ = CASES[case]
    env = make(env_id, 3, **settings)
    env.reset(seed=4)
    failing = copy.deepcopy(env)
    actions = np.array([env.action_space.sample() for _ in range(5)])

    def fail():
        raise KeyboardInterrupt

    failing._observation = fail
    with pytest.raises(KeyboardInterrupt):
        failing.step_block(failing.block(5), actions)
    del failing._observation
    env.step_block(env.block(5), actions)
    np.testing.assert_equal(flat(failing.step(actions[0])), flat(env.step(actions[0])))


def test_masks_of_a_single_environment_are_those_of_the_round_after_a_block():
    env = gymnasium.make("NewsReplay-v0", horizon=60).unwrapped
    env.reset(seed=0)
    seen = []
    for shows in (True, False):
        other = copy.deepcopy(env)
        block = other.block(10)
        played = block.mask.argmax(axis=2)
        other.step_block(block, played, shows)
        seen.append(other.action_masks())
        np.testing.assert_array_equal(seen[-1], other.block(1).mask[0, 0])
    assert not seen[0].all()


def test_a_block_that_ends_an_episode_shows_the_next_one():
    env = make("LinearBandit-v0", 2, horizon=6, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=4)
    shown, *_ = env.step_block(env.block(6), np.zeros((6, 2), int), False)
    np.testing.assert_array_equal(shown, env.block(1).features[0].transpose(0, 2, 1))
    assert env.episode == 1


@pytest.mark.parametrize("case", CASES)
def test_a_block_is_bounded_and_read_only(case):
    env_id, settings, _ = CASES[case]
    env = make(env_id, 4, horizon=10**6, **settings)
    env.reset(seed=0)
    assert len(outcomes_of(env.block(7))) == 7
    block = env.block(10**6)
    arrays = [value for value in vars(block).values() if isinstance(value, np.ndarray)]
    assert all(not array.flags.writeable for array in arrays)
    owners = {
        id(own): own for own in (array if array.base is None else array.base for array in arrays)
    }
    assert 0.3 * BLOCK_BYTES < sum(own.nbytes for own in owners.values()) < 1.01 * BLOCK_BYTES
    with pytest.raises(ValueError, match="rounds"):
        env.block(0)


def outcomes_of(block):
    """The array (m, n) that every kind of block has."""
    names = {PairsBlock: "labels", ArmsBlock: "noise", RowsBlock: "outcomes", PointsBlock: "noise"}
    return next(vars(block)[name] for kind, name in names.items() if isinstance(block, kind))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="about glibc's memory")
def test_the_memory_of_a_block_is_kept_for_the_next_one():
    code = """
import resource, numpy as np, banditgym.rounds.blocks
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for block in range(20):
    if block == 3:
        before = faults()
    arrays = [np.ones(1 << 17) for _ in range(6)]  # of 1 MiB: 256 pages
    del arrays
print(faults() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    # The six arrays of one pass have 1536 pages.
    assert int(done.stdout) < 1000, done.stderr


def test_no_block_is_made_of_large_rounds():
    for n, rounds in ((5, 15), (6, 0)):  # 139 and 167 kB a round
        env = make("LinearBandit-v0", n, dim=40, n_arms=85)
        env.reset(seed=0)
        block = env.block(T)
        assert (0 if block is None else len(block.noise)) == rounds


def test_rows_of_a_file_come_across_its_chunks(tmp_path, monkeypatch):
    """Chunks end anywhere within a block; a block that is not played is read again."""
    rng = np.random.default_rng(1)
    path = tmp_path / "rows.txt"
    with path.open("w") as file:
        for t in range(T):
            pairs = " ".join(f"{j + 1}:{rng.normal():.6f}" for j in range(9) if rng.random() < 0.4)
            file.write(f"{t % 3} {pairs}\n")
    settings = {"data": str(path), "order": "chronological", "label_noise": 0.2}
    env, plain = (make("MulticlassBandit-v0", 2, **settings) for _ in range(2))
    stream = env._data._opened

    def in_small_chunks():
        for chunk in stream():
            for start in range(0, len(chunk), 7):
                yield chunk.cut(start, min(start + 7, len(chunk)))

    env._data._opened = in_small_chunks
    env.reset(seed=4)
    observation, _ = plain.reset(seed=4)
    left = T
    while left:
        block = env.block(11)
        block = env.block(11)
        rounds = len(block.labels)
        for s in range(rounds):
            np.testing.assert_equal(shown_of(block, s), observation)
            observation, _, _, _, info = plain.step(np.array([1, 2]))
            np.testing.assert_array_equal(block.labels[s], info["label"])
        following, *_ = env.step_block(block, np.tile([1, 2], (rounds, 1)))
        np.testing.assert_equal(following, observation)
        left -= rounds
    assert not observation["values"].any()  # after the last row


def test_who_offers_none():
    with pytest.raises(ResetNeeded, match="reset"):
        make("SynSep-v0").block(3)
    for env_id, settings in (
        ("SynSep-v0", {"slots": 2}),
        ("DriftingLinearBandit-v0", {"fixed_arms": True}),
        ("OnlineRegression-v0", {"outcomes": "adaptive"}),
        ("KernelBandit-v0", {"n_arms": 9}),
        ("OnlineConvex-v0", {}),
    ):
        env = make(env_id, **settings)
        env.reset(seed=0)
        assert env.block(3) is None


def test_an_environment_that_changes_a_step_offers_none():
    class Doubled(LinearBandit):
        def _reward(self, block, places, actions):
            reward, info = super()._reward(block, places, actions)
            return 2 * reward, info

    class Louder(LinearBandit):
        def step(self, actions):
            observation, reward, *rest = super().step(actions)
            return observation, 2 * reward, *rest

    for changed in (Doubled, Louder):
        env = changed(2)
        env.reset(seed=0)
        assert env.block(3) is None
        assert env.block_bytes() is None
    assert still_equivalent(LinearBandit, "_rounds", ["_reward", "step"])


def test_the_bytes_of_a_round_say_how_many_are_made_for_steps():
    sizes = (1, 2048, 4096, 1 << 18, 1 << 19, 1 << 30)
    assert [rounds_at_once(size) for size in sizes] == [256, 256, 128, 2, 1, 1]


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_played(case):
    env_id, settings, kind = CASES[case]
    env = make(env_id, **settings)
    env.reset(seed=0)
    block = env.block(5)
    number = kind in (RowsBlock, PointsBlock)
    shape = (5, 3, 3) if kind is PointsBlock else (5, 3)
    fine = np.zeros(shape, float if number else int)
    for wrong in (fine[:4], fine[:, :2], fine.ravel()):
        with pytest.raises(ValueError, match=r"shape \(5, 3"):
            env.step_block(block, wrong)
    bad = fine.copy()
    bad[3, 1] = np.nan if number else -1
    step = copy.deepcopy(env)
    with pytest.raises(ValueError) as one:  # noqa: PT011 (compared below)
        step.step(bad[3])
    with pytest.raises(ValueError, match="of replicate 1 is not") as many:
        env.step_block(block, bad)
    assert str(one.value) == str(many.value)
    env.reset(seed=0)
    env.step_block(env.block(5), fine)
    with pytest.raises(ValueError, match="begins at round 0, the environment is at 5"):
        env.step_block(block, fine)


def test_played_points_are_rows_of_the_basis_and_others():
    env = make("SphereBandit-v0", 2, dim=2, radius=3.0, theta=[0.6, -0.8], noise_std=0.0)
    env.reset(seed=0)
    others = np.array([[[-3.0, 0.0], [1.8, -2.4]], [[0.0, -3.0], [3.0, 0.0]]])
    which = np.array([[0, 1], [2, 2], [3, 0]])
    played = PlayedPoints(basis=env.task.action_set.basis, others=others, which=which)
    points = [[[3, 0], [0, 3]], [[-3, 0], [1.8, -2.4]], [[0, -3], [3, 0]]]
    np.testing.assert_array_equal(played, points)
    observation, reward, info = env.step_block(env.block(3), played)
    np.testing.assert_allclose(reward, [[1.8, -2.4], [-1.8, 3.0], [2.4, 1.8]])
    np.testing.assert_allclose(info["regret"], 3.0 - reward, atol=1e-12)
    np.testing.assert_array_equal(observation, [0, 0])
    block = env.block(3)
    for wrong, message in (
        (dataclasses.replace(played, which=which + 1), "arm 4 of replicate 0 is not in 0..3"),
        (dataclasses.replace(played, others=others + 0.1), "of replicate 0 is not on the sphere"),
        (
            dataclasses.replace(played, others=np.stack([others[0], [[0.0, -3.0], [0.0, 2.0]]])),
            "of replicate 1 is not on the sphere",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            env.step_block(block, wrong)


def test_one_column_of_played_points_serves_all_replicates():
    env = make("SphereBandit-v0", 2, dim=2, radius=3.0)
    env.reset(seed=0)
    others = np.array([[[-3.0, 0.0], [1.8, -2.4]]])
    column = PlayedPoints(
        basis=env.task.action_set.basis, others=others, which=np.array([[1], [2], [0]])
    )
    every = dataclasses.replace(column, which=np.repeat(column.which, 2, axis=1))
    np.testing.assert_array_equal(column, every)
    copied = copy.deepcopy(env)
    _, reward, info = env.step_block(env.block(3), column)
    _, expected, of_every = copied.step_block(copied.block(3), every)
    np.testing.assert_array_equal(reward, expected)
    np.testing.assert_array_equal(info["regret"], of_every["regret"])
    with pytest.raises(ValueError, match="arm 3 of replicate 0 is not in 0..2"):
        env.step_block(env.block(3), dataclasses.replace(column, which=column.which + 1))


def test_points_that_are_projected_have_no_blocks():
    env = make("BallBandit-v0", project=True)
    env.reset(seed=0)
    assert env.block(3) is None


def test_a_single_environment_ends_with_its_last_block():
    env = gymnasium.make("SynSep-v0", horizon=20).unwrapped
    assert env.block(3) is None  # no episode has begun
    env.reset(seed=3)
    observation, reward, info = env.step_block(env.block(15), np.zeros((15, 1), int))
    assert observation["values"].ndim == 1
    assert reward.shape == info["regret"].shape == (15, 1)
    assert not env.step(0)[3]
    env.step_block(env.block(9), np.zeros((4, 1), int))
    assert env.block(1) is None
    with pytest.raises(ResetNeeded):
        env.step(0)
