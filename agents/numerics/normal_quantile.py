"""Quantiles of the standard normal distribution, in the upper half.

The rational functions are PPND16 of Algorithm AS 241: M. J. Wichura. The Percentage Points of the
Normal Distribution. Applied Statistics 37, 1988. They are accurate to about 1e-16, relative.
"""

import math

from banditgym.compiled import inlined
from banditgym.elementary import exp

# Coefficients of numerators and denominators, the highest power first: near the median, for tails
# of more than e^-25, and for smaller ones.
_NEAR = (
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
    4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
    1.3314166789178437745e2, 3.3871328727963666080e0,
)  # fmt: skip
_BELOW_NEAR = (
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
    2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
    4.2313330701600911252e1, 1.0,
)  # fmt: skip
_FAR = (
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
    1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
    4.63033784615654529590e0, 1.42343711074968357734e0,
)  # fmt: skip
_BELOW_FAR = (
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
    1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
    2.05319162663775882187e0, 1.0,
)  # fmt: skip
_FARTHEST = (
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
    2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
    5.46378491116411436990e0, 6.65790464350110377720e0,
)  # fmt: skip
_BELOW_FARTHEST = (
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
    7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
    5.99832206555887937690e-1, 1.0,
)  # fmt: skip
_NEAREST_TAIL = 0.075  # up to here from above, quantiles are near the median


@inlined
def quantile_of_tail(level):
    """The z of probability ``exp(-level)`` above it, for level >= log 2, and so z >= 0."""
    tail = exp(-level)
    if tail >= _NEAREST_TAIL:
        q = 0.5 - tail
        r = 0.180625 - q * q
        return q * _polynomial(_NEAR, r) / _polynomial(_BELOW_NEAR, r)
    r = math.sqrt(level)
    if r <= 5.0:
        return _polynomial(_FAR, r - 1.6) / _polynomial(_BELOW_FAR, r - 1.6)
    return _polynomial(_FARTHEST, r - 5.0) / _polynomial(_BELOW_FARTHEST, r - 5.0)


@inlined
def _polynomial(coefficients, r):
    value = 0.0
    for coefficient in coefficients:
        value = value * r + coefficient
    return value
