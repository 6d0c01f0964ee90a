"""Token files against a plain join, and what is refused."""

import gzip
import math
import shutil
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from banditgym.data import files, lyrl2004, rcv1_tokens
from banditgym.data.lyrl2004 import FILES
from banditgym.data.rcv1_tokens import TOPICS, load, scan, stream, write_fixture

QRELS = FILES[-1]
BY_HAND = {
    "lyrl2004_tokens_train.dat": (
        ".I 2286\n.W\nrise bank rise\nrate bank rise\n\n.I 2287\n.W\nrise\n\n"
    ),
    "lyrl2004_tokens_test_pt0.dat": ".I 2300\n.W\n.I 2301\n.W\ngoal rise\n",
    "lyrl2004_tokens_test_pt1.dat": "",
    "lyrl2004_tokens_test_pt2.dat": "\n.I 2400 \r\n.W\r\nrate\r\n\r\n",
    "lyrl2004_tokens_test_pt3.dat": ".I 9999\n.W\nnever kept\n.I 70000\n.W\nfar off bank\n",
    QRELS: (
        "MCAT 2286 1\nM11 2286 1\nCCAT 2287 1\nECAT 2287 1\nGCAT 2300 1\nGCAT 2301 1\nGSPO 2301 1\n"
        "\nE11 9999 1\nCCAT 2400 1\nECAT 70000 1\n"
    ),
}
# Words of kept stories as they come: rise 0, bank 1, rate 2, goal 3, far 4, off 5.
ROWS = [{0: 3, 1: 2, 2: 1}, {}, {0: 1, 3: 1}, {2: 1}, {1: 1, 4: 1, 5: 1}]
LABELS = [3, 2, 2, 0, 1]


def written(folder, texts, packed=()):
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).unlink(missing_ok=True)
        (folder / f"{name}.gz").unlink(missing_ok=True)
        if name in packed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / name).write_text(text, newline="")
    return folder


def listed(rows):
    """Rows as dictionaries."""
    return [
        dict(zip(rows.indices[a:b].tolist(), rows.values[a:b].tolist(), strict=True))
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


def plain(folder):
    """(id, label, counts by word) of the kept stories, file by file."""
    topics = {}
    with files.opened(lyrl2004.found(folder)[QRELS]) as file:
        for line in file:
            topic, story, _ = line.decode().split()
            topics.setdefault(int(story), set()).add(topic)
    kept = []
    for name in FILES[:-1]:
        with files.opened(lyrl2004.found(folder)[name]) as file:
            for text in file.read().decode().split(".I ")[1:]:
                head, words = text.split("\n.W\n")
                (*labels,) = topics[int(head)] & set(TOPICS)
                if len(labels) == 1:
                    kept.append((int(head), TOPICS.index(labels[0]), Counter(words.split())))
    return kept


@pytest.mark.parametrize("packed", [(), FILES, FILES[2:4]])
def test_files_by_hand(tmp_path, packed):
    folder = written(tmp_path, BY_HAND, packed)
    summary = scan(folder)
    assert summary.n_rows == 5
    assert summary.labels == ("CCAT", "ECAT", "GCAT", "MCAT")
    assert (summary.dim, summary.width, summary.in_order) == (6, 3, True)
    assert summary.feature_norm == math.sqrt(14)
    assert summary.limits == (0.0, 3.0)
    (chunk,) = stream(folder, summary)
    for rows in (chunk, load(folder)):
        assert listed(rows) == ROWS
        assert rows.labels.tolist() == LABELS
        assert (rows.dim, rows.n_labels, rows.width) == (6, 4, 3)
        assert (rows.feature_norm, rows.limits) == (math.sqrt(14), (0.0, 3.0))
        dtypes = [a.dtype for a in (rows.indptr, rows.indices, rows.values, rows.labels)]
        assert dtypes == [np.int64, np.int32, np.float64, np.int64]
        assert not rows.values.flags.writeable


@pytest.mark.parametrize("packed", [False, True])
def test_the_fixture_against_a_plain_join(tmp_path, monkeypatch, packed):
    monkeypatch.setattr(files, "GROUP_BYTES", 200)
    write_fixture(tmp_path, 120, seed=5, packed=packed)
    kept = plain(tmp_path)
    assert 80 < len(kept) < 110
    assert {label for _, label, _ in kept} == {0, 1, 2, 3}
    words = []
    for _, _, counts in kept:
        words += [word for word in counts if word not in words]
    expected = [{words.index(word): n for word, n in counts.items()} for _, _, counts in kept]
    summary = scan(tmp_path)
    assert (summary.n_rows, summary.dim) == (len(kept), len(words))
    assert summary.width == max(map(len, expected))
    assert summary.feature_norm == max(
        math.sqrt(sum(n * n for n in row.values())) for row in expected
    )
    chunks = list(stream(tmp_path, summary, rows=7))
    assert [len(chunk) for chunk in chunks[:-1]] == [7] * (len(kept) // 7)
    assert [row for chunk in chunks for row in listed(chunk)] == expected
    rows = load(tmp_path)
    assert listed(rows) == expected
    for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        assert (np.diff(rows.indices[a:b]) > 0).all()
    labels = [label for _, label, _ in kept]
    assert rows.labels.tolist() == labels
    assert [label for chunk in chunks for label in chunk.labels] == labels


def test_a_fixture_is_a_function_of_its_seed(tmp_path):
    texts = []
    for seed in (1, 1, 2):
        write_fixture(tmp_path, 30, seed)
        texts.append([(tmp_path / name).read_text() for name in FILES])
    assert texts[0] == texts[1] != texts[2]


def test_stories_out_of_order_are_sorted_by_load_alone(tmp_path):
    write_fixture(tmp_path, 100)
    sorted_rows = load(tmp_path)
    first, last = (tmp_path / FILES[j] for j in (0, 4))
    text = first.read_text()
    shutil.copy(last, first)
    last.write_text(text)
    summary = scan(tmp_path)
    assert not summary.in_order
    with pytest.raises(ValueError, match="do not come by increasing ids: load sorts them"):
        next(stream(tmp_path, summary))
    rows = load(tmp_path)
    assert rows.labels.tolist() == sorted_rows.labels.tolist()
    # Words are numbered otherwise, counts are the same story by story.
    assert rows.indptr.tolist() == sorted_rows.indptr.tolist()
    counts = [sorted(row.values()) for row in listed(rows)]
    assert counts == [sorted(row.values()) for row in listed(sorted_rows)]
    assert rows.indptr.dtype == np.int64
    assert rows.indices.dtype == np.int32


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (FILES[0], ".I 2286\nword\n", "line 2: expected '.W', got 'word'"),
        (FILES[1], ".I one\n", "line 1: a story's id must be an integer"),
        (FILES[0], ".I 5\n.W\n", f"line 1: story 5 has no topic in .*{QRELS}"),
        (FILES[0], ".I 80000000\n.W\n", "line 1: story 80000000 has no topic"),
        (FILES[0], ".I 2286\n.W\n.I 2287\n.W\n.I 2286\n.W\n", "line 5: story 2286 occurs twice"),
        (FILES[3], ".I 2286\n.W\n", "line 1: story 2286 occurs twice"),
        (QRELS, "MCAT 2286\n", "line 1: expected '<topic> <story> 1', got 'MCAT 2286'"),
    ],
)
@pytest.mark.parametrize("read", [scan, load])
def test_the_line_to_blame_is_named(tmp_path, name, text, message, read):
    folder = written(tmp_path, {**BY_HAND, name: text}, packed=FILES[:1])
    with pytest.raises(ValueError, match=rf"{name}[.gz]*, {message}"):
        read(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({FILES[4]: ""}, "7 stories have topics, but the token files hold 5: are they complete?"),
        (
            dict.fromkeys(FILES, ""),
            "of 0 stories 0 have exactly one of CCAT, ECAT, GCAT, MCAT; at least two of these",
        ),
        (
            {QRELS: "".join(f"GCAT {j} 1\n" for j in (2286, 2287, 2300, 2301, 2400, 9999, 70000))},
            "of 7 stories 7 have exactly one of .*; at least two of these topics must occur, got 1",
        ),
    ],
)
@pytest.mark.parametrize("read", [scan, load])
def test_files_that_do_not_go_together_are_refused(tmp_path, changes, message, read):
    with pytest.raises(ValueError, match=message):
        read(written(tmp_path, {**BY_HAND, **changes}))


