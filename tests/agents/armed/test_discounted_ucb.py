"""DiscountedUCB in states that few rounds do not reach, its defaults, and what it refuses."""

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask


def task(horizon):
    return ArmedTask(n_arms=2, horizon=horizon, noise_std=None, subgaussian=0.5, bernoulli=True)


def test_it_keeps_the_contract():
    agents.check_agent(agents.DiscountedUCB(discount=0.8))


@pytest.mark.parametrize("noise_std", [None, 0.2])
def test_plays_the_largest_upper_bound_in_any_state(noise_std):
    """In 4,000 states, of weights of all orders of magnitude, and of rewards of 0 alone too."""
    agent = agents.DiscountedUCB(discount=0.9, xi=0.3, noise_std=noise_std)
    agent.reset(task(None), n=4000)
    rng, scale = np.random.default_rng(0), 0.5 if noise_std is None else noise_std
    agent.pulls[:] = np.exp(rng.uniform(-5.0, 5.0, (4000, 2)))
    agent.pulls[:, 0] += 1.0
    mean = rng.random((4000, 2)) * (rng.random((4000, 2)) < 0.9)
    agent.sums[:] = mean * agent.pulls
    total = agent.pulls.sum(axis=1, keepdims=True)
    index = agent.sums / agent.pulls + 4 * scale * np.sqrt(0.3 * np.log(total) / agent.pulls)
    played = agent.act(np.zeros(4000, int))
    chosen = np.take_along_axis(index, played[:, None], axis=1)[:, 0]
    assert (chosen >= index.max(axis=1) - 1e-9).all()


def test_it_plays_every_arm_in_a_block(play_block):
    pulls = play_block(agents.DiscountedUCB())
    assert pulls.sum() == 2 * 60
    assert pulls.min() >= 5


def test_the_default_discount():
    """The discount for one break in the horizon."""
    agent = agents.DiscountedUCB().reset(task(2500))
    for _ in range(2):
        agent.observe(0, 1, 1.0)
    assert agent.pulls[0, 1] == 1 + (1 - 1 / (4 * 50))


def test_an_arm_whose_weight_has_vanished_is_played_again():
    """Without a bonus a bad arm is never played, until its weight is 0 in double precision."""
    agent = agents.DiscountedUCB(discount=0.01, noise_std=0.0).reset(task(None))
    played = []
    for _ in range(400):
        played.append(agent.act(0))
        agent.observe(0, played[-1], float(played[-1] == 0))
    assert played[:2] == [0, 1]
    assert 1 < sum(played) < 5
    assert np.isfinite(agent.pulls).all()


def test_an_unknown_horizon_is_refused_unless_the_discount_is_given():
    with pytest.raises(ValueError, match=r"needs discount, which this task does not have: give it"):
        agents.DiscountedUCB().reset(task(None))
    agents.DiscountedUCB(discount=0.9).reset(task(None))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("discount", value) for value in (0.0, 1.0, -0.1, float("nan"))],
        *[("xi", value) for value in (0.0, -0.1, float("nan"))],
        ("noise_std", -0.1),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        agents.DiscountedUCB(**{name: value})


def test_of_arms_without_a_finite_index_the_first_is_played():
    agent = agents.DiscountedUCB(discount=0.9).reset(task(None))
    for arm in (0, 1, 0, 1, 0, 1):
        agent.observe(0, arm, -1.7e308)
    assert agent.act(0) == 0
