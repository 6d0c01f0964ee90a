"""Logs of both formats: right values, right counts, whatever stands in them."""

import gzip
import io
import tracemalloc

import numpy as np
import pytest

from banditgym.data import yahoo
from banditgym.data.simulated_logs import MadeLog
from banditgym.data.yahoo import REASONS, YahooLog

# Features of article k are k + j / 8, in the order of the collection, or backwards.
ORDER = (2, 3, 4, 5, 6, 1)


def six(k, order=ORDER):
    return "".join(f" {j}:{k + j / 8}" for j in order)


R6A = "\r\n".join(
    [
        "",
        f"100 7 1 |user{six(1)} |5{six(5)} |7{six(7)} |6{six(6)}",
        f"101 5 0 |user{six(2, ORDER[::-1])} |5{six(5, (4, 1, 6, 2, 5, 3))}",
        "a line that is none",
        f"102 6 1 |user{six(3)} |7 |6{six(6)} |5 1:2 |8{six(8)}",
        f"103 6 0 |user{six(3)} |7{six(7)} |6",
        f"104 9 0 |user{six(3)} |7{six(7)} |6{six(6)}",
        f"105 6 0 |user |6{six(6)}",
        f"106 6 0 |user{six(3)} |6{six(6)} |6{six(6)}",
        f"107 8 0 |user{six(4)} |8{six(8)} |6{six(6)}",
    ]
).encode()
COUNTS_A = {
    "malformed": 2, "featureless_user": 1, "absent_shown": 1, "featureless_shown": 1,
    "featureless_articles": 2, "cut_off": 0,
}  # fmt: skip
R6B = b"""10 id-7 1 |user 1 9 136 |id-5 |id-7 |id-6
11 id-5 0 |user |id-5
12 id-5 0 |user 1 140 |id-5
13 id-8 0 |user 1 |id-5
14 id-6 1 |user 13 11 |id-6 |id-9\n"""


def events_of(log, **kinds):
    """Events one by one: time, user, {article: features}, the article shown, click."""
    for events in log.events(**kinds):
        for t in range(len(events)):
            there = events.ids[t] >= 0
            ids = events.ids[t][there].tolist()
            assert there[: len(ids)].all()
            articles = dict(zip(ids, events.articles[t].tolist(), strict=False))
            yield (
                int(events.timestamps[t]), events.users[t].tolist(), articles,
                ids[events.shown[t]], int(events.clicks[t]),
            )  # fmt: skip


def features(k):
    return [k + j / 8 for j in range(1, 7)]


EXPECTED_A = [
    (100, features(1), {k: features(k) for k in (5, 7, 6)}, 7, 1),
    (101, features(2), {5: features(5)}, 5, 0),
    (102, features(3), {6: features(6), 8: features(8)}, 6, 1),
    (107, features(4), {8: features(8), 6: features(6)}, 8, 0),
]


def ones(*ids):
    return [float(j + 1 in ids) for j in range(136)]


EXPECTED_B = [
    (10, ones(1, 9, 136), {5: [], 7: [], 6: []}, 7, 1),
    (11, ones(), {5: []}, 5, 0),
    (14, ones(11, 13), {6: [], 9: []}, 6, 1),
]


@pytest.mark.parametrize("name", ["log", "log.gz", "log.bz2"])
@pytest.mark.parametrize("text_bytes", [1 << 18, 100, 1])
def test_events_and_counts_are_those_of_the_file(name, text_bytes, tmp_path, monkeypatch):
    monkeypatch.setattr(yahoo, "_TEXT", text_bytes)
    path = tmp_path / name
    for text, expected, counts in [
        (R6A, EXPECTED_A, COUNTS_A),
        (R6B, EXPECTED_B, dict.fromkeys(REASONS, 0) | {"malformed": 1, "absent_shown": 1}),
    ]:
        with yahoo.opened(path, "wb") as file:
            file.write(text)
        log = YahooLog(str(path))
        assert log.described == (text is R6A)
        dropped = dict.fromkeys(REASONS, 0)
        assert list(events_of(log, dropped=dropped)) == expected
        assert dropped == counts


