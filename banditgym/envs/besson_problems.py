"""Piecewise stationary problems of Bernoulli arms, with which detectors of changes are compared.

The breaks are the rounds, counted from 1, from which new means hold: so they are in the authors'
arrays of means by round. The means of PB3 and PB4, which they drew at random, are rounded to four
digits.

References
----------
L. Besson, E. Kaufmann, O.-A. Maillard, J. Seznec. Efficient Change-Point Detection for Tackling
Piecewise-Stationary Bandits. Journal of Machine Learning Research 23, 2022. Their arrays:
https://github.com/EmilieKaufmann/PiecewiseStationaryBandits.
"""

HORIZON = 20_000

_FIFTHS = (4001, 8001, 12001, 16001)

# The breaks, and the means (K,) of each segment.
PROBLEMS = {
    "PB1": (
        _FIFTHS,
        ((0.9, 0.5, 0.3), (0.9, 0.2, 0.3), (0.1, 0.2, 0.3), (0.1, 0.7, 0.3), (0.1, 0.7, 0.5)),
    ),
    "PB2": (
        _FIFTHS,
        ((0.9, 0.5, 0.4), (0.7, 0.4, 0.5), (0.5, 0.3, 0.6), (0.3, 0.2, 0.7), (0.1, 0.1, 0.8)),
    ),
    "PB3": (
        (6947, 9400, 10887, 13633, 16254),
        (
            (0.2769, 0.1817, 0.5667, 0.013, 0.5938),
            (0.507, 0.1817, 0.5667, 0.2813, 0.7107),
            (0.507, 0.1817, 0.5667, 0.1631, 0.3575),
            (0.1681, 0.1817, 0.4112, 0.1631, 0.3575),
            (0.1681, 0.1817, 0.4112, 0.1631, 0.026),
            (0.4364, 0.4062, 0.4734, 0.5587, 0.026),
        ),
    ),
    "PB4": (
        (7388, 8403, 11866, 15716, 18183),
        (
            (0.2434, 0.515, 0.1962, 0.9489, 0.5689),
            (0.3664, 0.515, 0.1962, 0.8811, 0.8365),
            (0.303, 0.1635, 0.292, 0.654, 0.8365),
            (0.2513, 0.5337, 0.292, 0.654, 0.8365),
            (0.2513, 0.5337, 0.292, 0.5801, 0.8365),
            (0.2513, 0.5337, 0.292, 0.5801, 0.9979),
        ),
    ),
}
