"""Finished pieces are found by what their numbers depend on."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboards.papers import pieces
from leaderboards.papers.pieces import Piece, Pieces, play


@pytest.fixture
def piece(tiny):
    return Piece(tiny.EXPERIMENT, {"horizon": 40}, [3, 4])


def test_a_kept_piece_is_the_same_to_the_last_bit(piece, tiny, tmp_path):
    store, played = Pieces(tmp_path / "new" / "er"), play(tiny.simulate, [3, 4], {"horizon": 40})
    assert store.find(piece) is None
    store.keep(piece, played)
    found = store.find(piece)
    assert found is not None
    assert (found.seconds, found.provenance) == (played.seconds, played.provenance)
    assert found.sample.rounds.dtype == played.sample.rounds.dtype
    np.testing.assert_array_equal(found.sample.rounds, played.sample.rounds)
    assert list(found.sample.measures) == list(played.sample.measures)
    for name, value in played.sample.measures.items():
        np.testing.assert_array_equal(found.sample.measures[name], value)
    assert [path.suffix for path in store.folder.iterdir()] == [".npz"]


def test_what_changes_a_number_changes_the_key(piece, tiny, monkeypatch):
    key = piece.key()
    assert replace(piece, settings={"horizon": 40}).key() == key
    renamed = replace(tiny.EXPERIMENT, caption="another caption")
    assert replace(piece, experiment=renamed).key() == key
    other = replace(tiny.EXPERIMENT, simulate=tiny.fails)
    changes = [{"settings": {"horizon": 41}}, {"seeds": [4, 3]}, {"experiment": other}]
    keys = [replace(piece, **change).key() for change in changes]
    monkeypatch.setattr(pieces, "versions", lambda: {"numpy": "3.0"})
    keys.append(piece.key())
    monkeypatch.undo()
    monkeypatch.setattr(pieces, "of_simulation", lambda simulate: "other sources")
    keys.append(piece.key())
    assert len({key, *keys}) == 6


@pytest.mark.parametrize("damage", [lambda data: data[:-30], lambda data: b"", lambda data: b"x"])
def test_a_damaged_piece_is_none(piece, tiny, tmp_path, damage):
    store = Pieces(tmp_path)
    store.keep(piece, play(tiny.simulate, [3, 4], {"horizon": 40}))
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert store.find(piece) is None


def test_the_cpu_time_is_that_of_the_simulation(monkeypatch, tiny):
    times = iter([5.0, 7.5])
    monkeypatch.setattr(pieces, "process_time", lambda: next(times))
    assert play(tiny.simulate, [1], {"horizon": 10}).seconds == 2.5
