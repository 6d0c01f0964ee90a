"""The figures beside the rule of blocks: both ways are played, in turns."""

from banditgym.rounds import blocks
from banditgym.vector_env import BanditVectorEnv
from tools.speed import block_gains as measured
from tools.speed import timed_turns

PLAIN = {"dim": 4, "n_arms": 3}


def test_a_line_has_both_ways_and_both_are_played(monkeypatch, capsys):
    cases = [
        measured.Case("arms", "Greedy", "LinearBandit-v0", PLAIN, (1, 3)),
        measured.Case("labels", "Perceptron", "SynSep-v0", {}, (300,)),  # a block holds 10 rounds
    ]
    monkeypatch.setattr(measured, "CASES", cases)
    monkeypatch.setattr(measured, "_TURNS", 2)
    monkeypatch.setattr(measured, "_REPLICATE_ROUNDS", 120)
    played, clock = [], [0.0]

    def noted(name, seconds):
        own = getattr(BanditVectorEnv, name)

        def slow(self, *given):
            clock[0] += seconds
            played.append((name, self.num_envs))
            return own(self, *given)

        monkeypatch.setattr(BanditVectorEnv, name, slow)

    noted("_step", 1e-3)
    noted("step_block", 2e-3)
    monkeypatch.setattr(timed_turns, "process_time", lambda: clock[0])
    found = list(measured.gains())
    assert [(gain.name, gain.n, gain.held) for gain in found] == [
        ("arms", 1, 120), ("arms", 3, 100), ("labels", 300, 10)
    ]  # fmt: skip
    for gain, in_a_play in zip(found, (1, 1, 10), strict=True):
        rounds = 120 if gain.n == 1 else 100
        assert round(gain.singly, 6) == 1e3
        assert round(gain.together, 6) == round(2e3 * in_a_play / rounds, 6)
        assert played.count(("_step", gain.n)) == 3 * rounds  # a first play and two turns
        assert played.count(("step_block", gain.n)) == 3 * in_a_play
    assert blocks.LEAST_ROUNDS == 15
    measured.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[2] == (
        "labels             n =  300     10 rounds in a block:  1000.0 us round by round, "
        "  200.0 us in blocks,  5.00"
    )
