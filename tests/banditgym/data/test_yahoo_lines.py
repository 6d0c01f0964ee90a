"""Numbers and lines are read as plain Python reads them, and what is no line is told."""

import re

import numpy as np
import pytest

from banditgym.data.yahoo_lines import DROPPED, is_described, number, parse


def read(word):
    """The number that begins a word, and how many bytes it takes, or -1."""
    return number(np.frombuffer(word.encode() + b" \n", np.uint8), 0)


@pytest.mark.parametrize(
    "word",
    [
        "0", "1", "0.000004", "1.000000", "0.999987", "-0.5", "+2.25", ".5", "5.", "007.250",
        "1e-06", "1E3", "2.5e+2", "123456789012345", "0.123456789012345", "1e22", "1e-22",
        "0.0000000000000000000000", "-0.0", "9007199254740993", "1e100",
    ],
)  # fmt: skip
def test_numbers_of_fifteen_digits_are_the_nearest(word):
    value, end = read(word)
    assert end == len(word)
    assert value == float(word)


@pytest.mark.parametrize(
    "word",
    [
        "0.12345678901234567890123456789", "3.141592653589793238462643383279", "1e-300",
        "12345678901234567890123", "4.9e-324", "0.1e-30", "98765432109876543210e50", "7.7e88",
        "0.00000000000000000000000000000000000012345678901234567", "1e-99999",
    ],
)  # fmt: skip
def test_longer_ones_are_near(word):
    value, end = read(word)
    assert end == len(word)
    # Three roundings: of the digits, of the power of ten, and of their product.
    assert value == pytest.approx(float(word), rel=2e-15, abs=1e-322)


@pytest.mark.parametrize(
    "word", ["", "x", "-", ".", "+.", "e5", "1e", "1e+", "nan", "inf", "1.1e100", "1e308", "1e999"]
)
def test_what_is_no_number_is_reported(word):
    assert read(word)[1] == -1


@pytest.mark.parametrize(("word", "end"), [("1.2.3", 3), ("1,5", 1), ("1 2", 1), ("3|", 1)])
def test_a_number_ends_where_no_digit_follows(word, end):
    assert read(word) == (float(word[:end]), end)


def test_numbers_are_those_of_python_at_random():
    rng = np.random.default_rng(0)
    for _ in range(500):
        word = f"{rng.normal() * 10.0 ** rng.integers(-6, 6):.{rng.integers(0, 9)}f}"
        assert read(word) == (float(word), len(word))


A = " 2:.1 3:.2 4:.3 5:.4 6:.5 1:.6"


def fault(line, described, rows=1, room=3):
    """The reasons that are counted for a text, and how many events it has."""
    text = np.frombuffer(line.encode(), np.uint8)
    counts = np.zeros(len(DROPPED), np.int64)
    arrays = (
        np.empty(rows, np.int64), np.empty((rows, 6 if described else 136)),
        np.empty((rows, room), np.int64), np.empty((rows, room, 6 if described else 0)),
        np.empty(rows, np.int64), np.empty(rows, np.int64),
    )  # fmt: skip
    events = parse(text, described, tuple(arrays), counts)
    return [name for name, times in zip(DROPPED, counts, strict=True) for _ in range(times)], events


