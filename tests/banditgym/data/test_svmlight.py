"""svmlight files against a plain reading of the format, and the line that is to blame."""

import bz2
import gzip
import math
import tracemalloc

import numpy as np
import pytest

from banditgym.data import files, svmlight

from .svmlight_fixture import write_fixture

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}

TEXT = """\
# made by hand
2 1:0.5 3:-1.25e1 # a comment: 7:1

-1 qid:3 2:4 9:3

2
3.5 qid:4\t1:0 5:1e-3\r
-1#1:1
"""
# The same by hand: indices from 1; labels -1, 2, 3.5.
ROWS = [{0: 0.5, 2: -12.5}, {1: 4.0, 8: 3.0}, {}, {0: 0.0, 4: 0.001}, {}]
CODES = [1, 0, 1, 2, 0]


def written(tmp_path, text, suffix=""):
    path = tmp_path / f"data.svm{suffix}"
    path.write_bytes(PACK[suffix](text if isinstance(text, bytes) else text.encode()))
    return path


def listed(rows):
    """Rows as dictionaries."""
    return [
        dict(zip(rows.indices[a:b].tolist(), rows.values[a:b].tolist(), strict=True))
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


def plain(path):
    """A file's labels and rows, by the format's rules, index by index."""
    labels, rows = [], []
    with files.opened(path) as file:
        for line in file:
            words = line.decode().split("#")[0].split()
            if words:
                pairs = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
                labels.append(float(words[0]))
                rows.append({int(j): float(x) for j, x in pairs})
    return labels, rows


@pytest.fixture
def small_groups(monkeypatch):
    """Blocks of some lines, so that a small file has many."""
    monkeypatch.setattr(files, "GROUP_BYTES", 300)


@pytest.mark.parametrize("suffix", PACK)
def test_a_file_by_hand(tmp_path, suffix):
    path = written(tmp_path, TEXT, suffix)
    summary = svmlight.scan(path)
    assert summary.n_rows == 5
    assert summary.labels == (-1, 2, 3.5)
    assert summary.dim == 9
    assert summary.width == 2
    assert summary.feature_norm == math.sqrt(0.25 + 12.5**2)
    assert summary.limits == (-12.5, 4.0)
    assert summary.zero_based is False
    (chunk,) = svmlight.stream(path, summary)
    for rows in (chunk, svmlight.load(path)):
        assert listed(rows) == ROWS
        assert rows.labels.tolist() == CODES
        assert (rows.dim, rows.n_labels, rows.width) == (9, 3, 2)
        assert (rows.feature_norm, rows.limits) == (summary.feature_norm, summary.limits)
        dtypes = [a.dtype for a in (rows.indptr, rows.indices, rows.values, rows.labels)]
        assert dtypes == [np.int64, np.int32, np.float64, np.int64]
        assert not rows.values.flags.writeable


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("suffix", PACK)
def test_scan_stream_and_load_agree_with_plain_reading(tmp_path, small_groups, suffix, zero_based):
    path = tmp_path / f"data.svm{suffix}"
    write_fixture(path, 150, seed=3, dim=30, n_labels=4, width=9, zero_based=zero_based)
    labels, rows = plain(path)
    shift = 0 if zero_based else 1
    assert {min(row) for row in rows} >= {shift}  # the fixture uses its first feature
    rows = [{j - shift: x for j, x in row.items()} for row in rows]
    summary = svmlight.scan(path)
    assert summary.zero_based is zero_based
    assert summary.n_rows == 150
    assert summary.labels == (0, 1, 2, 3)
    assert summary.dim == 1 + max(max(row) for row in rows)
    assert summary.width == max(len(row) for row in rows) == 9
    norms = [math.sqrt(sum(x * x for x in row.values())) for row in rows]
    np.testing.assert_allclose(summary.feature_norm, max(norms), rtol=1e-15)
    chunks = list(svmlight.stream(path, summary, rows=4))
    assert max(len(chunk) for chunk in chunks) == 4
    assert all(len(chunk) for chunk in chunks)
    assert [row for chunk in chunks for row in listed(chunk)] == rows
    assert [label for chunk in chunks for label in chunk.labels] == labels
    every = [x for row in rows for x in row.values()]
    assert summary.limits == (0.0, max(every))
    assert {(c.dim, c.n_labels, c.width, c.feature_norm, c.limits) for c in chunks} == {
        (summary.dim, 4, 9, summary.feature_norm, summary.limits)
    }
    whole = svmlight.load(path)
    assert listed(whole) == rows
    assert whole.labels.tolist() == labels
    assert whole.feature_norm == summary.feature_norm


def test_the_base_may_be_said(tmp_path):
    path = written(tmp_path, "0 1:1\n1 3:2\n")
    assert svmlight.scan(path).dim == 3
    as_zero = svmlight.scan(path, zero_based=True)
    assert (as_zero.dim, as_zero.zero_based) == (4, True)
    assert listed(svmlight.load(path, zero_based=True)) == [{1: 1.0}, {3: 2.0}]
    assert listed(next(svmlight.stream(path, as_zero))) == [{1: 1.0}, {3: 2.0}]
    assert listed(svmlight.load(path, zero_based=False)) == [{0: 1.0}, {2: 2.0}]


def test_an_index_0_makes_a_file_zero_based_wherever_it_stands(tmp_path, small_groups):
    path = written(tmp_path, "0 1:1\n1 3:2\n" * 100 + "1 0:5\n")
    summary = svmlight.scan(path)
    assert (summary.dim, summary.zero_based) == (4, True)
    assert listed(svmlight.load(path))[-1] == {0: 5.0}
    first = next(svmlight.stream(path, summary, rows=2))
    assert listed(first) == [{1: 1.0}, {3: 2.0}]


def test_labels_may_be_any_numbers(tmp_path):
    path = written(tmp_path, "1e30 1:1\n-0.0 1:2\n0 1:2\n-1e-300 1:1\n+7.0 1:1\n")
    summary = svmlight.scan(path)
    assert summary.labels == (-1e-300, 0, 7, 1e30)
    assert [type(label) for label in summary.labels] == [float, int, int, float]
    (chunk,) = svmlight.stream(path, summary)
    assert chunk.labels.tolist() == svmlight.load(path).labels.tolist() == [3, 1, 1, 0, 2]


def test_the_dimension_may_be_said(tmp_path):
    path = written(tmp_path, "0 1:1\n1 3:2\n")
    assert svmlight.scan(path, dim=3).dim == 3
    assert svmlight.load(path, dim=100).dim == 100
    empty = written(tmp_path, "0\n1\n")
    assert (svmlight.scan(empty, dim=5).dim, svmlight.scan(empty, dim=5).width) == (5, 1)
    assert listed(svmlight.load(empty, dim=5)) == [{}, {}]


FILLER = "0 1:1 2:2\n1 2:3 # fine\n\n# a comment\n"  # four lines


@pytest.mark.parametrize("read", [svmlight.scan, svmlight.load])
@pytest.mark.parametrize("line", ["1 2:x", "1 2:nan", "1 1:1e154 2:1e154", "1 -1:1", "x 1:1"])
def test_the_line_to_blame_is_named(tmp_path, small_groups, line, read):
    # 33 fillers, of many blocks, before the line; a second fault after it is not told.
    path = written(tmp_path, FILLER * 33 + f"{line}\n" + FILLER * 20 + "1 9:y\n")
    with pytest.raises(ValueError, match=f"^{path}, line 133: .*, got "):
        read(path)


@pytest.mark.parametrize(
    ("settings", "line", "message"),
    [
        ({"zero_based": False}, "1 0:1", "an index must be in 1..2147483646, got '0:1'"),
        ({"dim": 5}, "1 6:1", "an index must be in 0..5, got '6:1'"),
        ({"dim": 5, "zero_based": False}, "1 6:1", "an index must be in 1..5, got '6:1'"),
        ({"dim": 5, "zero_based": True}, "1 5:1", "an index must be in 0..4, got '5:1'"),
        ({"zero_based": np.False_}, "1 0:1", "an index must be in 1..2147483646, got '0:1'"),
        # That counting is from 0 shows after the line, not before.
        ({"dim": 5}, "1 5:1\n1 0:1", "an index must be in 0..4, got '5:1'"),
    ],
)
def test_an_index_beyond_the_dimension_is_blamed(tmp_path, small_groups, settings, line, message):
    path = written(tmp_path, FILLER * 33 + f"{line}\n" + FILLER)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        svmlight.scan(path, **settings)
    assert str(caught.value) == f"{path}, line 133: {message}"


@pytest.mark.parametrize("dim", [5, 6])
def test_the_last_index_of_a_dimension_is_legal(tmp_path, dim):
    from_one = written(tmp_path, "0 1:1\n1 5:1\n")
    assert svmlight.scan(from_one, dim=dim).dim == dim
    from_zero = written(tmp_path, "0 0:1\n1 4:1\n")
    assert svmlight.scan(from_zero, dim=dim).dim == dim


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data.svm: the file has no rows"),
        ("# nothing\n\n", "data.svm: the file has no rows"),
        ("4 1:1\n4 2:1\n", "data.svm: labels must be of two kinds at least, got only 4"),
        ("0\n1\n", "data.svm: no row has an entry, and dim is not given"),
    ],
)
@pytest.mark.parametrize("read", [svmlight.scan, svmlight.load])
def test_a_file_without_enough_in_it_is_refused(tmp_path, text, message, read):
    with pytest.raises(ValueError, match=message):
        read(written(tmp_path, text))


