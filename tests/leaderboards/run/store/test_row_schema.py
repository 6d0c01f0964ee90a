"""A line is read as its definition says: JSON, and a rule for each field. Stores are elsewhere."""

import json
import math
from dataclasses import asdict, fields
from decimal import Decimal, localcontext
from pathlib import Path

import pytest

from leaderboards.run.store import row_schema as lines
from leaderboards.run.store.row_schema import Row, read_line

SCHEMAS = sorted((Path(__file__).parents[2] / "schemas").glob("*.jsonl"))
STORED = [line for path in SCHEMAS for line in path.read_bytes().splitlines()]
ROW = read_line(STORED[-3])


def refuse(name):
    raise ValueError(name)


def json_of(line):
    """What the standard library reads, if no string has half a surrogate pair."""
    record = json.JSONDecoder(parse_constant=refuse).decode(line.decode())
    json.dumps(record, ensure_ascii=False).encode()
    return record


def whole(low=0):
    return lambda x: type(x) is int and low <= x < 2**63


def number(x):
    return x is None or (type(x) is int and abs(x) < 2**63) or (type(x) is float and abs(x) < 1e999)


def text(x):
    return type(x) is str


def listed(rule):
    return lambda x: type(x) is list and all(map(rule, x))


def mapped(rule):
    return lambda x: type(x) is dict and all(map(rule, x.values()))


def either(rule):
    return lambda x: x is None or rule(x)


def flag(x):
    return type(x) is bool


def ascending(x):
    return listed(whole(1))(x) and x and x == sorted(set(x))


def times(x):
    return listed(number)(x) and len(x) == 2 and all(one is None or one >= 0 for one in x)


def fault(x):
    return type(x) is list and len(x) == 2 and whole(1)(x[0]) and text(x[1])


def hexadecimal(x):
    return text(x) and len(x) == 32 and set(x) <= set("0123456789abcdef")


RULES = {
    **dict.fromkeys(("suite", "task", "agent", "spec", "sources", "environment"), text),
    **dict.fromkeys(("error", "paper"), either(text)),
    **dict.fromkeys(("refused", "full_information", "audit"), flag),
    **dict.fromkeys(("facts", "bound"), listed(text)),
    **dict.fromkeys(("data", "versions"), mapped(text)),
    "hyperparameters": lambda x: type(x) is dict,
    "seed": whole(-1),
    "rounds": either(ascending),
    "measures": either(mapped(listed(number))),
    "seconds": either(times),
    "bytes": either(lambda x: whole()(x) and x <= lines.ADDRESSES),
    "isolation": lambda x: x in ("none", "process", "full"),
    "faults": listed(fault),
    "seed_hex": either(hexadecimal),
}
ORDER = [field.name for field in fields(Row)]


def by_definition(line):
    """The row of a line of the present schema, or an error."""
    record = json_of(line)
    del record["schema"]
    for name in ORDER:
        if not RULES[name](record[name]):
            raise ValueError(f"{name} is {record[name]!r}")
    if record["error"] is None:
        if record["rounds"] is None or record["measures"] is None:
            raise ValueError("a success without numbers")
        if any(len(curve) != len(record["rounds"]) for curve in record["measures"].values()):
            raise ValueError("a curve needs one number per round")
    return Row(**record)


def outcome(read, line):
    """What a function makes of a line: the type and text of what it returns, or of its error."""
    try:
        found = read(line)
    except ValueError as error:
        return "ValueError", str(error)
    return type(found), repr(found)


VALUES = (
    *(None, True, False, 0, 1, -1, -2, 2**63 - 1, 2**63, -(2**63), 10**400, 0.0, -0.0, 1.5, 1e300),
    *("", "none", "full", "a", "0" * 32, "0" * 31 + "A", "0" * 32 + "\n", "é☃", [], {}, [[]], [{}]),
    *([None, None], [1, 2], [2, 1], [1, 1], [0, 1], [1, 2.0], [1, True], [1.0, -1.0], [1.0, None]),
    *([1.0, "2"], [1.0, 2.0, 3.0], [2**63], ["a"], ["a", 1], [[1, "a"]], [[1, "a", 2]], [[0, "a"]]),
    *([[True, "a"]], [[2**63, "a"]], [(1, 2)], {"a": 1}, {"a": "b"}, {"a": None}, {"a": [1.0, 2]}),
    *({"a": [None, 10**400]}, {"a": [True, 1]}, {"a": ["1", 1]}, {"a": []}, {"a": {"b": [1]}}),
)


