"""What the tests of agents share: an agent is followed round by round beside its formula."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from banditgym.vector_env import BanditVectorEnv


class Past:
    """All that one replicate has observed, kept plainly."""

    def __init__(self):
        self.features: list[np.ndarray] = []
        self.arms: list[int] = []
        self.rewards: list[float] = []
        self.decisions = 0  # observed or not
        self._solved: dict[tuple[int, float], tuple[np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self.arms)

    def regression(self, ridge: float, dim: int) -> tuple[np.ndarray, np.ndarray]:
        """The ridge estimate and the Gram matrix, solved afresh from all features and rewards."""
        key = (len(self), ridge)
        if key not in self._solved:
            x = np.array(self.features).reshape(-1, dim)
            gram = ridge * np.eye(dim) + x.T @ x
            self._solved = {key: (np.linalg.solve(gram, x.T @ np.array(self.rewards)), gram)}
        return self._solved[key]

    def of_arm(self, arm: int) -> "Past":
        """The part in which one arm was played."""
        part = Past()
        for x, a, reward in zip(self.features, self.arms, self.rewards, strict=True):
            if a == arm:
                part.add(x, a, reward)
        return part

    def add(self, x: Any, arm: int, reward: float) -> None:
        self.features.append(x)
        self.arms.append(int(arm))
        self.rewards.append(float(reward))


def _follow(
    agent: Any,
    env: Any,
    *,
    values: Callable[[Past, Any, int], np.ndarray],
    compare: Callable[[Past, Any, int], None],
    seed: int = 11,
    rounds: int = 150,
    tie: float = 1e-9,
) -> None:
    """Play an episode; every round check the state and the decision of every replicate.

    ``values(past, x, i)`` are the (K,) numbers whose largest replicate i must play on features x.
    The reference and the agent round differently, so numbers within ``tie`` of the best count as
    best; equal inputs give equal bits, so of values that are equal to the last bit the lowest index
    must be played. At least nine decisions in ten must be determined by this, else nothing is
    tested. Each reward is hidden with probability 0.2, and then it is NaN.
    """
    n, n_arms = env.num_envs, env.unwrapped.task.n_arms
    agent.reset(env.unwrapped.task, n=n, seed=seed)
    observation, _ = env.reset(seed=seed)
    hiding = np.random.default_rng(seed)
    pasts = [Past() for _ in range(n)]
    determined = 0
    for t in range(rounds):
        arms = agent.act(observation)
        assert arms.shape == (n,)
        assert arms.dtype == np.int64
        shown = [x.copy() if x.ndim else None for x in observation]
        for i, (past, x, arm) in enumerate(zip(pasts, shown, arms, strict=True)):
            compare(past, x, i)
            numbers = values(past, x, i)
            assert numbers.shape == (n_arms,)
            best = np.flatnonzero(numbers >= numbers.max() - tie)
            assert arm in best, f"round {t}, replicate {i}: played {arm} with values {numbers}"
            equal = np.flatnonzero(numbers == numbers[arm])
            assert arm == equal[0], f"round {t}, replicate {i}: played {arm} of equals {equal}"
            determined += best.size == equal.size
            past.decisions += 1
        following, reward, *_ = env.step(arms)
        observed = hiding.random(n) < 0.8
        agent.observe(observation, arms, np.where(observed, reward, np.nan), observed=observed)
        for past, x, arm, paid, seen in zip(pasts, shown, arms, reward, observed, strict=True):
            if seen:
                past.add(None if x is None else x[arm], arm, paid)
        observation = following
    assert determined >= 0.9 * rounds * n


# Odd and even numbers of features and of arms, blocks of four and eight with and without a rest,
# fixed arms in both forms (K <= d and K > d).
_FRESH = [(1, 3), (2, 5), (5, 4), (7, 9), (24, 3), (26, 6)]
_FIXED = [(1, 1), (5, 3), (7, 7), (26, 6), (2, 5), (7, 10), (26, 31)]


@pytest.fixture(
    params=[(*shape, fixed) for fixed in (False, True) for shape in (_FIXED if fixed else _FRESH)],
    ids=lambda p: f"d{p[0]}-K{p[1]}-{'fixed' if p[2] else 'fresh'}",
)
def linear_env(request):
    """Three replicates of a noisy linear environment with features of many lengths."""
    dim, n_arms, fixed = request.param
    return gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=150,
        contexts="gaussian", feature_norm=2.0, param_norm=1.5, noise_std=0.3,
    )  # fmt: skip


@pytest.fixture
def follow():
    return _follow


def _near(got: Any, expected: Any, bound: float = 1e-10) -> None:
    """Asserts equality to a bound, relative above 1; NaN is not near. Fast, for inner loops."""
    assert np.shape(got) == np.shape(expected)
    error = np.max(np.abs(got - expected) / np.maximum(1.0, np.abs(expected)))
    assert error <= bound, f"{got}, but by definition {expected}"


@pytest.fixture
def near():
    return _near


@pytest.fixture
def in_pairs():
    """Rows (n, d) as multiclass agents get them: indices and values (n, d), read-only."""

    def pairs(rows: Any) -> tuple[np.ndarray, np.ndarray]:
        values = np.array(rows, dtype=np.float64)
        indices = np.tile(np.arange(values.shape[1], dtype=np.int32), (len(values), 1))
        for array in (indices, values):  # kernels are compiled for one mutability
            array.flags.writeable = False
        return indices, values

    return pairs


@pytest.fixture
def same_regression():
    """Asserts that a ridge regression of replicate i is the one solved afresh.

    Updates over 150 rounds, each off by a few units in the last place (2e-16), on Gram matrices of
    condition up to 1e3: about 1e-10 at the very worst on numbers of order 1.
    """

    def check(model: Any, past: Past, x: np.ndarray, i: int, ridge: float) -> None:
        dim = x.shape[1]
        theta, gram = past.regression(ridge, dim)
        _near(model.log_det[i], np.linalg.slogdet(gram / ridge)[1])
        _near(model.mean[i], x @ theta)
        _near(model.variance[i], np.einsum("kd,kd->k", x, np.linalg.solve(gram, x.T).T))
        if hasattr(model, "theta"):
            _near(model.theta[i], theta)
            _near(model.gram[i], gram)

    return check


@pytest.fixture
def in_blocks(monkeypatch):
    """The numbers of rounds of the blocks that are played."""
    lengths, own = [], BanditVectorEnv.step_block

    def noted(self, block, actions, *shows):
        lengths.append(len(actions))
        return own(self, block, actions, *shows)

    monkeypatch.setattr(BanditVectorEnv, "step_block", noted)
    return lengths
