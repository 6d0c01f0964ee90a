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
    for word in ("half", "tenth", "theory", "open at this size", "no simulation"):
        assert word in out
    files = ["tiny2030.md", "tiny2030.json", "tiny2030-race.png", "tiny2030-race-as-printed.png"]
    assert f"wrote {', '.join(files)} to banditgym-papers" in err
    assert "pieces" not in err  # the quick form begins without a word on its length
    written = {path.name for path in (tmp_path / "banditgym-papers").iterdir()}
    assert written == {*files, "pieces"}

    arguments = ["tiny2030", "--claim", "tenth", "--full", "--json", "--out", "deep/er"]
    code, out, err = call("reproduce", *arguments)
    assert code == 0
    assert err.startswith("tiny2030, full form: 3 pieces, 0 finished; how long the others take is")
    (done,) = json.loads(out)
    assert (done["form"], [f["claim"] for f in done["findings"]]) == ("full", ["tenth"])
    assert (tmp_path / "deep/er/tiny2030.md").exists()
    _, _, err = call("reproduce", *arguments)
    assert err.startswith("tiny2030, full form: 3 pieces, 3 finished\n")


def test_a_plan_runs_nothing(call, papers, tmp_path):
    code, out, _ = call("reproduce", "--plan", "--full")
    assert code == 0
    assert out.startswith("tiny2030, full form: 3 pieces, 0 finished")
    assert not (tmp_path / "banditgym-papers").exists()
    code, _, err = call("reproduce", "--plan", "--json")
    assert (code, err) == (2, "error: --plan prints no JSON\n")


def test_a_store_that_is_a_file_is_refused(call, papers, tmp_path):
    (tmp_path / "taken").write_text("")
    code, _, err = call("reproduce", "--store", "taken")
    assert (code, err) == (2, "error: --store taken is a file: name a folder to write to\n")


def test_an_interrupted_reproduction_is_one_word(call, papers, monkeypatch, tmp_path):
    from leaderboards import papers as package

    monkeypatch.setattr(package, "load", lambda name: papers.one_claim(papers.interrupted))
    code, out, err = call("reproduce")
    assert (code, out) == (130, "")
    words = "finished pieces are in banditgym-papers/pieces; the same command continues"
    assert err.endswith(f"interrupted: {words}\n")
