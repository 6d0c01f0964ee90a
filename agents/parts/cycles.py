"""Cycles of exploration and exploitation: how replicates go on from round to round.

In cycle m the d rows of a basis are explored, and then the best point is played m times. If the
number of cycles is given, the best point is played only in the last cycle, which does not end.
"""

import math

from banditgym.compiled import borrowing, inlined


@inlined
def next_sample(place, cycle, dim, i):
    """The number of replicate i's next sample of exploration, from 0."""
    return (cycle[i] - 1) * dim + min(place[i], dim)


@borrowing
def go_on(place, cycle, last, dim, i, most):
    """Count the next rounds of replicate i, at most ``most``, which all explore or all exploit.

    A replicate's ``place`` (n,) is the round within its ``cycle`` (n,), from 1: the next row of the
    basis, or d and more if the best point is next. ``last`` is the number of cycles, 0 if there is
    no last one. Returns the number of rounds.
    """
    if place[i] == dim and cycle[i] == last:
        return most
    rest = cycle[i] if last == 0 else 0
    rounds = min(most, (dim if place[i] < dim else dim + rest) - place[i])
    place[i] += rounds
    if place[i] == dim + rest and cycle[i] != last:
        place[i] = 0
        cycle[i] += 1
    return rounds


@inlined
def cycle_and_place(t, dim, last):
    """The cycle of round t, from 0, and the round's place in it, as ``go_on`` counts them."""
    if last > 0:
        cycle = min(t // dim + 1, last)
        return cycle, min(t - (cycle - 1) * dim, dim)
    both = 2 * dim + 1  # m cycles have m (2 d + 1 + m) / 2 rounds
    ended = int((math.sqrt(both * both + 8.0 * t) - both) / 2.0)
    while ended * (both + ended) // 2 > t:  # the root is rounded
        ended -= 1
    while (ended + 1) * (both + ended + 1) // 2 <= t:
        ended += 1
    return ended + 1, t - ended * (both + ended) // 2
