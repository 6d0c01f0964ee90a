"""The messages between the judge and an agent's process: frames of fixed layout.

The agent's process trusts the judge's messages, which tell it what to do. The judge does not trust
the agent's messages. Each is a header of 24 bytes and a payload. The judge knows the header of
every valid reply before it asks: it compares kind, dtype and shape as bytes, and unpickles and
evaluates nothing. An agent can send two texts. One is the message of an error, which the judge
truncates and escapes. The other, sent before it plays, is a description of itself as JSON in a
fixed number of bytes; the judge checks each value (``agent_description``).
"""

import contextlib
import json
import math
import os
import select
import struct
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # the judge's module, absent from an agent's process
    from leaderboards.sandbox.wait_limits import WaitLimits

# Kinds of the judge's messages.
CONFIGURE, RESET, LAYOUT, MEMORY, ROUND, STATE, DESCRIBE, ADVISE = range(1, 9)
# Kinds of replies.
READY, ACTIONS, NUMBER, ERROR, DESCRIPTION, ADVICE = range(101, 107)

KINDS = {READY: "readiness", ACTIONS: "actions", NUMBER: "a number", ERROR: "an error"}
KINDS[DESCRIPTION], KINDS[ADVICE] = "a description", "advice"
DTYPES: dict[int, np.dtype] = {
    0: np.dtype(np.uint8),
    1: np.dtype(np.int64),
    2: np.dtype(np.float64),
}
CODES = {dtype: code for code, dtype in DTYPES.items()}

NOTHING = 255  # instead of the number of a slot of the shared memory
LONGEST_TEXT = 2000  # bytes of an error
MOST = 1 << 26  # bytes of any reply
PIECE = 1 << 16  # bytes read at once: the capacity of a pipe

_QUESTION = struct.Struct("<IBBBB")  # length of the payload, kind, slots acted on and learned from
_REPLY = struct.Struct("<IBBBB4I")  # length of the payload, kind, dtype, dimensions, 0, shape
HEADER = _REPLY.size


class MalformedError(Exception):
    """An invalid reply; the message says what is wrong with it."""


class LateError(Exception):
    """No reply in time; the message is the limit."""


class EndedError(Exception):
    """The other side has closed its end."""


def question(kind: int, payload: bytes = b"", act: int = NOTHING, learn: int = NOTHING) -> bytes:
    """A message of the judge.

    Parameters
    ----------
    act, learn : int
        Slots of the shared memory: of the observation to act on, and of the one to learn from.
    """
    return _QUESTION.pack(len(payload), kind, act, learn, 0) + payload


def described(kind: int, what: object) -> bytes:
    """A message of the judge with plain data."""
    return question(kind, json.dumps(what).encode())


def reply_header(kind: int, dtype: np.dtype, shape: Sequence[int]) -> bytes:
    """The header of a reply with one array."""
    dims = (*shape, 0, 0, 0, 0)[:4]
    return _REPLY.pack(math.prod(shape) * dtype.itemsize, kind, CODES[dtype], len(shape), 0, *dims)


READY_REPLY = reply_header(READY, DTYPES[0], (0,))


def error_reply(text: str) -> bytes:
    """A reply that says what went wrong."""
    data = text.encode("utf-8", "replace")[:LONGEST_TEXT]
    return reply_header(ERROR, DTYPES[0], (len(data),)) + data


def array_reply(kind: int, array: np.ndarray) -> bytes:
    """A reply with an array of one of ``DTYPES``, of at most four dimensions."""
    return reply_header(kind, array.dtype, array.shape) + array.tobytes()


def fault_of_header(header: bytes, expected: bytes) -> str:
    """How a header differs from the expected one, in words."""
    length, kind, code, ndim, _, *dims = _REPLY.unpack(header)
    _, right_kind, right_code, right_ndim, _, *right_dims = _REPLY.unpack(expected)
    if length > MOST:
        return f"it announced {length} bytes"
    if kind != right_kind:
        return f"it sent {KINDS.get(kind, 'an unknown message')} for {KINDS[right_kind]}"
    if code != right_code:
        got = DTYPES.get(code, "an unknown dtype")
        return f"it sent {got} for {DTYPES[right_code]}"
    if (ndim, dims) != (right_ndim, right_dims):
        sent = tuple(dims[:ndim]) if ndim <= 4 else f"{ndim} dimensions"
        return f"it sent the shape {sent} for {tuple(right_dims[:right_ndim])}"
    return f"its header says {length} bytes for {_REPLY.unpack(expected)[0]}"


