"""Findings get new keys if the first seed repeats every bit; nothing else of them changes."""

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from leaderboards import papers
from leaderboards.papers.experiment_sources import of_simulation
from leaderboards.papers.records import record
from leaderboards.papers.reproduce import reproduce
from leaderboards.processes.workers import Here
from tools import publish, renewed_keys, translate
from tools.renewed_keys import of_bits, renewed


@pytest.fixture
def published(tiny, monkeypatch):
    """The record of the tiny paper, with the key of some earlier sources."""
    monkeypatch.setattr(papers, "load", {tiny.PAPER.name: tiny.PAPER}.__getitem__)
    known = json.loads(json.dumps(record(reproduce(tiny.PAPER, full=True, executor=Here))))
    found = renewed({tiny.PAPER.name: known}, Here)
    found["tiny2030"]["experiments"]["race"]["sources"] = "an earlier hash"
    tiny.CALLS.clear()
    return found


def test_the_key_alone_is_new(published, tiny):
    found = renewed(published, Here)
    assert tiny.CALLS == [([0], 150)]
    expected = deepcopy(published)
    expected["tiny2030"]["experiments"]["race"]["sources"] = of_simulation(tiny.simulate)
    assert found == expected
    assert renewed(found, Here) == found
    assert len(tiny.CALLS) == 1  # nothing is missing


def test_a_new_record_gets_the_hash_of_its_first_seed(tiny, published):
    known = published["tiny2030"]
    run = known["experiments"]["race"]
    expected = run["first_seed"]
    run |= {"sources": of_simulation(tiny.simulate), "first_seed": ""}
    (again,) = renewed(published, Here).values()
    assert again["experiments"]["race"] == run | {"first_seed": expected}
    assert expected == of_bits(tiny.simulate([0], 150))


def test_only_new_experiments_are_played_if_they_alone_are_asked_for(published, tiny, monkeypatch):
    assert renewed(published, Here, only_new=True) == published
    assert tiny.CALLS == []
    run = published["tiny2030"]["experiments"]["race"]
    run |= {"sources": of_simulation(tiny.simulate), "first_seed": ""}
    (again,) = renewed(published, Here, only_new=True).values()
    assert again["experiments"]["race"]["first_seed"] == of_bits(tiny.simulate([0], 150))
    clocked = replace(tiny.EXPERIMENT, measures_times=True)
    claims = [replace(c, experiment=clocked) if c.experiment else c for c in tiny.PAPER.claims]
    paper = replace(tiny.PAPER, claims=claims)
    monkeypatch.setattr(papers, "load", lambda name: paper)
    run["sources"] = "an earlier hash"
    assert renewed(published, Here, only_new=True) == published


def test_an_experiment_that_measures_times_is_not_played(tiny, published, monkeypatch):
    clocked = replace(tiny.EXPERIMENT, measures_times=True)
    claims = [replace(c, experiment=clocked) if c.experiment else c for c in tiny.PAPER.claims]
    paper = replace(tiny.PAPER, claims=claims)
    monkeypatch.setattr(papers, "load", lambda name: paper)
    published["tiny2030"]["experiments"]["race"]["first_seed"] = ""
    (again,) = renewed(published, Here).values()
    assert again["experiments"]["race"]["sources"] == of_simulation(tiny.simulate)
    assert tiny.CALLS == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run, finding: run.update(first_seed="0" * 32), "race: other measures of the first"),
        (lambda run, finding: run.update(first_seed=""), "race: other measures of the first seed"),
        (lambda run, finding: run.update(settings={"horizon": "150"}), "race: another size"),
        (lambda run, finding: run.update(size="no size in the paper"), "race: another size"),
        (lambda run, finding: finding.update(seeds=7), "race: another size"),
    ],
)
def test_what_differs_is_to_be_played_whole_and_nothing_is_written(
    published, tmp_path, monkeypatch, change, words
):
    known = published["tiny2030"]
    change(known["experiments"]["race"], known["findings"][0])
    path = tmp_path / "tiny2030.json"
    path.write_text(json.dumps(known))
    before = path.read_bytes()
    monkeypatch.setattr(papers, "NAMES", ("tiny2030",))
    monkeypatch.setattr(renewed_keys, "Processes", lambda workers: Here())
    with pytest.raises(ValueError, match=f"with banditgym reproduce:\ntiny2030, {words}"):
        renewed_keys.renew(tmp_path)
    assert path.read_bytes() == before


def test_the_command_writes_new_keys(published, tmp_path, monkeypatch, capsys, tiny):
    folder = tmp_path / "results" / "papers"
    folder.mkdir(parents=True)
    (folder / "tiny2030.json").write_text(json.dumps(published["tiny2030"]))
    monkeypatch.setattr(papers, "NAMES", ("tiny2030",))
    monkeypatch.setattr(publish, "FOLDER", tmp_path)
    monkeypatch.setattr(renewed_keys, "Processes", lambda workers: Here())
    monkeypatch.setattr("sys.argv", ["translate", "--papers"])
    for written in (1, 0):
        translate.main()
        assert f"{written} experiments have new keys, and the same" in capsys.readouterr().out
    kept = json.loads((folder / "tiny2030.json").read_text())
    assert kept["experiments"]["race"]["sources"] == of_simulation(tiny.simulate)


def test_the_hash_has_every_bit(tiny):
    sample = tiny.simulate([0], 50)
    key = of_bits(sample)
    assert of_bits(tiny.simulate([0], 50)) == key
    moved = {name: values.copy() for name, values in sample.measures.items()}
    moved["UCB1"][0, -1] = np.nextafter(moved["UCB1"][0, -1], np.inf)
    others = [
        tiny.simulate([1], 50),
        sample._replace(measures=moved),
        sample._replace(rounds=sample.rounds + 1),
    ]
    assert len({key, *map(of_bits, others)}) == 4
