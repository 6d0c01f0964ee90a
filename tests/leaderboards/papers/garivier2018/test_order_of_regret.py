"""When KL-UCB-switch switches too late for its constant to be seen."""

import math


def test_when_the_switch_comes_after_the_plays_of_the_worse_arm():
    divergence = 0.8 * math.log(0.8 / 0.9) + 0.2 * math.log(0.2 / 0.1)

    def late(horizon):
        return (horizon / 2) ** 0.2 > math.log(horizon) / divergence

    assert not late(5e14)
    assert late(5.5e14)
