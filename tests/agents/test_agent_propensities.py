"""What agents say of the probabilities with which they play, against plain definitions."""

import copy
from dataclasses import dataclass
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from scipy import integrate, stats

import agents
from agents.check.contract import check_agent
from agents.drivers.frequencies import DRAWS, draw_apart
from agents.naming import own_agents
from agents.storage.states import changed, state_of
from banditgym.tasks import ArmedTask

SAMPLED = {"GPTS", "LaplaceThompson", "LinTS", "QFFTS"}
# Each plays something else than arms or labels.
SILENT = {
    *("PredictZero", "OnlineRidge", "Forward", "UnregularizedForward", "DiscountedRidge"),
    *("SlidingWindowRidge", "GradientDescentRegression", "PolyakRegression", "SVRGRegression"),
    *("SAGRegression", "FollowTheRegularizedLeader", "CurvatureDescent", "AdaptiveDescent"),
    *("OnlineGradientDescent", "RankingBanditron", "PEGE", "FastPEGE", "BallOFUL", "BallTS"),
    "ExploreThenCommit",
}
RARELY = {"kind": "drawn", "mean_life": 4.0, "at_least": 2}


def after(spec, env_id, rounds=25, n=3, solo=False, **settings):
    """An agent after some rounds, and what it sees next."""
    agent = agents.resolve(spec) if isinstance(spec, str) else spec
    make = gymnasium.make if solo else gymnasium.make_vec
    size = {} if solo else {"num_envs": n}
    env = make(env_id, horizon=200, **size, **settings)
    agent.reset(env.unwrapped.task, n=None if solo else n, seed=4 if solo else range(4, 4 + n))
    observation, _ = env.reset(seed=4 if solo else list(range(4, 4 + n)))
    for _ in range(rounds):
        action = agent.act(observation)
        following, reward, *_ = env.step(action)
        agent.observe(observation, action, reward)
        observation = following
    return agent, observation


def available(agent):
    return np.ones((agent.n, agent.task.n_arms), bool) if agent.mask is None else agent.mask


def test_every_agent_of_arms_gives_them():
    for name, kind in own_agents().items():
        agent = kind()
        assert agent.gives_propensities == (name not in SILENT), name
        assert agent.exact_propensities == (name not in SAMPLED), name
    others = {"LUCB", "TTUCB", "TrackAndStop", "SequentialHalving", "SuccessiveRejects"}
    for name in others | {"UCB1Tuned", "UCB2", "Halving"}:
        assert getattr(agents, name)._propensities is agents.Agent.one_hot, name
    assert not agents.TopTwoThompson().gives_propensities


def uniform(agent, observation):
    return available(agent) / available(agent).sum(axis=1, keepdims=True)


def mixed(epsilon):
    """Greedy, by what the agent estimates, with uniform play."""

    def definition(agent, observation):
        there = available(agent)
        expected = np.array(
            [agent.estimate(observation, np.where(there[:, k], k, there.argmax(axis=1)))
             for k in range(agent.task.n_arms)]
        ).T  # fmt: skip
        best = np.where(there, np.where(np.isnan(expected), np.inf, expected), -np.inf).argmax(1)
        share = np.broadcast_to(epsilon(agent), agent.n)[:, None]
        p = there * share / there.sum(axis=1, keepdims=True)
        p[np.arange(agent.n), best] += 1 - share[:, 0]
        return p

    return definition


def exponential(agent, observation):
    k = agent.task.n_arms
    rate = agent.scale * np.sqrt(np.log(k) / (k * (agent._t + 1)))[:, None]
    weights = np.exp(-rate * (agent.losses - agent.losses.min(axis=1, keepdims=True)))
    return weights / weights.sum(axis=1, keepdims=True)


