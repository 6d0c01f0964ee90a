r"""Sequential tests of a bounded mean by betting, valid at every look.

Values :math:`x_1, x_2, \ldots` in [0, 1] have an unknown mean. For every candidate m two gamblers
bet on each value before it is seen, one that the mean is larger than m and one that it is smaller:

.. math::

    K_t^+(m) = \prod_{i \le t} (1 + \lambda_i^+(m) (x_i - m)), \qquad
    K_t^-(m) = \prod_{i \le t} (1 - \lambda_i^-(m) (x_i - m)) .

If m is the mean, neither capital is expected to grow, so each ever reaches :math:`2 / \alpha` with
probability at most :math:`\alpha / 2` (Ville's inequality). The *confidence sequence* after t
values has the m for which :math:`\max(\theta K_s^+, (1 - \theta) K_s^-) < 1 / \alpha` at every
:math:`s \le t`, with :math:`\theta = 1/2`. With probability :math:`1 - \alpha` it contains the
mean at all t at once. So one may look after every value and stop at any time. A t-test that is
repeated as the data come has no such property.

The bets are the predictable plug-in ones, truncated at c = 3/4:

.. math::

    \dot\lambda_t = \sqrt{\frac{2 \log(2 / \alpha)}{\hat\sigma_{t-1}^2\, t \log(1 + t)}}, \qquad
    \lambda_t^+(m) = \min(\dot\lambda_t, c / m), \qquad
    \lambda_t^-(m) = \min(\dot\lambda_t, c / (1 - m)), \\
    \hat\mu_t = \frac{1/2 + \sum_{i \le t} x_i}{t + 1}, \qquad
    \hat\sigma_t^2 = \frac{1/4 + \sum_{i \le t} (x_i - \hat\mu_i)^2}{t + 1} .

With these bets each factor of :math:`K^+` falls as m grows, and each factor of :math:`K^-` rises.
So the sequence is an interval, and a candidate is excluded as soon as one of its capitals reaches
the threshold.

References
----------
I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting. JRSS B 86(1),
2024, Theorem 3.
"""

import numpy as np

ALPHA = 0.05
CAP = 0.75  # c: no bet risks more than this share of the capital
HEDGE = 0.5  # theta

UNDECIDED, HIGHER, LOWER, EQUIVALENT = range(4)
_HALVINGS = 50  # of [0, 1] until the limits of the interval are known to rounding


def first_verdict(
    values: np.ndarray, margin: float, alpha: float = ALPHA
) -> tuple[np.ndarray, np.ndarray]:
    """The first verdict on the mean against 1/2, and the number of values that it needed.

    The mean is `HIGHER` or `LOWER` once the sequence excludes 1/2, and `EQUIVALENT` once it lies
    within (1/2 - margin, 1/2 + margin). The first verdict counts; if both hold after the same
    value, the mean is not equivalent. The capital at three candidates is enough for this.

    Parameters
    ----------
    values : ndarray of shape (..., S)
        In [0, 1], in the order of observation.
    margin : float
        Above 0 and below 1/2.

    Returns
    -------
    verdict : ndarray of int, of shape (...)
    seen : ndarray of int, of shape (...)
        Number of values after which it is decided, or S if it is not.

    Examples
    --------
    >>> verdict, seen = first_verdict(np.full(400, 0.5), 0.0125)
    >>> int(verdict) == EQUIVALENT, int(seen)
    (True, 194)
    """
    bets = _bets(values, alpha)
    up, down = (_crossing(values, bets, 0.5, sign, alpha) for sign in (1, -1))
    within = np.maximum(
        _crossing(values, bets, 0.5 - margin, 1, alpha),
        _crossing(values, bets, 0.5 + margin, -1, alpha),
    )
    times = np.stack([up, down, within])
    first = times.min(axis=0)
    n = np.shape(values)[-1]
    verdict = np.where(first > n, UNDECIDED, HIGHER + times.argmin(axis=0))
    return verdict, np.minimum(first, n)


def interval(values: np.ndarray, alpha: float = ALPHA) -> tuple[float, float]:
    """The limits of the confidence sequence after all values (S,), by bisection.

    Examples
    --------
    >>> interval(np.array([]))
    (0.0, 1.0)
    """
    bets, n = _bets(values, alpha), len(values)
    limits = []
    for sign in (1, -1):
        out, kept = (0.0, 1.0) if sign > 0 else (1.0, 0.0)  # ends that are left out, and that stay
        for _ in range(_HALVINGS):
            middle = (out + kept) / 2
            if _crossing(values, bets, middle, sign, alpha) <= n:
                out = middle
            else:
                kept = middle
        limits.append(out)
    return limits[0], limits[1]


def _bets(values: np.ndarray, alpha: float) -> np.ndarray:
    """The bets before truncation, of shape (..., S); each depends on earlier values alone."""
    values = np.asarray(values, float)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("values must lie in [0, 1]")
    t = np.arange(1, values.shape[-1] + 1)
    means = (0.5 + values.cumsum(axis=-1)) / (t + 1)
    variances = (0.25 + ((values - means) ** 2).cumsum(axis=-1)) / (t + 1)
    before = np.concatenate([np.full_like(values[..., :1], 0.25), variances[..., :-1]], axis=-1)
    return np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log1p(t)))


def _crossing(
    values: np.ndarray, bets: np.ndarray, m: float, sign: int, alpha: float
) -> np.ndarray:
    """After how many values (...) one gambler excludes a candidate; S + 1 if never.

    ``sign`` is 1 for the gambler who bets that the mean is larger than m, and -1 for the other.
    """
    side, share = (m, HEDGE) if sign > 0 else (1 - m, 1 - HEDGE)
    kept = np.minimum(bets, CAP / side)
    capital = np.log(share) + np.log1p(sign * kept * (np.asarray(values, float) - m)).cumsum(-1)
    below = np.logical_and.accumulate(capital < np.log(1 / alpha), axis=-1)
    return 1 + below.sum(axis=-1)
