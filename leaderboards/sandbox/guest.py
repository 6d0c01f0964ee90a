"""Runs in an agent's process: makes the agent and answers the judge's questions."""

import importlib
import json
import os
import socket
import sys
from typing import Any

import numpy as np

from agents.inputs.observations import Observation
from leaderboards.sandbox import messages
from leaderboards.sandbox.layout import Layout
from leaderboards.sandbox.shared import Seen
from leaderboards.sandbox.task_codec import made

_INTEGERS, _NUMBERS = "iu", "iuf"


class Guest:
    """Makes one agent and answers the judge's questions to it.

    Parameters
    ----------
    down, up : int
        File numbers of the pipes.
    control : int
        File number of the socket that receives shared memory.
    """

    def __init__(self, down: int, up: int, control: int):
        self._down, self._up = down, up
        self._control = socket.socket(fileno=control)
        self._agent: Any = None
        self._outcomes = Layout(())
        self._seen: Seen | None = None
        self._acted = 0  # the slot of the last observation acted on
        self._answers = {
            messages.CONFIGURE: self._configure,
            messages.RESET: self._reset,
            messages.LAYOUT: self._lay_out,
            messages.MEMORY: self._map,
            messages.STATE: self._state,
            messages.DESCRIBE: self._describe,
            messages.ADVISE: self._advise,
        }

    def serve(self) -> None:
        """Answer until the judge is gone."""
        while True:
            try:
                kind, act, learn, payload = messages.read_question(self._down)
            except messages.EndedError:
                return
            try:
                if kind == messages.ROUND:
                    reply = self._round(act, learn, payload)
                else:
                    reply = self._answers[kind](json.loads(payload) if payload else None)
            except Exception as error:  # whatever an agent raises is reported as its fault
                reply = messages.error_reply(f"{type(error).__name__}: {error}")
            messages.write_reply(self._up, reply)

    def _configure(self, what: Any) -> bytes:
        resolve = importlib.import_module("agents.naming").resolve
        if what["folder"]:
            os.chdir(what["folder"])
            sys.path.insert(0, what["folder"])
        self._agent = resolve(what["spec"])
        return messages.READY_REPLY

    def _describe(self, what: Any) -> bytes:
        answered = importlib.import_module("leaderboards.sandbox.agent_description").answered
        tasks = {name: made(task) for name, task in what.items()}
        return messages.array_reply(messages.DESCRIPTION, answered(self._agent, tasks))

    def _reset(self, what: Any) -> bytes:
        task = made(what["task"])
        self._agent.reset(task, n=what["n"], seed=[int(seed) for seed in what["seeds"]])
        self._dtype, self._shape = task.plays.dtype, task.plays.shape(task, what["n"])
        self._kinds = _NUMBERS if self._dtype == np.float64 else _INTEGERS
        self._header = messages.reply_header(messages.ACTIONS, self._dtype, self._shape)
        return messages.READY_REPLY

    def _lay_out(self, what: Any) -> bytes:
        self._outcomes = Layout.read(what)
        self._names = [name.partition(".") for name, *_ in self._outcomes.parts]
        return messages.READY_REPLY

    def _map(self, what: Any) -> bytes:
        _, numbers, _, _ = socket.recv_fds(self._control, 1, 1)
        self._seen = Seen(numbers[0], Layout.read(what))
        return messages.READY_REPLY

    def _round(self, act: int, learn: int, payload: bytearray) -> bytes:
        seen: Any = self._seen
        if learn != messages.NOTHING:
            self._learn(seen[learn], payload)
        if act == messages.NOTHING:
            return messages.READY_REPLY
        self._acted = act
        actions = self._agent.act(seen[act])
        array = np.asarray(actions)
        if array.dtype is not self._dtype and array.dtype.kind in self._kinds:
            array = array.astype(self._dtype)
        if array.shape != self._shape or array.dtype is not self._dtype:
            return messages.array_reply(messages.ACTIONS, array)
        return self._header + array.tobytes()

    def _learn(self, observation: Observation, payload: bytearray) -> None:
        given: dict[str, Any] = {}
        arrays = self._outcomes.over(payload).values()
        for (whole, dot, part), array in zip(self._names, arrays, strict=True):
            value = array if array.ndim else array.item()
            if dot:
                given.setdefault(whole, {})[part] = value
            else:
                given[whole] = value
        self._agent.observe(observation, given.pop("action"), given.pop("reward"), **given)

    def _state(self, _: Any) -> bytes:
        return messages.array_reply(
            messages.NUMBER, np.array([self._agent.state_bytes()], np.int64)
        )

    def _advise(self, _: Any) -> bytes:
        """The arm that each replicate recommends, -1 if none, and whether it has finished."""
        seen: Any = self._seen
        agent = self._agent
        advice = np.full((2, agent.n), -1, np.int64)
        if agent.recommends:
            advice[0] = agent.recommend(seen[self._acted])
        advice[1] = agent.finished
        return messages.array_reply(messages.ADVICE, advice)