def tsallis(agent, observation):
    """It sums to 1, and its root is linear in the losses."""
    p = agent.propensities(observation)
    eta = 4.0 / np.sqrt(agent._t + 1)[:, None]
    x = agent.losses - 2.0 / (eta * np.sqrt(p))
    np.testing.assert_allclose(x, x[:, :1] + 0 * x, rtol=1e-9)
    return p


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def boltzmann(agent, observation):
    scores = agent.sums / np.maximum(agent.pulls, 1) / agent.temperature
    return softmax(np.where(available(agent), scores, -np.inf))


def preferred(agent, observation):
    return softmax(np.where(available(agent), agent.preferences, -np.inf))


def gaps(agent, observation):
    k = agent.task.n_arms
    score = np.array([agent.estimate(observation, np.full(agent.n, arm)) for arm in range(k)]).T
    gamma = agent.gamma_scale * (agent._t + 1.0) ** agent.gamma_exponent
    p = 1 / (k + gamma[:, None] * (score.max(axis=1, keepdims=True) - score))
    each, best = np.arange(agent.n), score.argmax(axis=1)
    p[each, best] = 0
    p[each, best] = 1 - p.sum(axis=1)
    return p


def largest(laws):
    """The integral of each density times the distribution functions of the others."""
    cuts = np.unique([law.ppf(q) for law in laws for q in (1e-13, 1e-5, 0.1, 0.5, 0.9, 1 - 1e-5)])
    cuts = np.append(cuts, max(law.ppf(1 - 1e-13) for law in laws))

    def one(k):
        def integrand(x):
            others = [law.cdf(x) for j, law in enumerate(laws) if j != k]
            return laws[k].pdf(x) * np.prod(others, axis=0)

        pieces = zip(cuts[:-1], cuts[1:], strict=True)  # noqa: RUF007
        return sum(integrate.fixed_quad(integrand, *piece, n=60)[0] for piece in pieces)

    return [one(k) for k in range(len(laws))]


def each_largest(law):
    def definition(agent, observation):
        p = np.zeros((agent.n, agent.task.n_arms))
        for i, there in enumerate(available(agent)):
            p[i, there] = largest([law(agent, observation, i, k) for k in np.flatnonzero(there)])
        return p

    return definition


def beta(agent, observation, i, k):
    wins = agent.sums[i, k]
    return stats.beta(1 + wins, 1 + agent.pulls[i, k] - wins)


def normal(agent, observation, i, k):
    pulls = agent.pulls[i, k]
    return stats.norm(agent.sums[i, k] / pulls, agent.noise_std / np.sqrt(pulls))


def disjoint(agent, observation, i, k):
    x = observation[i, k]
    variance = x @ np.linalg.solve(agent.gram[i, k], x)
    return stats.norm(x @ agent.theta[i, k], agent.scale * np.sqrt(variance))


ARMS = ("ArmedBandit-v0", {"n_arms": 4})
COMING = ("ArmedBandit-v0", {"n_arms": 4, "available": RARELY})
NOISY = ("ArmedBandit-v0", {"n_arms": 4, "noise": "gaussian", "noise_std": 0.5})
FEATURES = ("LinearBandit-v0", {"n_arms": 4, "dim": 3})
FIXED = ("LinearBandit-v0", {"n_arms": 4, "dim": 3, "fixed_arms": True})
EXACT = [
    ("UniformRandom", COMING, uniform),
    ("EpsilonGreedy(epsilon=0.2)", COMING, mixed(lambda agent: 0.2)),
    ("EpsilonGreedy(epsilon=0.2)", FEATURES, mixed(lambda agent: 0.2)),
    ("EpsilonNGreedy(gap=0.5)", COMING, mixed(lambda a: np.minimum(1, 2.4 / (a.decisions + 1)))),
    ("EXP3(scale=2.0)", ARMS, exponential),
    ("EXP3IX(scale=2.0)", ARMS, exponential),
    ("TsallisINF", ARMS, tsallis),
    ("Softmax(temperature=0.2)", COMING, boltzmann),
    ("GradientBandit(step=0.5)", COMING, preferred),
    ("InverseGapWeighting(gamma_scale=3.0)", FEATURES, gaps),
    ("InverseGapWeighting(gamma_scale=3.0)", FIXED, gaps),
    ("BetaThompson", ARMS, each_largest(beta)),
    ("BetaThompson", COMING, each_largest(beta)),
    ("GaussianThompson(noise_std=0.4)", NOISY, each_largest(normal)),
    ("DisjointLinTS(scale=0.3)", FEATURES, each_largest(disjoint)),
]


