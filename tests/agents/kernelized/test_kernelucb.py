"""KernelUCB is GP-UCB at a constant radius."""

import numpy as np
import pytest

import agents


@pytest.mark.parametrize("given", [{"eta": 0.4}, {"eta": 0.0}, {"eta": 2.0, "ridge": 0.5}, {}])
def test_it_is_gpucb_at_constant_radius(make_kernel_env, given):
    env = make_kernel_env("rbf")
    kernel = agents.play(env, agents.KernelUCB(**given), seed=3)
    radius = {"radius": given.get("eta", 1.0)} | {k: v for k, v in given.items() if k != "eta"}
    gpucb = agents.play(env, agents.GPUCB(**radius), seed=3)
    np.testing.assert_array_equal(kernel.regret, gpucb.regret)
    np.testing.assert_array_equal(kernel.pulls, gpucb.pulls)


def test_eta_matters(make_kernel_env):
    env = make_kernel_env("rbf")
    few, many = (agents.play(env, agents.KernelUCB(eta=eta), seed=3) for eta in (0.2, 2.0))
    assert (few.regret[:, -1] != many.regret[:, -1]).all()


@pytest.mark.parametrize("eta", [-0.1, float("nan"), float("inf")])
def test_bad_eta(eta):
    with pytest.raises(ValueError, match=f"eta.*{eta}"):
        agents.KernelUCB(eta=eta)
