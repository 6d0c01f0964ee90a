"""Arms are n integers; anything else is refused in one line."""

import numpy as np
import pytest

from banditgym.action_sets import FiniteArms

ARMS = FiniteArms(4)


@pytest.mark.parametrize(
    "actions",
    [
        [0, 3, 1],
        (0, 3, 1),
        np.array([0, 3, 1]),
        np.array([0, 3, 1], np.uint8),
        np.array([0, 3, 1], ">i8"),
        np.array([0, 9, 3, 9, 1, 9])[::2],
        [np.int32(0), np.array(3), 1],
    ],
)
def test_integers_of_any_kind_are_read_as_int64(actions):
    read = ARMS.read(actions, 3)
    assert read.dtype == np.int64
    assert read.flags.c_contiguous
    assert read.tolist() == [0, 3, 1]


def test_the_usual_array_is_not_copied():
    actions = np.array([0, 3, 1])
    assert ARMS.read(actions, 3) is actions


@pytest.mark.parametrize(
    "actions",
    [
        [0, 0, 1.5],
        [0.0, 0.0, 0.0],
        [0, 0, np.nan],
        [0, 0],
        [0, 0, 0, 0],
        0,
        [],
        [[0], [0], [0]],
        [0, [1], 2],
        [True, True, False],
        "abc",
        ["0", "1", "2"],
        None,
        [None] * 3,
        {},
        object(),
        [2**70, 0, 0],
        [1j, 0, 0],
        np.zeros((3, 200)),
        np.zeros(3, "datetime64[s]"),
    ],
)
def test_anything_else_is_refused_in_a_line(actions):
    with pytest.raises(ValueError, match=r"expected 3 arms, each an integer in 0\.\.3, got") as e:
        ARMS.read(actions, 3)
    assert "\n" not in str(e.value)
    assert len(str(e.value)) < 200


def test_the_refusal_names_the_arm_and_its_replicate():
    for arm in (-1, 4, np.iinfo(np.int64).max, np.iinfo(np.int64).min):
        for arms in ([0, arm], np.array([0, arm])):
            with pytest.raises(ValueError, match="is not") as error:
                ARMS.read(arms, 2)
            assert str(error.value) == f"arm {arm} of replicate 1 is not in 0..3"
