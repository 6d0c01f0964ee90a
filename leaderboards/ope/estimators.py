r"""Estimators of a policy's value, from the rounds of a log that another policy played.

With weights :math:`w_t = \pi(a_t \mid x_t) / e_t(a_t)`, predictions q, and the model's value of the
policy :math:`d_t = \sum_a \pi(a \mid x_t) q_t(a)`, the estimates of :math:`V = E[\sum_a \pi(a \mid
x) r(a)]` are

- ``direct``: :math:`\bar d`, which is as wrong as the model;
- ``ips``: the mean of :math:`w_t r_t`, unbiased where the propensities are right and positive;
- ``snips``: :math:`\sum w_t r_t / \sum w_t` (Swaminathan and Joachims 2015);
- ``dr``: the mean of :math:`d_t + w_t (r_t - q_t(a_t))` (Dudík, Langford and Li 2011), which is
  also the augmented IPW estimator with uniform weights;
- ``sndr``: :math:`\bar d + \sum w_t (r_t - q_t(a_t)) / \sum w_t`.

With ``clip`` the weights of these are :math:`\min(w_t, c)`: less variance for some bias.

Every one is :math:`\bar b + \bar u / \bar v` for three columns of rounds. Its standard error is
that of the mean of the linearised terms :math:`b_t + \rho + (u_t - \rho v_t) / \bar v`, where
:math:`\rho = \bar u / \bar v`.
"""

from typing import NamedTuple

import numpy as np

from leaderboards.ope.logged_rounds import Rounds


class Contributions(NamedTuple):
    """An estimate, and what each round contributes to it.

    Attributes
    ----------
    value : float
    terms : ndarray of shape (T,)
        Their mean is the estimate, and their spread its standard error.
    round_weights : ndarray of shape (T,)
        The weight of each round, up to a factor: ones, if the estimator weights none.
    unsupported : ndarray of shape (T,)
        Whether the policy plays there what the log cannot have, so that the estimate is biased.
    columns : ndarray of shape (3, T), or None
        The columns b, u and v above, by which rounds are resampled.
    """

    value: float
    terms: np.ndarray
    round_weights: np.ndarray
    unsupported: np.ndarray
    columns: np.ndarray | None


PLAIN = ("direct", "ips", "snips", "dr", "sndr")


def plain(rounds: Rounds, estimator: str, clip: float | None) -> Contributions:
    """One of the estimators `PLAIN`."""
    columns = plain_columns(rounds, estimator, clip)
    return of_columns(columns, np.ones(len(rounds.rewards)), unsupported(rounds))


def plain_columns(rounds: Rounds, estimator: str, clip: float | None) -> np.ndarray:
    """The columns b, u and v of one of the estimators `PLAIN`: (3, T)."""
    zeros, ones = np.zeros(len(rounds.rewards)), np.ones(len(rounds.rewards))
    base, left = zeros, rounds.rewards
    if rounds.predictions is not None and estimator in ("direct", "dr", "sndr"):
        base = (rounds.policy * rounds.predictions).sum(axis=1)
        left = rounds.rewards - rounds.played(rounds.predictions)
    if estimator == "direct":
        return np.stack([base, zeros, ones])
    weights = np.minimum(rounds.policy_weights, np.inf if clip is None else clip)
    normalised = estimator in ("snips", "sndr")
    return np.stack([base, weights * left, weights if normalised else ones])


def of_columns(
    columns: np.ndarray, round_weights: np.ndarray, unsupported: np.ndarray
) -> Contributions:
    """The estimate of three columns; it is NaN where no round has a weight."""
    base, numerator, denominator = columns
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numerator.mean() / denominator.mean()
        terms = base + ratio + (numerator - ratio * denominator) / denominator.mean()
    value = float(base.mean() + ratio)
    return Contributions(value, terms, round_weights, unsupported, columns)


def unsupported(rounds: Rounds) -> np.ndarray:
    """The rounds in which the policy plays an action of propensity 0, where that is known: (T,)."""
    if rounds.all_propensities is None:
        return np.zeros(len(rounds.rewards), bool)
    return ((rounds.policy > 0) & (rounds.all_propensities == 0)).any(axis=1)
