"""A small log that is made rather than collected, for examples and tests."""

from typing import TYPE_CHECKING

import numpy as np

from banditgym.streams import ENVIRONMENT, Stream
from banditgym.validation import whole

if TYPE_CHECKING:  # pandas takes a third of a second to import
    import pandas

N_ARMS, DIM = 4, 3
_LIKELY, _OTHERS = 0.55, 0.15  # the propensities of the arm that the policy prefers, and of others


def made_log(rows: int = 1000, seed: int = 0) -> "pandas.DataFrame":
    r"""A log of clicks on 4 arms, whose policy prefers one of them by the first feature.

    The context x_t has 3 features, uniform on [-1, 1). An arm k is clicked with probability
    :math:`\tfrac{1}{2} + \tfrac{1}{6} \sum_j x_{t,j} \theta_{k,j}` with :math:`\theta` uniform on
    [-1, 1). The policy plays arm 0 with probability 0.55 where :math:`x_{t,1} < 0`, else arm 1, and
    every other arm with 0.15.

    Returns
    -------
    DataFrame
        ``round``, ``context``, ``action``, ``propensity``, ``propensities``, ``reward`` and
        ``mean``.
    """
    import pandas

    rows = whole("rows", rows)
    draws = Stream([seed], ENVIRONMENT, 0, 0)
    theta = 2.0 * draws.uniform(0, (N_ARMS, DIM))[0] - 1.0
    u = np.concatenate([draws.uniform(t + 1, (DIM + 2,)) for t in range(rows)])
    contexts = 2.0 * u[:, :DIM] - 1.0
    means = np.full((rows, N_ARMS), 0.5)
    for j in range(DIM):  # one by one, in an order that every processor has
        means = means + contexts[:, j : j + 1] * theta[:, j] / (2.0 * DIM)
    propensities = np.full((rows, N_ARMS), _OTHERS)
    propensities[np.arange(rows), (contexts[:, 0] >= 0.0).astype(np.int64)] = _LIKELY
    actions = np.zeros(rows, np.int64)
    below = np.zeros(rows)
    for k in range(N_ARMS - 1):
        below = below + propensities[:, k]
        actions += u[:, DIM] >= below
    each = np.arange(rows)
    return pandas.DataFrame(
        {
            "round": each,
            "context": list(contexts),
            "action": actions,
            "propensity": propensities[each, actions],
            "propensities": list(propensities),
            "reward": (u[:, DIM + 1] < means[each, actions]).astype(np.float64),
            "mean": list(means),
        }
    )