GOOD_A = [
    f"9 1 0 |user{A} |1{A}\n",
    f"9 1 0 |user{A} |1{A} |2{A} |3{A}\n",
    f"  9\t1  1   |user {A}  |1{A}  \r\n",
    f"9 2 0 |1{A} |2{A}|user{A}\n",
    f"9 0 0|user{A}|0{A}\n",
    f"9 1 0 |user{A[:-3]}:-1000 |1{A[:-3]}:1e3\n",
]
BAD_A = [
    "x\n", "9\n", "9 1\n", "9 1 0\n", "|user\n", f"9 1 0 |1{A}\n",
    f"9 1 0 |user{A} |user{A} |1{A}\n",
    f"9 1 2 |user{A} |1{A}\n", f"9 1 -1 |user{A} |1{A}\n", f"-9 1 0 |user{A} |1{A}\n",
    f"9 id-1 0 |user{A} |id-1{A}\n", f"9 1 0 |user{A} |1{A} x\n", f"9 1 0 |user{A} |1{A} 1:2\n",
    f"9 1 0 |user{A} |1 0:1{A}\n", f"9 1 0 |user{A} |1 7:1\n", f"9 1 0 |user{A} |1 2:x\n",
    f"9 1 0 |user{A} |1 2:\n", f"9 1 0 |user{A} |1 2\n", f"9 1 0 |user{A} |1 2:1e101\n",
    f"9 1 0 |user{A[:-3]}:1000.1 |1{A}\n", f"9 1 0 |user{A} |1{A[:-3]}:-1000.1\n",
    f"9 1 0 |user{A} |1 2:nan\n", f"9 1 0 |user{A} |1 2:.13:.2\n", f"9 1 0 |user{A} |1{A} |1{A}\n",
    f"9 1 0 |users{A} |1{A}\n", f"9 1 0 |user1:2 |1{A}\n", f"9 1 0 |user{A} |1{A} |\n",
    f"9 1 0 |user{A} |1{A}\rx\n", f"9 1234567890123456789 0 |user{A} |1{A}\n", f"9 1 0 user{A}\n",
    f"9 1 00000000000000000000 |user{A} |1{A}\n", f"9 1 0 |user{A} |-1{A}\n", "\x00\xff\n",
]  # fmt: skip
GOOD_B = [
    "9 id-1 0 |user 1 136 7 |id-1\n",
    "9 id-1 0 |user |id-1\n",
    "9 id-1 1|user|id-2|id-1\r\n",
    "9 id-1 0 |id-1 |user 3 |id-2 |id-3\n",
]
BAD_B = [
    "9 1 0 |user 1 |1\n", "9 id-1 0 |user 0 |id-1\n", "9 id-1 0 |user 137 |id-1\n",
    "9 id-1 0 |user 1 1 |id-1\n", "9 id-1 0 |user 1:1 |id-1\n", "9 id-1 0 |user12 |id-1\n",
    "9 id-1 0 |user 1 |id-1 5\n", "9 id-1 0 |user 1 |id-1 |id-1\n", "9 id-1 0 |id-1\n",
    "9 id- 0 |user 1 |id-1\n", "9 id-1 0 |user 1 |id-\n", "9 id-1 0 |user 1 |i\n", "9 i\n",
    "9 id-1 0 |us\n", "9 id-1 0 |user 1 |id-1 |user 2\n",
]  # fmt: skip


@pytest.mark.parametrize("described", [True, False])
def test_good_lines_are_events_and_bad_ones_malformed(described):
    for line in GOOD_A if described else GOOD_B:
        assert fault(line, described) == ([], 1), line
    for line in BAD_A if described else BAD_B:
        assert fault(line, described) == (["malformed"], 0), line
        # What follows is another matter.
        good = (GOOD_A if described else GOOD_B)[0]
        assert fault(line + good, described) == (["malformed"], 1), line
    for line in ("\n", "\r\n", "  \t\n"):
        assert fault(line, described) == ([], 0)


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        (f"9 1 0 |user |1{A}\n", ["featureless_user"]),
        (f"9 1 0 |user 1:1 2:1 3:1 4:1 5:1 |1{A}\n", ["featureless_user"]),
        (f"9 4 0 |user{A} |1{A}\n", ["absent_shown"]),
        (f"9 4 0 |user{A}\n", ["absent_shown"]),
        (f"9 1 0 |user{A} |1 |2{A}\n", ["featureless_shown"]),
        (f"9 1 0 |user{A} |1 1:1 |2{A} |3\n", ["featureless_shown"]),
    ],
)
def test_lines_are_dropped_for_their_reason(line, reasons):
    assert fault(line, True) == (reasons, 0)


def test_featureless_articles_count_where_the_line_is_kept():
    line = f"9 1 0 |user{A} |2 |1{A} |3 1:1 2:0 3:0 4:0 5:0\n"
    assert fault(line, True) == (["featureless_articles"] * 2, 1)
    # Without its features an article is none, however often it is named.
    line = f"9 1 0 |user{A} |1 2:.1 |1{A} |2 |2\n"
    assert fault(line, True) == (["featureless_articles"] * 3, 1)
    assert fault("9 id-4 0 |user 1 |id-1\n", False) == (["absent_shown"], 0)


def test_what_has_no_room_is_reported():
    text = f"9 1 0 |user{A} |1{A} |2{A} |3{A}\n"
    assert fault(text, True, room=2) == ([], -1)
    # Lines beyond the room for events are not looked at.
    assert fault(text + "x\n" + text + "x\n", True, rows=1) == ([], 1)
    assert fault(text + "x\n" + text + "x\n", True, rows=2) == (["malformed"], 2)
    assert fault(text + "x\n" + text + "x\n", True, rows=3) == (["malformed"] * 2, 2)


def test_the_format_is_that_of_the_head():
    assert is_described(b"1 2 0 |user")
    assert is_described(b"1 id-2 1|user") is False
    for line in (b"", b"1 2 |user", b"x 2 0 |", b"1 id 0 |", b"1 2 3 |"):
        assert is_described(line) is None


