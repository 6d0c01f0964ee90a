"""Regret on a small environment: it grows more slowly than the rounds, as the papers say."""

import math

import gymnasium
import pytest

import agents

T, N = 600, 20


def regret_of(spec):
    """Mean and standard error over seeds 0 .. 19 of the regret after T / 2 and T rounds."""
    env = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=N, n_arms=60, dim=2, noise_std=0.3, horizon=T
    )
    regret = agents.play(env, agents.resolve(spec), rounds=[T // 2, T]).regret
    return regret.mean(axis=0), regret.std(axis=0, ddof=1) / math.sqrt(N)


def slope(mean):
    """Growth over the last half as a power of the round."""
    return math.log(mean[1] / mean[0]) / math.log(2)


@pytest.fixture(scope="module")
def measured():
    specs = [f"{name}(radius='released')" for name in ("GPUCB", "BKB", "BBKB")]
    specs += ["UniformRandom", "GPTS", "DTCUCB(size=5, radius='released')"]
    return {spec.partition("(")[0]: regret_of(spec) for spec in specs}


@pytest.mark.parametrize("name", ["GPUCB", "GPTS", "BKB", "BBKB"])
def test_regret_is_sublinear(measured, name):
    """The slope is 1 for uniform play, and 1/2 but for logarithms in the bounds for this kernel.

    Measured: 0.58, 0.12, 0.61 and 0.57. Regret's standard errors of up to 4 % in T rounds, most of
    them shared by both halves, are 0.06 of a slope at most.
    """
    mean, _ = measured[name]
    assert slope(mean) < 0.8
    assert mean[1] < measured["UniformRandom"][0][1] / 3


def test_that_of_uniform_play_and_of_a_small_dictionary_is_not(measured):
    """The slope can fail: 1.00 and 1.00 were measured."""
    assert slope(measured["UniformRandom"][0]) > 0.95
    assert slope(measured["DTCUCB"][0]) > 0.85


def test_thompson_sampling_pays_less_than_optimism(measured):
    """43 against 270, with standard errors of 3 and 10."""
    assert measured["GPTS"][0][1] < measured["GPUCB"][0][1] / 2


def test_bkb_pays_what_gpucb_pays(measured):
    """276 against 270 on the same seeds, with standard errors of 11 and 10, were they independent
    5 % of the ratio: the band is five of these."""
    assert measured["BKB"][0][1] / measured["GPUCB"][0][1] == pytest.approx(1, abs=0.25)
