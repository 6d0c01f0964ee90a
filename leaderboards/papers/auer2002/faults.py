"""Faults of agents that the claims of auer2002 must see."""

from leaderboards.papers.fault import Fault

_UCB1 = "agents/armed/ucb1.py"
_TUNED = "agents/armed/ucb1_tuned.py"
_UCB2 = "agents/armed/ucb2.py"
_GREEDY = "agents/armed/epsilon_n_greedy.py"

FAULTS = (
    Fault(
        name="UCB1's bonus does not grow",
        file=_UCB1,
        old="growth = 8.0 * log(max(t[i], 1))",
        new="growth = 0.08",
        claims=("theorem-1", "tuned-beats-ucb1"),
    ),
    Fault(
        name="UCB1's bonus has the number of pulls upside down",
        file=_UCB1,
        old="math.sqrt(growth / pulls[i, k])",
        new="math.sqrt(growth * pulls[i, k])",
        claims=("theorem-1", "tuned-beats-ucb1"),
    ),
    Fault(
        name="UCB1-Tuned takes the variance for known",
        file=_TUNED,
        old=" + math.sqrt(2.0 * growth / pulls[i, k])\n",
        new="\n",
        claims=("tuned-beats-ucb1", "tuned-is-comparable"),
    ),
    Fault(
        name="UCB1-Tuned has UCB1's bonus",
        file=_TUNED,
        old="math.sqrt(growth / pulls[i, k] * min(0.25, variance))",
        new="math.sqrt(2.0 * growth / pulls[i, k])",
        claims=("tuned-beats-ucb1", "ucb2-slightly-worse"),
    ),
    Fault(
        name="UCB2's epochs never grow",
        file=_UCB2,
        old="    epochs[k] += 1\n    while",
        new="    left[i] = 0\n    return\n    while",
        claims=("ucb2-slightly-worse", "tuned-greedy-is-best"),
    ),
    Fault(
        name="UCB2's bonus is a tenth",
        file=_UCB2,
        old="2.0 * noise_std * bonus",
        new="0.2 * noise_std * bonus",
        claims=("ucb2-slightly-worse", "tuned-greedy-is-best"),
    ),
    Fault(
        name="epsilon_n-greedy explores for ever",
        file=_GREEDY,
        old=" * (t + 1) < weight",
        new=" * 100 < weight",
        claims=("tuned-greedy-is-best", "tuned-is-comparable"),
    ),
    Fault(
        name="epsilon_n-greedy forgets the gap",
        file=_GREEDY,
        old="self.c * self.task.n_arms / (self.gap * self.gap)",
        new="self.c * self.task.n_arms",
        claims=("constant-matters", "tuned-greedy-is-best"),
    ),
)
