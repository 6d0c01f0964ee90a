"""An agent that keeps the protocol until one round, and breaks it there in one way."""

import ctypes
import os
import stat
import struct
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents import UCB1
from banditgym.tasks import ArmedTask

ROUND = 5


def _pipe():
    """The file number of the pipe to the judge: the one that can be written to."""
    import fcntl

    for number in range(3, 64):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if stat.S_ISFIFO(mode) and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
            return number
    raise LookupError("no pipe")


def _giant(agent, actions):
    os.write(_pipe(), struct.pack("<IBBBB4I", 2**32 - 1, 102, 1, 1, 0, agent.n, 0, 0, 0))
    return actions


def _flood(agent, actions):
    for _ in range(10_000):
        os.write(_pipe(), b"\x00" * 65536)
    return actions


def _slow(agent, actions):
    time.sleep(30)
    return actions


def _pause(agent, actions):
    time.sleep(3)
    return actions


def _dribble(agent, actions):
    """A byte at a time, each of them soon."""
    for _ in range(60):
        os.write(_pipe(), b"\x08")
        time.sleep(0.5)
    return actions


def _spin(agent, actions):
    while True:
        pass


def _burn(agent, actions):
    end = time.process_time() + 3
    while time.process_time() < end:
        pass
    return actions


def _crash(agent, actions):
    ctypes.string_at(0)
    return actions


def _fail(agent, actions):
    raise KeyError("broken \x1b[31m\u202e")


def _close(agent, actions):
    os.close(_pipe())
    time.sleep(30)
    return actions


WAYS = {
    "nothing": lambda agent, actions: actions,
    "high arm": lambda agent, actions: np.where(np.arange(agent.n) == 1, 99, actions),
    "negative arm": lambda agent, actions: np.where(np.arange(agent.n) == 1, -1, actions),
    "floats": lambda agent, actions: actions.astype(float),
    "too many": lambda agent, actions: np.zeros(agent.n + 1, np.int64),
    "giant": _giant,
    "flood": _flood,
    "slow": _slow,
    "pause": _pause,
    "dribble": _dribble,
    "spin": _spin,
    "burn": _burn,
    "crash": _crash,
    "exit": lambda agent, actions: os._exit(3),
    "interrupt": lambda agent, actions: (_ for _ in ()).throw(KeyboardInterrupt()),
    "error": _fail,
    "close": _close,
}


@dataclass(kw_only=True, eq=False)
class Misbehaving(UCB1):
    accepts: ClassVar = (ArmedTask,)

    way: str = "nothing"

    def act(self, observation):
        actions = super().act(observation)
        return WAYS[self.way](self, actions) if self.decisions[0] == ROUND else actions