def error_length(header: bytes) -> int | None:
    """The bytes of an error's text, where a header announces a well-formed error."""
    length, kind, code, ndim, zero, *dims = _REPLY.unpack(header)
    formed = (kind, code, ndim, zero) == (ERROR, 0, 1, 0) and dims == [length, 0, 0, 0]
    return length if formed and length <= LONGEST_TEXT else None


class Channel:
    """The judge's end: questions go down one pipe, replies come up another, each within a limit.

    Parameters
    ----------
    down, up : int
        File numbers. The channel makes them non-blocking and closes them.

    Attributes
    ----------
    waited : float
        Wall-clock seconds that all replies took.
    """

    def __init__(self, down: int, up: int):
        self._down, self._up = down, up
        self.waited = 0.0
        os.set_blocking(down, False)
        os.set_blocking(up, False)
        self._readable = select.poll()
        self._readable.register(up, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(down, select.POLLOUT)

    def send(self, message: bytes, limits: "WaitLimits") -> None:
        """Write a message.

        Raises
        ------
        LateError
            If the other side does not read it in time.
        EndedError
            If the other side is gone.
        """
        left = memoryview(message)
        while True:
            with contextlib.suppress(BlockingIOError):
                try:
                    left = left[os.write(self._down, left) :]
                except BrokenPipeError:
                    raise EndedError from None
            if not left:
                return
            limits.wait(self._writable)

    def receive(self, expected: bytes, limits: "WaitLimits") -> tuple[bool, bytes]:
        """Read one reply, which must have the expected header or be an error.

        Parameters
        ----------
        expected : bytes
            The expected header, 24 bytes.
        limits : WaitLimits
            For the whole reply.

        Returns
        -------
        (bool, bytes)
            Whether it is the expected reply and not an error; the payload.

        Raises
        ------
        MalformedError, LateError, EndedError
        """
        try:
            data = b""
            while len(data) < HEADER:
                data += self._more(limits)
            header = data[:HEADER]
            good = header == expected
            length = int.from_bytes(expected[:4], "little") if good else error_length(header)
            if length is None:
                raise MalformedError(fault_of_header(header, expected))
            pieces, missing = [data[HEADER:]], length - (len(data) - HEADER)
            while missing > 0:
                pieces.append(self._more(limits))
                missing -= len(pieces[-1])
            if missing < 0:
                raise MalformedError("it sent more than its header says")
            return good, b"".join(pieces)
        finally:
            self.waited += time.monotonic() - limits.begun

    def close(self) -> None:
        """Close both pipes."""
        os.close(self._down)
        os.close(self._up)

    def _more(self, limits: "WaitLimits") -> bytes:
        limits.wait(self._readable)
        try:
            data = os.read(self._up, PIECE)
        except BlockingIOError:  # a spurious wake-up
            return b""
        if not data:
            raise EndedError
        return data


def read_question(number: int) -> tuple[int, int, int, bytearray]:
    """In the agent's process: read the kind, both slots and the payload of one message.

    Raises
    ------
    EndedError
        If the judge is gone.
    """
    # Mostly one read: the judge sends no other message before it has the reply to this one.
    data = bytearray()
    while len(data) < _QUESTION.size:
        data += _some(number)
    length, kind, act, learn, _ = _QUESTION.unpack_from(data)
    del data[: _QUESTION.size]
    while len(data) < length:
        data += _some(number)
    return kind, act, learn, data


def _some(number: int) -> bytes:
    data = os.read(number, PIECE)
    if not data:
        raise EndedError
    return data


def write_reply(number: int, reply: bytes) -> None:
    """In the agent's process: write all of a reply."""
    left = memoryview(reply)
    while left:
        left = left[os.write(number, left) :]
