"""Measurements name their date, machine and versions."""

import platform
from datetime import UTC, datetime

import numpy as np

from leaderboards.run.keys import sources
from leaderboards.speed.cpu import cpu_name
from leaderboards.speed.machine_facts import circumstances, line


def test_the_versions_are_those_of_stored_results_and_more():
    found = circumstances(vowpalwabbit="9.9")
    assert found["versions"].items() >= sources.versions().items()
    assert found["versions"]["numpy"] == np.__version__
    assert found["versions"].keys() >= {"banditgym", "gymnasium", "numba"}
    assert found["versions"]["vowpalwabbit"] == "9.9"
    assert "vowpalwabbit" not in circumstances()["versions"]


def test_the_machine_and_the_date_are_named():
    found = circumstances()
    assert cpu_name() in found["machine"]
    assert platform.python_version() in found["machine"]
    today = datetime.now(UTC).date()
    assert 0 <= (today - datetime.fromisoformat(found["date"]).date()).days <= 1


def test_a_line_has_all_of_it():
    found = {"date": "2026-01-02", "machine": "an abacus", "versions": {"numpy": "2", "numba": "1"}}
    assert line(found) == "2026-01-02, an abacus; numpy 2, numba 1"
