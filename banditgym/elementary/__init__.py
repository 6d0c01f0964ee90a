r"""Exponentials, logarithms, powers, sines and cosines with the same bits on every processor.

Mathematical libraries and numpy choose their code by the processor, so last bits differ, and
decisions with them. These functions use only + - * / and operations on the bits of a float64, in an
order that no compiler may change (:mod:`~banditgym.compiled` allows neither fast-math nor
contraction). All draws of environments and all decisions of agents use these functions.

The polynomials and the argument reductions are those of fdlibm [1]_ (files e_exp.c, e_log.c,
s_log1p.c, s_expm1.c, e_sinh.c, k_sin.c, k_cos.c, e_rem_pio2.c). Where loops should vectorise, its
branches are replaced by choices between two values. There are three differences:

- :math:`x^y = e^{y \log x}`, where log x = k log 2 + 2 artanh(f / (2 + f)) is the unevaluated sum
  of two float64, from the series of artanh and Dekker's exact sums and products [2]_. Its error is
  less than 2^-64 log x.
- Angles beyond :data:`FAR` are reduced with 190 bits of their product with 2 / pi (Payne and Hanek
  [3]_), which are enough for every float64.
- Random normals have short forms of their own: the logarithm of a positive normal number, and sine
  and cosine of an angle in turns.

Errors are less than 2 units in the last place for ``sinh`` and ``sine_cosine_of_turns``, and less
than 1 for all others.

For zeros, infinities, NaN and subnormal numbers the results are those of numpy's functions, without
warnings.

Compiled code calls ``exp(x)``, Python code ``each_exp(x)``: it takes a number and returns a float,
or takes an array_like and returns a new float64 array of its shape. Both have equal bits.

References
----------
.. [1] fdlibm 5.3, Sun Microsystems, 1993 to 2004. https://www.netlib.org/fdlibm/
.. [2] T. J. Dekker. A Floating-Point Technique for Extending the Available Precision. Numerische
   Mathematik 18, 1971.
.. [3] M. Payne, R. Hanek. Radian Reduction for Trigonometric Functions. SIGNUM Newsletter 18, 1983.
"""

from banditgym.elementary.angles import FAR, cos, sin, sine_cosine, sine_cosine_of_turns
from banditgym.elementary.elementwise import (
    each_cos,
    each_exp,
    each_expm1,
    each_log,
    each_log1p,
    each_power,
    each_sin,
    each_sinh,
)
from banditgym.elementary.exponentials import exp, expm1, log, log1p, log_of_normal, sinh
from banditgym.elementary.powers import power

__all__ = [
    "FAR",
    "cos",
    "each_cos",
    "each_exp",
    "each_expm1",
    "each_log",
    "each_log1p",
    "each_power",
    "each_sin",
    "each_sinh",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log_of_normal",
    "power",
    "sin",
    "sine_cosine",
    "sine_cosine_of_turns",
    "sinh",
]
