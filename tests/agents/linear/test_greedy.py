"""Greedy against its formula; what it and EpsilonGreedy refuse."""

import pytest

import agents

RIDGE = 0.7


def test_greedy_plays_the_largest_estimate(linear_env, follow, same_regression):
    agent = agents.Greedy(ridge=RIDGE)
    follow(
        agent,
        linear_env,
        values=lambda past, x, i: x @ past.regression(RIDGE, x.shape[1])[0],
        compare=lambda past, x, i: same_regression(agent.model, past, x, i, RIDGE),
    )


@pytest.mark.parametrize("kind", [agents.Greedy, agents.EpsilonGreedy])
@pytest.mark.parametrize("ridge", [0.0, -2.0, float("nan")])
def test_ridge_is_positive(kind, ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        kind(ridge=ridge)


def test_the_width_is_no_hyperparameter():
    assert agents.Greedy(ridge=RIDGE).hyperparameters() == {"ridge": RIDGE}
    assert agents.EpsilonGreedy().hyperparameters().keys() == {"epsilon", "ridge"}
    with pytest.raises(TypeError, match="alpha"):
        agents.Greedy(alpha=0.5)
