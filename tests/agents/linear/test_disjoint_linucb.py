"""DisjointLinUCB with one arm is LinUCB; its hyperparameters."""

import gymnasium
import numpy as np
import pytest

import agents


def test_with_one_arm_it_is_linucb():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=4, n_arms=1, dim=3, horizon=60)
    one, other = agents.DisjointLinUCB(ridge=0.4), agents.LinUCB(ridge=0.4)
    agents.play(env, one)
    agents.play(env, other)
    x = np.random.default_rng(0).standard_normal((4, 3, 1))
    x.flags.writeable = False
    mean, variance = other.model.predict(x)
    solved = np.linalg.solve(one.gram[:, 0], x)[:, :, 0]
    of_its_own = np.einsum("ij,ij->i", x[:, :, 0], solved)
    np.testing.assert_allclose(mean[:, 0], (x[:, :, 0] * one.theta[:, 0]).sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(variance[:, 0], of_its_own, rtol=1e-11)


@pytest.fixture
def news():
    """An agent of news in two slots, and a function that makes an observation of given ids.

    The agent acts on it, unless ``acts`` is false.
    """
    env = gymnasium.make("NewsReplay-v0", n_arms=2, n_articles=2, features="article")
    agent = agents.DisjointLinUCB(ridge=0.4).reset(env.unwrapped.task)
    arms = np.random.default_rng(0).random((2, agent.task.dim))

    def show(*ids, acts=True):
        shown = {"arms": arms, "action_mask": np.ones(2, np.int8), "ids": np.array(ids)}
        if acts:
            agent.act(shown)
        return shown

    return agent, show


@pytest.mark.parametrize("own", [1, 7])
def test_a_late_click_on_an_arm_whose_slot_another_has_taken_is_not_learned(own, news):
    agent, show = news
    earlier, later = show(5, 6), show(own, 6)
    agent.observe(later, 0, 1.0)  # of the last decision
    kept = agent.theta.copy()
    assert kept[0, 0].any()
    agent.observe(earlier, 0, 0.0, decision=0)
    np.testing.assert_array_equal(agent.theta, kept)
    agent.observe(show(8, 6), 0, 0.0, decision=2)  # the next arm of the slot
    assert not agent.theta[0, 0].any()
    assert agent._whose[0].tolist() == [8, -1]


def test_an_arm_that_is_known_before_the_first_act_gives_way_to_that_of_the_first(news):
    agent, show = news
    agent.observe(show(5, 6, acts=False), 0, 1.0)
    agent.observe(show(7, 6), 0, 0.0, decision=0)
    assert agent._whose[0].tolist() == [7, -1]


@pytest.mark.parametrize(
    ("given", "named"),
    [({"alpha": -1.0}, "alpha"), ({"alpha": float("nan")}, "alpha"), ({"ridge": 0.0}, "ridge")],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.DisjointLinUCB(**given)


@pytest.mark.parametrize("arm", [0, 1, 2])
@pytest.mark.parametrize(("bad", "reason"), [(np.nan, "not finite"), (1e170, "too long")])
def test_why_an_arms_features_are_refused(arm, bad, reason):
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent = agents.DisjointLinUCB().reset(task, n=2)
    x = np.ones((2, 3, 2))
    x[1, arm, 0] = bad
    with pytest.raises(ValueError, match=f"replicate 1 .*{reason}"):
        agent.act(x)
