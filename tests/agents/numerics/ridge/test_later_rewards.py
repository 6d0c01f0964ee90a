"""Rewards of counted samples, beside the normal equations."""

import numpy as np

from agents.numerics.ridge.factor import absorb, initial
from agents.numerics.ridge.factor_contents import multiply, solve
from agents.numerics.ridge.later_rewards import add_rewards


def test_later_rewards_change_the_estimate_and_not_the_matrix():
    rng, (n, dim, samples) = np.random.default_rng(0), (3, 5, 9)
    factor = initial(n, dim, 0.5)
    x, rewards = rng.standard_normal((samples, n, dim)), rng.standard_normal((samples, n))
    which = rng.random((samples, n)) < 0.6
    arms, every = np.zeros(n, np.int64), np.ones(n, bool)
    for row in x:
        features = np.ascontiguousarray(row[:, :, None])
        features.flags.writeable = False
        assert absorb(*factor, 0.5, features, arms, np.zeros(n), every) == -1
    gram = multiply(*factor[:2])
    for row, reward, some in zip(x, rewards, which, strict=True):
        add_rewards(*factor, row.copy(), reward, some)
    np.testing.assert_array_equal(multiply(*factor[:2]), gram)
    moment = np.einsum("sni,sn->ni", x, rewards * which)
    expected = np.linalg.solve(gram, moment[:, :, None])[:, :, 0]
    np.testing.assert_allclose(solve(factor[0], factor[2]), expected, atol=1e-12)
