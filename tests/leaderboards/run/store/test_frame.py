"""`load_results`: a frame has the numbers of the rows, recomputed from the files of lines."""

import gzip
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

import leaderboards
from leaderboards.run.store import frame
from leaderboards.run.store.frame import PUBLISHED, load_results
from leaderboards.run.store.store import Store

PACKED = PUBLISHED / "best-arm-v1" / "best-arm-v1.jsonl.gz"


@pytest.fixture(scope="module")
def lines():
    with gzip.open(PACKED) as packed:
        return [json.loads(line) for line in packed]


@pytest.fixture(scope="module")
def results():
    return load_results("best-arm-v1")


def by_episode(frame):
    assert frame.columns.is_unique  # "error" is a measure too
    found = frame.set_index(["task", "spec", "seed"])
    assert found.index.is_unique
    return found


def test_the_last_round_of_every_episode(results, lines):
    assert leaderboards.load_results is load_results
    assert len(results) == len(lines) > 1000
    assert set(results["suite"]) == {"best-arm-v1"}
    found = by_episode(results)
    for line in lines[::50]:
        one = found.loc[line["task"], line["spec"], line["seed"]]
        assert one["agent"] == line["agent"]
        assert json.loads(one["hyperparameters"]) == line["hyperparameters"]
        assert one["refused"] == line["refused"]
        if line["error"] is None:
            assert one["round"] == line["rounds"][-1]
            assert [one["environment_seconds"], one["agent_seconds"]] == line["seconds"]
            for name, curve in line["measures"].items():
                assert one[name] == curve[-1] or (curve[-1] is None and np.isnan(one[name]))


def test_every_round_that_was_kept(lines):
    found = load_results("best-arm-v1", curves=True)
    assert len(found) == sum(len(line["rounds"] or [0]) for line in lines)
    line = next(line for line in lines if line["error"] is None and line["seed"] == 3)
    one = found[
        (found["task"] == line["task"]) & (found["spec"] == line["spec"]) & (found["seed"] == 3)
    ]
    assert one["round"].tolist() == line["rounds"]
    assert one["reward"].tolist() == line["measures"]["reward"]


def test_refusals_have_a_line_with_their_reason():
    found = load_results("core-v3")
    refused = found[found["refused"]]
    assert len(refused) > 0
    assert (refused["seed"] == -1).all()
    assert refused["reason"].notna().all()
    assert refused["round"].isna().all()
    assert found.loc[~found["refused"], "round"].notna().all()


def test_tuned_settings_have_their_own_rows():
    tuned = load_results("adversarial-v1", tuned=True)
    assert set(tuned["agent"]) - set(load_results("adversarial-v1")["agent"])
    with pytest.raises(ValueError, match="no results of best-arm-v1 with tuned settings"):
        load_results("best-arm-v1", tuned=True)  # defaults were kept


def test_a_store_of_ones_own(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    with gzip.open(PACKED) as packed, gzip.open(folder / PACKED.name, "wb") as own:
        own.writelines(itertools.islice(packed, 500))
    found = load_results("best-arm-v1", folder)
    assert len(found) == 500
    # Rows that an earlier version of the code wrote before do not count beside those.
    with Store(tmp_path / "both") as store:
        rows = Store(folder).rows()
        store.append([replace(row, sources="0" * 16) for row in rows])
        store.append(rows)
    assert len(load_results("best-arm-v1", tmp_path / "both")) == len(found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"suite": "armed-v1"},
            "banditgym leaderboard run armed-v1 writes them; give its folder",
        ),
        ({"suite": "core-v9"}, "core-v9"),
        ({"suite": "libraries-v1", "tuned": True}, "with tuned settings: leave out tuned"),
    ],
)
def test_what_is_not_there_is_refused_in_a_line(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        load_results(**given)
    assert "\n" not in str(caught.value)


def test_outside_of_a_checkout_there_are_none(monkeypatch, tmp_path):
    monkeypatch.setattr(frame, "PUBLISHED", tmp_path / "none")
    with pytest.raises(ValueError, match="not in the wheel; give a folder as store"):
        load_results("core-v3")
