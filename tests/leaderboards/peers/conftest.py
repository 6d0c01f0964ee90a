"""Shared parts of the adapters' tests: small environments, and easy ones to learn."""

import importlib
import importlib.util
import inspect

import gymnasium
import numpy as np
import pytest

import agents
import agents.check.contract
import banditgym  # noqa: F401 (registers the environments)
from agents.check.small_environments import ENVIRONMENTS
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT

# One environment of a family, and one of a single arm where the family has it: the libraries are
# slow, and what differs between environments of a family is not theirs.
_CHECKED = {
    "armed": [ENVIRONMENTS["armed"][0], ENVIRONMENTS["armed"][2]],
    "linear": [ENVIRONMENTS["linear"][0], ENVIRONMENTS["linear"][3]],
    "kernelized": [ENVIRONMENTS["kernelized"][0], ENVIRONMENTS["kernelized"][3]],
    "regression": [ENVIRONMENTS["regression"][0]],
    "multiclass": [
        ENVIRONMENTS["multiclass"][2],
        ENVIRONMENTS["multiclass"][5],
    ],  # the first is refused
}

_LABELS = np.arange(300) % 3
_ROWS = np.eye(3)[_LABELS] + 0.2 * np.random.default_rng(0).standard_normal((300, 3))
_EASY = {
    "armed": ("ArmedBandit-v0", {"means": [0.9, 0.1, 0.1], "horizon": 200}),
    "linear": ("LinearBandit-v0", {"n_arms": 4, "dim": 3, "noise_std": 0.1, "horizon": 200}),
    "kernelized": (
        "KernelBandit-v0",
        {"n_arms": 10, "dim": 1, "noise_std": 0.1, "horizon": 60},
    ),
    "regression": ("OnlineRegression-v0", {"dim": 3, "noise_std": 0.1, "horizon": 200}),
    "multiclass": ("MulticlassBandit-v0", {"data": (_ROWS, _LABELS), "horizon": 200}),
}

_NOISY_LABELS = np.arange(300) ** 2 % 7 % 4
_NOISY = np.eye(4)[_NOISY_LABELS] + 0.6 * np.random.default_rng(1).standard_normal((300, 4))
_HARD = {
    "armed": ("ArmedBandit-v0", {"means": [0.4, 0.5, 0.6, 0.5], "horizon": 60}),
    "linear": ("LinearBandit-v0", {"n_arms": 5, "dim": 3, "noise_std": 0.5, "horizon": 60}),
    "kernelized": (
        "KernelBandit-v0",
        {"n_arms": 8, "dim": 2, "noise_std": 0.3, "horizon": 30},
    ),
    "regression": ("OnlineRegression-v0", {"dim": 4, "noise_std": 0.5, "horizon": 60}),
    "multiclass": ("MulticlassBandit-v0", {"data": (_NOISY, _NOISY_LABELS), "horizon": 60}),
}


@pytest.fixture
def adapter():
    """A module of ``leaderboards.peers``, if its library is installed."""

    def imported(name, library=None):
        if importlib.util.find_spec(library or name) is None:
            pytest.skip(f"needs {library or name}")
        return importlib.import_module(f"leaderboards.peers.{name}")

    return imported


@pytest.fixture
def check(monkeypatch):
    """``check_agent`` on small environments of these families, by default all that it accepts."""

    def checked(agent, *families):
        envs = {name: rows for name, rows in _CHECKED.items() if name in families or not families}
        monkeypatch.setattr(agents.check.contract, "ENVIRONMENTS", envs)
        agents.check_agent(agent)

    return checked


@pytest.fixture
def share():
    """The regret of an agent on an easy task, as a share of uniform play's.

    Five replicates of 200 rounds, 60 of kernels: uniform play against itself gives 1. A round's
    regret has a standard deviation of at most 1.5 times its mean on these tasks, so the regret of
    300 uniform rounds or more one of at most 9 % of its mean, and a share below 1/2 is more than
    five standard deviations from chance. (In regression 0 is predicted in place of uniform play.)
    """

    def measured(agent, family):
        env, settings = _EASY[family]
        plain = agents.PredictZero() if family == "regression" else agents.UniformRandom()
        regrets = [
            agents.play(gymnasium.make_vec(env, num_envs=5, **settings), one).regret[:, -1].sum()
            for one in (agent, plain)
        ]
        return regrets[0] / regrets[1]

    return measured


@pytest.fixture
def decisions():
    """What an agent of some seed chooses on an easy task: a list of (rounds, n)."""

    def chosen(agent, family, seed=1, rounds=60):
        env, settings = _EASY[family]
        envs = gymnasium.make_vec(env, num_envs=2, **settings)
        agent.reset(envs.unwrapped.task, n=2, seed=seed)
        shown, _ = envs.reset(seed=0)
        found = []
        for _ in range(min(rounds, settings["horizon"])):
            actions = agent.act(shown)
            following, reward, *_ = envs.step(actions)
            agent.observe(shown, actions, reward)
            found.append(actions.tolist())
            shown = following
        return found

    return chosen


@pytest.fixture
def heeds_its_seed(decisions):
    """Whether equal seeds of an agent choose alike on equal rounds, and other seeds otherwise."""

    def heeded(agent, family, **settings):
        first, again, other = (decisions(agent, family, seed, **settings) for seed in (1, 1, 9))
        return first == again != other

    return heeded


