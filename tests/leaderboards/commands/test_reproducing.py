"""``banditgym reproduce`` on a tiny paper."""

import json

import pytest

from leaderboards.processes.workers import Here


@pytest.fixture
def papers(monkeypatch, tiny):
    """A tiny paper that replaces ours, run in this process."""
    from leaderboards import papers
    from leaderboards.papers import reproduce

    monkeypatch.setattr(papers, "NAMES", ("tiny2030",))
    monkeypatch.setattr(papers, "load", lambda name: tiny.PAPER)
    monkeypatch.setattr(reproduce, "Processes", lambda workers: Here())
    return tiny


def test_a_reproduction(call, papers, tmp_path):
    code, out, err = call("reproduce")
    assert code == 0
    for word in (
        "half",
        "tenth",
        "theory",
        "not reproduced",
        "cannot be run here",
        "no simulation",
    ):
        assert word in out
    assert "wrote tiny2030.md, tiny2030.json, tiny2030-race.png to banditgym-papers" in err
    written = {path.name for path in (tmp_path / "banditgym-papers").iterdir()}
    assert written == {"tiny2030.md", "tiny2030.json", "tiny2030-race.png"}

    arguments = ["tiny2030", "--claim", "tenth", "--full", "--json", "--out", "deep/er"]
    code, out, _ = call("reproduce", *arguments)
    assert code == 0
    records = json.loads(out)
    assert [(r["claim"], r["full"], r["seeds"]) for r in records] == [("tenth", True, 9)]
    assert (tmp_path / "deep/er/tiny2030.md").exists()


def test_an_interrupted_reproduction_is_one_word(call, papers, monkeypatch, tmp_path):
    from leaderboards import papers as package

    monkeypatch.setattr(package, "load", lambda name: papers.one_claim(papers.interrupted))
    code, out, err = call("reproduce")
    assert (code, out) == (130, "")
    assert err.endswith("interrupted: nothing was written\n")
    assert not (tmp_path / "banditgym-papers").exists()
