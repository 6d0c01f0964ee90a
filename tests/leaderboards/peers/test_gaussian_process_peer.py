import gymnasium
import numpy as np
import pytest

from leaderboards.peers.gaussian_process_peer import GaussianProcess


def task_of(**settings):
    return gymnasium.make("KernelBandit-v0", horizon=9, **settings).unwrapped.task


def test_kernel_and_noise_are_the_tasks_and_are_told_as_its_facts():
    task = task_of(n_arms=5, noise_std=0.3, covariance={"kind": "rbf", "variance": 4.0})
    agent = GaussianProcess().reset(task, n=1)
    assert agent.facts() == ("covariance", "noise_std")
    assert agent.replicas[0].assumed == task.covariance
    assert agent.replicas[0].noise_variance == pytest.approx(0.09)


def test_without_noise_the_least_is_assumed():
    task = task_of(n_arms=5, noise_std=0.0, covariance={"kind": "rbf", "variance": 4.0})
    assert GaussianProcess().reset(task, n=1).replicas[0].noise_variance == pytest.approx(4e-6)


def test_what_is_given_is_used():
    agent = GaussianProcess(noise_std=0.5, covariance={"kind": "linear", "variance": 2.0})
    replica = agent.reset(task_of(n_arms=5), n=1).replicas[0]
    assert (replica.noise_variance, replica.assumed.variance) == (0.25, 2.0)
    assert agent.facts() == ()


def test_a_box_is_refused():
    task = task_of(arms="box", function="branin")
    assert GaussianProcess().refusal(task) == "it needs finitely many arms"


def test_the_first_arm_is_drawn_and_later_ones_have_the_largest_score():
    agent = GaussianProcess().reset(task_of(n_arms=5), n=40, seed=0)
    assert len(set(agent.act(None).tolist())) == 5
    replica = agent.replicas[0]
    replica.learn(agent.task.arms, 1, 0.5)
    replica.scores = lambda arms: np.arange(5) == 3
    assert replica.choose(agent.task.arms) == 3
