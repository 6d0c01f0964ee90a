r"""The adaptively weighted doubly robust estimators for logs of agents that learned meanwhile.

The doubly robust score of a round is :math:`\Gamma_t = \sum_a \pi(a \mid x_t) q_t(a) + w_t (r_t -
q_t(a_t))`. Its variance, given the past, is about in proportion to

.. math:: v_t(x) = \sum_a \pi(a \mid x)^2 / e_t(a; x),

which explodes as the agent stops playing what :math:`\pi` plays. With uniform weights, few such
rounds then decide the estimate, and its t-statistic is not normal. The weights of Zhan et al. are

- ``minvar``, "non-contextual MinVar": :math:`h_t = 1 / \bar v_t`, and ``stablevar``,
  "non-contextual StableVar": :math:`h_t = 1 / \sqrt{\bar v_t}`, where :math:`\bar v_t` is the mean
  of :math:`v_t(x_s)` over the earlier rounds s < t (over all rounds, for t = 0);
- ``contextual-minvar`` and ``contextual-stablevar``: :math:`h_t(x) = 1 / v_t(x)` and
  :math:`1 / \sqrt{v_t(x)}`.

The estimates and their variances are

.. math::
    \hat Q = \frac{\sum_t h_t \Gamma_t}{\sum_t h_t}, \quad
    \hat V = \frac{\sum_t h_t^2 (\Gamma_t - \hat Q)^2}{(\sum_t h_t)^2}; \qquad
    \hat Q = \sum_t B_t, \quad
    \hat V = \sum_t \Big(B_t - \sum_s \frac{h_t(x_s)}{Z(x_s)} B_s\Big)^2,

with :math:`Z(x) = \sum_t h_t(x)` and :math:`B_t = h_t(x_t) \Gamma_t / Z(x_t)` if the weights are
contextual. The cost is O(B T K) in time and O(T K) in memory for B logging policies.

R. Zhan, V. Hadad, D. A. Hirshberg and S. Athey. Off-Policy Evaluation via Adaptive Weighting with
Data from Contextual Bandits. KDD 2021.

Notes
-----
The weights, estimates and variances were read in the authors' code, ``gsbDBI/
contextual_bandits_evaluation`` at f9f2100 (``analyze``, ``estimate``, ``aw_var`` and
``calculate_continuous_X_statistics`` of ``adaptive/inference.py``), where they are called
``propscore_expected``, ``lvdl_expected``, ``propscore_X`` and ``lvdl_X``, and the paper's names in
its ``experiments/plot_utils.py``; of the paper, the abstract and the introduction alone could be
read. There, ``uniform`` weights rounds by ``np.arange(T)``, while its notebook says ``h_t = 1``,
and the notebook's contextual StableVar has no square root, while the code has; here uniform weights
are ``dr``'s, and StableVar has the root. In a round whose logging policy cannot play what
:math:`\pi` plays, v is infinite and the weight 0.
"""

import numpy as np

from leaderboards.ope.estimators import Contributions, of_columns, unsupported
from leaderboards.ope.logged_rounds import Rounds

# Name: the power of 1 / v, and whether the weights depend on the context.
ADAPTIVE = {
    "minvar": (1.0, False),
    "stablevar": (0.5, False),
    "contextual-minvar": (1.0, True),
    "contextual-stablevar": (0.5, True),
}


def adaptive(rounds: Rounds, estimator: str) -> Contributions:
    """One of the estimators `ADAPTIVE`."""
    assert rounds.predictions is not None  # the caller checks it
    left = rounds.rewards - rounds.played(rounds.predictions)
    scores = (rounds.policy * rounds.predictions).sum(axis=1) + rounds.policy_weights * left
    power, contextual = ADAPTIVE[estimator]
    if contextual:
        return _contextual(rounds, scores, power)
    weights = _past_weights(rounds, power)
    columns = np.stack([np.zeros_like(scores), weights * scores, weights])
    lost = unsupported(rounds) & (weights > 0)
    return of_columns(columns, weights, lost)._replace(columns=None)


def _inflation(rounds: Rounds, which: int) -> np.ndarray:
    """v of one logging policy at the contexts of all rounds: (T,)."""
    assert rounds.logging_policies is not None
    probabilities = np.broadcast_to(rounds.logging_policies[which], rounds.policy.shape)
    with np.errstate(divide="ignore"):
        share = np.divide(
            rounds.policy**2, probabilities, out=np.zeros(rounds.policy.shape),
            where=rounds.policy > 0,
        )  # fmt: skip
    return share.sum(axis=1)


def _policies(rounds: Rounds):
    """Of each logging policy that played: its rounds, and its v at the contexts of all rounds."""
    assert rounds.policy_of_round is not None
    for which in np.unique(rounds.policy_of_round):
        yield np.flatnonzero(rounds.policy_of_round == which), _inflation(rounds, which)


def _past_weights(rounds: Rounds, power: float) -> np.ndarray:
    weights = np.empty(len(rounds.rewards))
    for played, inflation in _policies(rounds):
        means = np.cumsum(inflation) / np.arange(1, len(inflation) + 1)
        # Index -1 of round 0 is the mean over all rounds.
        weights[played] = means[played - 1] ** -power
    return weights


def _contextual(rounds: Rounds, scores: np.ndarray, power: float) -> Contributions:
    n_rounds = len(scores)
    own, total = np.empty(n_rounds), np.zeros(n_rounds)
    for played, inflation in _policies(rounds):
        weights = inflation**-power
        own[played] = weights[played]
        total += len(played) * weights
    some = total > 0
    shares = np.divide(own, total, out=np.zeros(n_rounds), where=some)
    parts = shares * scores
    value = parts.sum()
    terms = np.empty(n_rounds)
    for played, inflation in _policies(rounds):
        weights = np.divide(inflation**-power, total, out=np.zeros(n_rounds), where=some)
        terms[played] = value + n_rounds * (parts[played] - weights @ parts)
    return Contributions(float(value), terms, shares, ~some, None)
