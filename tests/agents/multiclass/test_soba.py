"""SOBA in diagonal form against its definition."""

import numpy as np
import pytest

from agents.multiclass.soba import SOBA

GAMMA, RIDGE = 0.3, 2.0
K, D = 5, 7


@pytest.mark.parametrize("sparse", [False, True])
def test_follows_the_definition_on_logged_labels(sparse, replay):
    """With g as one vector of k d numbers and A as the diagonal of its matrix."""
    cases = {"explored": 0, "allowed": 0, "held back": 0}

    def choose(reference, x, u):
        guess = int(np.argmax(reference["state"][0] @ x))
        return min(int(u / GAMMA * K), K - 1) if u < GAMMA else guess

    def learn(reference, x, played, reward):
        weights, theta, gram, margins = reference["state"]
        if reward == 0:
            return
        scores = weights @ x
        guess = int(np.argmax(scores))
        p = (1 - GAMMA) * (played == guess) + GAMMA / K
        rival, m = guess, 0.0
        if played == guess:
            rival = max((r for r in range(K) if r != guess), key=lambda r: (scores[r], -r))
        g = np.zeros((K, D))
        g[played] += x / p
        g[rival] -= x / p
        if played == guess:
            delta = scores[rival] - scores[guess]
            form = g.ravel() @ np.diag(1 / gram.ravel()) @ g.ravel()
            m = (delta**2 + 2 * delta) / (p * (1 + p * form))
        allowed = margins[0] + m >= 0
        cases["explored" if played != guess else "allowed" if allowed else "held back"] += 1
        if played == guess and not allowed:
            return
        theta += g
        gram += p * g**2
        weights[:] = theta / gram
        margins += m

    replay(
        SOBA(gamma=GAMMA, ridge=RIDGE),
        start=lambda: {
            "state": [np.zeros((K, D)), np.zeros((K, D)), np.full((K, D), RIDGE), np.zeros(1)]
        },
        choose=choose, learn=learn,
        state=lambda agent, i: [
            agent.weights[i].T, agent.theta[i].T, agent.gram[i].T, agent.margins[i : i + 1]
        ],
        sparse=sparse,
    )  # fmt: skip
    assert min(cases.values()) > 5


@pytest.mark.parametrize(
    ("given", "named"), [({"gamma": 0.0}, "gamma"), ({"ridge": float("nan")}, "ridge")]
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        SOBA(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        SOBA().reset(task(slots=1))
