"""``banditgym list`` and ``banditgym show``."""

import json

import pytest


@pytest.mark.parametrize(
    ("what", "entry"),
    [
        ("envs", "LinearBandit-v0"),
        ("agents", "OFUL"),
        ("suites", "linear-v1"),
        ("papers", "ouhamma2021"),
    ],
)
def test_lists(call, what, entry):
    code, out, _ = call("list", what)
    assert code == 0
    assert entry in out
    code, out, _ = call("list", what, "--json")
    assert entry in {next(iter(row.values())) for row in json.loads(out)}


def test_lists_of_a_family_and_with_citations(call):
    code, out, _ = call("list", "agents", "linear")
    assert code == 0
    assert "OFUL" in out
    assert "UCB1" not in out.split()
    assert "Abbasi-Yadkori" not in out
    assert "Abbasi-Yadkori" in call("list", "agents", "linear", "--cite")[1]


def test_what_is_shown_of_a_name(call, tmp_path):
    code, out, _ = call("show", "LinUCB")
    assert code == 0
    assert "alpha  float, default 1.0" in out
    code, out, _ = call("show", "LinearBandit-v0", "--json")
    assert (code, json.loads(out)["family"]) == (0, "linear")
    (tmp_path / "mine.py").write_text(
        "print('noise')\nfrom banditgym.envs.armed import ArmedBandit\n"
        "class Mine(ArmedBandit): pass\n"
    )
    code, out, err = call("show", "mine.py:Mine", "--json")
    assert (code, json.loads(out)["family"], err) == (0, "armed", "noise\n")
    text = (tmp_path / "small.toml").read_text()
    (tmp_path / "small.toml").write_text(text.replace("ArmedBandit-v0", "mine.py:Mine"))
    code, out, err = call("show", "small.toml")
    assert (code, out) == (2, "")
    assert "--trust" in err
    assert "mine.py:Mine, 60 rounds" in call("show", "small.toml", "--trust")[1]
