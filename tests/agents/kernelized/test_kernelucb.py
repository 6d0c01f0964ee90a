"""KernelUCB is GP-UCB at a constant radius."""

import numpy as np
import pytest

import agents


@pytest.mark.parametrize(
    "given", [{"alpha": 0.4}, {"alpha": 0.0}, {"alpha": 2.0, "ridge": 0.5}, {}]
)
def test_it_is_gpucb_at_constant_radius(make_kernel_env, given):
    env = make_kernel_env("rbf")
    kernel = agents.play(env, agents.KernelUCB(**given), seed=3)
    radius = {"radius": given.get("alpha", 1.0)} | {k: v for k, v in given.items() if k != "alpha"}
    gpucb = agents.play(env, agents.GPUCB(**radius), seed=3)
    np.testing.assert_array_equal(kernel.regret, gpucb.regret)
    np.testing.assert_array_equal(kernel.pulls, gpucb.pulls)


def test_eta_matters(make_kernel_env):
    env = make_kernel_env("rbf")
    few, many = (agents.play(env, agents.KernelUCB(alpha=alpha), seed=3) for alpha in (0.2, 2.0))
    assert (few.regret[:, -1] != many.regret[:, -1]).all()


@pytest.mark.parametrize("alpha", [-0.1, float("nan"), float("inf")])
def test_bad_eta(alpha):
    with pytest.raises(ValueError, match=f"alpha.*{alpha}"):
        agents.KernelUCB(alpha=alpha)
