"""What `banditgym speed` measures is what it says; how fast it is, no test asks."""

import dataclasses
import io
import json

import pytest
from rich.console import Console

from leaderboards.speed import measure, rows
from leaderboards.speed.plain import fused_lints, fused_linucb, plain_lints, plain_linucb


@pytest.fixture
def small(monkeypatch):
    """The shortest form of every row."""
    monkeypatch.setattr(
        measure, "ROWS", tuple(dataclasses.replace(row, horizon=200) for row in rows.ROWS)
    )


def test_rows_are_measured_beside_the_plain_and_the_fused_loop(small):
    results = list(measure.measured(["d=10 k=10"], quick=True))
    assert [result["row"] for result in results] == [
        row.name for row in rows.ROWS if "d=10 K=10" in row.name
    ]
    for result in results:
        assert result["rounds_per_second"] > 0 < result["plain"]
        assert result["fused"] > 0 < result["floor"] < result["aim"]
    assert json.loads(json.dumps(results)) == results


def test_solo_rows_play_one_environment(small):
    [result] = measure.measured(["solo"], quick=True)
    assert result["n"] == 1


def test_unknown_rows_are_refused_with_the_nearest():
    with pytest.raises(ValueError, match="no speed row is called 'LinUBC d=10 K=10 fresh'; did"):
        measure.chosen(["LinUBC d=10 K=10 fresh"])


@pytest.mark.parametrize("loop", [plain_linucb, fused_linucb, plain_lints, fused_lints])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_loops_beside_ours_learn(loop, fixed):
    # Uniform play loses 0.67 a round, the expected maximum of K = 5 Gaussian means of deviation
    # 1 / sqrt(3) about zero; learning must save most of it.
    assert loop(2000, 3, 5, fixed) < 0.3 * 0.67 * 2000


def test_the_table_fits_a_narrow_terminal(small):
    results = list(measure.measured(["LinTS"], quick=True))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(measure.table(results))
    assert "…" not in console.export_text()
