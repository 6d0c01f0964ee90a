"""``banditgym portability`` compares with the published hashes."""

import json

import pytest

from leaderboards import cli
from leaderboards.portability import corpus, published_hashes

GROUP = "env/ArmedBandit-v0/default"


def call(monkeypatch, capsys, *arguments):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.argv", ["banditgym", "portability", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code or 0, *capsys.readouterr()


def test_this_machine_has_the_published_bits(monkeypatch, capsys):
    code, out, _ = call(monkeypatch, capsys, "--part", "env/ArmedBandit-v0/d*")
    assert code == 0
    assert out.startswith("1 of 1 entries have the published bits\n")
    assert "numba" in out  # the versions


def test_what_differs_or_fails_is_named_and_the_command_fails(monkeypatch, capsys):
    monkeypatch.setattr(published_hashes, "known", lambda: {GROUP: "other", "env/b": "1"})
    monkeypatch.setattr(corpus, "groups", lambda: [GROUP])
    code, out, _ = call(monkeypatch, capsys)
    assert code == 1
    assert out.splitlines()[:2] == [
        f"differs: {GROUP}", "0 of 1 entries have the published bits"
    ]  # fmt: skip
    monkeypatch.setattr(corpus, "entries", lambda group: 1 / 0)
    code, out, _ = call(monkeypatch, capsys, "--json")
    found = json.loads(out)
    assert (code, found["compared"], found["differ"]) == (1, 0, [])
    assert found["errors"] == {GROUP: "ZeroDivisionError: division by zero"}
    assert found.keys() >= {"date", "machine", "versions"}


def test_of_many_differences_some_are_named(monkeypatch, capsys):
    monkeypatch.setattr(published_hashes, "known", lambda: {f"env/{i}": "1" for i in range(30)})
    monkeypatch.setattr(corpus, "groups", lambda: [f"env/{i}" for i in range(30)])
    monkeypatch.setattr(corpus, "entries", lambda group: {group: "1" if group == "env/7" else "2"})
    code, out, _ = call(monkeypatch, capsys)
    assert code == 1
    assert out.count("differs: ") == 20
    assert "differs: env/7\n" not in out
    assert "and 9 more\n1 of 30 entries have the published bits\n" in out


def test_a_part_that_is_none_is_one_line(monkeypatch, capsys):
    code, out, err = call(monkeypatch, capsys, "--part", "nothing")
    assert (code, out) == (2, "")
    assert "no group of the corpus fits 'nothing'" in err
