"""Every posterior with fixed features on awkward arms and kernels, and on tasks it cannot serve."""

import numpy as np
import pytest

from agents.parts.posteriors import FixedNystrom, QuadratureFourier, RandomFourier
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT, Stream
from banditgym.tasks import KernelTask

PARTS = [
    *(FixedNystrom(size=size, variance=name) for size in (1, 3, 99) for name in ("dtc", "sor")),
    *(RandomFourier(size=number) for number in (2, 8, 60)),
    *(QuadratureFourier(nodes=nodes) for nodes in (1, 2, 5, 16)),
]
ARMS = {
    "one": np.full((1, 2), 0.5),
    "same": np.full((7, 2), 0.5),
    "twins": np.repeat(np.random.default_rng(0).random((5, 3)), 4, axis=0)
    + 1e-10 * np.random.default_rng(1).random((20, 3)),
    "wide": np.random.default_rng(2).random((30, 20)),
    # Many length scales apart; and of arm 0 a linear kernel has nothing to tell.
    "uneven": np.concatenate([np.zeros((3, 2)), 1e6 * np.eye(2)]),
}
COVARIANCES = [
    RBF(),
    RBF(variance=1e8),
    Matern(nu=0.5, variance=1e-8),
    Matern(nu=2.5, length_scale=3.0),
    Linear(variance=1.7),
]


def task_of(arms, covariance):
    n_arms, dim = arms.shape
    return KernelTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.0, subgaussian=0.0, param_norm=1.0,
        covariance=covariance, arms=arms,
    )  # fmt: skip


@pytest.mark.parametrize("covariance", COVARIANCES, ids=str)
@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
@pytest.mark.parametrize("part", PARTS, ids=str)
def test_awkward_arms_leave_numbers(part, arms, covariance):
    """More pulls than arms, no noise, a ridge of 1e-6 of the variance, a kernel of any scale."""
    task, n = task_of(arms, covariance), 2
    if part.refusal(task, covariance) is not None:
        assert not isinstance(part, FixedNystrom)
        return
    largest = covariance.diagonal(arms).max()
    ridge = 1e-6 * largest
    state = part.reset(task, n=n, seeds=range(n), covariance=covariance, ridge=ridge)
    assert (state.constant >= 0).all()
    f = np.sin(arms.sum(axis=1)) * np.sqrt(largest)
    rng = np.random.default_rng(0)
    for _ in range(60):
        played = np.where(rng.random(n) < 0.5, state.variance.argmax(axis=1), 0)
        state.update(None, played, f[played], np.ones(n, bool))
        mean, variance = state.predict(None)
        assert np.isfinite(mean).all()
        assert (variance >= 0).all()
        assert (variance <= (1 + 1e-6) * largest / ridge).all()
    # |z| |V^-1 Z^T| |y|, the second at most 1 / (2 sqrt(ridge)): far from S it extrapolates.
    assert (abs(mean) <= 500.01 * np.sqrt(60 * (f**2).max())).all()
    assert np.isfinite(state.log_det).all()
    assert np.isfinite(state.effective_dimension()).all()
    if state.joint:
        assert (state.effective_dimension() <= 60).all()  # as many as there were pulls
        keys = Stream(range(n), AGENT, 0, 0).keys
        assert np.isfinite(state.sample(keys, np.zeros(n, np.int64), np.ones(n))).all()


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_arms_that_change_are_refused(part):
    task = KernelTask(
        n_arms=4, dim=1, horizon=99, noise_std=0.1, subgaussian=0.1, param_norm=1.0,
        covariance=RBF(), fixed_arms=False,
    )  # fmt: skip
    assert "need fixed arms" in part.refusal(task, RBF())


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_a_hidden_round_is_no_round(part):
    """Draws are addressed by round and the state by pulls: what was not seen leaves no trace."""
    arms = np.random.default_rng(0).random((12, 1))
    task = task_of(arms, RBF())
    one, other = (
        part.reset(task, n=2, seeds=[4, 5], covariance=RBF(), ridge=0.1) for _ in range(2)
    )
    rng = np.random.default_rng(1)
    for _ in range(30):
        played, reward = rng.integers(12, size=2), rng.standard_normal(2)
        for state in (one, other):
            state.update(None, played, reward, np.ones(2, bool))
        other.update(None, rng.integers(12, size=2), np.full(2, np.nan), np.zeros(2, bool))
    for name, value in vars(one).items():
        if isinstance(value, np.ndarray):
            assert value.tobytes() == vars(other)[name].tobytes(), name
