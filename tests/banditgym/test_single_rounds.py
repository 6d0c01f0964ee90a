"""Rounds that a single environment looks up, compared with a batch of one, step by step."""

import copy
import pickle
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from banditgym.action_sets import FiniteArms
from banditgym.data.simulated_logs import MadeLog
from banditgym.envs.armed import ArmedBandit
from banditgym.envs.kernelized import KernelBandit
from banditgym.envs.strongly_convex import ConvexSetBandit
from banditgym.registration import ENVIRONMENTS
from banditgym.rounds.blocks import MeansBlock
from banditgym.single import SingleBandit
from banditgym.spaces import Points, Ranking

_ROWS = (np.arange(460.0).reshape(230, 2), np.arange(230) % 3)
_ANY = {"project": True}  # any finite point is an action
SETTINGS = [
    ("ArmedBandit-v0", {}),
    ("ArmedBandit-v0", {"means": [1.5, -2.0], "noise": "gaussian", "noise_std": 0.3}),
    ("DriftingArmedBandit-v0", {"changes": [3, 63, 64, 128], "walk_std": 0.1, "rotting": 0.01}),
    ("AdversarialBandit-v0", {}),
    ("AdversarialBandit-v0", {"adversary": "switching", "changes": [3, 63, 64, 128]}),
    ("AdversarialBandit-v0", {"data": np.abs(np.sin(_ROWS[0]))}),
    ("ArmedBandit-v0", {"noise": "exponential"}),
    ("ArmedBandit-v0", {"samples": _ROWS[0].T}),
    ("LinearBandit-v0", {}),
    ("LinearBandit-v0", {"fixed_arms": True, "noise": "student_t"}),
    ("LinearBandit-v0", {"arms": np.eye(3), "noise": "rademacher"}),
    ("LogisticBandit-v0", {"param_norm": 4.0}),
    ("LogisticBandit-v0", {"fixed_arms": True}),
    ("LinearBandit-v0", {"parameters": "per_arm"}),
    ("LinearBandit-v0", {"noise_std": {"kind": "feature", "index": 1}}),
    ("LinearBandit-v0", {"arms": np.eye(3), "noise_std": [0.1, 0.2, 0.3]}),
    ("LogisticBandit-v0", {"parameters": "per_arm", "available": [[0, [0, 1]]]}),
    ("DriftingLinearBandit-v0", {"changes": [3, 63, 64, 65, 128], "rate": 0.01}),
    ("DriftingLinearBandit-v0", {"changes": [64, 100], "fixed_arms": True}),
    ("SynNonSep-v0", {}),
    ("SynSep-v0", {"sparse": False}),
    ("MulticlassBandit-v0", {"data": _ROWS, "horizon": 230}),
    ("MulticlassBandit-v0", {"data": _ROWS, "horizon": 130, "label_noise": 0.2}),
    ("SphereBandit-v0", {}),
    ("SphereBandit-v0", {**_ANY, "noise": "student_t"}),
    ("BallBandit-v0", {"dim": 3, "noise": "uniform"}),
    ("BallBandit-v0", {**_ANY, "dim": 1}),
    ("EllipsoidBandit-v0", {"noise": "rademacher"}),
    ("LpBallBandit-v0", {"noise_std": 0.0}),
    ("KernelBandit-v0", {}),
    ("KernelBandit-v0", {"function": "branin", "n_arms": 5, "noise": "student_t"}),
    ("KernelBandit-v0", {"function": "rkhs", "arms": "box"}),
    ("StarvationBandit-v0", {}),
    ("OnlineConvex-v0", {}),
    ("OnlineConvex-v0", {"losses": "alternating", "dim": 1}),
    ("OnlineConvex-v0", {"losses": "sign", **_ANY}),
    ("OnlineConvex-v0", {"losses": "random"}),
    ("OnlineConvex-v0", {"losses": "switch", "curved_rounds": 70}),
    ("OnlineConvex-v0", {"losses": "decaying"}),
    ("OnlineRegression-v0", {}),
    ("OnlineRegression-v0", {"outcomes": "random", "bound": 2.0, "dim": 1}),
    ("OnlineRegression-v0", {"outcomes": "adaptive", "contexts": "gaussian"}),
    ("NewsReplay-v0", {"horizon": 270}),  # a simulated log has chunks of 256 events
    ("NewsReplay-v0", {"features": "article", "keep": 1.0}),
    ("KernelBandit-v0", {"fixed_arms": False, "function": "branin"}),
    ("SynSep-v0", {"slots": 2}),
    ("NewsReplay-v0", {"data": "R6B"}),
]


