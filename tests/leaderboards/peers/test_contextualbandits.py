"""contextualbandits' policies, compared with ``DisjointLinUCB``."""

import gymnasium
import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

import agents
from agents.check.short_runs import global_state
from agents.storage.states import equal

pytestmark = pytest.mark.peers_compiled
NAMES = ("ContextualBanditsLinUCB", "BootstrappedUCB", "BootstrappedTS")


def test_contract(adapter, check):
    """Of bootstrapped policies this would take minutes: ten classifiers a label learn a round."""
    check(adapter("contextualbandits").ContextualBanditsLinUCB)


@pytest.mark.parametrize("name", NAMES[1:])
def test_seeds_are_heeded_and_global_states_are_left_alone(adapter, heeds_its_seed, name):
    agent = getattr(adapter("contextualbandits"), name)(samples=3)
    before = global_state()
    assert heeds_its_seed(agent, "multiclass", rounds=30)
    assert equal(before, global_state())


@pytest.mark.parametrize("name", NAMES)
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("contextualbandits"), name)(), "multiclass") < 0.5


def test_linucb_learns_arms_with_features(adapter, share):
    assert share(adapter("contextualbandits").ContextualBanditsLinUCB(), "linear") < 0.5


def test_linucb_without_an_intercept_decides_as_our_disjoint_linucb(adapter, decides_as):
    """In double precision, after the first reward: before it the library draws."""
    theirs = adapter("contextualbandits").ContextualBanditsLinUCB(
        alpha=0.7, lambda_=2.0, fit_intercept=False, use_float=False
    )
    decides_as(theirs, agents.DisjointLinUCB(alpha=0.7, ridge=2.0), draws=True)
    assert not any(replica.policy_.use_float for replica in theirs.replicas)


def test_a_single_arm_is_refused_with_the_reason(adapter):
    agent = adapter("contextualbandits").ContextualBanditsLinUCB()
    task = gymnasium.make("LinearBandit-v0", n_arms=1, horizon=5).unwrapped.task
    assert agent.refusal(task) == "the library needs two arms"


def test_the_library_refuses_seed_0(adapter):
    online = adapter("contextualbandits").online
    with pytest.raises(AssertionError):
        online.LinUCB(3, random_state=0)


@pytest.mark.parametrize(
    ("name", "family"), [(NAMES[0], "linear"), *((name, "multiclass") for name in NAMES)]
)
def test_decisions_are_those_of_the_library(adapter, plays_as, name, family):
    """Arm k has the k-th features: it is scored as if all arms had them."""
    module = adapter("contextualbandits")

    def plain(task, rng):
        seed = int(rng.integers(1, 2**31 - 1))
        if name == "ContextualBanditsLinUCB":
            policy = module.online.LinUCB(task.n_arms, alpha=0.3, lambda_=2.0, random_state=seed)
        else:
            classifier = SGDClassifier(loss="log_loss", random_state=seed)
            policy = getattr(module.online, name)(
                classifier, task.n_arms, nsamples=3, batch_train=True, random_state=seed
            )

        def choose(t, x):
            scores = policy.decision_function(np.atleast_2d(x))
            return np.argmax(scores[0] if family == "multiclass" else np.diag(scores))

        def learn(t, x, arm, reward):
            row = x if family == "multiclass" else x[arm]
            policy.partial_fit(row[None], np.array([arm]), np.array([reward]))

        return choose, learn

    linucb = name == "ContextualBanditsLinUCB"
    settings = {"alpha": 0.3, "lambda_": 2.0} if linucb else {"samples": 3}
    plays_as(getattr(module, name)(**settings), family, plain)


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_the_librarys(adapter, has_defaults_of, name):
    module = adapter("contextualbandits")
    library = getattr(module.online, name.removeprefix("ContextualBandits"))
    assert has_defaults_of(getattr(module, name)(), library, samples="nsamples")
