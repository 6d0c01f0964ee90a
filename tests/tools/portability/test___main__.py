"""``python -m tools.portability``: plays, says, writes; a group of the corpus is played once."""

import json
from pathlib import Path

import pytest

from leaderboards.portability import corpus
from tools.portability import compare, portability_page
from tools.portability.__main__ import main
from tools.portability.dispatch import PLAIN, Setting
from tools.portability.setting_runs import PlayedSetting

GROUP = "env/ArmedBandit-v0/default"


def called(capsys, *arguments):
    """The exit status, and what is on stdout and stderr."""
    code = 0
    try:
        main(list(map(str, arguments)))
    except SystemExit as left:
        code = left.code
    return code, *capsys.readouterr()


def test_a_setting_is_compared_with_the_plain_run_and_written(capsys, monkeypatch, tmp_path):
    given = ("--part", GROUP, "--setting", "glibc-no-fma", "--out", tmp_path / "new/page", "--json")
    code, out, err = called(capsys, *given)
    assert code == 0
    kept = json.loads(out)
    assert [row["setting"] for row in kept["settings"]] == ["plain", "glibc-no-fma"]
    assert "plain: 1 of 1 as the frozen hashes" in err
    assert json.loads((tmp_path / "new/page/portability.json").read_text()) == kept
    assert (tmp_path / "new/page/portability.md").read_text() == portability_page.page(kept)


@pytest.fixture
def asked(monkeypatch):
    """What is asked for, on a corpus of two groups that nothing plays."""
    monkeypatch.setattr(corpus, "groups", lambda: ["env/a", "play/b"])
    monkeypatch.setattr(compare, "known", lambda: {"env/a": "1", "play/b": "2"})
    asked = {}

    def run(names, *, folder, progress, **given):
        asked.update(given, names=names, folder=folder)
        (folder / "kept").touch()
        yield PlayedSetting(PLAIN, hashes=dict.fromkeys(given["groups"], "1"))
        for name in names or ():
            yield PlayedSetting(Setting(name, name, "none"), error="not tried: here")

    monkeypatch.setattr(compare, "run", run)
    return asked


def test_every_option_is_passed_on(asked, capsys, tmp_path):
    names = ("--setting", "one", "--setting", "two", "--versions", "--part", "env/*")
    assert called(capsys, *names, "--keep", tmp_path / "kernels")[0] == 0
    assert asked["names"] == ["one", "two"]
    assert asked["versions"] is True
    assert asked["groups"] == ["env/a"]
    assert (tmp_path / "kernels/kept").exists()


def test_a_difference_is_named_and_the_program_fails(asked, capsys):
    code, out, err = called(capsys)
    assert (code, out) == (1, "")
    assert "plain: 1 of 2 as the frozen hashes; play/b" in err
    assert asked["names"] is None
    assert not Path(asked["folder"]).exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--part", "nothing"], "no group of the corpus fits 'nothing'"),
        (["--part", GROUP, "--setting", "none"], "no setting is called 'none'; here there are op"),
        (["--out", __file__], "File exists"),
    ],
)
def test_errors_of_use(capsys, arguments, message):
    code, out, err = called(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
