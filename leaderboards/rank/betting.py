r"""Sequential tests of two agents' mean regrets by betting, valid at every look.

On the seeds s = 1, 2, .. two agents have regrets :math:`A_s` and :math:`B_s`. Three claims are
tested, each by the *capital* of a gambler who bets on it, seed after seed:

=====================================  ==========================
claim                                  the gambler bets on
=====================================  ==========================
E[A] < E[B]: the first agent is better  :math:`X_s = B_s - A_s`
E[B] < E[A]: the second is better       :math:`X_s = A_s - B_s`
equivalent: E[A] <= (1 + m) E[B] and    :math:`X_s = (1 + m) B_s - A_s` and, with a capital of its
E[B] <= (1 + m) E[A]                    own, :math:`X_s = (1 + m) A_s - B_s`
=====================================  ==========================

The capital is a mixture of fixed bets,

.. math::

    K_t = \sum_{j=0}^{9} 2^{-j-1} \prod_{s \le t} \max(0, 1 + \lambda_j X_s), \qquad
    \lambda_j = 2^{-j} / c .

A claim is made once its capital, or both of an equivalence, reaches :math:`2 / \alpha`. If a claim
is false, so that E[X] <= 0 on every seed given those before, the capital is not expected to grow,
and it ever reaches :math:`2 / \alpha` with probability at most :math:`\alpha / 2` (Ville's
inequality). At most two of the four capitals bet on false claims: those of the first two rows if
the means are equal; one of these and one of the equivalence if one mean is larger by more than the
share m; one if it is larger by less. So a pair is ever decided wrongly with probability at most
:math:`\alpha`, however often one looks. A t-test that is repeated as the data come has no such
property.

**The bound c.** This is exact if regrets are at least 0 and no regret exceeds c, the *bound*: then
X >= -c, and no factor is cut at 0. A larger regret is counted in full, and a bet with
:math:`1 + \lambda_j X_s < 0` is lost; but until such a seed is seen, that bet was too large. If a
rare seed has a regret of V > c and all others are steady, a false claim is made with probability
of about :math:`(\alpha / 4)^{c / V}`, which at alpha = 5 % is below 5 % up to V = 1.46 c.

A smaller bound decides sooner: steady differences of mean :math:`\mu` need about
:math:`c \log(4 / \alpha) / \mu` seeds. A test that allows for a regret of c on a rare seed cannot
need much fewer, because it must wait until such a seed would probably have been seen.

Two agents with a steady regret of r are equivalent after about :math:`c \log(4 / \alpha) / (m r)`
seeds.

The *confidence sequence* of the mean difference E[B - A] has the candidates m for which the
capitals on :math:`B_s - A_s - m`, with the bound c + max(m, 0), and on the negative, with c +
max(-m, 0), have not yet reached :math:`2 / \alpha`. It excludes 0 if and only if one of the agents
was found to be better.

References
----------
I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting. JRSS B 86(1),
2024, sections 4 and 5: capital processes, and mixtures of bets.
"""

import numpy as np

ALPHA = 0.05
BETS = 10

UNDECIDED, LOWER, HIGHER, EQUIVALENT = range(4)
_ENOUGH = 300.0  # logarithm of a capital that decides, and does not overflow
_HALVINGS = 50  # until the limits of the interval are known to rounding


def crossings(
    first: np.ndarray, second: np.ndarray, margin: float, bound: float, alpha: float = ALPHA
) -> np.ndarray:
    """After how many seeds each claim is made; S + 1 if never.

    Parameters
    ----------
    first, second : ndarray of shape (..., S)
        Regrets of two agents, in the order of observation.
    margin : float
        The share m above 0.
    bound : float
        The largest regret c that the bets allow for.

    Returns
    -------
    ndarray of int, of shape (3, ...)
        The first mean is lower; it is higher; the two are equivalent.
    """
    first, second = np.asarray(first, float), np.asarray(second, float)
    share = 1.0 + margin
    return np.stack(
        [
            _crossing(second - first, bound, alpha),
            _crossing(first - second, bound, alpha),
            np.maximum(
                _crossing(share * second - first, bound, alpha),
                _crossing(share * first - second, bound, alpha),
            ),
        ]
    )


def first_verdict(
    first: np.ndarray, second: np.ndarray, margin: float, bound: float, alpha: float = ALPHA
) -> tuple[np.ndarray, np.ndarray]:
    """The first claim on the first agent's mean, and the number of seeds that it needed.

    If several claims are made after the same seed, the means are not called equivalent.

    Parameters
    ----------
    first, second, margin, bound
        As for `crossings`.

    Returns
    -------
    verdict : ndarray of int, of shape (...)
        `LOWER`, `HIGHER`, `EQUIVALENT` or `UNDECIDED`.
    seen : ndarray of int, of shape (...)
        Number of seeds after which it is decided, or S if it is not.

    Examples
    --------
    >>> verdict, seen = first_verdict(np.full(400, 0.5), np.full(400, 0.5), 0.1, 1.0)
    >>> int(verdict) == EQUIVALENT, int(seen)
    (True, 89)
    """
    times = crossings(first, second, margin, bound, alpha)
    soonest, n = times.min(axis=0), np.shape(first)[-1]
    verdict = np.where(soonest > n, UNDECIDED, LOWER + times.argmin(axis=0))
    return verdict, np.minimum(soonest, n)


def interval(differences: np.ndarray, bound: float, alpha: float = ALPHA) -> tuple[float, float]:
    """The limits of the confidence sequence of a mean after all differences (S,), by bisection.

    Before the first difference they are -bound and bound.

    Examples
    --------
    >>> interval(np.array([]), 2.0)
    (-2.0, 2.0)
    """
    return _lower(differences, bound, alpha), -_lower(-differences, bound, alpha)


def _lower(differences: np.ndarray, bound: float, alpha: float) -> float:
    def excluded(mean: float) -> bool:
        wide = bound + max(mean, 0.0)
        return bool(_crossing(differences - mean, wide, alpha) <= len(differences))

    # Ends that are excluded and that stay; 0 is tried first, so that the verdict and the interval
    # agree whatever the differences are.
    if excluded(0.0):
        out, kept = 0.0, float(differences.max())
    else:
        out, kept = float(differences.min(initial=-bound)), 0.0
    for _ in range(_HALVINGS):
        middle = (out + kept) / 2
        if excluded(middle):
            out = middle
        else:
            kept = middle
    return out


def _crossing(values: np.ndarray, bound: float, alpha: float) -> np.ndarray:
    """After how many of the values (..., S) the capital reaches 2 / alpha; S + 1 if never."""
    capital = np.zeros(np.shape(values))
    for j in range(BETS):
        with np.errstate(divide="ignore"):  # a bet that is lost has the logarithm -inf
            growth = np.log(np.maximum(1.0 + 2.0**-j / bound * values, 0.0)).cumsum(axis=-1)
        capital += 2.0 ** -(j + 1) * np.exp(np.minimum(growth, _ENOUGH))
    return 1 + np.logical_and.accumulate(capital < 2 / alpha, axis=-1).sum(axis=-1)
