"""coba's learners, compared with ``LinUCB``."""

import copy

import gymnasium
import numpy as np
import pytest

import agents

pytestmark = pytest.mark.peers
FAMILIES = {
    "CobaLinUCB": "linear",
    "CobaLinTS": "linear",
    "CobaUCB": "armed",
    "CobaEpsilonGreedy": "armed",
}


@pytest.mark.parametrize("name", FAMILIES)
def test_contract(adapter, check, name):
    check(getattr(adapter("coba"), name))


@pytest.mark.parametrize("name", FAMILIES)
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("coba"), name)(), FAMILIES[name]) < 0.5


def test_linucb_decides_as_our_linucb(adapter, decides_as):
    decides_as(adapter("coba").CobaLinUCB(alpha=0.7), agents.LinUCB(alpha=0.7, ridge=1.0))


@pytest.mark.parametrize("name", ["CobaUCB", "CobaEpsilonGreedy"])
def test_learners_of_arms_alone_heed_their_seeds(adapter, heeds_its_seed, name):
    assert heeds_its_seed(getattr(adapter("coba"), name)(), "armed")


def test_widths_and_rates_are_the_learners(adapter, decisions):
    coba = adapter("coba")
    assert decisions(coba.CobaLinTS(v=0.01), "linear") != decisions(coba.CobaLinTS(), "linear")
    greedy, any_arm = coba.CobaEpsilonGreedy(epsilon=0.0), coba.CobaEpsilonGreedy(epsilon=1.0)
    for agent, number in ((greedy, 1), (any_arm, 3)):
        late = np.array(decisions(agent, "armed")[30:])
        assert [len(set(arms)) for arms in late.T] == [number, number]


def test_thompson_sampling_has_the_same_samples_whatever_its_seed(adapter):
    """What ``limits`` says of it."""
    coba = adapter("coba")
    assert any("cannot be seeded" in limit for limit in coba.CobaLinTS.limits)
    rows = [tuple(row) for row in np.random.default_rng(0).standard_normal((50, 3)).tolist()]
    chosen = {
        tuple(
            coba.learners.LinTSLearner(features=["a"], seed=seed).predict(None, rows)[0]
            for _ in range(3)
        )
        for seed in (1, 2, 3)
    }
    assert len(chosen) == 1


@pytest.mark.parametrize(
    ("name", "learner", "settings"),
    [
        ("CobaLinUCB", "LinUCBLearner", {"alpha": 0.3}),
        ("CobaLinTS", "LinTSLearner", {"v": 0.3}),
        ("CobaUCB", "BanditUCBLearner", {}),
        ("CobaEpsilonGreedy", "BanditEpsilonLearner", {"epsilon": 0.3}),
    ],
)
def test_decisions_are_those_of_the_library(adapter, plays_as, name, learner, settings):
    module = adapter("coba")
    linear = FAMILIES[name] == "linear"

    def plain(task, rng):
        own = {"features": ["a"]} if linear else {}
        seed = int(rng.integers(1, 2**31 - 1))
        learns = getattr(module.learners, learner)(**settings, **own, seed=seed)

        def actions(x):
            return [tuple(row) for row in x.tolist()] if linear else [*range(task.n_arms)]

        return (
            lambda t, x: actions(x).index(learns.predict(None, actions(x))[0]),
            lambda t, x, arm, reward: learns.learn(None, actions(x)[arm], reward, 1.0),
        )

    plays_as(getattr(module, name)(**settings), FAMILIES[name], plain)


def test_the_librarys_mean_of_an_arm_leaves_out_its_first_reward(adapter):
    """The page says so. After rewards 1 and 0 the mean is 0; after another 1 it is 1/2."""
    learner = adapter("coba").learners.BanditUCBLearner(seed=2)
    for reward, mean in ((1.0, 1.0), (0.0, 0.0), (1.0, 0.5)):
        learner.learn(None, 0, reward, 1.0)
        assert learner._m[0] == mean


@pytest.mark.parametrize("name", FAMILIES)
def test_a_copy_goes_on_as_the_learner_and_leaves_it_alone(adapter, name):
    agent = getattr(adapter("coba"), name)()
    env = {"linear": "LinearBandit-v0", "armed": "ArmedBandit-v0"}[FAMILIES[name]]

    def played(copying):
        envs = gymnasium.make_vec(env, num_envs=1, n_arms=4, horizon=40)
        agent.reset(envs.unwrapped.task, n=1, seed=2)
        shown, _ = envs.reset(seed=2)
        for t in range(40):
            other = copy.deepcopy(agent) if copying and t % 4 == 3 else None
            arms = agent.act(shown)
            if other is not None:
                assert other.act(shown) == arms
                for arm in range(4):
                    other.observe(shown, [arm], [5.0 * arm])
            following, reward, *_ = envs.step(arms)
            agent.observe(shown, arms, reward)
            shown = following
            yield arms.item()

    assert [*played(True)] == [*played(False)]


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("CobaLinUCB", "LinUCBLearner"),
        ("CobaLinTS", "LinTSLearner"),
        ("CobaEpsilonGreedy", "BanditEpsilonLearner"),
    ],
)
def test_defaults_are_the_librarys(adapter, has_defaults_of, name, learner):
    module = adapter("coba")
    assert has_defaults_of(getattr(module, name)(), getattr(module.learners, learner))
