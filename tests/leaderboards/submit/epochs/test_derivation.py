"""Seeds and settings from a secret, against a plain version of RFC 2104."""

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leaderboards.submit.epochs import derivation as derive
from leaderboards.submit.epochs.derivation import Range

SECRET = bytes(range(32))


def plain_hmac(key, message):
    """HMAC-SHA256 by its definition: H((K ^ opad) || H((K ^ ipad) || m)), blocks of 64 bytes."""
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(k ^ 0x36 for k in key) + message).digest()
    return hashlib.sha256(bytes(k ^ 0x5C for k in key) + inner).digest()


def plain_number(secret, fields):
    message = b"banditgym held-out 1"
    for field in fields:
        text = field.encode("utf-8")
        message += bytes([(len(text) >> 8 * (7 - i)) & 255 for i in range(8)]) + text
    number = 0
    for byte in plain_hmac(secret, message)[:16]:
        number = 256 * number + byte
    return number


@given(st.binary(min_size=32, max_size=32), st.lists(st.text(max_size=30), max_size=5))
def test_numbers_are_those_of_the_definition(secret, fields):
    assert derive.number(secret, *fields) == plain_number(secret, fields)


def test_a_seed_is_of_suite_task_and_index():
    expected = plain_number(SECRET, ["3f1bdc96e27cf37a", "fresh-arms", "12"])
    assert derive.seed(SECRET, "3f1bdc96e27cf37a", "fresh-arms", 12) == expected
    # Computed once and written down: another version of the label gives other numbers.
    assert f"{expected:032x}" == "97aebdc686c74f948917c81384f73f1d"


def test_no_two_lists_of_fields_share_a_number():
    lists = [[], [""], ["", ""], ["ab"], ["a", "b"], ["", "ab"], ["ab", ""], ["a", "", "b"]]
    lists += [["1", "23"], ["12", "3"], ["settings", "r", "t", "0", "n"], ["r", "t", "0"]]
    assert len({derive.number(SECRET, *fields) for fields in lists}) == len(lists)


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_secret_has_256_bits(length):
    with pytest.raises(ValueError, match=f"a secret has 32 bytes, got {length}"):
        derive.number(bytes(length), "x")


def test_a_setting_is_of_ranges_task_draw_and_name():
    among = Range(0, 2**40)
    found = derive.setting(SECRET, "r", "t", 3, "dim", among)
    assert found == among.at(plain_number(SECRET, ["settings", "r", "t", "3", "dim"]))


def test_integers_are_uniform_with_both_ends():
    among = Range(5, 9)
    assert [among.at(number) for number in (0, 2**128 - 1)] == [5, 9]
    # The first number of each value is k 2^128 / 5, rounded up.
    for k in range(1, 5):
        edge = -(-k * 2**128 // 5)
        assert (among.at(edge - 1), among.at(edge)) == (5 + k - 1, 5 + k)


def test_floats_have_a_uniform_logarithm():
    among = Range(0.25, 4.0)
    draws = [derive.setting(SECRET, "r", "t", i, "x", among) for i in range(4000)]
    logs = np.log(draws)
    # Kolmogorov and Smirnov: a false alarm in one of 10^4 secrets, and this one is fixed.
    law = stats.uniform(math.log(0.25), math.log(16.0))
    assert stats.kstest(logs, law.cdf).pvalue > 1e-4
    assert min(draws) >= 0.25
    assert max(draws) <= 4.0
    assert all(float(f"{draw:.4g}") == draw for draw in draws)
    assert [among.at(number) for number in (0, 2**128 - 1)] == [0.25, 4.0]
    assert among.at(2**127) == 1.0


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1, 2.0),
        (2, 1),
        (1, 1),
        (0.0, 1.0),
        (-1.0, 1.0),
        (1.0, math.inf),
        (1.0, math.nan),
        (True, 2),
    ],
)
def test_what_is_no_range(low, high):
    with pytest.raises(ValueError, match="a range"):
        Range(low, high)
