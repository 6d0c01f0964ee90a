"""What Greedy and EpsilonGreedy refuse."""

import pytest

import agents


@pytest.mark.parametrize("kind", [agents.Greedy, agents.EpsilonGreedy])
@pytest.mark.parametrize("ridge", [0.0, -2.0, float("nan")])
def test_ridge_is_positive(kind, ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        kind(ridge=ridge)


def test_the_width_is_no_hyperparameter():
    assert agents.Greedy(ridge=0.7).hyperparameters() == {"ridge": 0.7}
    assert agents.EpsilonGreedy().hyperparameters().keys() == {"epsilon", "ridge", "step", "start"}
    with pytest.raises(TypeError, match="alpha"):
        agents.Greedy(alpha=0.5)
