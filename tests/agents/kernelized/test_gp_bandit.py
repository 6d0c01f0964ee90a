"""The agent of parts: what it is by default, what goes together, and its ridge."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.kernelized.gp_bandit import GPBandit
from agents.parts.batching import EveryRound, VarianceBatches
from agents.parts.decision_rules import UCB, ThompsonSampling
from agents.parts.posteriors import Exact, FixedNystrom, Nystrom, QuadratureFourier, RandomFourier
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.tasks import KernelTask

NAMED = {
    "GPUCB": ({"radius": "theory", "delta": 0.2}, Exact(), UCB(radius="theory", delta=0.2)),
    "KernelUCB": ({"alpha": 0.7}, Exact(), UCB(radius=0.7)),
    "GPTS": (
        {"scale": "theory", "delta": 0.3},
        Exact(),
        ThompsonSampling(scale="theory", delta=0.3),
    ),
    "BKB": (
        {"qbar": 3.0, "radius": "theory", "accuracy": 0.25},
        Nystrom(qbar=3.0),
        UCB(radius="theory", accuracy=0.25, uniform_first=True),
    ),
    "BBKB": (
        {"qbar": 3.0, "threshold": 4.0},
        Nystrom(qbar=3.0),
        UCB(uniform_first=True),
        VarianceBatches(threshold=4.0),
    ),
    "SoRUCB": ({"size": 7}, FixedNystrom(size=7, variance="sor"), UCB()),
    "DTCUCB": ({"size": 7}, FixedNystrom(size=7, variance="dtc"), UCB()),
    "RFFUCB": ({"size": 30}, RandomFourier(size=30), UCB()),
    "QFFTS": ({"nodes": 5, "scale": 0.3}, QuadratureFourier(nodes=5), ThompsonSampling(scale=0.3)),
}
SHARED = {"ridge": 0.2, "noise_std": 0.4}


@pytest.mark.parametrize("name", NAMED)
def test_parts_are_the_named_agent(make_kernel_env, name):
    """Bit for bit, whichever way it is said; and what is said matters."""
    given, *parts = NAMED[name]
    parts = dict(zip(("posterior", "rule", "batching"), parts, strict=False))
    env = make_kernel_env("rbf", horizon=60)
    named = agents.play(env, getattr(agents, name)(**given, **SHARED), seed=3)
    made = agents.play(env, GPBandit(**parts, **SHARED), seed=3)
    np.testing.assert_array_equal(named.regret, made.regret)
    np.testing.assert_array_equal(named.pulls, made.pulls)
    assert (named.regret != agents.play(env, agents.UniformRandom(), seed=3).regret).any()


@pytest.mark.parametrize("name", NAMED)
def test_hyperparameters_reach_the_parts(name):
    given, *parts = NAMED[name]
    assert getattr(agents, name)(**given).parts() == (*parts, EveryRound())[:3]


def test_by_default_it_is_gpucb(make_kernel_env):
    assert GPBandit().parts() == agents.GPUCB().parts()
    assert "GPBandit" not in agents.AGENTS
    env = make_kernel_env("rbf", horizon=60)
    np.testing.assert_array_equal(
        agents.play(env, GPBandit()).regret, agents.play(env, agents.GPUCB()).regret
    )


def test_it_is_made_from_plain_data():
    spec = (
        'GPBandit(posterior={"kind": "nystrom", "qbar": 2.0}, rule={"kind": "ucb", "radius": 0.4}, '
        'batching={"kind": "variance_batches", "threshold": 3.0}, covariance={"kind": "linear"})'
    )
    agent = agents.resolve(f"agents.kernelized.gp_bandit:{spec}")
    assert agent.parts() == (Nystrom(qbar=2.0), UCB(radius=0.4), VarianceBatches(threshold=3.0))
    assert agent.covariance == Linear()
    assert agents.resolve("GPUCB(radius=0.4)").radius == 0.4


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"posterior": "exact"}, "posterior must be one of Exact, .* got 'exact'"),
        ({"posterior": UCB()}, "posterior must be one of"),
        ({"rule": "ucb"}, "rule must be one of UCB, ThompsonSampling, got 'ucb'"),
        ({"batching": None}, "batching must be one of EveryRound, VarianceBatches, got None"),
        ({"posterior": RandomFourier(), "batching": VarianceBatches()}, "RandomFourier.*no batch"),
        ({"rule": ThompsonSampling(), "batching": VarianceBatches()}, "no batches"),
        ({"rule": ThompsonSampling(), "posterior": Nystrom()}, "needs a joint Gaussian"),
        (
            {"rule": ThompsonSampling(), "posterior": FixedNystrom(variance="dtc")},
            "the DTC-corrected variance has none",
        ),
        (
            {"rule": ThompsonSampling(scale="theory"), "posterior": RandomFourier()},
            "no theorem.*RandomFourier",
        ),
        ({"rule": UCB(radius="theory"), "posterior": FixedNystrom()}, "no theorem.*FixedNystrom"),
        (
            {"rule": UCB(radius="theory"), "posterior": QuadratureFourier()},
            "no theorem.*QuadratureFourier",
        ),
        (
            {"rule": UCB(radius="theory"), "batching": VarianceBatches()},
            "no theorem gives a radius for batches",
        ),
        ({"ridge": 0.0}, "ridge.*0.0"),
        ({"ridge": float("nan")}, "ridge.*nan"),
        ({"noise_std": -1.0}, "noise_std.*-1.0"),
        ({"param_norm": float("inf")}, "param_norm.*inf"),
        ({"covariance": "rfb"}, "covariance.*'rfb'"),
    ],
)
def test_what_does_not_go_together_is_refused_at_once(given, reason):
    with pytest.raises(ValueError, match=reason):
        GPBandit(**given)


@pytest.mark.parametrize(
    "make",
    [
        lambda: agents.SoRUCB(radius="theory"),
        lambda: agents.DTCUCB(radius="theory"),
        lambda: agents.RFFUCB(radius="theory"),
        lambda: agents.QFFTS(scale="theory"),
        lambda: agents.BBKB(radius="theory"),
    ],
)
def test_named_agents_without_a_theorem(make):
    with pytest.raises(ValueError, match="no theorem gives a"):
        make()


def _task(**given):
    arms = np.array([[0.5, 0.0], [1.0, 2.0], [0.0, 0.0]])
    told = {
        "n_arms": 3, "dim": 2, "horizon": 9, "noise_std": 0.3, "subgaussian": 0.4,
        "covariance": Linear(variance=2.0), "param_norm": 1.5, "arms": arms,
    }  # fmt: skip
    return KernelTask(**told | given)


def ridge_of(agent, task):
    """From the prior variance that the agent starts with: k(x, x) over the ridge."""
    agent.reset(task)
    covariance = agent.covariance or task.covariance
    x = task.arms if task.fixed_arms else np.ones((3, 2))
    _, variance = agent.model.predict(None if task.fixed_arms else x.T[None].copy())
    return covariance.diagonal(x)[0] / variance[0, 0]


CHANGING = {"fixed_arms": False, "arms": None}


@pytest.mark.parametrize(
    ("given", "told", "expected"),
    [
        ({}, {}, 0.4**2),
        ({}, {"subgaussian": None}, 0.3**2),
        ({"noise_std": 0.2}, {}, 0.2**2),
        ({"ridge": 0.7}, {}, 0.7),
        ({}, {"subgaussian": 0.0}, 1e-6 * 10),  # the longest arm's variance is 2 * 5
        ({"noise_std": 1e-4}, {}, 1e-6 * 10),
        ({"noise_std": 0.0, "covariance": RBF(variance=3.0)}, {}, 1e-6 * 3),
        ({"noise_std": 0.0}, CHANGING, 1e-6 * 4),  # at (1, 1)
        ({"ridge": 1e-8}, {}, 1e-8),  # sound: 1e-9 of 10
    ],
)
def test_ridge(given, told, expected):
    assert ridge_of(agents.GPUCB(**given), _task(**told)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("told", "least"), [({}, "1e-08"), (CHANGING, "4e-09")])
def test_a_ridge_too_small_is_refused(told, least):
    with pytest.raises(ValueError, match=f"GPUCB.*ridge must be at least {least}.*got 1e-10"):
        agents.GPUCB(ridge=1e-10).reset(_task(**told))


def test_arms_that_all_lie_at_the_origin_of_a_linear_kernel():
    """f is 0 there; with no noise either, the ridge is of no scale."""
    agent = agents.GPUCB(noise_std=0.0).reset(_task(arms=np.zeros((3, 2))))
    for _ in range(5):
        agent.observe(0, agent.act(0), 0.0)
    assert np.isfinite(agent.model.mean).all()


def test_it_says_what_it_takes_from_the_task():
    assert agents.GPUCB().facts() == ("covariance", "noise_std", "param_norm")
    assert agents.GPUCB(covariance=RBF(), param_norm=2.0).facts() == ("noise_std",)
    assert agents.KernelUCB().facts() == ("covariance", "noise_std")
    assert GPBandit().facts() == ("covariance", "noise_std", "param_norm")


def test_facts_matter(make_kernel_env):
    """What is given equals what is taken, and another value does not."""
    env = make_kernel_env("rough", horizon=60)
    task = env.unwrapped.task
    facts = {
        "covariance": (task.covariance, Matern(nu=1.5, length_scale=0.3, variance=4.0)),
        "noise_std": (task.subgaussian, 0.1),
        "param_norm": (task.param_norm, 9.0),
    }
    taken = agents.play(env, agents.GPUCB(radius="theory")).regret
    for name, (same, other) in facts.items():
        alike, unlike = (
            agents.play(env, agents.GPUCB(radius="theory", **{name: value})).regret
            for value in (same, other)
        )
        np.testing.assert_array_equal(alike, taken)
        assert (unlike != taken).any()


@pytest.mark.parametrize("name", NAMED)
def test_changing_arms_are_for_the_posteriors_that_re_embed(name):
    task = gymnasium.make("KernelBandit-v0", function="branin", fixed_arms=False).unwrapped.task
    agent = getattr(agents, name)()
    if name in ("GPUCB", "KernelUCB", "BKB"):
        assert agent.refusal(task) is None
    else:
        with pytest.raises(ValueError, match=f"{name} cannot play this task: .*arms"):
            agent.reset(task)


@pytest.mark.parametrize(
    "spec",
    [
        "GPUCB(radius='theory', ridge=0.3, evaluations=64)",
        # It searches boxes by the default number of points.
        pytest.param("GPUCB(radius='theory', ridge=0.3)", marks=pytest.mark.nightly),
        "GPUCB(radius=0.4, covariance={'kind': 'matern', 'nu': 1.5}, evaluations=64)",
        "GPTS(scale='theory', noise_std=0.2)",
        "BKB(radius='theory', qbar=2.0, evaluations=64)",
        "BBKB(radius=0.3, threshold=5.0)",
        "DTCUCB(size=3, evaluations=64)",
        "RFFUCB(size=6, radius=0.0, evaluations=64)",
        "QFFTS(nodes=3, scale=0.4, evaluations=64)",
    ],
)
def test_the_contract_off_the_defaults(spec):
    agents.check_agent(spec)
