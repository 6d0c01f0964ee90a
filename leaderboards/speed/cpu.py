"""The processor, as the system describes it."""

import contextlib
import platform


def cpu_name() -> str:
    """The model of the CPU, and the numbers that tell its kind, as far as the system says."""
    facts = cpu_facts()
    model = facts.get("model name") or platform.processor() or platform.machine()
    # The first of these is x86's; Arm's chips have the others, and mostly no name.
    kinds = {"cpu family": "family", "CPU implementer": "implementer", "CPU part": "part"}
    return ", ".join([model, *(f"{kinds[key]} {facts[key]}" for key in kinds if key in facts)])


def cpu_facts() -> dict[str, str]:
    """What Linux says of the last of its CPUs, by its own names; empty on other systems."""
    facts = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            facts[name.strip()] = value.strip()
    return facts
