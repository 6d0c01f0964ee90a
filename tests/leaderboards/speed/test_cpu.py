"""The processor's name is what its system says."""

import io
import platform

import pytest

from leaderboards.speed import cpu

ARM_INFO = """processor\t: 0
BogoMIPS\t: 2100.00
Features\t: fp asimd evtstrm sve
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: 0xd40
"""
X86_INFO = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model name\t: AMD EPYC
flags\t\t: fpu sse2 avx
"""


def system(monkeypatch, told):
    """A machine whose system tells this of its CPUs."""
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(cpu, "open", told, raising=False)


@pytest.mark.parametrize(
    ("info", "name", "features"),
    [
        (ARM_INFO, "aarch64, implementer 0x41, part 0xd40", ("Features", "fp asimd evtstrm sve")),
        (X86_INFO, "AMD EPYC, family 25", ("flags", "fpu sse2 avx")),
    ],
)
def test_a_cpu_is_named_by_what_its_system_says(monkeypatch, info, name, features):
    system(monkeypatch, lambda *a, **kw: io.StringIO(info))
    assert cpu.cpu_name() == name
    assert cpu.cpu_facts()[features[0]] == features[1]


def test_other_systems_say_less(monkeypatch):
    def no_such_file(*a, **kw):
        raise FileNotFoundError

    system(monkeypatch, no_such_file)  # macOS, Windows
    assert cpu.cpu_name() == "aarch64"
    monkeypatch.setattr(platform, "processor", lambda: "arm")
    assert cpu.cpu_name() == "arm"
    assert cpu.cpu_facts() == {}
