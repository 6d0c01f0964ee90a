"""Shared observations: read as written, and never writable by the agent's process."""

import ctypes
import mmap
import os

import numpy as np
import pytest

from leaderboards.sandbox.layout import Layout
from leaderboards.sandbox.shared import LATE, Seen, Shown

ARRAY = np.arange(12.0).reshape(2, 3, 2)


@pytest.fixture
def shown():
    made = Shown(Layout.of({"": ARRAY}))
    yield made
    made.close()


def seen(shown):
    return Seen(os.dup(shown.reading), shown.layout)


def attempts(number, size):
    """Four ways to change what a file number shows: each returns whether it worked."""
    libc = ctypes.CDLL(None, use_errno=True)

    def refused(action):
        try:
            action()
        except OSError:
            return False
        return True

    def reopened(action):
        def do():
            again = os.open(f"/proc/self/fd/{number}", os.O_RDWR)
            try:
                action(again)
            finally:
                os.close(again)

        return do

    def made_writable(again):
        memory = mmap.mmap(again, size, prot=mmap.PROT_READ)
        address = np.frombuffer(memory, np.uint8).__array_interface__["data"][0]
        if libc.mprotect(ctypes.c_void_p(address), size, 3) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")

    return {
        "write": refused(reopened(lambda again: os.pwrite(again, b"x", 0))),
        "map": refused(reopened(lambda again: mmap.mmap(again, size).close())),
        "truncate": refused(reopened(lambda again: os.ftruncate(again, 0))),
        "grow": refused(reopened(lambda again: os.ftruncate(again, 10 * size))),
        "protect": refused(reopened(made_writable)),
    }


def test_without_seals_every_way_works():
    number = os.memfd_create("plain")
    os.ftruncate(number, mmap.PAGESIZE)
    got = attempts(number, mmap.PAGESIZE)
    os.close(number)
    assert all(got.values()), got


def test_with_them_none_does(shown):
    assert not any(attempts(shown.reading, mmap.PAGESIZE).values())


def test_what_is_written_is_read_slot_by_slot(shown):
    reader = seen(shown)
    for slot in (0, 1, LATE):
        shown.write(slot, ARRAY + slot)
    for slot in (0, 1, LATE):
        np.testing.assert_array_equal(reader[slot], ARRAY + slot)
        assert not reader[slot].flags.writeable
    # An agent knows an observation again by its identity; one that comes late is always new.
    assert reader[0] is reader[0]
    assert reader[LATE] is not reader[LATE]


def test_other_shapes_are_refused(shown):
    with pytest.raises(ValueError, match="not of the layout"):
        shown.write(0, ARRAY[:1])
    with pytest.raises(ValueError, match="not of the layout"):
        shown.write(0, {"": ARRAY, "more": ARRAY})
