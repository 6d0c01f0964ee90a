import math
from fractions import Fraction

import numpy as np
import pytest

from banditgym.rounds.delays import Constant, Geometric, Pareto, PerArm, Table, read_law

ARMS = np.zeros(100_000, np.int64)


def drawn(law):
    u = np.random.default_rng(0).random(len(ARMS))
    return law.draw(u, 0, ARMS)


def agrees(delays, k, probability):
    # A frequency of N draws is within 4.5 deviations but for 7 in a million.
    deviation = math.sqrt(probability * (1 - probability) / len(delays))
    return abs((delays >= k).mean() - probability) <= 4.5 * deviation


@pytest.mark.parametrize("mean", [0.3, 10, 100])
def test_geometric_delays_have_their_law(mean):
    delays = drawn(Geometric(mean=mean))
    assert delays.dtype == np.int64
    assert delays.min() == 0
    for k in (1, 2, 7, 50, 300):
        assert agrees(delays, k, (mean / (1 + mean)) ** k)


@pytest.mark.parametrize(("shape", "scale"), [(1.2, 3.0), (0.5, 1.0), (2.5, 20.0)])
def test_pareto_delays_have_their_law(shape, scale):
    delays = drawn(Pareto(shape=shape, scale=scale))
    assert delays.min() == math.floor(scale)
    for k in (5, 21, 100, 1000):
        assert agrees(delays, k, min(1.0, (scale / k) ** shape))


def test_the_formulas_hold_for_single_uniforms():
    u = np.array([0.0, 0.5, 1 - 2.0**-53])
    # (10 / 11)^k <= 1/2 first at k = 8, and the delay is the largest k with u' <= (10 / 11)^k.
    assert Geometric(mean=10).draw(u, 0, ARMS[:3]).tolist() == [0, 7, 385]
    assert Fraction(10, 11) ** 7 >= Fraction(1, 2) > Fraction(10, 11) ** 8
    assert Pareto(shape=1.0, scale=3.0).draw(u, 0, ARMS[:3]).tolist() == [
        3,
        6,
        27021597764222960,
    ]  # 3 * 2**53, within rounding
    assert Geometric(mean=0).draw(u, 0, ARMS[:3]).tolist() == [0, 0, 0]
    assert Pareto(shape=1e-3, scale=1.0).draw(u, 0, ARMS[:3])[2] == 2**62


def test_given_delays():
    u, arms = np.zeros(2), np.array([2, 0])
    assert Constant(delay=4).draw(u, 9, arms).tolist() == [4, 4]
    assert PerArm(delays=[5, 6, 7]).draw(u, 9, arms).tolist() == [7, 5]
    assert Table(values=[3, 1]).draw(u, 1, arms).tolist() == [1, 1]
    assert Table(values=[[1, 2, 3], [4, 5, 6]]).draw(u, 1, arms).tolist() == [6, 4]


def test_laws_are_read_from_plain_data_and_are_equal_by_value():
    assert read_law(3) == Constant(delay=3)
    assert read_law({"kind": "geometric", "mean": 5}) == Geometric(mean=5)
    assert read_law({"kind": "per_arm", "delays": [1, 2]}) == PerArm(delays=(1, 2))
    assert read_law({"kind": "table", "values": [1, 2]}) == Table(values=[1, 2])
    assert hash(Table(values=[1, 2])) == hash(Table(values=[1, 2]))
    assert Table(values=[1, 2]) != Table(values=[1, 3])
    law = Pareto(shape=1, scale=2)
    assert read_law(law) is law


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-1, "integer >= 0"),
        (True, "must be an integer, or a mapping"),
        (1.5, "must be an integer, or a mapping"),
        ({"mean": 3}, "must be an integer, or a mapping"),
        ({"kind": "geometri", "mean": 3}, "did you mean geometric"),
        ({"kind": "geometric"}, "needs mean"),
        ({"kind": "geometric", "mean": float("nan")}, "finite"),
        ({"kind": "geometric", "mean": -2}, ">= 0"),
        ({"kind": "geometric", "maen": 2}, "did you mean mean"),
        ({"kind": "pareto", "shape": 0, "scale": 1}, "> 0"),
        ({"kind": "pareto", "shape": 1, "scale": math.inf}, "finite"),
        ({"kind": "table", "values": [1, -1]}, "integers >= 0"),
        ({"kind": "table", "values": [1.5]}, "integers >= 0"),
        ({"kind": "table", "values": [[1], [1, 2]]}, "integers >= 0"),
        ({"kind": "table", "values": np.empty((0,), int)}, "must be"),
        ({"kind": "per_arm", "delays": [[1, 2]]}, "one for each arm"),
    ],
)
def test_bad_laws_are_refused(value, words):
    with pytest.raises(ValueError, match=words) as error:
        read_law(value)
    assert "\n" not in str(error.value)
