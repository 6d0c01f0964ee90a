"""Rewards that come late: weighed by what was guessed when their labels were played."""

from typing import Any

import numpy as np
import pytest

from agents import (
    SOBA,
    Banditron,
    MarginBanditron,
    MultiplicativeBanditron,
    RankingBanditron,
    load,
    open_decisions,
)

K, D, GAMMA, MARGIN, ETA, RIDGE = 4, 5, 0.3, 0.7, 0.2, 0.6


def basis(label):
    return np.eye(K)[:, label, None]


class Plain:
    """W (k, d), learned from a row, the label played, right or not, and the guess made then."""

    def __init__(self):
        self.w = np.zeros((K, D))

    def scores(self, x):
        return self.w @ x

    def p(self, label, guess):
        return (1 - GAMMA) * (label == guess) + GAMMA / K

    def estimate(self, x, played, right, guess):
        return right * basis(played) * x / self.p(played, guess) - basis(guess) * x

    def learn(self, x, played, right, guess):
        self.w += self.estimate(x, played, right, guess)


class PlainMargin(Plain):
    def learn(self, x, played, right, guess):
        scores = self.scores(x)
        second = max((r for r in range(K) if r != guess), key=lambda r: (scores[r], -r))
        close = scores[guess] - scores[second] < MARGIN
        super().learn(x, played, right, guess)
        if right and played == guess and close:
            self.w += (basis(guess) - basis(second)) * x / self.p(guess, guess)


class PlainMultiplicative(Plain):
    def __init__(self):
        super().__init__()
        self.theta = np.zeros((K, D))

    def learn(self, x, played, right, guess):
        self.theta += self.estimate(x, played, right, guess)
        self.w = np.sinh(ETA * self.theta)


class PlainSOBA(Plain):
    def __init__(self):
        super().__init__()
        self.theta, self.a, self.margins = np.zeros((K, D)), np.full((K, D), RIDGE), 0.0

    def learn(self, x, played, right, guess):
        if not right:
            return
        scores, p, rival, m = self.scores(x), self.p(played, guess), guess, 0.0
        if played == guess:
            rival = max((r for r in range(K) if r != guess), key=lambda r: (scores[r], -r))
        g = (basis(played) - basis(rival)) * x / p
        if played == guess:
            delta = scores[rival] - scores[guess]
            m = (delta**2 + 2 * delta) / (p * (1 + p * (g**2 / self.a).sum()))
            if self.margins + m < 0:
                return
        self.theta += g
        self.a += p * g**2
        self.w = self.theta / self.a
        self.margins += m


PAIRS = [
    (Banditron(gamma=GAMMA), Plain),
    (MarginBanditron(gamma=GAMMA, margin=MARGIN), PlainMargin),
    (MultiplicativeBanditron(gamma=GAMMA, learning_rate=ETA), PlainMultiplicative),
    (SOBA(gamma=GAMMA, ridge=RIDGE), PlainSOBA),
]


@pytest.mark.parametrize(("agent", "plain"), PAIRS)
def test_late_rewards_in_any_order_follow_the_definition(agent, plain, task, tmp_path):
    """Up to 30 open decisions, answered at random; replicates apart, one decision at a time."""
    rng, n = np.random.default_rng(8), 3
    agent.reset(task(K, D), n=n, seed=1)
    references = [plain() for _ in range(n)]
    truth = rng.normal(size=(K, D))
    waiting: list[list[Any]] = [[] for _ in range(n)]
    rows: list[np.ndarray] = []
    late = 0
    for t in range(250):
        x = rng.normal(size=(n, D))
        rows.append(x)
        labels = agent.act(x)
        for i in range(n):
            guess = int(np.argmax(references[i].scores(x[i])))
            waiting[i].append((t, labels[i], guess))
        if t == 100:
            agent.save(tmp_path / "agent.npz")
            agent = load(tmp_path / "agent.npz")
        answers = 0 if len(waiting[0]) < 30 and rng.random() < 0.5 else rng.integers(4)
        for _ in range(answers):
            observed = np.array([len(open_) > 0 for open_ in waiting]) & (rng.random(n) < 0.7)
            shown, played = np.zeros((n, D)), np.zeros(n, np.int64)
            reward, decision = np.zeros(n), np.zeros(n, np.int64)
            for i in np.flatnonzero(observed):
                s, label, guess = waiting[i].pop(rng.integers(len(waiting[i])))
                shown[i], played[i], decision[i] = rows[s][i], label, s
                reward[i] = label == np.argmax(truth @ shown[i])
                late += s < t
                references[i].learn(shown[i], label, reward[i] == 1, guess)
            agent.observe(shown, played, reward, observed=observed, decision=decision)
        for i in range(n):
            size = np.abs(references[i].w).max() + 1
            np.testing.assert_allclose(agent.weights[i].T, references[i].w, atol=1e-9 * size)
            assert agent.open.count[i] == len(waiting[i])
            kept = {s: guess for s, _, guess in waiting[i]}
            numbers = agent.open.number[i, : len(kept)].tolist()
            assert numbers == sorted(kept)
            assert [kept[s] for s in numbers] == agent.open.kept[i, : len(kept), 0].tolist()
    assert late > 150


def test_a_late_click_is_weighed_by_the_labels_that_were_best_then(task):
    rng, n, r = np.random.default_rng(8), 3, 2
    agent = RankingBanditron(gamma=GAMMA).reset(task(K, D, slots=r), n=n, seed=1)
    w, truth = np.zeros((n, K, D)), rng.normal(size=(K, D))
    waiting: list[tuple] = []
    for t in range(200):
        x = rng.normal(size=(n, D))
        tops = [np.argsort(-(w[i] @ x[i]), kind="stable")[:r] for i in range(n)]
        waiting.append((t, x, agent.act(x), tops))
        while len(waiting) > 10:
            s, x, shown, tops = waiting.pop(rng.integers(11))
            true = np.argmax(x @ truth.T, axis=1)
            click = np.where((shown == true[:, None]).any(axis=1), true, -1)
            agent.observe(x, shown, np.zeros(n), feedback=click, decision=s)
            for i in range(n):
                inside = click[i] in tops[i]
                if click[i] >= 0 and not inside:
                    w[i] += basis(click[i]) * x[i] * (K - r) / GAMMA
                factor = 1 - inside / (1 - GAMMA / r)
                w[i] -= factor * sum(basis(label) for label in tops[i]) * x[i] / r
            np.testing.assert_allclose(agent.weights.transpose(0, 2, 1), w, atol=1e-8)
    assert agent.open.count.tolist() == [10] * n


@pytest.mark.parametrize("agent", [agent for agent, _ in PAIRS])
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
    agent.act(x)
    assert agent.open.number.tolist() == [[10, 11, 12, 13, 14, 15]] * 2
    assert agent.open.count.tolist() == [6, 6]
