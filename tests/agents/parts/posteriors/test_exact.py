"""The exact posterior against a fresh solve: by all pulls, and by counts in extended precision."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.linalg

from agents.agent import Agent
from agents.parts.posteriors import Exact, exact
from agents.storage.loading import load
from agents.storage.saving import save
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT, Stream
from banditgym.tasks import KernelTask

WIDE = np.longdouble  # 64 bits of mantissa on x86: references err 2000 times less


def start(arms, ridge, covariance, n=1):
    arms = np.asarray(arms, dtype=np.float64)
    task = KernelTask(
        n_arms=len(arms), dim=arms.shape[1], horizon=None, noise_std=0.1, subgaussian=0.1,
        covariance=covariance, param_norm=1.0, arms=arms,
    )  # fmt: skip
    return Exact().reset(task, n=n, seeds=range(n), covariance=covariance, ridge=ridge)


def learn(state, arms, reward, observed=None, ends=None):
    arms, reward = np.atleast_1d(arms), np.atleast_1d(np.asarray(reward, dtype=np.float64))
    observed = np.ones(len(arms), bool) if observed is None else np.asarray(observed)
    state.update(None, arms, reward, observed, ends)


def cholesky(matrix):
    lower = matrix.copy()
    for k in range(len(lower)):
        lower[k, k] = np.sqrt(lower[k, k])
        lower[k + 1 :, k] /= lower[k, k]
        lower[k + 1 :, k + 1 :] -= np.outer(lower[k + 1 :, k], lower[k + 1 :, k])
    return np.tril(lower)


def forward(lower, right):
    right = right.copy()
    for k in range(len(lower)):
        right[k] /= lower[k, k]
        right[k + 1 :] -= np.outer(lower[k + 1 :, k], right[k])
    return right


def by_counts(covariance, arms, ridge, pulled, reward):
    """K_UU + lambda / N and mean rewards: mean, variance, log_det, effective dimension."""
    distinct, of, counts = np.unique(pulled, return_inverse=True, return_counts=True)
    average = np.zeros(len(distinct), WIDE)
    np.add.at(average, of, reward.astype(WIDE))
    average /= counts
    kernel = covariance(arms[distinct], arms).astype(WIDE) / WIDE(ridge)
    root = np.sqrt(counts.astype(WIDE))
    lower = cholesky(np.eye(len(distinct)) + root[:, None] * kernel[:, distinct] * root)
    half = forward(lower, root[:, None] * kernel)
    mean = half.T @ forward(lower, (root * average)[:, None])[:, 0]
    variance = covariance.diagonal(arms).astype(WIDE) / WIDE(ridge) - (half * half).sum(axis=0)
    log_det = 2 * np.log(np.diag(lower)).sum()
    return mean, variance, log_det, (counts * variance[distinct]).sum()


def by_pulls(covariance, arms, ridge, pulled, reward):
    """K_t + lambda I over all t pulls, as the definition has it."""
    kernel = covariance(arms[pulled], arms)
    gram = kernel[:, pulled] + ridge * np.eye(len(pulled))
    factor = scipy.linalg.cho_factor(gram, lower=True)
    solved = scipy.linalg.cho_solve(factor, kernel)
    variance = (covariance.diagonal(arms) - (kernel * solved).sum(axis=0)) / ridge
    log_det = 2 * np.log(np.diag(factor[0])).sum() - len(pulled) * np.log(ridge)
    return solved.T @ reward, variance, log_det, variance[pulled].sum()


def choose(how, state, rng, width):
    """An arm of each replicate: much repeated, all over, or ever fewer."""
    mean, variance = state.predict(None)
    n, n_arms = mean.shape
    if how == "optimistic":
        return np.argmax(mean + width * np.sqrt(variance), axis=1)
    return (n_arms * rng.random(n) ** (1 if how == "uniform" else 6)).astype(np.int64)


_SQUARE = np.random.default_rng(0).random((300, 2))
_NEAR = np.tile(_SQUARE[:30], (10, 1)) + 1e-9 * np.random.default_rng(1).standard_normal((300, 2))
_CASES = {
    # covariance, arms, ridge, its scale (a standard deviation), and the noise on that scale
    "rbf": (RBF(), _SQUARE, 1e-2, 1.0, 0.1),
    "rbf, small ridge": (RBF(), _SQUARE, 1e-4, 1.0, 0.1),
    "matern": (Matern(nu=1.5, length_scale=0.3), _SQUARE, 1e-2, 1.0, 0.1),
    "linear, K > d": (Linear(), 3 * _SQUARE - 1, 1e-2, 1.0, 0.1),
    "near-duplicates": (RBF(), _NEAR, 1e-2, 1.0, 0.1),
    "near-duplicates, small ridge": (RBF(), _NEAR, 1e-4, 1.0, 0.1),
    "large": (RBF(variance=1e4), _SQUARE, 1e2, 100.0, 0.1),
    "small": (RBF(variance=1e-4), _SQUARE, 1e-6, 0.01, 0.1),
    "20 dimensions": (
        RBF(length_scale=1.0), np.random.default_rng(2).random((300, 20)), 1e-2, 1.0, 0.1,
    ),
    "one arm": (RBF(), _SQUARE[:1], 1e-2, 1.0, 0.1),
    "two arms": (RBF(), _SQUARE[:2], 1e-4, 1.0, 0.1),
    "a constant function": (RBF(), _SQUARE, 1e-2, 1.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("how", ["optimistic", "uniform", "skewed"])
@pytest.mark.parametrize("case", _CASES)
def test_all_forms_agree_over_long_runs(case, how):
    """To 1e-8, rewards on the scale of 1 and variances in their own, sigma² / lambda."""
    covariance, arms, ridge, scale, noise = _CASES[case]
    rounds, rng = 2000, np.random.default_rng(5)
    state = start(arms, ridge, covariance)
    value = np.sin(7 * arms[:, 0]) * np.cos(5 * arms[:, -1]) if noise else np.full(len(arms), 0.7)
    pulled, reward = np.zeros(rounds, np.int64), np.zeros(rounds)
    for t in range(rounds):
        pulled[t] = choose(how, state, rng, 0.04 * scale / np.sqrt(ridge / scale**2) / 10)[0]
        reward[t] = scale * (value[pulled[t]] + noise * rng.standard_normal())
        learn(state, pulled[t], reward[t])
        if t + 1 not in (1, 2, 17, 400, rounds):
            continue
        so_far = (pulled[: t + 1], reward[: t + 1])
        mean, variance, log_det, effective = by_counts(covariance, arms, ridge, *so_far)
        np.testing.assert_allclose(state.mean[0] / scale, mean / scale, rtol=0, atol=1e-8)
        np.testing.assert_allclose(state.variance[0], variance, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(state.log_det[0], log_det, rtol=1e-8)
        np.testing.assert_allclose(state.effective_dimension()[0], effective, rtol=1e-8)
        assert state.variance.min() >= 0
        if t + 1 == (rounds if how == "optimistic" else 400):
            mean_2, variance_2, log_det_2, effective_2 = by_pulls(covariance, arms, ridge, *so_far)
            np.testing.assert_allclose(mean_2 / scale, mean / scale, rtol=0, atol=1e-8)
            np.testing.assert_allclose(variance_2, variance, rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(log_det_2, log_det, rtol=1e-8)
            room = 2000 * 2.2e-16 * covariance.diagonal(arms).max() / ridge  # a variance's error
            np.testing.assert_allclose(effective_2, effective, rtol=1e-8, atol=(t + 1) * room / 5)
    assert state.pulls[0] == rounds


@pytest.mark.parametrize("arms", [_SQUARE, _NEAR], ids=["apart", "near-duplicates"])
@pytest.mark.parametrize("how", ["optimistic", "uniform", "skewed"])
@pytest.mark.parametrize("ridge", [1e-6, 1e-8, 1e-10])
def test_without_noise_at_small_ridges(arms, how, ridge):
    """In units of the prior variance, 1 / ridge; at pulled arms, where nothing of that size
    cancels, variances, below 1, to 1e-8 and 1e-6 of themselves. Ridges below 1e-10 are refused."""
    rounds, rng = 600, np.random.default_rng(6)
    state = start(arms, ridge, RBF())
    pulled, reward = np.zeros(rounds, np.int64), np.zeros(rounds)
    for t in range(rounds):
        pulled[t] = choose(how, state, rng, 0.1 * np.sqrt(ridge))[0]
        reward[t] = np.sin(7 * arms[pulled[t], 0])
        learn(state, pulled[t], reward[t])
        assert np.isfinite(state.mean).all()
        assert state.variance.min() >= 0
    mean, variance, log_det, effective = by_counts(RBF(), arms, ridge, pulled, reward)
    np.testing.assert_allclose(state.mean[0], mean, rtol=0, atol=1e-7)
    room = {1e-6: 1e-11, 1e-8: 1e-10, 1e-10: 1e-8}[ridge]
    np.testing.assert_allclose(ridge * state.variance[0], ridge * variance, rtol=0, atol=room)
    if ridge > 1e-10:
        np.testing.assert_allclose(state.log_det[0], log_det, rtol=1e-8)
        seen, room = np.unique(pulled), {1e-6: 1e-8, 1e-8: 1e-6}[ridge]
        np.testing.assert_allclose(state.variance[0, seen], variance[seen], rtol=0, atol=room)
        np.testing.assert_allclose(state.effective[0], effective, rtol=room)


@pytest.mark.parametrize("covariance", [RBF(length_scale=0.3), Matern(nu=0.5), Linear(variance=2)])
@pytest.mark.parametrize("how", ["optimistic", "uniform", "skewed"])
def test_what_sums_of_variances_are_bounded_by(covariance, how):
    """d_eff <= sum of variances just after <= logdet = sum log(1 + those just before)
    <= d_eff (1 + log(|K| / lambda + 1)); and after is before / (1 + before)."""
    arms, ridge, rounds, rng = _SQUARE[:40], 0.05, 120, np.random.default_rng(7)
    state = start(arms, ridge, covariance)
    logs, after, pulled = 0.0, 0.0, []
    for _ in range(rounds):
        arm = choose(how, state, rng, 0.3)[0]
        before = state.variance[0, arm]
        learn(state, arm, np.sin(7 * arms[arm, 0]) + 0.1 * rng.standard_normal())
        np.testing.assert_allclose(state.variance[0, arm], before / (1 + before), rtol=1e-10)
        logs, after = logs + np.log1p(before), after + state.variance[0, arm]
        pulled.append(arm)
    kernel = covariance(arms[pulled], arms[pulled]) / ridge
    log_det, effective = state.log_det[0], state.effective_dimension()[0]
    np.testing.assert_allclose(logs, np.linalg.slogdet(kernel + np.eye(rounds))[1], rtol=1e-9)
    np.testing.assert_allclose(log_det, logs, rtol=1e-9)
    np.testing.assert_allclose(effective, state.variance[0, pulled].sum(), rtol=1e-12)
    np.testing.assert_allclose(
        effective, np.trace(np.linalg.solve(kernel + np.eye(rounds), kernel)), rtol=1e-9
    )
    assert effective <= after <= log_det <= effective * (1 + np.log(np.linalg.norm(kernel, 2) + 1))


def test_does_not_drift():
    """20 000 pulls of 60 arms, most of two of them: in extended precision, as after few."""
    rounds, rng, arms = 20_000, np.random.default_rng(8), _SQUARE[:60]
    state = start(arms, 1e-2, RBF())
    pulled = np.where(rng.random(rounds) < 0.8, rng.integers(2, size=rounds), 0)
    rare = rng.random(rounds) < 0.1
    pulled[rare] = rng.integers(60, size=rare.sum())
    reward = rng.standard_normal(rounds)
    for t in range(rounds):
        learn(state, pulled[t], reward[t])
    mean, variance, log_det, effective = by_counts(RBF(), arms, 1e-2, pulled, reward)
    np.testing.assert_allclose(state.mean[0], mean, rtol=0, atol=1e-10)  # measured: 3e-13
    np.testing.assert_allclose(state.variance[0], variance, rtol=0, atol=1e-11)  # 1e-13
    np.testing.assert_allclose(state.log_det[0], log_det, rtol=1e-11)
    np.testing.assert_allclose(state.effective[0], effective, rtol=1e-10)


def _arrays(state, i):
    """What belongs to replicate i, without spare capacity."""
    u = state.n_pulled[i]
    cut = {
        name: getattr(state, name)[i]
        for name in (
            "mean", "variance", "start_variance", "log_det", "effective", "pulls", "n_pulled",
            "column", "column_of", "pending",
        )
    }  # fmt: skip
    cut |= {name: getattr(state, name)[i, :u] for name in ("pulled", "counts", "paid")}
    return cut | {name: getattr(state, name)[i, :u, :u] for name in ("gram", "inverse")}


def _same(state, i, other, j):
    a, b = _arrays(state, i), _arrays(other, j)
    for name in a:
        assert a[name].tobytes() == b[name].tobytes(), name


def test_a_replicate_does_not_depend_on_the_others():
    """Bit for bit, though the rows of the kernel are common to all: unseen rewards and batches."""
    n, rounds, rng = 4, 90, np.random.default_rng(9)
    batch = start(_SQUARE, 1e-2, Matern(), n)
    alone = [start(_SQUARE, 1e-2, Matern()) for _ in range(n)]
    for _ in range(rounds):
        arms = (300 * rng.random(n) ** [1, 1, 4, 8]).astype(np.int64)
        reward, observed, ends = rng.standard_normal(n), rng.random(n) < 0.8, rng.random(n) < 0.4
        learn(batch, arms, np.where(observed, reward, np.nan), observed, ends)
        for i in range(n):
            one = slice(i, i + 1)
            learn(alone[i], arms[one], reward[one], observed[one], ends[one])
    for i in range(n):
        _same(batch, i, alone[i], 0)
    assert len(set(batch.n_pulled)) == n  # they did go apart, and grew
    assert batch.n_pulled.max() > 36


def test_an_unseen_reward_leaves_its_replicate_bit_for_bit():
    rng = np.random.default_rng(10)
    state, kept = (start(_SQUARE, 1e-2, RBF(), 3) for _ in range(2))
    for _ in range(30):
        arms, reward = rng.integers(60, size=3), rng.standard_normal(3)
        learn(state, arms, reward)
        learn(kept, arms, reward)
    learn(state, [7, 299, 298], [np.nan, np.nan, 1.0], [False, False, True])
    for i in (0, 1):
        _same(state, i, kept, i)
    assert state.pulls.tolist() == [30, 30, 31]
    before = {name: value.copy() for name, value in vars(state).items() if name != "covariance"
              and isinstance(value, np.ndarray)}  # fmt: skip
    learn(state, [100, 101, 102], [np.nan] * 3, [False] * 3)
    for name, value in before.items():
        assert value.tobytes() == getattr(state, name).tobytes(), name


def test_within_a_batch_the_variance_moves_and_the_mean_stays():
    rng, arms = np.random.default_rng(11), _SQUARE[:50]
    state, always = (start(arms, 1e-2, RBF(), 2) for _ in range(2))
    held, started = state.mean.copy(), state.variance.copy()
    ended = np.ones(2, bool)
    for t in range(80):
        arm, reward = rng.integers(50, size=2), rng.standard_normal(2)
        observed = rng.random(2) < 0.8
        ended = np.array([t % 5 == 4, t % 7 == 0])
        learn(state, arm, reward, observed, ended)
        learn(always, arm, reward, observed)
        np.testing.assert_allclose(state.variance, always.variance, rtol=1e-12)
        np.testing.assert_allclose(state.effective, always.effective, rtol=1e-12)
        for i in range(2):
            if observed[i] and ended[i]:
                held[i], started[i] = state.mean[i], state.variance[i]
                np.testing.assert_allclose(state.mean[i], always.mean[i], rtol=0, atol=1e-11)
        assert held.tobytes() == state.mean.tobytes()
        assert started.tobytes() == state.start_variance.tobytes()
    assert always.start_variance.tobytes() == always.variance.tobytes()


@dataclass(kw_only=True, eq=False)
class Holder(Agent):
    accepts: ClassVar = (KernelTask,)
    state: Any = None


@pytest.mark.parametrize("batches", [False, True])
def test_saved_and_loaded_it_goes_on_bit_for_bit(batches, tmp_path):
    rng, agent = np.random.default_rng(12), Holder()
    agent.state = start(_SQUARE, 1e-2, RBF(), 2)
    for t in range(60):
        if t == 25:
            save(agent, tmp_path / "agent.npz")
            loaded = load(tmp_path / "agent.npz", allow=[Holder, type(agent.state)])
        ends = rng.random(2) < 0.5 if batches else None
        arms, reward = rng.integers(300, size=2), rng.standard_normal(2)
        learn(agent.state, arms, reward, ends=ends)
        if t >= 25:
            learn(loaded.state, arms, reward, ends=ends)
    for i in range(2):
        _same(agent.state, i, loaded.state, i)


@pytest.mark.parametrize("n_arms", [1, 2, 15, 16, 17, 24, 25, 60])
def test_every_arm_may_be_pulled(n_arms):
    """Room is made for as many as there are, and no more."""
    arms, n, rng = _SQUARE[:n_arms], 2, np.random.default_rng(16)
    state = start(arms, 1e-2, RBF(), n)
    pulled = np.stack([rng.permutation(np.repeat(np.arange(n_arms), 2)) for _ in range(n)])
    reward = rng.standard_normal(pulled.shape)
    for arm, r in zip(pulled.T.copy(), reward.T.copy(), strict=True):
        learn(state, arm, r)
    for i in range(n):
        mean, variance, *_ = by_counts(RBF(), arms, 1e-2, pulled[i], reward[i])
        np.testing.assert_allclose(state.mean[i], mean, rtol=0, atol=1e-8)
        np.testing.assert_allclose(state.variance[i], variance, rtol=0, atol=1e-8)
    assert state.n_pulled.tolist() == [n_arms] * n
    assert len(state.rows) == state.pulled.shape[1] == max(n_arms, 16)


def test_memory_grows_with_the_arms_pulled_and_not_with_pulls():
    """Capacities are at most 1.5 times what is needed, or 16, and a few arrays are of size K."""
    n_arms, rng = 2000, np.random.default_rng(13)
    state = start(rng.random((n_arms, 2)), 1e-2, RBF(), 2)
    for _ in range(400):
        learn(state, rng.integers(40, size=2), rng.standard_normal(2))
    assert state.n_rows == 40
    room = 60
    numbers = sum(a.size for a in vars(state).values() if isinstance(a, np.ndarray))
    assert numbers <= n_arms * (room + 2 * 3 + 3) + 2 * (2 * room**2 + 3 * room + 20)


def test_a_new_state_is_the_prior():
    covariance = Linear(variance=2.0)
    state = start(_SQUARE, 0.5, covariance, 3)
    mean, variance = state.predict(None)
    np.testing.assert_array_equal(mean, np.zeros((3, 300)))
    np.testing.assert_allclose(variance, np.tile(2 * (_SQUARE**2).sum(axis=1) / 0.5, (3, 1)))
    assert state.effective_dimension().tolist() == state.log_det.tolist() == [0.0] * 3
    assert state.start_variance.tobytes() == variance.tobytes()


def test_draws_have_the_posterior_mean_and_covariance():
    """4000 draws, rounds 0 .. 19 of seeds 0 .. 199: each of 40 * 41 / 2 covariances errs by a
    deviation of at most sqrt(2 / 4000) of the variances, each mean by that of 4000 draws; 5 of
    these deviations are exceeded by one in 5e-7 * 860."""
    arms, ridge, n, covariance = _SQUARE[:40], 0.05, 200, Matern(variance=2.0)
    rng, scale = np.random.default_rng(14), 1.7
    state = start(arms, ridge, covariance, n)
    pulled, reward = rng.integers(25, size=60), rng.standard_normal(60)
    for t in range(60):
        learn(state, np.full(n, pulled[t]), np.full(n, reward[t]))
    keys = Stream(range(n), AGENT, 0, 0).keys
    draws = np.concatenate([state.sample(keys, np.full(n, t), np.full(n, scale))
                            for t in range(20)])  # fmt: skip
    n = len(draws)
    kernel = covariance(arms[pulled], arms)
    solved = np.linalg.solve(kernel[:, pulled] + ridge * np.eye(60), kernel)
    exact = scale**2 * (covariance(arms, arms) - kernel.T @ solved) / ridge
    deviation = np.sqrt(np.diag(exact))
    mean = solved.T @ reward
    assert np.all(abs(draws.mean(axis=0) - mean) < 5 * deviation / np.sqrt(n))
    found = (draws - mean).T @ (draws - mean) / n
    room = 5 * np.sqrt(2 / n) * np.outer(deviation, deviation)
    assert np.all(abs(found - exact) < room)
    away = np.sqrt(2 / n) * np.outer(deviation, deviation)
    assert np.mean((found - exact) ** 2) > 0.1 * np.mean(away**2)  # they are not one draw's


def test_a_draw_depends_on_key_and_round_alone():
    """Not on the other replicates, nor on how many arms they pulled; and it changes nothing."""
    n, rng = 3, np.random.default_rng(15)
    batch = start(_SQUARE, 1e-2, RBF(), n)
    alone = [start(_SQUARE, 1e-2, RBF()) for _ in range(n)]
    keys, t = Stream(range(n), AGENT, 0, 0).keys, np.array([4, 5, 6])
    for _ in range(80):
        arms, reward = (300 * rng.random(n) ** [1, 3, 9]).astype(np.int64), rng.standard_normal(n)
        learn(batch, arms, reward)
        for i in range(n):
            learn(alone[i], arms[i], reward[i])
    assert batch.n_pulled[0] > 36  # its room has grown, and so the others'
    draws = batch.sample(keys, t, np.full(n, 0.5))
    for i in range(n):
        one = slice(i, i + 1)
        mine = alone[i].sample(keys[one], t[one], np.full(1, 0.5))
        assert draws[i].tobytes() == mine[0].tobytes()
        _same(batch, i, alone[i], 0)
    assert batch.sample(keys, t, np.full(n, 0.5)).tobytes() == draws.tobytes()
    assert np.all(batch.sample(keys, t + 1, np.full(n, 0.5)) != draws)
    np.testing.assert_array_equal(batch.sample(keys, t, np.zeros(n)), batch.mean)


def test_what_draws_share_is_no_state(tmp_path):
    agent = Holder()
    agent.state = start(_SQUARE, 1e-2, RBF())
    learn(agent.state, 3, 1.0)
    keys = Stream([5], AGENT, 0, 0).keys
    ones = np.ones(1, np.int64), np.ones(1)
    before = agent.state.sample(keys, *ones)
    save(agent, tmp_path / "agent.npz")
    assert (tmp_path / "agent.npz").stat().st_size < 300**2 * 8
    assert (
        load(tmp_path / "agent.npz", allow=[Holder, type(agent.state)])
        .state.sample(keys, *ones)
        .tobytes()
        == before.tobytes()
    )


def test_a_consistent_state_has_room_for_another_pull():
    """Where every arm was pulled, it needs none."""
    rng = np.random.default_rng(0)
    every, some = start(rng.random((32, 2)), 0.1, RBF()), start(rng.random((40, 2)), 0.1, RBF())
    for arm in range(32):
        learn(every, [arm], [0.5])
    assert every.pulled.shape[1] == 32
    assert every.consistent()
    for arm in range(some.pulled.shape[1] - 1):
        assert some.consistent()
        learn(some, [arm], [0.5])
    assert some.consistent()
    some.n_pulled[0] = some.pulled.shape[1]
    some.pulled[0] = np.arange(some.pulled.shape[1])
    some.row_of[:] = 0
    assert not some.consistent()


def test_draws_share_the_frequencies_of_published_rows(monkeypatch):
    """They come from the stream of purpose 8 of seed 0."""
    made = []

    class Noted(exact.PriorDraws):
        def __init__(self, covariance, arms, stream, jitter):
            made.append((stream.keys, jitter))
            super().__init__(covariance, arms, stream, jitter=jitter)

    monkeypatch.setattr(exact, "PriorDraws", Noted)
    keys = Stream(range(2), AGENT, 0, 0).keys
    start(_SQUARE[:5], 0.1, RBF(), 2).sample(keys, np.zeros(2, np.int64), np.ones(2))
    ((own, jitter),) = made
    np.testing.assert_array_equal(own, Stream([0], AGENT, 8, 0).keys)
    assert jitter == 0.0


def test_many_replicates_may_pull_their_first_arms_at_once():
    arms, n = np.random.default_rng(0).random((60, 2)), 40
    state = start(arms, 0.1, RBF(), n)
    learn(state, np.arange(n), np.ones(n))
    assert state.n_rows == n
    assert state.consistent()
    expected = RBF()(arms[:n], arms) / 0.1
    np.testing.assert_allclose(state.rows[state.row_of[:n]], expected, rtol=1e-12)