def _both(env_id, settings):
    given = {"horizon": 200, **settings}
    single = gymnasium.make(env_id, **given).unwrapped
    return single, gymnasium.make_vec(env_id, num_envs=1, **given)


def _action(single, rng):
    """A legal action, as a batch takes it."""
    space, task = single.action_space, single.task
    if isinstance(space, Points | Ranking):
        return space.action_set.sample(rng, 1)[0]
    if isinstance(space, gymnasium.spaces.Discrete):
        return rng.choice(np.flatnonzero(single.action_masks()))
    if space.shape == ():
        return np.float64(rng.uniform(-1.0, 1.0))
    reach = 1.0 if task.family == "kernelized" else 3.0  # beyond the set, if it is projected to it
    return reach * rng.random(space.shape)


def _illegal(single):
    """Actions that are refused, of which a batch of one says the same."""
    space = single.action_space
    common = [None, "a", {}, [0, [1]], np.nan, 1j, True]
    if isinstance(space, gymnasium.spaces.Discrete):
        n = int(space.n)
        empty = np.flatnonzero(~single.action_masks())[:1]
        return [*common, 1.0, [1], np.array([1]), n, -1, np.int64(n), np.int64(-1), *empty]
    if space.shape == ():
        past = [] if single.task.bound is None else [-2.1, np.float64(2.1), 3]
        return [*common, np.inf, -np.inf, np.float64("nan"), [0.1, 0.1], [[0.1]], *past]
    dim = space.shape[0]
    infinite, off = np.full(dim, np.inf), np.full(dim, 7.0)
    common += [0.5, np.zeros(dim + 1), np.zeros((1, dim)), infinite, list(infinite)]
    projected = isinstance(space, gymnasium.spaces.Box) and single.task.family != "kernelized"
    return common if projected else [*common, off, off.tolist(), off.astype(np.float32)]


def _same(single, of_batch):
    """Whether a value is row 0 of a batch's, or a mapping of such."""
    if isinstance(of_batch, dict):
        assert list(single) == [key for key in of_batch if not key.startswith("_")]
        for key in single:
            _same(single[key], of_batch[key])
    else:
        np.testing.assert_array_equal(single, of_batch[0], strict=np.ndim(single) > 0)
        if np.ndim(single):
            assert single.flags.writeable
        else:
            assert type(single) is type(of_batch[0].item())


def _steps(single, batch, rng, rounds):
    """Play both, and compare all that they return; the observations and infos."""
    shown = []
    for _ in range(rounds):
        action = _action(single, rng)
        plain = action.tolist() if rng.integers(2) else action
        found = single.step(plain)
        observation, reward, _, truncated, info = batch.step([action])
        _same(found[0], observation)
        _same(found[4], info)
        assert found[1:4] == (reward[0], False, truncated[0])
        assert (type(found[1]), type(found[3])) == (float, bool)
        if isinstance(found[0], dict) and "action_mask" in found[0]:
            np.testing.assert_array_equal(single.action_space.mask, found[0]["action_mask"])
        shown.append((found[0], found[4]))
    return shown


def _arrays(value):
    """The arrays in an observation and an info."""
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [array for part in parts for array in _arrays(part)] if np.iterable(parts) else []


def test_every_environment_is_compared():
    # Reuters4-v0 is MulticlassBandit-v0 with files of its own, which are streams.
    assert {env_id for env_id, _ in SETTINGS} == set(ENVIRONMENTS) - {"Reuters4-v0"}


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_rounds_are_those_of_a_batch_of_one(env_id, settings):
    single, batch = _both(env_id, settings)
    rng = np.random.default_rng(0)
    _same(single.reset(seed=5)[0], batch.reset(seed=5)[0])
    _steps(single, batch, rng, single.task.horizon)
    with pytest.raises(ResetNeeded):
        single.step(_action(single, rng))
    for rounds in (0, 1, 64, 70, 3):  # the next episodes, left unfinished
        _same(single.reset()[0], batch.reset()[0])
        _steps(single, batch, rng, rounds)
    _same(single.reset(seed=2**70)[0], batch.reset(seed=2**70)[0])
    _steps(single, batch, rng, 3)


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_arrays_share_no_memory_and_stay(env_id, settings):
    single, batch = _both(env_id, settings)
    single.reset(seed=1)
    batch.reset(seed=1)
    rng = np.random.default_rng(1)
    arrays = _arrays(_steps(single, batch, rng, 70))
    kept = [array.copy() for array in arrays]
    single.reset()
    single.step(_action(single, rng))
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(array, kept[i])
        assert not any(np.shares_memory(array, other) for other in arrays[i + 1 : i + 4])


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_the_batched_environment_is_in_the_state_of_the_coming_round(env_id, settings):
    single, batch = _both(env_id, settings)
    rng = np.random.default_rng(2)
    single.reset(seed=2)
    batch.reset(seed=2)
    for rounds in (1, 65, 5):
        _steps(single, batch, rng, rounds)
        action = [_action(single, rng)]
        _equal(single.batched.step(action), batch.step(action))
    _steps(single, batch, rng, 3)


