"""Frames: messages are received as sent, and no bytes crash the judge or make it wait."""

import os
import struct
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboards.sandbox import messages
from leaderboards.sandbox.messages import (
    ACTIONS,
    HEADER,
    ROUND,
    Channel,
    EndedError,
    LateError,
    MalformedError,
    array_reply,
    error_reply,
    question,
    read_question,
    reply_header,
)
from leaderboards.sandbox.wait_limits import WaitLimits

ARMS = np.array([3, 1, 2], np.int64)
EXPECTED = reply_header(ACTIONS, ARMS.dtype, ARMS.shape)
GOOD = array_reply(ACTIONS, ARMS)


def answered(said, seconds=30.0, ends=True):
    """What the judge reads where an agent says these bytes, and then ends."""
    down, ours = os.pipe()
    up, theirs = os.pipe()
    channel = Channel(ours, up)
    try:
        os.write(theirs, said)
        if ends:
            os.close(theirs)
        return channel.receive(EXPECTED, WaitLimits(seconds))
    finally:
        channel.close()
        os.close(down)
        if not ends:
            os.close(theirs)


def test_a_good_reply_and_an_error_arrive():
    assert answered(GOOD) == (True, ARMS.tobytes())
    assert answered(error_reply("no \u2014 x")) == (False, "no \u2014 x".encode())
    assert len(answered(error_reply("x" * 10**6))[1]) == messages.LONGEST_TEXT


@st.composite
def mutated(draw):
    """A good reply or an error with bytes changed, cut off, put in or added."""
    data = bytearray(draw(st.sampled_from([GOOD, error_reply("wrong"), GOOD + GOOD])))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(data) - 1)))
        change = draw(st.sampled_from(["flip", "cut", "insert", "field"]))
        if change == "flip" and data:
            data[place] ^= draw(st.integers(1, 255))
        elif change == "cut":
            del data[place : place + draw(st.integers(1, 40))]
        elif change == "insert":
            data[place:place] = draw(st.binary(max_size=40))
        elif len(data) >= HEADER:
            at = 4 * draw(st.integers(0, 5))
            data[at : at + 4] = struct.pack("<I", draw(st.integers(0, 2**32 - 1)))
    return bytes(data)


@settings(max_examples=2000, deadline=None, derandomize=True)
@given(st.one_of(mutated(), st.binary(max_size=200)))
def test_any_bytes_are_a_reply_an_error_or_refused(said):
    try:
        good, payload = answered(said)
    except (MalformedError, EndedError):
        return
    if good:
        assert said == EXPECTED + payload
        assert len(payload) == ARMS.nbytes
    else:
        assert len(payload) <= messages.LONGEST_TEXT
        assert said.endswith(payload)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (array_reply(ACTIONS, ARMS.astype(float)), "it sent float64 for int64"),
        (array_reply(ACTIONS, ARMS[:2]), r"it sent the shape \(2,\) for \(3,\)"),
        (array_reply(ACTIONS, ARMS[None]), r"it sent the shape \(1, 3\) for \(3,\)"),
        (array_reply(messages.NUMBER, ARMS), "it sent a number for actions"),
        (struct.pack("<IBBBB4I", 24, 7, 1, 1, 0, 3, 0, 0, 0), "an unknown message for actions"),
        (struct.pack("<IBBBB4I", 24, 102, 9, 1, 0, 3, 0, 0, 0), "an unknown dtype for int64"),
        (struct.pack("<IBBBB4I", 24, 102, 1, 20, 0, 3, 0, 0, 0), "20 dimensions"),
        (struct.pack("<IBBBB4I", 2**32 - 1, 102, 1, 1, 0, 3, 0, 0, 0), "announced 4294967295"),
        (struct.pack("<IBBBB4I", 16, 102, 1, 1, 0, 3, 0, 0, 0), "16 bytes for 24"),
        (GOOD + b"x", "it sent more than its header says"),
    ],
)
def test_what_is_wrong_with_a_reply_is_said(reply, message):
    with pytest.raises(MalformedError, match=message):
        answered(reply)


@pytest.mark.parametrize("said", [b"", GOOD[:10], GOOD[:-1]])
def test_an_end_before_a_reply_is_an_end(said):
    with pytest.raises(EndedError):
        answered(said)


@pytest.mark.parametrize("said", [b"", GOOD[:10], GOOD[:-1]])
def test_a_reply_that_does_not_come_is_late(said):
    with pytest.raises(LateError):
        answered(said, 0.05, ends=False)


def test_the_judge_does_not_wait_for_one_that_does_not_read():
    down, ours = os.pipe()
    up, theirs = os.pipe()
    channel = Channel(ours, up)
    with pytest.raises(LateError):
        channel.send(question(ROUND, bytes(10**6)), WaitLimits(0.05))
    os.close(down)
    with pytest.raises(EndedError):
        channel.send(question(ROUND, b"x"), WaitLimits(30.0))
    channel.close()
    os.close(theirs)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.binary(max_size=300_000), st.integers(0, 255), st.integers(0, 255))
def test_questions_of_any_length_arrive_whole(payload, act, learn):
    down, ours = os.pipe()
    up, theirs = os.pipe()
    channel = Channel(ours, up)
    message = question(ROUND, payload, act, learn)
    sender = threading.Thread(target=channel.send, args=(message, WaitLimits(30.0)))
    sender.start()
    assert read_question(down) == (ROUND, act, learn, bytearray(payload))
    sender.join()
    channel.close()
    with pytest.raises(EndedError):
        read_question(down)
    os.close(down)
    os.close(theirs)
