"""A small log that is made rather than collected."""

import numpy as np

from banditgym.logs import made_log, open_log


def test_it_is_legal_and_the_same_every_time():
    log = open_log(made_log(50))
    assert (log.n_rows, log.n_arms, log.context_shape) == (50, 4, (3,))
    assert (log.smallest_propensity, log.least_propensity, log.largest_propensity) == (
        0.15,
        0.15,
        0.55,
    )
    assert made_log(50).equals(made_log(50))
    assert made_log(30).equals(made_log(50).head(30))
    assert not made_log(50, seed=1).equals(made_log(50))


def test_actions_and_clicks_have_their_probabilities():
    """Sums of independent indicators, at five standard deviations."""
    rows = made_log(20_000)
    x, means = np.array([*rows["context"]]), np.array([*rows["mean"]])
    likely = (x[:, 0] >= 0).astype(int)
    np.testing.assert_array_equal(np.array([*rows["propensities"]]).argmax(axis=1), likely)
    n = len(rows)
    assert abs((rows["action"] == likely).mean() - 0.55) < 5 * np.sqrt(0.55 * 0.45 / n)
    for arm in (2, 3):
        assert abs((rows["action"] == arm).mean() - 0.15) < 5 * np.sqrt(0.15 * 0.85 / n)
    played = means[np.arange(n), rows["action"]]
    assert abs((rows["reward"] - played).mean()) < 5 * 0.5 / np.sqrt(n)
    theta, *_ = np.linalg.lstsq(x, means - 0.5, rcond=None)
    np.testing.assert_allclose(x @ theta + 0.5, means, rtol=1e-12)  # linear, without an offset
    assert means.min() >= 0
    assert means.max() <= 1
