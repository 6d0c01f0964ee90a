"""Rewards that come late: each answers a decision once, and what is never answered is forgotten."""

import numpy as np
import pytest

from agents import (
    SOBA,
    Banditron,
    MarginBanditron,
    MultiplicativeBanditron,
    open_decisions,
)

K, D, GAMMA = 4, 5, 0.3


EXPLORING = [
    Banditron(gamma=GAMMA),
    MarginBanditron(gamma=GAMMA, margin=0.7),
    MultiplicativeBanditron(gamma=GAMMA, learning_rate=0.2),
    SOBA(gamma=GAMMA, ridge=0.6),
]


@pytest.mark.parametrize("agent", EXPLORING)
def test_a_reward_answers_a_decision_once(agent, task):
    agent.reset(task(K, D), n=2, seed=1)
    x, ones = np.ones((2, D)), np.ones(2)
    with pytest.raises(ValueError, match=r"replicate 0 has no open decision 0: a reward must"):
        agent.observe(x, [0, 0], ones)
    first, second = agent.act(x), agent.act(x)
    agent.observe(x, second, ones, observed=[True, False])
    before = agent.weights.copy()
    for decision in (None, 1, [0, 2], [1, 1]):
        with pytest.raises(ValueError, match="no open decision 1|decisions, counted from 0"):
            agent.observe(x, second, ones, decision=decision)
    assert agent.weights.tobytes() == before.tobytes()
    assert agent.open.count.tolist() == [1, 2]
    agent.observe(x, first, ones, decision=0)
    agent.observe(x, second, ones, decision=1, observed=[False, True])
    assert agent.open.count.tolist() == [0, 0]
    assert (agent.open.number == -1).all()
    assert (agent.open.kept == -1).all()


def test_decisions_that_are_never_answered_are_forgotten_at_last(task, monkeypatch):
    monkeypatch.setattr(open_decisions, "MOST", 6)
    agent = Banditron(gamma=GAMMA).reset(task(K, D), n=2, seed=1)
    x, ones = np.ones((2, D)), np.ones(2)
    labels = []
    for t in range(15):
        labels.append(agent.act(x))
        if t in (3, 8):
            agent.observe(x, labels[-1], ones, observed=[True, False])
    assert agent.open.number.tolist() == [[9, 10, 11, 12, 13, 14]] * 2
    agent.observe(x, labels[9], ones, decision=9)
    with pytest.raises(
        ValueError,
        match="replicate 0 has no open decision 8: .* last 6 acts without a reward are kept",
    ):
        agent.observe(x, labels[8], ones, decision=8)
    kept = agent.weights.copy()
    for decision, seen, dropped in (
        ([7, 0], [True, True], [1, 1]), ([9, 8], [False, True], [1, 2]), ([3, 3], True, [2, 3]),
    ):  # fmt: skip
        agent.observe(x, labels[7], ones, decision=decision, observed=np.full(2, seen))
        assert agent.open.dropped.tolist() == dropped
    assert agent.weights.tobytes() == kept.tobytes()
    with pytest.raises(ValueError, match="must be"):
        agent.observe(x, labels[7], [2.0, 0.0], decision=7)
    assert agent.open.dropped.tolist() == [2, 3]
    agent.act(x)
    assert agent.open.number.tolist() == [[10, 11, 12, 13, 14, 15]] * 2
    assert agent.open.count.tolist() == [6, 6]
