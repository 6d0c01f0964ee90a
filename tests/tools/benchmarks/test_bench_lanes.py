"""Both ways are played: one after the other, and side by side."""

import pytest

from agents.parts import optimistic_rules
from tools.benchmarks import bench_lanes
from tools.benchmarks.bench_lanes import WAYS, bench_block


@pytest.mark.parametrize(
    ("case", "apart", "across", "together", "rule"),
    [
        ((17, 2, 3), "play_arms", "play_fixed_arms_block_across", 16, "side by side"),
        (
            (5, 2, 3),
            "play_arms",
            "play_fixed_arms_block_across",
            16,
            "one after the other",
        ),
        ((9, 3, 3), "play_arms", "play_few_arms_block_across", 9, "side by side"),
        ((4, 3, 3), "play_arms", "play_few_arms_block_across", 4, "one after the other"),
    ],
)
def test_both_ways_are_played(once, monkeypatch, case, apart, across, together, rule):
    monkeypatch.setattr(bench_lanes, "ROUNDS", 20)
    played = []

    def noted(name):
        own = getattr(optimistic_rules, name)

        def called(*given):
            arms = own(*given)
            if arms is None:  # written to the last but one
                played.append((name, given[4].shape, given[5]))
            else:
                played.append((name, arms.shape))
            return arms

        monkeypatch.setattr(optimistic_rules, name, called)

    noted(apart)
    noted(across)
    for way in WAYS:
        with pytest.MonkeyPatch.context() as patch:  # the rule is put back
            bench_block(once, patch, case, way)
    assert played == [(apart, (20, case[0])), (across, (20, case[0]), together)]
    assert once.group == "n={} d={} K={}; by the rule ".format(*case) + rule