def test_numbers_to_be_predicted_are_no_labels(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "MOST_LABELS", 3)
    assert svmlight.scan(written(tmp_path, "0 1:1\n1 1:1\n2 1:1\n")).labels == (0, 1, 2)
    path = written(tmp_path, "0 1:1\n0.1 1:1\n0.2 1:1\n0.3 1:1\n")
    with pytest.raises(ValueError, match="labels must be of at most 3 kinds, got more: are they"):
        svmlight.scan(path)


def test_a_missing_file_is_named(tmp_path):
    summary = svmlight.scan(written(tmp_path, TEXT))
    gone = tmp_path / "gone.svm"
    for read in (svmlight.scan, svmlight.load, lambda path: next(svmlight.stream(path, summary))):
        with pytest.raises(FileNotFoundError, match="gone.svm"):
            read(gone)


@pytest.mark.parametrize("value", ["no", 2, None])
def test_another_base_is_refused(tmp_path, value):
    with pytest.raises(ValueError, match='zero_based must be True, False or "auto", got'):
        svmlight.scan(written(tmp_path, TEXT), zero_based=value)


@pytest.mark.parametrize("value", [0, 2.5, True])
def test_another_dimension_or_size_is_refused(tmp_path, value):
    path = written(tmp_path, TEXT)
    with pytest.raises(ValueError, match="dim must be an integer >= 1, got"):
        svmlight.scan(path, dim=value)
    with pytest.raises(ValueError, match="rows must be an integer >= 1, got"):
        next(svmlight.stream(path, svmlight.scan(path), rows=value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1:1 3:1\n1 4:1\n", "line 2: an index must be in 1..3, got '4:1'"),
        ("0 1:1 3:1\n1 0:1\n", "line 2: an index must be in 1..3, got '0:1'"),
        ("0 1:1 3:1\n2 3:1\n", "line 2: the label '2' is none of those scanned"),
        ("0 1:1 3:1\n1 1:1 2:1 3:1\n", "line 2: the row has 3 entries, the most scanned were 2"),
        ("0 1:1 3:1\n1 3:1\n1\n", "data.svm: 2 rows were scanned, now it has 3"),
        ("0 1:1 3:1\n1 3:2\n", "data.svm: its rows are no longer those scanned"),  # their norm
        ("0 1:1 3:1\n1 3:-1\n", "data.svm: its rows are no longer those scanned"),  # limits
        ("0 1:1\n1 3:1\n", "data.svm: its rows are no longer those scanned"),  # width
        ("0 1:1 3:1\n", "data.svm: labels must be of two kinds at least, got only 0"),
        ("", "data.svm: the file has no rows"),
        ("0 1:1 3:1\n1 3:x\n", "line 2: a value must be a finite number, got '3:x'"),
    ],
)
def test_a_file_that_changed_after_the_scan_is_refused(tmp_path, text, message):
    path = written(tmp_path, "0 1:1 3:1\n1 3:1\n")
    summary = svmlight.scan(path)
    assert list(svmlight.stream(path, summary))
    written(tmp_path, text)
    with pytest.raises(ValueError, match=message):
        list(svmlight.stream(path, summary))


def test_a_long_file_takes_the_memory_of_a_block(tmp_path, monkeypatch):
    """80 000 rows, in blocks of 16 KiB: some 2500 of these lines."""
    monkeypatch.setattr(files, "GROUP_BYTES", 1 << 14)
    path = written(tmp_path, "0 1:1\n1 7:2\n" * 40_000)
    tracemalloc.start()
    summary = svmlight.scan(path)
    n_rows = sum(len(chunk) for chunk in svmlight.stream(path, summary))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_rows == summary.n_rows == 80_000
    # A line is 40 bytes of Python beside its text and some 100 of arrays on the way: a block takes
    # 400 kB. The rows of the file would be 2.2 MB of arrays, its lines 3.2 MB.
    assert peak < 1e6
