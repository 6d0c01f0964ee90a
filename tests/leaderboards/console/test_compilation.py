"""What is told of numba's compilations."""

import numba

from leaderboards.console.compilation import notes_of_compilation


def test_only_the_outermost_compilation_is_told():
    inner = numba.njit(lambda x: x + 1)
    outer = numba.njit(lambda x: 2 * inner(x))
    told = []
    with notes_of_compilation(told.append):
        assert outer(3) == 8
        assert told == [True, False]  # once, though two functions were compiled
        assert outer(4) == 10
    assert inner(1.5) == 2.5
    assert told == [True, False]  # neither what was compiled before, nor what is outside
