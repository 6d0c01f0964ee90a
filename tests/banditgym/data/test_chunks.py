"""Rows of a stream by their number: in order, from the beginning again, and by copies."""

import copy
from functools import partial

import pytest

from banditgym.data import svmlight
from banditgym.data.chunks import Chunks

from .svmlight_fixture import write_fixture


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "made.svm"
    write_fixture(path, 100, seed=1)
    return path


def chunks_of(path, rows=7):
    summary = svmlight.scan(path)
    return Chunks(summary, partial(svmlight.stream, path, summary, rows=rows))


def row(chunk, place):
    entries = slice(*chunk.indptr[place : place + 2])
    return chunk.indices[entries].tolist(), chunk.values[entries].tolist(), chunk.labels[place]


def test_rows_are_those_of_the_file_in_any_order(path):
    chunks, data = chunks_of(path), svmlight.load(path)
    for i in [*range(100), 0, 6, 7, 50, 49, 99, 98]:
        assert row(*chunks.at(i)) == row(data, i)


def test_growing_numbers_read_the_stream_once(path):
    summary, opened = svmlight.scan(path), []

    def stream():
        opened.append(1)
        return svmlight.stream(path, summary, rows=7)

    chunks = Chunks(summary, stream)
    for i in range(100):
        chunks.at(i)
    assert len(opened) == 1
    chunks.at(0)
    assert len(opened) == 2


def test_copies_read_for_themselves(path):
    chunks = chunks_of(path)
    chunks.at(30)
    twin = copy.deepcopy(chunks)
    for i in range(31, 60):
        assert row(*twin.at(i)) == row(*chunks.at(i))


def test_a_file_that_changed_is_noticed(path):
    summary = svmlight.scan(path)
    write_fixture(path, 90, seed=1)
    with pytest.raises(ValueError, match="100 rows were scanned, now it has 90"):
        Chunks(summary, partial(svmlight.stream, path, summary)).at(99)