@pytest.mark.parametrize(("spec", "where", "definition"), EXACT, ids=[one[0] for one in EXACT])
@pytest.mark.parametrize("rounds", [25, 60])
def test_propensities_are_those_of_the_definition(spec, where, definition, rounds):
    agent, observation = after(spec, where[0], rounds, **where[1])
    state = state_of(agent)
    p = agent.propensities(observation)
    assert not changed(state, vars(agent))
    np.testing.assert_allclose(p, definition(copy.deepcopy(agent), observation), atol=1e-8)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert (p[~available(agent)] == 0).all()


def test_every_arm_is_played_once_first():
    for spec in ("GaussianThompson", "Softmax", "UCB1"):
        for rounds in range(4):
            agent, observation = after(spec, "ArmedBandit-v0", rounds, n_arms=4)
            expected = np.tile(np.eye(4)[rounds], (3, 1))
            np.testing.assert_array_equal(agent.propensities(observation), expected)


@pytest.mark.parametrize("name", ["LinTS(scale=0.4)", "DisjointLinTS(scale=0.4)"])
def test_samplers_of_orthogonal_arms_agree_with_the_quadrature(name):
    """On unit vectors as arms, LinTS and DisjointLinTS have the same independent posteriors.

    The band is 5 standard deviations of a frequency in 10,000 draws.
    """
    agent, observation = after(name, "LinearBandit-v0", 0, n_arms=3, dim=3)
    unit = np.tile(np.eye(3), (3, 1, 1))
    for arm, reward in ((0, 0.3), (1, 0.5), (1, 0.1), (2, 0.2), (2, 0.6), (2, 0.1)):
        agent.act(observation)
        agent.observe(unit, np.full(3, arm), np.full(3, reward))
    p = agent.propensities(unit)
    counts, sums = np.array([1, 2, 3]), np.array([0.3, 0.6, 0.9])
    expected = largest(
        [stats.norm(s / (n + 1), 0.4 / np.sqrt(n + 1)) for n, s in zip(counts, sums, strict=True)]
    )
    band = 1e-8 if agent.exact_propensities else 5 * np.sqrt(0.25 / DRAWS)
    np.testing.assert_allclose(p, np.tile(expected, (3, 1)), atol=band)
    if not agent.exact_propensities:
        assert np.ptp(p[:, 0]) > 0  # each replicate draws its own
        np.testing.assert_array_equal(p, agent.propensities(unit))


@pytest.mark.parametrize("spec", ["LinTS", "LaplaceThompson", "GPTS"])
def test_samples_are_none_of_the_acts_and_new_for_every_act(spec):
    name = {"LinTS": "LinearBandit-v0", "GPTS": "KernelBandit-v0"}.get(spec, "LogisticBandit-v0")
    agent, observation = after(spec, name, 5, n_arms=4, dim=2)
    own = agent.choice.keys if spec == "GPTS" else agent._keys
    assert (draw_apart(copy.deepcopy(agent)) != own).all()
    first = agent.propensities(observation)
    agent.act(observation)
    assert (first != agent.propensities(observation)).any()


@pytest.mark.parametrize(
    ("spec", "where"),
    [("EXP3", ARMS), ("LinTS", FEATURES), ("IDS", FEATURES), ("UCB2", ARMS), ("GPTS", None)],
)
def test_giving_them_changes_no_act_and_alone_they_are_the_same(spec, where):
    env_id, settings = where or ("KernelBandit-v0", {"n_arms": 5, "dim": 2})
    quiet, observation = after(spec, env_id, 20, **settings)
    p = quiet.propensities(observation)
    giving, again = after(Giving(agents.resolve(spec)), env_id, 20, **settings)
    np.testing.assert_array_equal(again, observation)
    np.testing.assert_array_equal(giving.agent.act(observation), quiet.act(observation))
    alone, own = after(spec, env_id, 20, solo=True, **settings)
    np.testing.assert_array_equal(alone.propensities(own), p[0])


