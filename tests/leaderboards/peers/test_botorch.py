"""BoTorch's Gaussian process, compared with ``GPUCB``."""

import gymnasium
import numpy as np
import pytest

pytestmark = pytest.mark.peers
NAMES = ("BoTorchUCB", "BoTorchThompson")


@pytest.mark.parametrize("name", NAMES)
def test_contract(adapter, check, name):
    check(getattr(adapter("botorch"), name))


@pytest.mark.parametrize("name", NAMES)
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("botorch"), name)(), "kernelized") < 0.5


def test_gpucbs_posterior_is_theirs(adapter, beside_gpucb):
    botorch = adapter("botorch")
    for replica, points, mean, variance in beside_gpucb(botorch.BoTorchUCB, beta=2.25):
        with botorch.torch.no_grad():
            posterior = replica.process().posterior(botorch.torch.tensor(points))
        np.testing.assert_allclose(posterior.mean.numpy()[:, 0], mean, atol=1e-9)
        np.testing.assert_allclose(posterior.variance.numpy()[:, 0], variance, atol=1e-9)
        bound = posterior.mean + 1.5 * posterior.variance.sqrt()
        np.testing.assert_allclose(replica.scores(points), bound.numpy()[:, 0], atol=1e-12)


def test_thompson_sampling_heeds_its_seed(adapter, heeds_its_seed):
    assert heeds_its_seed(adapter("botorch").BoTorchThompson(), "kernelized", rounds=20)


def test_thompson_sampling_draws_from_the_joint_posterior(adapter):
    """The draws' covariance is the posterior's, and torch's own state stays as it is."""
    botorch = adapter("botorch")
    task = gymnasium.make("KernelBandit-v0", n_arms=4, dim=1, horizon=5).unwrapped.task
    agent = botorch.BoTorchThompson(noise_std=0.5).reset(task, n=1, seed=4)
    replica, points = agent.replicas[0], task.arms
    for arm, reward in ((0, 1.0), (2, -0.5)):
        replica.learn(points, arm, reward)
    state = botorch.torch.get_rng_state()
    draws = np.array([replica.scores(points) for _ in range(400)])
    assert bool((botorch.torch.get_rng_state() == state).all())
    with botorch.torch.no_grad():
        posterior = replica.process().posterior(botorch.torch.tensor(points))
        expected = posterior.distribution.covariance_matrix.numpy()
    # Of 400 draws an entry has a standard deviation of at most sqrt(2 / 400) = 0.07 of variance 1.
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=0.35)
    off = np.cov(draws.T)[np.triu_indices(4, 1)]
    assert np.corrcoef(off, expected[np.triu_indices(4, 1)])[0, 1] > 0.5


def test_decisions_are_those_of_a_gaussian_process_by_hand(adapter, plays_as, by_gaussian_process):
    """The first arm is drawn; sqrt(beta) standard deviations, or a draw by a Cholesky factor."""
    botorch = adapter("botorch")
    plain = by_gaussian_process(lambda mean, cov, rng: mean + 1.5 * np.sqrt(np.diag(cov)))
    plays_as(botorch.BoTorchUCB(beta=2.25, noise_std=0.4), "kernelized", plain)
    plain = by_gaussian_process(
        lambda mean, cov, rng: mean + np.linalg.cholesky(cov) @ rng.standard_normal(len(mean))
    )
    plays_as(botorch.BoTorchThompson(noise_std=0.4), "kernelized", plain)
