"""Rows beside those of an earlier file, and files that are none."""

import json

import pytest

from tools.speed.earlier import compare, read

ABOUT = {"date": "2026-01-02", "machine": "an abacus", "versions": {"numpy": "2"}}


def rows(**speeds):
    return [{"row": name, "rounds_per_second": speed} for name, speed in speeds.items()]


def test_a_change_is_the_speed_now_over_the_speed_then():
    found = {"date": "2026-03-04", "rows": rows(a=300.0, b=50.0, c=7.0)}
    told = compare(found, ABOUT | {"rows": rows(b=200.0, a=100.0, d=5.0, e=6.0)})
    assert [(row["row"], row["change"]) for row in told["rows"]] == [
        ("a", 3.0), ("b", 0.25), ("c", None)
    ]  # fmt: skip
    assert told["earlier"] == ABOUT | {"not_measured_now": ["d", "e"]}
    assert told["date"] == "2026-03-04"
    assert "change" not in found["rows"][0]


def test_what_was_written_is_read_also_after_a_comparison(tmp_path):
    found = ABOUT | {"rows": rows(a=300.0, b=50)}
    file = tmp_path / "speed.json"
    for written in (found, compare(found, found)):
        file.write_text(json.dumps(written))
        assert read(file) == written


BAD = {
    "no JSON": b"{",
    "no text": b"\xff\xfe\xff",
    "brackets": b"[" * 100_000,
    "another kind": b"[1, 2]",
    "no rows": json.dumps(ABOUT).encode(),
    "no date": json.dumps({"rows": []} | {"machine": "", "versions": {}}).encode(),
    "versions": json.dumps(ABOUT | {"versions": {"numpy": 2}, "rows": []}).encode(),
    "no names": json.dumps(ABOUT | {"rows": [{"rounds_per_second": 1.0}]}).encode(),
    "rows that are none": json.dumps(ABOUT | {"rows": ["a"]}).encode(),
    **{
        f"speed {speed}": json.dumps(ABOUT | {"rows": rows(a=speed)}).encode()
        for speed in (0, -1.0, float("nan"), float("inf"), True, "1", None, 5e-324, 10**400)
    },
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_another_file_is_refused_in_a_line(content, tmp_path):
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="other.json is not a file of banditgym speed --json"):
        read(file)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ValueError, match="--compare .*gone.json cannot be read: No such file"):
        read(tmp_path / "gone.json")
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        read(tmp_path)
