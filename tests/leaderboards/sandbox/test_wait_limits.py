"""CPU seconds limit the time of a message; the wall bounds agents that use no CPU."""

import pytest

from leaderboards.sandbox import wait_limits
from leaderboards.sandbox.messages import LateError
from leaderboards.sandbox.wait_limits import WaitLimits


class Machine:
    """A clock and a process whose CPU time is ``share`` of the time that passes."""

    def __init__(self, share):
        self.now, self.used, self.share, self.looks = 50.0, 7.0, share, 0

    def monotonic(self):
        return self.now

    def cpu_seconds(self, pid):
        assert pid == 42
        self.looks += 1
        return None if self.share is None else self.used

    def poll(self, milliseconds):
        """Nothing comes."""
        self.pass_by(milliseconds / 1000)
        return []

    def pass_by(self, seconds):
        self.now += seconds
        self.used += seconds * (self.share or 0.0)


@pytest.fixture
def on(monkeypatch):
    def made(share):
        machine = Machine(share)
        monkeypatch.setattr(wait_limits.time, "monotonic", machine.monotonic)
        monkeypatch.setattr(wait_limits, "cpu_seconds", machine.cpu_seconds)
        return machine

    return made


@pytest.mark.parametrize(
    ("share", "after", "text"),
    [
        (1.0, 11.0, "10 s of CPU time"),
        (0.25, 41.0, "10 s of CPU time"),  # a machine that four share: no fault after 10 s
        (20.0, 1.5, "10 s of CPU time"),  # twenty threads
        (0.0, 100.0, "100 s"),  # it sleeps
        (None, 100.0, "100 s"),  # the system does not tell
    ],
)
def test_the_agents_own_seconds_count(on, share, after, text):
    machine = on(share)
    with pytest.raises(LateError) as error:
        WaitLimits(100.0, 10.0, 42).wait(machine)
    assert str(error.value) == text
    assert after - 0.1 <= machine.now - 50.0 <= after + 1.1


def test_an_answer_a_byte_at_a_time_is_late_too(on):
    machine = on(1.0)
    machine.poll = lambda milliseconds: machine.pass_by(0.01) or [1]
    patient = WaitLimits(100.0, 10.0, 42)
    for _ in range(900):
        patient.wait(machine)
    machine.poll = lambda milliseconds: machine.pass_by(4.0) or [1]
    patient.wait(machine)
    with pytest.raises(LateError, match="10 s of CPU time"):
        patient.wait(machine)


def test_without_a_process_the_wall_counts_alone(on):
    machine = on(1.0)
    with pytest.raises(LateError, match=r"^0.05 s$"):
        WaitLimits(0.05).wait(machine)
    assert machine.looks == 0


def test_an_answer_at_once_costs_no_look(on):
    machine = on(1.0)
    machine.poll = lambda milliseconds: [1]
    patient = WaitLimits(100.0, 10.0, 42)
    for _ in range(100):
        patient.wait(machine)
    assert machine.looks == 0
