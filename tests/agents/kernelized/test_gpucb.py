"""The first arm of GP-UCB."""

import numpy as np

import agents


def test_the_first_arm_is_the_first_of_the_most_uncertain(make_kernel_env):
    task = make_kernel_env("rbf").unwrapped.task
    assert agents.GPUCB().reset(task).act(0) == 0
    task = make_kernel_env("linear").unwrapped.task
    longest = int(np.argmax((task.arms**2).sum(axis=1)))
    assert longest != 0
    assert agents.GPUCB().reset(task).act(0) == longest