@pytest.mark.parametrize("read", [scan, load])
def test_the_whole_collection_has_a_known_number_of_rows(tmp_path, monkeypatch, read):
    folder = written(tmp_path, BY_HAND)
    monkeypatch.setattr(rcv1_tokens, "STORIES", 7)
    with pytest.raises(ValueError, match="of the 7 stories of RCV1-v2 673768 have .*, got 5"):
        read(folder)
    monkeypatch.setattr(rcv1_tokens, "KEPT", 5)
    read(folder)


@pytest.mark.parametrize("name", FILES)
def test_what_is_missing_is_named(tmp_path, name):
    written(tmp_path, BY_HAND)
    (tmp_path / name).unlink()
    for read in (scan, load):
        with pytest.raises(FileNotFoundError, match=f"{name} not found in {tmp_path}"):
            read(tmp_path)


@pytest.mark.parametrize(
    "pt0",
    [
        ".I 2300\n.W\n.I 2301\n.W\ngoal rise new\n",  # a word more
        ".I 2300\n.W\n.I 2301\n.W\ngoal goal rise rate bank\n",  # a wider row
        ".I 2300\n.W\n.I 2301\n.W\nrise goal rise rise rise\n",  # a longer row
        ".I 2300\n.W\n.I 2301\n.W\nrise rise\n",  # a word less
    ],
)
def test_files_that_changed_after_the_scan_are_refused(tmp_path, pt0):
    summary = scan(written(tmp_path, BY_HAND))
    assert list(stream(tmp_path, summary))
    written(tmp_path, {FILES[1]: pt0})
    with pytest.raises(ValueError, match="the files have changed since they were scanned"):
        list(stream(tmp_path, summary))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (FILES[0], "rate", "rate five"),  # a wider row
        (FILES[4], "far off bank", "far off new"),  # a word more, in no wider row
    ],
)
def test_a_chunk_never_shows_more_than_was_scanned(tmp_path, name, old, new):
    summary = scan(written(tmp_path, BY_HAND))
    written(tmp_path, {name: BY_HAND[name].replace(old, new)})
    with pytest.raises(ValueError, match="the files have changed since they were scanned"):
        next(stream(tmp_path, summary, rows=5))


def test_a_stream_takes_the_memory_of_a_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "GROUP_BYTES", 1 << 16)
    monkeypatch.setattr(rcv1_tokens, "_ROWS", 100)
    write_fixture(tmp_path, 3000)
    tracemalloc.start()
    summary = scan(tmp_path)
    n_rows = sum(len(chunk) for chunk in stream(tmp_path, summary, rows=100))
    peak = tracemalloc.get_traced_memory()[1]
    rows = load(tmp_path)
    tracemalloc.stop()
    assert n_rows == len(rows) > 2300
    size = rows.values.nbytes + rows.indices.nbytes
    # A block of lines is 64 KiB of text and twice as much of Python beside, 100 rows are 50 kB of
    # arrays, and the table of topics is 64 KiB.
    assert size > 0.9e6
    assert peak < 0.8e6
