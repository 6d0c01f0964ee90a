"""First runs: compilations are counted by kernel and process, and an empty cache is empty."""

import pytest

from tools.speed import first_run
from tools.speed.first_run import First


def test_repeated_compilations_are_those_of_the_same_types():
    compiled = [("a", "int", 2.0), ("b", "int", 1.0), ("a", "float", 4.0), ("a", "int", 3.0)]
    found = First(wall=12.0, cpu=11.0, compiled=compiled, remarks=["0.5 s until armed"])
    assert found.repeated == [3.0]
    assert found.lines(1) == [
        "12.0 s of wall-clock time, 11.0 s of CPU time",
        "4 compilations in 10.0 s, 1 of them repeated in 3.0 s",
        "0.5 s until armed",
        "    9.00 s    3 x a",
    ]


@pytest.mark.nightly
def test_a_first_suite_counts_what_its_workers_compile(tmp_path, monkeypatch, capsys):
    (tmp_path / "small.toml").write_text(
        'title = "small"\nseeds = 2\n[[task]]\nname = "coins"\nenv = "ArmedBandit-v0"\n'
        "horizon = 20\nsettings = { means = [0.2, 0.9] }\n"
    )
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not this"))
    first_run.main(["suite", "--suite", str(tmp_path / "small.toml"), "--top", "1000"])
    said = capsys.readouterr().out
    assert " s until armed" in said
    assert "x banditgym.streams.array_draws.each_uniform" in said
    assert " of them repeated in " in said
    assert not (tmp_path / "not this").exists()
