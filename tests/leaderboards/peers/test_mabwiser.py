"""MABWiser's linear bandits, compared with ``DisjointLinUCB``."""

import gymnasium
import numpy as np
import pytest

import agents

pytestmark = pytest.mark.peers
NAMES = ("MABWiserLinUCB", "MABWiserLinTS")


@pytest.mark.parametrize("name", NAMES)
def test_contract(adapter, check, name):
    check(getattr(adapter("mabwiser"), name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("family", ["linear", "multiclass"])
def test_it_learns(adapter, share, name, family):
    assert share(getattr(adapter("mabwiser"), name)(), family) < 0.5


def test_linucb_decides_as_our_disjoint_linucb(adapter, decides_as):
    theirs = adapter("mabwiser").MABWiserLinUCB(alpha=0.7)
    decides_as(theirs, agents.DisjointLinUCB(alpha=0.7, ridge=1.0))


@pytest.mark.parametrize("family", ["linear", "multiclass"])
def test_thompson_sampling_heeds_its_seed_and_its_width(adapter, decisions, heeds_its_seed, family):
    kind = adapter("mabwiser").MABWiserLinTS
    assert heeds_its_seed(kind(), family)
    assert decisions(kind(alpha=5.0), family) != decisions(kind(), family)
    assert decisions(kind(l2_lambda=50.0), family) != decisions(kind(), family)


def test_before_an_arm_has_a_reward_the_librarys_inverse_is_not_inverted(adapter):
    """Its score of a fresh arm is alpha sqrt(l2_lambda) ‖x‖, where it should divide."""
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=1, n_arms=2, dim=3, horizon=5)
    agent = adapter("mabwiser").MABWiserLinUCB(alpha=1.0, l2_lambda=4.0)
    agent.reset(envs.unwrapped.task, n=1, seed=0)
    x = np.array([[1.0, 2.0, 2.0]])
    score = agent.replicas[0].mab.predict_expectations(x)[0]
    assert score == pytest.approx(2.0 * 3.0)


@pytest.mark.parametrize("family", ["linear", "multiclass"])
@pytest.mark.parametrize(
    ("name", "policy"), [(name, name.removeprefix("MABWiser")) for name in NAMES]
)
def test_decisions_are_those_of_the_library(adapter, plays_as, name, policy, family):
    """Arm k has the k-th features: it is scored as if all arms had them."""
    module = adapter("mabwiser")

    def plain(task, rng):
        settings = getattr(module.mab.LearningPolicy, policy)(alpha=0.3, l2_lambda=2.0)
        bandit = module.mab.MAB(
            [*range(task.n_arms)], settings, seed=int(rng.integers(1, 2**31 - 1))
        )
        bandit.fit([], [], np.empty((0, task.dim)))

        def choose(t, x):
            if family == "multiclass":
                return bandit.predict([x])
            scores = bandit.predict_expectations(x)
            return max(range(len(x)), key=lambda arm: scores[arm][arm])

        def learn(t, x, arm, reward):
            bandit.partial_fit([arm], [reward], [x if family == "multiclass" else x[arm]])

        return choose, learn

    plays_as(getattr(module, name)(alpha=0.3, l2_lambda=2.0), family, plain)


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_the_librarys(adapter, has_defaults_of, name):
    module = adapter("mabwiser")
    policy = getattr(module.mab.LearningPolicy, name.removeprefix("MABWiser"))
    assert has_defaults_of(getattr(module, name)(), policy)