def _equal(found, expected):
    """Whether what two batches return is equal."""
    if isinstance(expected, dict | tuple):
        assert len(found) == len(expected)
        for key in expected if isinstance(expected, dict) else range(len(expected)):
            _equal(found[key], expected[key])
    else:
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(
    "env_id",
    ["LinearBandit-v0", "SphereBandit-v0", "OnlineRegression-v0", "NewsReplay-v0", "SynSep-v0"],
)
def test_blocks_and_steps_take_turns(env_id):
    single, batch = _both(env_id, {})
    rng = np.random.default_rng(3)
    single.reset(seed=3)
    batch.reset(seed=3)
    for _ in range(3):
        _steps(single, batch, rng, 20)
        block = single.block(30)
        assert block.start == single.batched._t
        actions = [_action(single, rng) for _ in range(len(block))]
        if env_id == "NewsReplay-v0":
            actions = [rng.choice(np.flatnonzero(mask)) for mask in block.mask[:, 0]]
        _, reward, info = single.step_block(block, np.array(actions)[:, None])
        for s, action in enumerate(actions):
            _, of_round, _, _, told = batch.step([action])
            assert reward[s] == of_round
            assert all(info[name][s] == told[name] for name in info)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_a_copy_goes_on_where_its_original_is(env_id, settings, copied):
    single, batch = _both(env_id, settings)
    rng = np.random.default_rng(4)
    single.reset(seed=4)
    batch.reset(seed=4)
    _steps(single, batch, rng, 66)
    other = copied(single)
    twin = copy.deepcopy(batch)
    _steps(other, twin, rng, 5)
    _steps(single, batch, rng, 60)


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_an_illegal_action_changes_nothing(env_id, settings):
    single, batch = _both(env_id, settings)
    single.reset(seed=5)
    batch.reset(seed=5)
    rng = np.random.default_rng(5)
    for k in range(len(_illegal(single))):
        action = _illegal(single)[k : k + 1]
        if not action:  # fewer slots are empty than before
            continue
        with pytest.raises(ValueError, match=".") as found:
            single.step(action[0])
        with pytest.raises(ValueError, match=".") as expected:
            batch.step(action)
        assert (type(found.value), str(found.value)) == (type(expected.value), str(expected.value))
        _steps(single, batch, rng, 1 + 10 * (k % 2))


def test_a_reset_that_fails_leaves_no_rounds_behind():
    single, batch = _both("KernelBandit-v0", {"arms": "box"})
    rng = np.random.default_rng(9)
    for env in (single, batch):
        env.reset(seed=9)
    _steps(single, batch, rng, 3)
    with pytest.raises(ValueError, match="reset options"):
        single.reset(options={"mask": 1})
    _steps(single, batch, rng, 3)
    for env in (single, batch):
        function = env.unwrapped._batched._function if env is single else env.unwrapped._function
        function.draw = lambda hidden: {}["too quick"]
        with pytest.raises(KeyError):
            env.reset()
    _steps(single, batch, rng, 3)


def test_numbers_of_any_kind_are_legal():
    for env_id, actions in [
        ("ArmedBandit-v0", (np.uint8(3), np.array(3), np.int64(3), 3)),
        ("OnlineRegression-v0", (0.5, np.float32(0.5), np.array(0.5), 1, np.int8(1), 1e300,
                                 np.array([0.5]), [0.5], np.float32([0.5]))),
        ("BallBandit-v0", ([0.4] * 5, (0, 1, 0, 0, 0), np.eye(5)[0], np.eye(10)[0, ::2],
                           np.eye(5, dtype=np.float32)[2], np.array([1 + 9e-10, 0, 0, 0, 0]))),
    ]:  # fmt: skip
        single, batch = _both(env_id, {})
        single.reset(seed=6)
        batch.reset(seed=6)
        for action in actions:
            assert single.step(action)[1] == batch.step([action])[1][0]