def test_a_summary_tells_of_what_was_read(tmp_path):
    (tmp_path / "log").write_bytes(R6A)
    log = YahooLog(tmp_path / "log")
    summary = log.scan()
    assert (summary.n_rows, summary.most_articles, summary.dropped) == (4, 3, COUNTS_A)
    assert summary.user_norm == np.linalg.norm(features(4))
    assert summary.article_norm == np.linalg.norm(features(8))
    assert (summary.user_limits, summary.article_limits) == ((0.0, 4.75), (0.0, 8.75))
    # Of the first events alone, and what is dropped between them.
    assert log.scan(2).dropped == dict.fromkeys(REASONS, 0)
    assert log.scan(3).dropped == dict.fromkeys(REASONS, 0) | {
        "malformed": 1, "featureless_articles": 2
    }  # fmt: skip
    assert (log.scan(3).n_rows, log.scan(99).n_rows) == (3, 4)
    assert len(list(events_of(log, rows=2))) == 2


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path):
    lines = R6A.split(b"\r\n")
    (tmp_path / "ydata-fp.20090502").write_bytes(lines[-1])
    with gzip.open(tmp_path / "ydata-fp.20090501.gz", "wb") as file:
        file.write(b"\r\n".join(lines[:-1]))  # whose last line has no end
    (tmp_path / "README.txt").write_text("not to be read")
    (tmp_path / "ydata-folder").mkdir()
    log = YahooLog(tmp_path)
    assert [file.name for file in log.files] == ["ydata-fp.20090501.gz", "ydata-fp.20090502"]
    dropped = dict.fromkeys(REASONS, 0)
    assert list(events_of(log, dropped=dropped)) == EXPECTED_A
    assert dropped == COUNTS_A


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_a_file_that_breaks_off_is_read_up_to_there(format, tmp_path):
    MadeLog(format=format).write(tmp_path / "ydata-1.gz", 500)
    MadeLog(format=format).write(tmp_path / "ydata-2", 3)
    packed = (tmp_path / "ydata-1.gz").read_bytes()
    complete = list(events_of(YahooLog(tmp_path)))
    for share in (0.3, 0.8, 0.9999):
        (tmp_path / "ydata-1.gz").write_bytes(packed[: int(share * len(packed))])
        dropped = dict.fromkeys(REASONS, 0)
        events = list(events_of(YahooLog(tmp_path), dropped=dropped))
        assert events == complete[: len(events) - 3] + complete[-3:]
        # What was packed last cannot be unpacked without the bytes after it.
        assert 500 * share - 60 < len(events) - 3 <= 500
        assert dropped == dict.fromkeys(REASONS, 0) | {"cut_off": 1}


def test_a_file_that_is_no_log_is_reported(tmp_path):
    for name, text, message in [
        ("a.gz", b"plain", "a.gz: cannot be read: Not a gzipped file"),
        ("b.bz2", b"plain", "b.bz2: cannot be read: Invalid data"),
        ("c", b"some text\nthat is no log\n", "no line of the formats R6A and R6B"),
        ("d", b"", "no line of the formats"),
    ]:
        (tmp_path / name).write_bytes(text)
        with pytest.raises(ValueError, match=message):
            YahooLog(tmp_path / name)
    (tmp_path / "e").write_bytes(b"1 2 0 |user |2\n")
    with pytest.raises(ValueError, match="no events, dropped: featureless_user 1"):
        YahooLog(tmp_path / "e").scan()
    packed = bytearray(gzip.compress(R6B))
    packed[-6] ^= 1  # of the checksum
    (tmp_path / "f.gz").write_bytes(packed)
    with pytest.raises(ValueError, match="CRC check failed"):
        YahooLog(tmp_path / "f.gz").scan()
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "nothing", tmp_path / "folder"):
        with pytest.raises(FileNotFoundError, match=r"Webscope, see banditgym/data/README\.md"):
            YahooLog(path)


def test_rows_with_more_articles_than_expected_are_read_again(tmp_path):
    pool = "".join(f" |id-{k}" for k in range(100))
    (tmp_path / "log").write_text(f"x\n1 id-3 0 |user 1{pool}\nx\n" * 2 + f"1 id-99 1 |user{pool}")
    summary = YahooLog(tmp_path / "log").scan()
    assert (summary.n_rows, summary.most_articles) == (3, 100)
    assert summary.dropped["malformed"] == 4


class Endless(io.RawIOBase):
    """A file of a text over and over, made as it is read."""

    def __init__(self, text, size):
        self._text, self._left = text, size

    def read1(self, size):
        piece = self._text[: min(size, self._left)]
        self._left -= len(piece)
        return piece


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_memory_does_not_grow_with_the_log(format, tmp_path, monkeypatch):
    made = tmp_path / "log"
    MadeLog(format=format, n_articles=30).write(made, 300)
    log, text = YahooLog(made), made.read_bytes()
    log.scan()  # warm
    monkeypatch.setattr(yahoo, "opened", lambda path: Endless(text, 2 << 30))
    tracemalloc.start()
    seen, peaks = 0, []
    for events in log.events():
        seen += len(events)
        if seen > 3000 * 2 ** len(peaks):
            peaks.append(tracemalloc.get_traced_memory()[1])
        if len(peaks) == 5:  # after 48,000 events of some two or five million
            break
    tracemalloc.stop()
    assert peaks[-1] < 1.01 * peaks[0]
    assert peaks[-1] < 16 << 20


def test_a_line_without_end_does_not_fill_the_memory(tmp_path, monkeypatch):
    (tmp_path / "log").write_bytes(R6B)
    log = YahooLog(tmp_path / "log")
    monkeypatch.setattr(yahoo, "opened", lambda path: Endless(b"1" * 1000, 1 << 40))
    monkeypatch.setattr(yahoo, "_LONGEST", 5000)
    with pytest.raises(ValueError, match="longer than 5000 bytes"):
        log.scan()