class Giving:
    """An agent that gives its propensities before every act and every reward."""

    def __init__(self, agent):
        self.agent, self.task = agent, None

    def reset(self, task, **given):
        self.agent.reset(task, **given)

    def act(self, observation):
        self.agent.propensities(observation)
        return self.agent.act(observation)

    def observe(self, observation, action, reward):
        self.agent.propensities(observation)
        self.agent.observe(observation, action, reward)


def test_forced_plays_are_certain():
    agent = agents.Restarting(agents.Softmax(), agents.detectors.GLR(), exploration=0.4)
    agent, observation = after(agent, "ArmedBandit-v0", 25, n_arms=4)
    certain = []
    for _ in range(20):
        p = agent.propensities(observation)
        arms = agent.act(observation)
        certain.append((p == 1).any(axis=1).all())
        assert not certain[-1] or (p[np.arange(3), arms] == 1).all()
    assert 4 <= sum(certain) < 20


def test_an_agent_around_another_says_what_that_says():
    settings = {"n_arms": 4, "noise": "gaussian"}
    around = agents.Pending(agents.GaussianThompson())
    around, observation = after(around, "ArmedBandit-v0", 25, **settings)
    inner, _ = after("GaussianThompson", "ArmedBandit-v0", 25, **settings)
    np.testing.assert_array_equal(around.propensities(observation), inner.propensities(observation))
    around.act(observation)  # now one is open, and counts
    inner.act(observation)
    assert (around.propensities(observation) != inner.propensities(observation)).any()
    assert not agents.Pending(agents.LinTS()).exact_propensities
    assert not agents.Pending(Secretive()).gives_propensities


@dataclass(kw_only=True, eq=False)
class Secretive(agents.ScalarAgent):
    accepts: ClassVar = (ArmedTask,)

    def begin(self, task, rng):
        self.rng, self.last = rng, 0

    def choose(self, contexts):
        return self.last

    def learn(self, contexts, arm, reward):
        self.last = arm


class Steady(Secretive):
    _propensities = agents.Agent.one_hot


class Restless(Steady):
    def choose(self, contexts):
        return int(self.rng.integers(2))


class Shaky(agents.EpsilonGreedy):
    def _choose(self, contexts):
        return np.minimum(super()._choose(contexts), 1)


@pytest.mark.parametrize("agent", [Secretive(), Restless(), Shaky()])
def test_an_agent_that_does_not_say_is_refused_in_a_line(agent):
    """Also where a subclass overrides what it inherited the propensities of."""
    agent, observation = after(agent, "ArmedBandit-v0", 3, n_arms=3)
    name = type(agent).__name__
    message = f"^{name} does not say with which probabilities it plays$"
    with pytest.raises(ValueError, match=message):
        agent.propensities(observation)


def test_an_agent_of_somebody_else_may_say_that_it_draws_nothing():
    agent, observation = after(Steady(), "ArmedBandit-v0", 3, n_arms=3)
    np.testing.assert_array_equal(agent.propensities(observation), np.eye(3)[[0, 0, 0]])
    check_agent(Steady)


def test_points_and_rankings_have_none():
    for name, env_id in (("UniformRandom", "SphereBandit-v0"), ("BallTS", "BallBandit-v0")):
        agent, observation = after(name, env_id, 2, dim=2)
        with pytest.raises(ValueError, match="are those of arms or labels, and .* plays others"):
            agent.propensities(observation)
    agent, observation = after("UniformRandom", "SynSep-v0", 0, slots=3)
    with pytest.raises(ValueError, match="arms or labels"):
        agent.propensities(observation)
    with pytest.raises(ValueError, match="reset"):
        agents.UCB1().propensities(None)
