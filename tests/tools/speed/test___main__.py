"""``python -m tools.speed``: what it prints, and what it refuses."""

import json

import pytest

from leaderboards.speed import measure
from leaderboards.speed.benchmarks import SpeedRow
from tools.speed import __main__ as program
from tools.speed import peers, ratios
from tools.speed.ratios import Target


@pytest.fixture
def two(monkeypatch):
    """Two rows, of which a is measured by default."""
    rows = tuple(SpeedRow(name, "UCB1", "ArmedBandit-v0", {}, 2, 40) for name in ("a", "b"))
    monkeypatch.setattr(measure, "ROWS", rows)
    monkeypatch.setattr(measure, "BY_DEFAULT", ("a",))
    monkeypatch.setattr(ratios, "LEAST", 0.0)
    monkeypatch.setattr(ratios, "TARGETS", dict.fromkeys("ab", Target("KLUCB", 0.5, 1.0)))


@pytest.mark.parametrize(("given", "names"), [([], "a"), (["--all"], "ab"), (["b"], "b")])
def test_rows_are_chosen_by_name_or_all(two, capsys, given, names):
    program.main([*given, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["row"] for row in found["rows"]] == list(names)
    assert all(row["of"] == "KLUCB" and row["ratio"] > 0 for row in found["rows"])
    assert found["versions"]["numpy"]


def test_the_table_is_printed_and_the_row_named_meanwhile(two, capsys, monkeypatch):
    said = []
    monkeypatch.setattr(program, "words", lambda *given: said.append(given) or "")
    program.main(["--all"])
    assert "beside a, b: KLUCB" in capsys.readouterr().out
    assert said == [(0, 2, ["a"]), (1, 2, ["b"])]


def test_other_libraries_have_rows_of_their_own(capsys, monkeypatch):
    monkeypatch.setattr(peers, "AGENTS", (peers.PeerRow("LinUCB", None, 2, 10),))
    monkeypatch.setattr(peers, "ENVIRONMENTS", (peers.PeerRow("HandWritten", "LinUCB", 1, 10),))
    monkeypatch.setattr(peers, "REGRESSIONS", ())
    program.main(["--peers", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["rows"]] == ["LinUCB", "HandWritten"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a", "--all"], "give names of rows, --all or --peers"),
        (["--peers", "--all"], "give names of rows, --all or --peers"),
        (["nonsense"], "no speed row is called 'nonsense'"),
    ],
)
def test_errors_of_use(two, capsys, given, message):
    with pytest.raises(SystemExit) as left:
        program.main(given)
    assert left.value.code == 2
    assert message in capsys.readouterr().err