def test_a_log_that_ends_shows_no_article(tmp_path):
    file = tmp_path / "ydata-made"
    MadeLog().write(file, 30)
    for horizon in (None, 20):
        single, batch = _both("NewsReplay-v0", {"data": file, "horizon": horizon, "keep": 1.0})
        for _ in range(2):
            _same(single.reset(seed=7)[0], batch.reset(seed=7)[0])
            shown = _steps(single, batch, np.random.default_rng(7), horizon or 30)
            assert shown[-1][0]["action_mask"].any() == (horizon is not None)


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_masks_are_not_the_callers_to_write_to(rounds):
    single, batch = _both("NewsReplay-v0", {"n_arms": 25})
    for env in (single, batch):
        observation, _ = env.reset(seed=8)
        for _ in range(rounds):
            action = int(np.argmax(observation["action_mask"].ravel()))
            observation, *_ = env.step(action if env is single else [action])
        kept = observation["action_mask"].copy()
        observation["action_mask"][:] = 1
        masks = env.unwrapped.action_space.mask
        if env is single:
            np.testing.assert_array_equal(env.action_masks(), kept.astype(bool))
        np.testing.assert_array_equal(masks, kept)
        empty = np.flatnonzero(kept.ravel() == 0)[0]
        with pytest.raises(ValueError, match="has no article"):
            env.step(empty if env is single else [empty])


def test_a_log_that_can_no_longer_be_read_says_so_again(tmp_path):
    file = tmp_path / "ydata-made"
    MadeLog().write(file, 1200)
    single = gymnasium.make("NewsReplay-v0", data=file).unwrapped
    single.reset(seed=8)
    slot = int(np.argmax(single.action_masks()))
    single.step(slot)
    single._batched._chunks.at = lambda row: {}["gone"]
    for _ in range(single._rounds.last - 1):
        single.step(slot)
    for _ in range(2):
        with pytest.raises(KeyError):
            single.step(slot)


class _Doubled(ArmedBandit):
    """A third-party environment that changes rewards."""

    def _reward(self, block, places, actions):
        assert len(places) == 1
        reward, info = super()._reward(block, places, actions)
        return 2.0 * reward, info


class _DoubledPoints(ConvexSetBandit):
    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return 2.0 * reward, info


def test_a_subclass_that_changes_rewards_gives_them():
    env = SingleBandit(_Doubled, means=[1.0, 1.0])
    env.reset(seed=0)
    assert [env.step(1)[1] for _ in range(3)] == [2.0] * 3
    env = SingleBandit(_DoubledPoints, action_set="ball", theta=[1.0, 0.0], noise_std=0.0)
    env.reset(seed=0)
    assert env.step(np.array([1.0, 0.0]))[1] == 2.0


def test_a_subclass_that_changes_a_step_is_asked_for_each():
    class Louder(ArmedBandit):
        def step(self, actions):
            observation, reward, *rest = super().step(actions)
            return observation, 3.0 * reward, *rest

    env = SingleBandit(Louder, means=[1.0, 1.0])
    env.reset(seed=0)
    assert [env.step(1)[1] for _ in range(3)] == [3.0] * 3


@pytest.mark.parametrize(
    ("env_id", "settings", "tabled"),
    [
        ("ArmedBandit-v0", {"n_arms": 512}, True),
        ("ArmedBandit-v0", {"n_arms": 513}, False),
        ("LinearBandit-v0", {}, True),
        ("DriftingLinearBandit-v0", {"fixed_arms": True}, True),
        ("SynSep-v0", {}, True),
        ("SynSep-v0", {"slots": 2}, False),
    ],
)
def test_the_rewards_of_every_arm_are_computed_at_once(env_id, settings, tabled):
    env = gymnasium.make(env_id, **settings).unwrapped
    env.reset(seed=0)
    own, counts = env.batched._reward, []
    env.batched._reward = lambda block, places, actions: (
        counts.append(len(places)) or own(block, places, actions)
    )
    for _ in range(5):
        env.step(env.action_space.sample())
    assert len(counts) == (1 if tabled else 5)
    assert all(count > 5 if tabled else count == 1 for count in counts)


class _Early(ArmedBandit):
    """Ends every episode after 5 rounds."""

    @property
    def _over(self):
        return self._t == 5


class _Nested(ArmedBandit):
    """Defines both methods of a round, as the next ones do."""

    def _rounds(self, t, rounds):
        return super()._rounds(t, rounds)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, {**info, "feedback": {"arm": actions.copy(), "deep": {"less": reward - 1}}}


