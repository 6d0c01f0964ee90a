"""Lines against the format's rules, and the fault that is told of each broken one."""

import math
from pathlib import Path

import numpy as np
import pytest

from banditgym.data.labelled_rows import Summary
from banditgym.data.svmlight_lines import LARGEST, LineLimits, parse

PATH = Path("data.svm")
ANY = LineLimits(lowest=0, highest=LARGEST)
GOOD = [b"0 1:1 2:2\n", b"1 2:3 # fine\n", b"\n", b"# a comment\n"]


def fault_of(line, after=()):
    """What is told of a line among good ones, the third of a block that begins at line 100."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the message is compared whole
        parse(PATH, 100, [*GOOD[1:3], line, *GOOD, *after], ANY)
    place, _, fault = str(caught.value).partition(": ")
    assert place == "data.svm, line 102"
    return fault


def test_rows_are_as_written():
    indptr, indices, values, labels = parse(PATH, 1, [*GOOD, b"-2.5 qid:7 9:1e-3 11:-4#x"], ANY)
    assert indptr.tolist() == [0, 2, 3, 5]
    assert indices.tolist() == [1, 2, 2, 9, 11]
    assert indices.dtype == np.int32
    assert values.tolist() == [1.0, 2.0, 3.0, 0.001, -4.0]
    assert labels.tolist() == [0.0, 1.0, -2.5]


def test_comments_alone_have_no_rows():
    indptr, indices, _, labels = parse(PATH, 1, GOOD[2:], ANY)
    assert (indptr.tolist(), len(indices), len(labels)) == ([0], 0, 0)


def test_a_comment_may_say_what_it_likes():
    for comment in (b"# qid, nan, 1:x", b"#qid", b"# a qidx:3"):
        assert parse(PATH, 1, [b"1 qid:3 2:1 " + comment], ANY)[1].tolist() == [2]


def test_the_largest_index():
    assert parse(PATH, 1, [b"0 %d:1" % LARGEST], ANY)[1].tolist() == [LARGEST]


FAULTS = {
    "letters 1:1": "the label must be a finite number, got 'letters'",
    "nan 1:1": "the label must be a finite number, got 'nan'",
    "inf 1:1": "the label must be a finite number, got 'inf'",
    "1,2 1:1": "a row must have one label, got '1,2'",
    "1:1 2:2": "a row must begin with its label, got '1:1'",
    "1 1:1 2": "expected index:value, got '2'",
    "1 one:1": "expected index:value, got 'one:1'",
    "1 1.5:1": "expected index:value, got '1.5:1'",
    "1 1:1 qid:2": "expected index:value, got 'qid:2'",
    "1 xqid:3 2:1": "expected index:value, got 'xqid:3'",
    "1 qidx:3 2:1": "expected index:value, got 'qidx:3'",
    "1 qid": "expected index:value, got 'qid'",
    "1 1:1 3:": "a value must be a finite number, got '3:'",
    "1 1:1 3:x": "a value must be a finite number, got '3:x'",
    "1 1:1 3:4:5": "a value must be a finite number, got '3:4:5'",
    "1 2:NaN": "a value must be a finite number, got '2:NaN'",
    "1 2:-inf": "a value must be a finite number, got '2:-inf'",
    "1 2:1e999": "a value must be a finite number, got '2:1e999'",
    "1 3:1 2:1": "indices must increase, got 2 after 3",
    "1 3:1 3:1": "indices must increase, got 3 after 3",
    "1 -1:1": "an index must be in 0..2147483646, got '-1:1'",
    "1 2147483647:1": "an index must be in 0..2147483646, got '2147483647:1'",
    "1 99999999999:1": "an index must be in 0..2147483646, got '99999999999:1'",
    "1 99999999999999999999:1": "an index must be in 0..2147483646, got '99999999999999999999:1'",
    "1 1:1e154 2:1e154": "the row must be of finite norm, got one above 1e154",
    "1 2:\x00": "a value must be a finite number, got '2:\\x00'",
}


@pytest.mark.parametrize("line", FAULTS)
def test_the_first_fault_is_reported(line):
    assert fault_of(line.encode() + b"\n") == FAULTS[line]
    # scikit-learn would stop at this one, not at numbers that are not finite
    assert fault_of(line.encode() + b"\n", after=[b"1 x:1\n"]) == FAULTS[line]


def test_a_fault_in_bytes_that_are_no_text():
    assert fault_of(b"1 2:\xff\n") == r"a value must be a finite number, got '2:\\xff'"


def test_a_long_fault_is_cut_short():
    assert len(fault_of(b"x" * 5000)) < 150


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"0 1:1", "an index must be in 2..4, got '1:1'"),
        (b"0 2:1 5:1", "an index must be in 2..4, got '5:1'"),
        (b"3 2:1", "the label '3' is none of those scanned"),
        (b"0 2:1 3:1 4:1", "the row has 3 entries, the most scanned were 2"),
    ],
)
def test_limits(line, fault):
    summary = Summary(
        n_rows=9, labels=(0, 1.5), dim=3, width=2, feature_norm=math.inf, limits=(0.0, 9.0)
    )
    limits = LineLimits(lowest=2, highest=4, summary=summary)
    parse(PATH, 1, [b"1.5 2:1 4:1", b"\n", b"0 qid:1 2:1 3:1"], limits)
    with pytest.raises(ValueError, match=f"^data.svm, line 2: {fault}$"):
        parse(PATH, 1, [b"1.5 2:1 4:1\n", line], limits)


def rules(line):
    """A label and entries by the format's rules, or None where a line breaks them."""
    try:
        label, *pairs = line.split(b"#")[0].split()
        pairs = [pair.split(b":", 1) for pair in pairs]
        if pairs and pairs[0][0] == b"qid" and len(pairs[0]) == 2:
            del pairs[0]
        entries = [(int(j), float(x)) for j, x in pairs]
        label = float(label)
    except ValueError:
        return None
    ids = [j for j, _ in entries]
    good = ids == sorted(set(ids)) and all(0 <= j <= LARGEST for j in ids)
    good = good and math.isfinite(label) and all(math.isfinite(x) for _, x in entries)
    return (label, entries) if good else None


def test_whatever_is_broken_is_reported_with_the_right_line():
    """Lines with a byte or two changed, against the rules: none slips through or is blamed."""
    draw = np.random.default_rng(0)
    alphabet = np.frombuffer(b"0123456789:::  ..,-eE+#qidnaf\t", dtype=np.uint8)
    n_broken = 0
    for _ in range(2000):
        line = np.frombuffer(b"3 qid:1 2:0.5 10:-1e2 11:7", dtype=np.uint8).copy()
        where = draw.integers(len(line), size=draw.integers(1, 3))
        line[where] = draw.choice(alphabet, size=len(where))
        line = line.tobytes()
        if not line.split(b"#")[0].split():
            continue
        expected = rules(line)
        if expected is None:
            n_broken += 1
            assert fault_of(line + b"\n")
        else:
            _, indices, values, (label,) = parse(PATH, 1, [line], ANY)
            assert (label, [*zip(indices, values, strict=True)]) == expected
    assert 1000 < n_broken < 1800
