"""Both ways are played: round by round, and in blocks."""

import pytest

from banditgym.vector_env import BanditVectorEnv
from tools.benchmarks import bench_blocks
from tools.benchmarks.bench_blocks import Case, bench_play

PLAIN = {"dim": 4, "n_arms": 3}
ARMS = Case("arms", "Greedy", "LinearBandit-v0", PLAIN, ())
LABELS = Case("labels", "Perceptron", "SynSep-v0", {}, ())


@pytest.mark.parametrize(
    ("case", "n", "way", "played"),
    [
        (ARMS, 1, "round by round", ["step"] * 120),
        (ARMS, 3, "round by round", ["step"] * 100),
        (ARMS, 3, "in blocks", ["step_block"]),
        (LABELS, 300, "in blocks", ["step_block"] * 10),  # a block holds 10 rounds
    ],
)
def test_every_way_is_played(once, monkeypatch, case, n, way, played):
    monkeypatch.setattr(bench_blocks, "REPLICATE_ROUNDS", 120)
    called = []

    def noted(name):
        own = getattr(BanditVectorEnv, name)
        monkeypatch.setattr(
            BanditVectorEnv, name, lambda *given: (called.append(name), own(*given))[1]
        )

    noted("step")
    noted("step_block")
    bench_play(once, monkeypatch, case, n, way)
    assert called == played
    assert once.group == f"{case.name}, n={n}"
