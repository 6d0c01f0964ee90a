"""Rounds and times that increase within every replicate of a log."""

import numpy as np
import pytest

from banditgym.logs.log_chunks import LogChunk
from banditgym.logs.round_order import RoundOrder
from tests.banditgym.logs.log_examples import refused


def check(size, **columns):
    """Check rows in chunks of a size, as a log is read."""
    arrays = {name: np.array(values) for name, values in columns.items()}
    m = len(next(iter(arrays.values())))
    order = RoundOrder("x")
    for first in range(0, m, size):
        part = {name: array[first : first + size] for name, array in arrays.items()}
        n = min(size, m - first)
        order.check(LogChunk(first + 1, np.zeros(n, int), np.zeros(n), **part))


@pytest.fixture(params=[1, 2, 3, 100])
def size(request):
    return request.param


def test_orders_that_are_legal(size):
    check(size, round=[1, 2, 5, 9])
    check(size, round=[1, 1, 2, 2], replicate=[0, 1, 0, 1])
    check(size, round=[1, 2, 1, 2], agent=list("aabb"))
    check(size, round=[1, 1, 1, 1], agent=list("aabb"), seed=[3, 4, 3, 4])
    check(size, round=[1, 2, 1, 2], episode=[0, 0, 1, 1])
    check(size, time=[1.0, 1.0, 2.0])
    check(size, time=[5, 1, 6, 1], replicate=[0, 1, 0, 1])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"round": [1, 2, 2, 1]},
            "x, row 3: round 2 occurs twice in its replicate: sort the rows",
        ),
        ({"round": [1, 3, 2, 2]}, "x, row 3: round 2 comes after 3 in its replicate"),
        ({"round": [1, 1, 2, 1], "seed": [5, 6, 5, 6]}, "x, row 4: round 1 occurs twice"),
        ({"round": [5, 9, 6, 8], "seed": [5, 6, 5, 6]}, "x, row 4: round 8 comes after 9"),
        ({"time": [2.0, 3.0, 2.5]}, "x, row 3: time 2.5 comes after 3.0 in its replicate: sort"),
        ({"time": [5, 1, 4], "agent": list("aba")}, "x, row 3: time 4 comes after 5"),
    ],
)
def test_the_first_row_out_of_order_is_named(size, columns, message):
    with refused(message):
        check(size, **columns)


def test_many_groups_agree_with_a_plain_loop():
    rng = np.random.default_rng(0)
    for _ in range(200):
        m = int(rng.integers(2, 12))
        seeds, replicates, rounds = (
            rng.integers(0, 2, m),
            rng.integers(0, 2, m),
            rng.integers(0, 9, m),
        )
        last, expected = {}, None
        for row in range(m):
            key = seeds[row], replicates[row]
            if expected is None and key in last and rounds[row] <= last[key]:
                expected = row + 1
            last[key] = rounds[row]
        try:
            check(3, round=rounds, seed=seeds, replicate=replicates)
            found = None
        except ValueError as error:
            found = int(str(error).split("row ")[1].split(":")[0])
        assert found == expected
