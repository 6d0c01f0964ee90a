"""Observations in memory that the judge writes and an agent's process can only read.

The memory is a file without a name (memfd). The judge seals it before it hands it over: nobody may
change its size, map it for writing, write to it, or remove a seal. The judge's own mapping is older
than the seals and stays writable. The agent's process gets a descriptor that was opened only for
reading. Observations stay valid until the step after next, so two slots alternate; a third slot is
for observations that the agent learns from later.
"""

import fcntl
import mmap
import os
from typing import Any

import numpy as np

from agents.inputs.observations import Observation
from leaderboards.sandbox.layout import Layout, parts_of, whole_of

LATE = 2  # the slot for observations that the agent learns from after that
SLOTS = 3
_FUTURE_WRITE = getattr(fcntl, "F_SEAL_FUTURE_WRITE", 0x0010)
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | _FUTURE_WRITE | fcntl.F_SEAL_SEAL
_PAGE = mmap.PAGESIZE


class Shown:
    """The judge's side: memory for the observations of one layout.

    Attributes
    ----------
    reading : int
        File number, opened only for reading, to hand over.
    """

    def __init__(self, layout: Layout):
        self.layout = layout
        size = max(SLOTS * stride(layout), _PAGE)
        writing = os.memfd_create("observations", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(writing, size)
            self._memory = mmap.mmap(writing, size)
            fcntl.fcntl(writing, fcntl.F_ADD_SEALS, _SEALS)
            self.reading = os.open(f"/proc/self/fd/{writing}", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.close(writing)
        self._slots = [
            list(layout.over(self._memory, slot * stride(layout)).values()) for slot in range(SLOTS)
        ]

    def write(self, slot: int, observation: Observation) -> None:
        """Copy an observation into a slot.

        Raises
        ------
        ValueError
            If its arrays do not fit the layout.
        """
        if type(observation) is np.ndarray:
            (place,) = self._slots[slot]
            if observation.dtype == place.dtype and observation.shape == place.shape:
                place[...] = observation
                return
        parts = parts_of(observation)
        if Layout.of(parts) != self.layout:
            raise ValueError("the observation is not of the layout of those before it")
        for place, part in zip(self._slots[slot], parts.values(), strict=True):
            place[...] = part

    def close(self) -> None:
        """Release the memory; an agent's process may still read what it has mapped."""
        os.close(self.reading)
        self._slots = []
        self._memory.close()


class Seen:
    """The agent's side: the same memory, for reading.

    Parameters
    ----------
    number : int
        The file number that was handed over.
    """

    def __init__(self, number: int, layout: Layout):
        size = max(SLOTS * stride(layout), _PAGE)
        self._memory = mmap.mmap(number, size, prot=mmap.PROT_READ)
        os.close(number)
        self._layout = layout
        # The same objects every time: agents recognise an observation by its identity.
        self._slots = [self._at(slot) for slot in range(LATE)]

    def __getitem__(self, slot: int) -> Any:
        """The observation in a slot, a read-only view."""
        return self._at(slot) if slot == LATE else self._slots[slot]

    def _at(self, slot: int) -> Any:
        parts = self._layout.over(self._memory, slot * stride(self._layout))
        return whole_of(parts)


def stride(layout: Layout) -> int:
    """Bytes from one slot to the next, a multiple of the page size."""
    return -(-layout.size // _PAGE) * _PAGE