@pytest.fixture
def decides_as():
    """Play ours and theirs side by side on a linear bandit without ties, and compare every choice.

    Both learn from what ours plays. Before the first reward theirs may draw, where it ``draws``.
    """

    def compared(theirs, ours, *, draws=False):
        settings = {"n_arms": 5, "dim": 3, "horizon": 200, "contexts": "gaussian"}
        envs = gymnasium.make_vec("LinearBandit-v0", num_envs=2, **settings)
        for agent in (theirs, ours):
            agent.reset(envs.unwrapped.task, n=2, seed=3)
        shown, _ = envs.reset(seed=3)
        played = set()
        for t in range(200):
            actions, others = ours.act(shown), theirs.act(shown)
            assert (draws and t == 0) or np.array_equal(others, actions), f"round {t}"
            following, reward, *_ = envs.step(actions)
            for agent in (theirs, ours):
                agent.observe(shown, actions, reward)
            played.update(actions.tolist())
            shown = following
        assert len(played) == 5  # so that every arm's model was asked

    return compared


@pytest.fixture
def has_defaults_of():
    """Whether an agent's hyperparameters are what a callable of its library takes by default."""

    def has(agent, theirs, **names):
        parameters = inspect.signature(theirs).parameters
        own = agent.hyperparameters()
        return own == {name: parameters[names.get(name, name)].default for name in own}

    return has


@pytest.fixture
def plays_as():
    """Play an agent beside plain uses of its library, and compare every decision.

    ``plain(task, rng)`` makes a pair ``choose(t, x)``, ``learn(t, x, action, outcome)`` for one
    replicate: of two with other seeds. Rewards come after every third round, the last one first,
    and every fifth decision of the second replicate is never answered.
    """

    def compared(agent, family, plain):
        env, settings = _HARD[family]
        envs = gymnasium.make_vec(env, num_envs=2, **settings)
        task, seeds = envs.unwrapped.task, (5, 8)
        agent.reset(task, n=2, seed=seeds)
        entropies = [np.random.SeedSequence(seed, spawn_key=(AGENT, 0, 0)) for seed in seeds]
        pairs = [plain(task, np.random.default_rng(entropy)) for entropy in entropies]
        shown, _ = envs.reset(seed=[1, 2])
        waiting, found = [], []
        for t in range(settings["horizon"]):
            contexts = _contexts(task, shown)
            actions = agent.act(shown)
            expected = [choose(t, x) for (choose, _), x in zip(pairs, contexts, strict=True)]
            np.testing.assert_allclose(actions, expected, rtol=1e-9, err_msg=f"round {t}")
            following, reward, *_, info = envs.step(actions)
            waiting.append((t, shown.copy(), contexts, actions, reward, info.get("feedback")))
            found.append(actions.tolist())
            shown = following
            if t % 3 < 2:
                continue
            for decision, observation, x, played, rewards, told in reversed(waiting):
                observed = [True, decision % 5 > 0]
                agent.observe(
                    observation,
                    played,
                    rewards,
                    feedback=told,
                    observed=observed,
                    decision=decision,
                )
                outcome = rewards if told is None else told
                for i in np.flatnonzero(observed):
                    pairs[i][1](decision, x[i], played[i].item(), outcome[i].item())
            waiting.clear()
        assert min(len(set(actions)) for actions in zip(*found, strict=True)) > 1

    return compared


@pytest.fixture
def by_gaussian_process():
    """A plain Gaussian process of ``_HARD``, noise 0.4, that plays the largest of its scores.

    ``scores(mean, cov, rng)`` are of the joint posterior at all arms. The first arm is drawn.
    """

    def of(scores):
        def plain(task, rng):
            rows, rewards = [], []

            def choose(t, x):
                if not rows:
                    return rng.integers(len(x))
                k = task.covariance
                seen = np.array(rows)
                inverse = np.linalg.inv(k(seen, seen) + 0.16 * np.eye(len(seen)))
                mean = k(x, seen) @ inverse @ rewards
                return np.argmax(scores(mean, k(x, x) - k(x, seen) @ inverse @ k(seen, x), rng))

            def learn(t, x, arm, reward):
                rows.append(x[arm])
                rewards.append(reward)

            return choose, learn

        return plain

    return of


def _contexts(task, shown):
    """What each replicate is shown, as ``ScalarAgent.choose`` gets it."""
    if shown.ndim == 1:
        return [getattr(task, "arms", None)] * len(shown)
    return shown.copy()


@pytest.fixture(
    params=[
        RBF(length_scale=0.3, variance=1.7),
        Matern(nu=0.5, length_scale=0.4, variance=0.6),
        Matern(nu=1.5, length_scale=0.4),
        Matern(nu=2.5, length_scale=0.4),
        Linear(variance=2.0),
    ],
    ids=repr,
)
def beside_gpucb(request):
    """Let an agent of a class learn from the pulls of GPUCB, by the same kernel and noise.

    Gives for each of two replicates the agent's, the arms, and mean and variance (K,) of GPUCB.
    """

    def played(kind, **settings):
        envs = gymnasium.make_vec("KernelBandit-v0", num_envs=2, n_arms=12, dim=2, horizon=40)
        ours = agents.GPUCB(covariance=request.param, ridge=0.05)
        theirs = kind(covariance=request.param, noise_std=0.05**0.5, **settings)
        for agent in (ours, theirs):
            agent.reset(envs.unwrapped.task, n=2, seed=1)
        shown, _ = envs.reset(seed=1)
        for _ in range(40):
            arms = ours.act(shown)
            following, reward, *_ = envs.step(arms)
            for agent in (ours, theirs):
                agent.observe(shown, arms, reward)
            shown = following
        points = envs.unwrapped.task.arms
        return [
            (replica, points, ours.model.mean[i], 0.05 * ours.model.variance[i])
            for i, replica in enumerate(theirs.replicas)
        ]

    return played
