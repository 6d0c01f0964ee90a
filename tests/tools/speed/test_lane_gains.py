"""The figures beside the rules of lanes: both ways are played, in turns."""

import pytest

from agents.parts import linear_blocks
from tools.speed import lane_gains as measured
from tools.speed import timed_turns


@pytest.mark.parametrize(
    ("case", "apart", "across", "together", "rule"),
    [
        ((17, 2, 3), "_play_fixed_arms_block", "play_fixed_arms_block_across", 16, 16),
        ((5, 2, 3), "_play_fixed_arms_block", "play_fixed_arms_block_across", 16, 0),
        ((9, 3, 3), "_play_few_arms_block", "play_few_arms_block_across", 9, 9),
        ((4, 3, 3), "_play_few_arms_block", "play_few_arms_block_across", 4, 0),
    ],
)
def test_a_line_has_both_ways_and_both_are_played(
    monkeypatch, capsys, case, apart, across, together, rule
):
    monkeypatch.setattr(measured, "CASES", [case])
    monkeypatch.setattr(measured, "_TURNS", 2)
    monkeypatch.setattr(measured, "_ROUNDS", 20)
    played, clock = [], [0.0]

    def noted(name, seconds):
        own = getattr(linear_blocks, name)

        def slow(*given):
            clock[0] += seconds
            played.append((name, given[4].shape, *given[5:]))
            return own(*given)

        monkeypatch.setattr(linear_blocks, name, slow)

    n = case[0]
    noted(apart, 20 * n * 3e-6)
    noted(across, 20 * n * 2e-6)
    monkeypatch.setattr(timed_turns, "process_time", lambda: clock[0])
    measured.main()
    # A first turn and two more.
    assert played == 3 * [(apart, (20, n)), (across, (20, n), together)]
    sizes = "n ={:4} d ={:4} K ={:4}".format(*case)
    assert capsys.readouterr().out == (
        f"{sizes}:    3000 ns one after the other,    2000 side by side,  1.50; "
        f"the rule: {rule or 'one after the other'}\n"
    )
