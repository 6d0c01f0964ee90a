"""Arrays over memory keep their numbers, shapes, dtypes and order of axes."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboards.sandbox.layout import Layout, parts_of, whole_of


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data())
def test_arrays_lie_where_the_layout_says(data):
    arrays = {}
    for i in range(data.draw(st.integers(1, 4))):
        shape = data.draw(st.lists(st.integers(1, 4), max_size=3))
        dtype = data.draw(st.sampled_from(["f8", "i8", "i4", "i1", "?", "f4"]))
        numbers = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
        order = data.draw(st.permutations(range(len(shape))))
        arrays[f"part{i}"] = numbers.transpose(order)
    layout = Layout.of(arrays)
    assert Layout.read(json.loads(json.dumps(layout.plain))) == layout
    memory = bytearray(layout.size + 64)
    for place, array in zip(layout.over(memory, 64).values(), arrays.values(), strict=True):
        place[...] = array
    for name, array in layout.over(memory, 64).items():
        np.testing.assert_array_equal(array, arrays[name], strict=True)
        assert array.flags.aligned
        assert array.flags.c_contiguous == np.ascontiguousarray(
            arrays[name]
        ).flags.c_contiguous or (
            array.transpose(
                np.argsort([-s for s in array.strides], kind="stable")
            ).flags.c_contiguous
        )


def test_features_keep_the_order_in_which_kernels_take_them():
    shown = np.zeros((2, 3, 5)).transpose(0, 2, 1)
    (array,) = Layout.of({"": shown}).over(bytearray(2 * 3 * 5 * 8)).values()
    assert array.transpose(0, 2, 1).flags.c_contiguous


def test_only_numbers_are_sent():
    with pytest.raises(ValueError, match="only numbers can be sent"):
        Layout.of({"x": np.array([object()])})


def test_an_observation_is_taken_apart_and_put_together():
    alone, mapping = np.zeros(3), {"indices": np.zeros(2, np.int32), "values": np.zeros(2)}
    assert whole_of(parts_of(alone)) is alone
    assert whole_of(parts_of(mapping)) == parts_of(mapping)


def test_axes_of_length_one_have_no_place_in_the_layout():
    """A copy may give them any stride."""
    array = np.zeros((1, 6, 20)).transpose(0, 2, 1)
    assert Layout.of({"x": array}) == Layout.of({"x": array.copy("K")})
    other = np.lib.stride_tricks.as_strided(array, array.shape, (8, *array.strides[1:]))
    assert Layout.of({"x": array}) == Layout.of({"x": other})
    assert Layout.of({"x": array}) != Layout.of({"x": np.zeros((1, 20, 6))})