def test_every_field_of_a_row_has_a_rule():
    assert RULES.keys() == set(ORDER)


@pytest.mark.parametrize("name", ORDER)
def test_each_value_of_a_field_is_judged_by_its_rule(name):
    judged = set()
    for value in VALUES:
        line = json.dumps({"schema": lines.SCHEMA, **asdict(ROW), name: value}).encode()
        expected = outcome(by_definition, line)
        assert outcome(read_line, line) == expected, value
        judged.add(expected[0])
    assert judged == {"ValueError", Row}


def test_of_several_faults_the_first_field_is_told():
    line = json.dumps({"schema": lines.SCHEMA, **asdict(ROW), "bytes": -1, "seed": "x"}).encode()
    with pytest.raises(ValueError, match="^seed is 'x'$"):
        read_line(line)


@pytest.mark.parametrize("line", STORED, ids=range(len(STORED)))
def test_a_row_is_that_of_its_constructor(line):
    row = read_line(line)
    assert row == Row(**asdict(row))
    assert repr(row) == repr(Row(**asdict(row)))
    with pytest.raises(AttributeError):
        row.seed = 3  # pyright: ignore[reportAttributeAccessIssue]


TEXTS = (
    *("-0", "-0.0", "0e0", "1E+5", "1e999", "-1e999", "1e-400", "-1e-400", "9007199254740993.0"),
    *("1.7976931348623158e308", "1.7976931348623159e308", "4.9e-324", "2.4703282292062327e-324"),
    *("2.4703282292062328e-324", "0." + "0" * 400 + "1", "1." + "0" * 5000 + "1"),
    *("1" * 400 + "e-9", "9223372036854775808", "-9223372036854775809", "1" * 60, "1" * 4300),
    *("1" * 4301, "-" + "1" * 5000, "1" * 5000 + ".5", "01", "-01", "00", "1.", ".5", "1.e5", "+1"),
    *("-", "1e", "1e+", "0x1", "1_0", "NaN", "Infinity", "-Infinity", "nul", "True", "true"),
    *("'a'", "", " ", "1 2", "[1,]", "[1 2]", '{"a":1,}', '{"a":1,"b":2,"a":3}', "{'a':1}"),
    *("{1:2}", "[1,2", '"abc', '"\\', "\ufeff1", "\x0b1", "\xa01", "1\x00", "\t[1]\r", '"a\x01"'),
    *('"\x7f"', '"\\x41"', '"\\/"', '"\\u0000"', '"\\u12g4"', '"\\u 123"', '"\\u+123"'),
    *('"\\ud800"', '"\\uDE00\\uD83D"', '"\\ud83d\\ude00"', '"\\ud83d\\u0041"'),
    *('"\\ud83d\\ud83d\\ude00"', '"\u2028é"', "[" * 150 + "]" * 150, "[" * 300 + "]" * 300),
)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:30])
def test_json_is_read_as_the_standard_library_reads_it(text):
    line = text.encode()
    expected = outcome(json_of, line)
    found = outcome(lines._record, line)
    assert found[0] == expected[0]
    if expected[0] != "ValueError":
        assert found == expected


@pytest.mark.parametrize("line", [b'"\xff"', b'"\xed\xa0\x80"', b"\xff\xfe1\x00"])
def test_other_encodings_are_refused(line):
    with pytest.raises(ValueError, match="codec"):
        lines._record(line)


def test_a_number_is_read_to_its_last_bit():
    values = [math.ldexp(1 + k / 7919, k % 2000 - 1000) for k in range(1, 7919)]
    assert lines._record(json.dumps(values).encode()) == values
    texts = []
    for value in values[::100]:  # beside the middle of two numbers, and on it
        with localcontext(prec=1200):
            middle = (Decimal(value) + Decimal(math.nextafter(value, math.inf))) / 2
            texts += [str(middle + k * middle.scaleb(-900)) for k in (-1, 0, 1)]
    line = f"[{', '.join(texts)}]".encode()
    assert outcome(lines._record, line) == outcome(json_of, line)
