"""Third-party text in a terminal and in Markdown, and command lines nested too deeply."""

import json
import sys

import pytest
from rich.console import Console
from rich.text import Text

import agents
from leaderboards.console.progress import Visible
from leaderboards.report.markup import escaped
from leaderboards.suites import suite

HOSTILE = "a\x1b[2J\x1b]0;title\x07b\x00c\u202edcba\u2066"
SHOWN = "a\\x1b[2J\\x1b]0;title\\x07b\\x00c\\u202edcba\\u2066"


def harmless(text):
    return all(c == "\n" or c.isprintable() for c in text)


def test_rich_writes_control_characters_out(capsys):
    console = Console(file=sys.stdout, width=200, color_system=None)
    console.print(Visible(Text(HOSTILE)))
    out = capsys.readouterr().out
    assert harmless(out)
    assert "\\x1b[2J" in out
    assert "\\u202edcba" in out


def test_markdown_writes_them_out():
    assert harmless(escaped(HOSTILE))
    assert "\\u202edcba" in escaped(HOSTILE)


def test_errors_write_them_out(call):
    code, out, err = call("run", "LinearBandit-v0", "--agent", f"{HOSTILE.replace(chr(0), '')}")
    assert (code, out) == (2, "")
    assert harmless(err)
    assert err.count("\n") == 1


def test_a_suites_title_and_names_are_shown_written_out(call, tmp_path):
    """In the table, its remarks, and the Markdown of the report."""
    (tmp_path / "own.toml").write_text(
        f"title = {json.dumps(HOSTILE)}\nseeds = 2\n[[task]]\nname = {json.dumps(HOSTILE)}\n"
        'env = "ArmedBandit-v0"\nhorizon = 5\nbaseline = 2.0\nbest = 0.0\nnoise = 0.1\n'
    )
    arguments = ("own.toml", "--agent", "UCB1", "--in-process", "--store", "store")
    code, out, err = call("leaderboard", "run", *arguments)
    if code == 0:
        assert "\\u202e" in out
    else:
        assert err.count("\n") == 1
    assert harmless(out)
    assert harmless(err.replace("\r", "")), err


@pytest.mark.parametrize(
    "value", ["[" * 100_000, "(" * 100_000, "[" * 900 + "]" * 900, "-" * 10**5]
)
def test_a_setting_nested_deeply_is_one_line_or_a_word(call, value):
    code, out, err = call("run", "ArmedBandit-v0", "--agent", "UCB1", "--set", f"means={value}")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert len(err) < 500


def test_a_suite_nested_deeply_is_one_line(tmp_path):
    (tmp_path / "deep.toml").write_text("title = " + "[" * 100_000)
    with pytest.raises(ValueError, match="deep.toml is nested too deeply"):
        suite.load(tmp_path / "deep.toml")


@pytest.mark.parametrize("name", ["..:X", ".:X", ":X", ".agents:UCB1", "a..b:X", "a b:X", "\0:X"])
def test_a_name_of_no_module_is_one_line(name):
    with pytest.raises(ValueError, match="is not the name of a module: write module:Class"):
        agents.resolve(name)


@pytest.mark.parametrize("value", ["{1, 2}", "[{1}]", "b'x'", "1j", "...", "{1: 2}"])
def test_hyperparameters_are_plain_data(value, tmp_path):
    (tmp_path / "own.py").write_text(
        "from dataclasses import dataclass\nfrom typing import Any\nimport agents\n"
        "@dataclass(kw_only=True, eq=False)\nclass Own(agents.UCB1):\n    any: Any = None\n"
    )
    with pytest.raises(ValueError, match="Own: any must be plain data that JSON can hold"):
        agents.resolve(f"{tmp_path / 'own.py'}:Own(any={value})")


def test_a_name_nested_deeply_is_one_line():
    with pytest.raises(ValueError, match="an agent is written like") as caught:
        agents.resolve("LinUCB(alpha=" + "[" * 100_000 + ")")
    assert len(str(caught.value)) < 500
