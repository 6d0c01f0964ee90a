"""Settings are read once, and what they cannot mean is refused in one line that names them."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from banditgym.validation import (
    Checked,
    checked,
    flag,
    legible,
    nearest,
    nonnegative,
    positive,
    probability,
    real,
    reals,
    ruled,
    whole,
    word,
)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_gives_python_integers(value):
    assert type(whole("n_arms", value)) is int


@pytest.mark.parametrize("value", [0, -1, True, np.True_, 3.0, "3", None, math.nan, [3], 1j])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(ValueError, match="n_arms must be an integer >= 1, got"):
        whole("n_arms", value)


def test_whole_takes_the_least():
    assert whole("t", 0, least=0) == 0
    with pytest.raises(ValueError, match="t must be an integer >= 2, got 1"):
        whole("t", 1, least=2)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int8(1), Fraction(1)])
def test_real_gives_python_floats(value):
    assert type(real("noise_std", value)) is float


@pytest.mark.parametrize("value", [True, np.True_, "1", None, [1.0], np.ones(1), np.array(1.0), 1j])
def test_what_is_no_real_number_is_refused(value):
    with pytest.raises(ValueError, match="noise_std must be a number, got"):
        real("noise_std", value)


@pytest.mark.parametrize("read", [positive, nonnegative])
def test_signs_are_read(read):
    assert type(read("ridge", np.float32(2))) is float
    assert read("ridge", 5e-324) == 5e-324
    for value in (-1, -5e-324, math.nan, math.inf):
        with pytest.raises(ValueError, match=f"ridge must be finite and >=? 0, got {value}"):
            read("ridge", value)
    with pytest.raises(ValueError, match="ridge must be a number, got '1'"):
        read("ridge", "1")
    assert nonnegative("ridge", 0) == 0
    with pytest.raises(ValueError, match="ridge must be finite and > 0, got 0"):
        positive("ridge", 0)


def test_probabilities_are_read():
    assert probability("delta", np.float64(0.1)) == 0.1
    for value in (0, 1, -0.1, 1.5, math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"delta is a probability .* \(0, 1\), got {value}"):
            probability("delta", value)
    with pytest.raises(ValueError, match="delta must be a number, got '0.1'"):
        probability("delta", "0.1")


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_flags_are_python_bools(value):
    assert flag("sparse", value) is bool(value)


@pytest.mark.parametrize("value", [1, 0, "yes", None, np.array([[True], [False]])])
def test_what_is_no_flag_is_refused_in_one_line(value):
    with pytest.raises(ValueError, match=r"\Asparse must be true or false, got .*\Z"):
        flag("sparse", value)


def test_words_are_those_known():
    known = ("gaussian", "student_t")
    assert word("noise", "student_t", known) == "student_t"
    with pytest.raises(ValueError, match=r"noise must be one of gaussian, student_t, got 'x'\Z"):
        word("noise", "x", known)
    with pytest.raises(ValueError, match=r"got 'Gausian'; did you mean gaussian\?\Z"):
        word("noise", "Gausian", known)


@pytest.mark.parametrize("name", [" pay", "pay ", "the  pay", "pay\t", "\xa0pay", "\u200bpay"])
def test_blanks_of_a_near_name_are_seen(name):
    assert nearest("pay", [name, "sex"]) == f"; did you mean {name!r}?"
    assert nearest("thepay", ["the pay", "sex"]) == "; did you mean the pay?"
    assert legible(name) == repr(name)


@pytest.mark.parametrize("value", [None, 1, ["gaussian"], np.array([["gaussian"], ["a"]])])
def test_what_is_no_word_is_refused_in_one_line(value):
    with pytest.raises(ValueError, match=r"\Anoise must be one of gaussian, a, got .*\Z"):
        word("noise", value, ("gaussian", "a"))


def test_reals_copies_into_float64():
    given = np.arange(6, dtype=np.int16).reshape(2, 3).T
    read = reals("means", given)
    assert read.dtype == np.float64
    assert read.flags.c_contiguous
    assert read.flags.writeable
    np.testing.assert_array_equal(read, given)
    same = np.ones(3)
    assert not np.shares_memory(reals("means", same), same)


@pytest.mark.parametrize("value", [["a"], [True], [1j], [None], "abc", None, [object()], [2**70]])
def test_what_is_no_array_of_reals_is_refused(value):
    with pytest.raises(ValueError, match="means must be an array of real numbers, got"):
        reals("means", value)


MASKED = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, False], [True, False]])


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (MASKED, r"\(1, 0\)"),
        ([MASKED[0], MASKED[1]], r"\(1, 0\)"),
        ([1.0, np.ma.masked], r"\(1,\)"),
    ],
)
def test_masked_entries_are_refused(value, where):
    with pytest.raises(ValueError, match=f"arms must have no masked entries, got one at {where}"):
        reals("arms", value)
    np.testing.assert_array_equal(reals("arms", MASKED[:1]), [[1.0, 2.0]])


def test_ragged_arrays_are_refused():
    with pytest.raises(ValueError, match="means must be an array of numbers: .*inhomogeneous"):
        reals("means", [1.0, [2.0]])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_the_first_number_that_is_not_finite_is_named(bad):
    with pytest.raises(ValueError, match=rf"arms must be finite, got {bad} at \(1, 0\)"):
        reals("arms", [[1.0, 2.0], [bad, bad]])


AGENTS = ["LinUCB", "DisjointLinUCB", "SOBA", "BetaThompson", "UCB1", "UCB2", "KLUCB"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("UCB", "UCB1"),
        ("ucb", "UCB1"),
        ("KL-UCB", "KLUCB"),
        ("ThompsonSampling", "BetaThompson"),
        ("LinUBC", "LinUCB"),
        ("UCB3", "UCB2"),
        ("Softmax", None),
        ("", None),
    ],
)
def test_a_hint_names_the_familys_word_before_a_likeness(name, meant):
    expected = "" if meant is None else f"; did you mean {meant}?"
    assert nearest(name, AGENTS) == expected


def test_an_empty_name_is_never_a_hint():
    assert nearest(" pay", ["", " ", "play"]) == "; did you mean play?"
    assert nearest("x", [""]) == ""


@dataclass(kw_only=True)
class Steps(Checked):
    rate: float = checked(ruled(lambda rate: 0 < rate <= 1, "must be in (0, 1]"), 0.5)
    number: int | None = checked(whole, None)
    known: int = checked(whole)


def test_fields_are_checked_in_order_and_kept_as_given():
    assert vars(Steps(rate=1, known=3)) == {"rate": 1, "number": None, "known": 3}
    with pytest.raises(ValueError, match=r"^rate must be in \(0, 1\], got 2\.0$"):
        Steps(rate=2.0, number=0, known=1)
    with pytest.raises(ValueError, match="rate must be a number, got '1'"):
        Steps(rate="1", known=1)
    with pytest.raises(ValueError, match="number must be an integer >= 1, got 0"):
        Steps(number=0, known=1)


def test_none_is_refused_where_it_is_not_the_default():
    for settings in ({"rate": None, "known": 1}, {"known": None}):
        with pytest.raises(ValueError, match="got None"):
            Steps(**settings)
