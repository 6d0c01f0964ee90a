"""``banditgym portability``: freezes, compares and writes; a group of the corpus is played."""

import json

import pytest

from leaderboards import cli
from tools.portability import compare, portability_page
from tools.portability.dispatch import PLAIN
from tools.portability.setting_runs import PlayedSetting


def call(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["banditgym", "portability", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code or 0, *capsys.readouterr()


@pytest.fixture
def few(monkeypatch, tmp_path):
    """The corpus is one group, and the frozen hashes are of another."""
    monkeypatch.setattr(compare, "HASHES", tmp_path / "corpus.json")
    compare.freeze(PlayedSetting(PLAIN, hashes={"env/a": "1"}))
    monkeypatch.setattr(compare.corpus, "groups", lambda: ["env/ArmedBandit-v0/default"])


@pytest.fixture
def once(monkeypatch):
    """A setting plays its groups once; its result is then reused."""
    play, found = compare.play, {}

    def played(setting, groups, folder, **how):
        key = (setting.name, *groups)
        if key not in found:
            found[key] = play(setting, groups, folder, **how)
        return found[key]

    monkeypatch.setattr(compare, "play", played)
    return found


def test_the_command_freezes_compares_and_writes(monkeypatch, capsys, tmp_path, few, once):
    part = ("--part", "env/ArmedBandit-v0/default")
    compare.HASHES.unlink()
    code, _, err = call(monkeypatch, capsys, "--freeze")
    assert (code, "froze 1 hashes, 0 of them altered" in err) == (0, True)
    code, out, err = call(
        monkeypatch, capsys, *part, "--setting", "glibc-no-fma", "--out", tmp_path / "out", "--json"
    )
    assert code == 0
    kept = json.loads(out)
    assert [row["setting"] for row in kept["settings"]] == ["plain", "glibc-no-fma"]
    assert json.loads((tmp_path / "out/portability.json").read_text()) == kept
    assert (tmp_path / "out/portability.md").read_text() == portability_page.page(kept)
    other = PlayedSetting(PLAIN, hashes={"env/ArmedBandit-v0/default": "other"})
    compare.freeze(other, "to see it")
    code, _, err = call(monkeypatch, capsys, "--setting", "glibc-no-fma", "--keep", tmp_path)
    assert code == 1
    assert "plain: 0 of 1 as the frozen hashes; env/ArmedBandit-v0/default" in err
    code, _, err = call(monkeypatch, capsys, "--freeze")
    assert (code, "1 entries are not what they were" in err) == (2, True)
    code, _, err = call(monkeypatch, capsys, "--freeze", "--alter", "it was another")
    assert (code, "1 of them altered" in err) == (0, True)
    assert {name for name, *_ in once} >= {"plain", "glibc-no-fma"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--freeze", "--versions"], "--freeze plays the whole corpus plainly"),
        (["--alter", "x"], "--alter needs --freeze"),
        (["--part", "nothing"], "no group of the corpus fits 'nothing'"),
        (["--setting", "none"], "no setting is called 'none'; here there are openblas-"),
    ],
)
def test_errors_of_use_are_one_line(monkeypatch, capsys, few, arguments, says):
    code, out, err = call(monkeypatch, capsys, *arguments)
    assert (code, out) == (2, "")
    assert says in err
