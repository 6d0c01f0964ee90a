"""Arrays that cannot be written to, and buffers that take turns."""

import copy
import pickle

import numpy as np
import pytest

from banditgym.rounds.read_only import Alternating, read_only


def test_an_array_itself_becomes_read_only_and_what_a_view_shows_does_not():
    array = np.zeros(3)
    assert read_only(array[:2]).flags.writeable is False
    array[0] = 1.0
    assert read_only(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2.0


def turned(buffer):
    return buffer.T


def mapped(buffer):
    return {"one": buffer[0][0], "two": buffer[1].view()}


def test_observations_stay_until_the_turn_after_next():
    buffers = Alternating(turned, *np.zeros((2, 2, 3)))
    shown = []
    for t in range(4):
        buffers.turn()[:] = t
        assert (buffers.buffer == t).all()
        shown.append(buffers.shown)
        assert not shown[-1].flags.writeable
        if t:
            assert (shown[-2] == t - 1).all()
    assert shown[0] is shown[2]
    assert (shown[0] == 2).all()


def test_a_single_buffer_is_always_the_same():
    buffers = Alternating(turned, np.ones((2, 3)))
    assert buffers.turn() is buffers.turn() is buffers.buffer


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_show_their_own_buffers(twin_of):
    buffers = Alternating(mapped, *((np.zeros((1, 2)), np.zeros(4)) for _ in range(2)))
    buffers.turn()
    twin = twin_of(buffers)
    one, _ = twin.turn()
    one[:] = 7.0
    assert (twin.shown["one"] == 7.0).all()
    assert not twin.shown["one"].flags.writeable
    assert (buffers.turn()[0] == 0.0).all()


def test_a_mapping_is_the_callers_own():
    buffers = Alternating(mapped, (np.zeros((1, 2)), np.zeros(4)))
    buffers.shown["one"] = None
    assert buffers.shown["one"].shape == (2,)
