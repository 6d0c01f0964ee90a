"""A block of K > d fixed arms is played as single rounds are, whichever replicates lie together."""

import numpy as np
import pytest

from agents.numerics.choice import most_optimistic
from agents.numerics.ridge.factor_across import lanes_together
from agents.parts.estimators import Ridge
from agents.parts.estimators.fixed_arms import FixedArms
from agents.parts.estimators.ridge import FreshArms
from agents.parts.optimistic_rules import play_optimistic_block
from banditgym.rounds.blocks import ArmsBlock
from banditgym.tasks import LinearTask


@pytest.mark.parametrize("n", [1, 2, 7, 16, 35, 50, 100])
@pytest.mark.parametrize(("dim", "n_arms"), [(1, 2), (4, 5), (7, 33), (20, 100)])
@pytest.mark.parametrize("ridge", [0.02, 1e-14])
def test_it_has_the_state_and_the_arms_of_single_rounds(n, dim, n_arms, ridge):
    """A variance that falls from 1e14 to 1 loses its digits, and its score is computed anew."""
    rng, rounds = np.random.default_rng(n + dim), 40
    features = rng.standard_normal((n, dim, n_arms))
    features[:, :, 0] = features[:, :, -1]
    features.flags.writeable = False
    radius, means = rng.uniform(0.0, 2.0, n), rng.standard_normal((1, n, n_arms))
    block = ArmsBlock(
        start=0, features=features[None], means=means, best=means.max(axis=2),
        noise=rng.standard_normal((rounds, n)),
    )  # fmt: skip
    once = FixedArms.initial(n, dim, n_arms, ridge)
    alone = FixedArms.initial(n, dim, n_arms, ridge)
    arms = play_optimistic_block(once, block, radius)
    everyone, places = np.ones(n, bool), np.arange(n)
    for t in range(rounds):
        chosen = most_optimistic(*alone.predict(features), radius)
        np.testing.assert_array_equal(arms[t], chosen)
        reward = means[0, places, chosen] + block.noise[t]
        alone.update(features, chosen, reward, everyone)
    # Some variances fell below a 64th, and were computed anew.
    assert (once.computed < (features**2).sum(axis=1) / ridge / 2).any()
    for name, one, other in zip(once._fields, once, alone, strict=True):
        np.testing.assert_array_equal(one, other, name)


def test_the_sizes_above_reach_every_way_to_play():
    """One after the other; all side by side; some side by side, then the rest beside the last."""
    assert [lanes_together(n, 20, 100) for n in (7, 16, 35, 50, 100)] == [0, 16, 32, 32, 32]


@pytest.mark.parametrize("n_arms", [3, 6])  # few and many for 4 dimensions
@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("bernoulli", [False, True])
def test_fixed_arms_may_have_means_that_change_and_bernoulli_rewards(n_arms, changing, bernoulli):
    """As many replicates as lie side by side where they have neither."""
    rng, n, dim, rounds = np.random.default_rng(n_arms), 64, 4, 30
    features = rng.standard_normal((1, n, dim, n_arms))
    features.flags.writeable = False
    means = rng.random((rounds if changing else 1, n, n_arms))
    block = ArmsBlock(
        start=0, bernoulli=bernoulli, features=features, means=means, best=means.max(axis=2),
        noise=rng.random((rounds, n)),
    )  # fmt: skip
    of_kind = Ridge(ridge=0.5).reset
    task = LinearTask(
        n_arms=n_arms, dim=dim, horizon=rounds, noise_std=1.0, subgaussian=1.0, feature_norm=None,
        param_norm=1.0, fixed_arms=True,
    )  # fmt: skip
    once, alone, radius = of_kind(task, n), of_kind(task, n), np.ones(n)
    arms = play_optimistic_block(once, block, radius)
    for t in range(rounds):
        chosen = most_optimistic(*alone.predict(features[0]), radius)
        np.testing.assert_array_equal(arms[t], chosen)
        mean = means[t if changing else 0, np.arange(n), chosen]
        reward = 1.0 * (block.noise[t] < mean) if bernoulli else mean + block.noise[t]
        alone.update(features[0], chosen, reward, np.ones(n, bool))
    np.testing.assert_array_equal(once.mean, alone.mean)


@pytest.mark.parametrize("arm", [0, 1])
def test_a_block_with_an_arm_whose_features_are_not_finite_is_refused(arm):
    """It need not be the arm that is played."""
    rng, rounds, n = np.random.default_rng(0), 3, 2
    features = rng.standard_normal((rounds, n, 4, 3))
    features[1, 1, 2, arm] = np.nan
    features.flags.writeable = False
    means = rng.random((rounds, n, 3))
    block = ArmsBlock(
        start=0, features=features, means=means, best=means.max(axis=2), noise=means[:, :, 0]
    )
    model = FreshArms.initial(n, 4, 3, 1.0)
    with pytest.raises(ValueError, match="feature.* replicate 1 .*not finite"):
        play_optimistic_block(model, block, np.ones(n))