def plainly(line, described):
    """The reason why a line is dropped; or its time, user, ids, articles, shown, click and bare."""
    head, *sections = line.split("|")
    name = r"(\d{1,18})" if described else r"id-(\d{1,18})"
    found = re.fullmatch(rf"[ \t]*(\d{{1,18}})[ \t]+{name}[ \t]+(0{{0,17}}[01])[ \t]*", head)
    if not head.strip() and not sections:
        return None
    if not found:
        return "malformed"
    time, shown, click = map(int, found.groups())
    user, articles, bare = None, {}, []
    for section in sections:
        is_user = section.startswith("user")
        word = r"user" if is_user else name
        if not (start := re.match(word, section)):
            return "malformed"
        rest = section[start.end() :]
        if rest and rest[0] not in " \t":
            return "malformed"
        features = {}
        for word in rest.split():
            if not is_user and not described:
                return "malformed"
            key, value = word.split(":") if described and word.count(":") == 1 else (word, "1")
            try:
                features[int(key)] = float(value)
            except ValueError:
                return "malformed"
            if word == key and described:
                return "malformed"
            if not 1 <= int(key) <= (6 if described else 136):
                return "malformed"
        if len(features) < len(rest.split()):
            return "malformed"
        x = [features.get(j + 1, 0.0) for j in range(6 if described else 136)]
        if is_user:
            if user is not None:
                return "malformed"
            user = x, len(features)
        elif described and len(features) < 6:
            bare.append(int(start[1]))
        elif int(start[1]) in articles:
            return "malformed"
        else:
            articles[int(start[1])] = x if described else []
    if user is None:
        return "malformed"
    if described and user[1] < 6:
        return "featureless_user"
    if shown not in articles:
        return "featureless_shown" if shown in bare else "absent_shown"
    return time, user[0], list(articles), list(articles.values()), shown, click, len(bare)


@pytest.mark.parametrize("described", [True, False])
def test_lines_that_resemble_the_last_ones_are_read_as_if_alone(described):
    """Articles come, go, change features and places, between lines that are broken anywhere."""
    rng = np.random.default_rng(5)
    name = "" if described else "id-"

    def written():
        return "".join(f" {j}:.{rng.integers(3)}" for j in rng.permutation(6) + 1)

    features = {k: written() if described else "" for k in range(8)}
    lines, pool = [], list(range(5))
    for t in range(4000):
        event = rng.random()
        if event < 0.1:
            pool = rng.permutation(8)[: rng.integers(1, 7)].tolist()
        elif event < 0.2 and described:
            features[int(rng.integers(8))] = written()
        elif event < 0.25 and described:
            features[int(rng.integers(8))] = " 2:1" * int(rng.integers(2))
        user = written() if described else "".join(f" {j}" for j in rng.permutation(9)[:3] + 1)
        user = user[: int(rng.integers(20, 400))]  # the whole of it, for the most part
        shown = rng.choice(pool) if rng.random() < 0.9 else rng.integers(8)
        words = [f"{t} {name}{shown} {rng.integers(2)} |user{user}"]
        words += [f"|{name}{k}{features[k]}" for k in pool]
        line = " ".join(words)
        if rng.random() < 0.2:  # a byte is lost, or another one
            at = int(rng.integers(len(line)))
            line = line[:at] + str(rng.choice(["", "|", "5", ":", " ", "x"])) + line[at + 1 :]
        lines.append(line)
    expected = [plainly(line, described) for line in lines]
    events = [told for told in expected if isinstance(told, tuple)]
    assert 1500 < len(events) < 3900
    room = 8
    arrays = (
        np.empty(4000, np.int64), np.empty((4000, 6 if described else 136)),
        np.empty((4000, room), np.int64), np.empty((4000, room, 6 if described else 0)),
        np.empty(4000, np.int64), np.empty(4000, np.int64),
    )  # fmt: skip
    counts = np.zeros(len(DROPPED), np.int64)
    end = "\r\n" if described else "\n"
    text = np.frombuffer((end.join(lines) + end).encode(), np.uint8)
    assert parse(text, described, tuple(arrays), counts) == len(events)
    for t, (time, user, ids, articles, shown, click, _) in enumerate(events):
        times, users, all_ids, features_of, places, clicks = (array[t] for array in arrays)
        assert (times, clicks) == (time, click)
        assert users.tolist() == user
        assert all_ids.tolist() == ids + [-1] * (room - len(ids))
        assert features_of[: len(ids)].tolist() == articles
        assert all_ids[places] == shown
    reasons = [told for told in expected if isinstance(told, str)]
    told = [reasons.count(reason) for reason in DROPPED[:-1]] + [sum(event[-1] for event in events)]
    assert counts.tolist() == told
    assert min(told if described else (told[0], told[2])) > 0