class _Wide(ArmedBandit):
    def _rounds(self, t, rounds):
        return super()._rounds(t, rounds)

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return reward, {"wide": np.stack([reward, actions + 1.0], axis=-1), **info}


class _Sleeping(ArmedBandit):
    """Refuses an arm."""

    def _rounds(self, t, rounds):
        return super()._rounds(t, rounds)

    def _reward(self, block, places, actions):
        if (actions == 1).any():
            raise ValueError("arm 1 sleeps")
        return super()._reward(block, places, actions)


class _Shown(ArmedBandit):
    """Shows what a test gives it."""

    shown = staticmethod(lambda rounds: None)

    def _rounds(self, t, rounds):
        block = _ShownBlock(**vars(super()._rounds(t, rounds)))
        object.__setattr__(block, "given", self.shown(len(block)))
        return block


class _ShownBlock(MeansBlock):
    @property
    def shown(self):
        return self.given


class _Growing(KernelBandit):
    """Changes rounds alone: the means are another's in each."""

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        means = block.means * np.arange(t + 1, t + len(block) + 1)[:, None, None]
        return MeansBlock(start=t, means=means, best=means.max(axis=2), noise=block.noise)


@pytest.mark.parametrize("cls", [_Early, _Nested, _Wide, _Sleeping, _Growing])
def test_a_third_party_environment_is_that_of_a_batch_of_one(cls):
    single, batch = SingleBandit(cls, n_arms=3, horizon=9), cls(1, n_arms=3, horizon=9)
    rng = np.random.default_rng(0)
    rounds = 5 if cls is _Early else 9
    for seed in (3, None):
        _same(single.reset(seed=seed)[0], batch.reset(seed=seed)[0])
        for t in range(rounds):
            action = 2 * int(rng.integers(2)) if cls is _Sleeping else int(rng.integers(3))
            observation, reward, _, truncated, info = batch.step([action])
            found = single.step(action)
            _same(found[0], observation)
            _same(found[4], info)
            assert found[1:4] == (reward[0], False, truncated[0])
            assert truncated[0] == (t == rounds - 1)
        with pytest.raises(ResetNeeded):
            single.step(0)


def test_arms_are_read_by_the_given_action_set():
    class FromOne:
        @staticmethod
        def read(actions, n):
            return FiniteArms(3).read(np.asarray(actions) - 1, n)

    class Counted(ArmedBandit):
        def _begin(self):
            super()._begin()
            self._set = FromOne

    single, batch = (
        make(means=[0.0, 0.0, 1.0]) for make in (partial(SingleBandit, Counted), Counted)
    )
    single.reset(seed=0)
    batch.reset(seed=0)
    for action in (3, 1, 2):
        assert single.step(action)[1] == batch.step([action])[1][0] == (action == 3)
    with pytest.raises(ValueError, match=r"not in 0\.\.2"):
        single.step(0)


def test_an_arm_that_may_not_be_played_is_refused():
    single = SingleBandit(_Sleeping, n_arms=3)
    single.reset(seed=0)
    with pytest.raises(ValueError, match="arm 1 sleeps"):
        single.step(1)


def _read_only(array):
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    "shown",
    [
        lambda rounds: np.arange(rounds)[:, None],
        lambda rounds: _read_only(np.arange(rounds)[:, None]),
        lambda rounds: _read_only(np.array([[7]])),
        lambda rounds: _read_only(np.ones((1, 1, 2))),
        lambda rounds: {"fixed": _read_only(np.ones((1, 1, 2)))},
        lambda rounds: {"fixed": _read_only(np.ones((1, 1, 2))), "t": np.arange(rounds)[:, None]},
        lambda rounds: {"every": _read_only(np.ones((rounds, 1, 2)))},
        lambda rounds: {"action_mask": _read_only(np.ones((1, 1, 3), np.int8))},
    ],
)
def test_what_is_shown_is_that_of_a_batch_of_one(shown):
    class Shown(_Shown):
        pass

    Shown.shown = staticmethod(shown)
    single, batch = SingleBandit(Shown, n_arms=3, horizon=9), Shown(1, n_arms=3, horizon=9)
    _same(single.reset(seed=0)[0], batch.reset(seed=0)[0])
    for _ in range(9):
        (found, *_), (expected, *_) = single.step(0), batch.step([0])
        _same(found, expected)
        for array in _arrays(found):
            array[:] = 5  # the caller's own
