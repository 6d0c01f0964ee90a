"""Agents and environments that have blocks, and which of them go together."""

import copy

import gymnasium
import numpy as np
import pytest

import agents

ARMED = [
    agents.UCB1(),
    agents.UCB1Tuned(),
    agents.UCB2(alpha=0.3),
    agents.KLUCB(c=1.0),
    agents.BetaThompson(),
    agents.EpsilonNGreedy(c=0.05),
    agents.DiscountedUCB(discount=0.9),
    agents.SlidingWindowUCB(window=11),
    agents.GLRklUCB(delta=0.9, test_every=3, split_every=2, splits=3),
    agents.IMED(),
    agents.MOSS(alpha=0.4),
    agents.KLUCBPlusPlus(),
    agents.KLUCBSwitch(horizon=2000),
    agents.UCBV(c=0.1),
    agents.GaussianThompson(),
    agents.BayesUCB(),
    agents.Softmax(),
    agents.GradientBandit(step=0.4),
    agents.EpsilonGreedy(epsilon=0.2, step=0.3, start=1.0),
    agents.ExploreThenCommit(cycles=7),
    agents.EXP3(scale=1.7),
    agents.EXP3IX(scale=0.6),
    agents.TsallisINF(),
    agents.TsallisINF(estimator="importance_weighted", scale=0.8),
]
BEST_ARM = [
    agents.LUCB(),
    agents.SequentialHalving(),
    agents.SuccessiveRejects(),
    agents.TopTwoThompson(),
    agents.TrackAndStop(),
    agents.TTUCB(),
]
MULTICLASS = [
    agents.Perceptron(),
    agents.Banditron(gamma=0.2),
    agents.MarginBanditron(gamma=0.3, margin=0.7),
    agents.MultiplicativeBanditron(gamma=0.3, learning_rate=0.2),
    agents.SOBA(gamma=0.3),
    agents.EpsilonGreedyLogistic(epsilon=0.2),
    agents.SquareCB(gamma_scale=2.0),
    agents.Confidit(alpha=0.4),
]
LINEAR = [
    agents.LinUCB(alpha=0.7, ridge=0.5),
    agents.Greedy(ridge=2.0),
    agents.LinTS(scale="theory", ridge=0.6, delta=0.2),
    agents.LinTS(scale=0.3, ridge=3.0),
    agents.EpsilonGreedy(epsilon=0.4, ridge=0.6),
    agents.InverseGapWeighting(gamma_scale=3.0, ridge=0.6),
    agents.PhasedElimination(scale=3.0, delta=0.3),
]
LOGISTIC = [
    agents.AdaOFUECOLog(ridge=0.6, delta=0.2),
    agents.AdaOFUECOLog(radius="lee", param_norm=1.2),
    agents.LaplaceThompson(ridge=0.6, scale=0.7),
    agents.GLMUCB(radius=0.4, ridge=0.6),
    agents.OFUGLBe(refit_every=3),
]
REGRESSION = [
    agents.OnlineRidge(ridge=0.3),
    agents.Forward(ridge=0.3),
    agents.GradientDescentRegression(step=9.0, ridge=0.3),
    agents.PolyakRegression(step=0.7, exponent=0.6),
    agents.SVRGRegression(learning_rate=0.3, ridge=0.2),
    agents.SAGRegression(learning_rate=0.3, ridge=0.2),
]
POINTS = [agents.PEGE(), agents.FastPEGE(rho=1.1), agents.ExploreThenCommit(cycles=3)]
ALL = [
    *ARMED,
    *BEST_ARM,
    *MULTICLASS,
    *LINEAR,
    *LOGISTIC,
    *REGRESSION,
    *POINTS,
    agents.UniformRandom(),
]

T = 97  # a prime: no block size but 1 divides it


def text(n_rows=T + 1, dim=13, k=4, seed=3):
    """Rows of 0 to dim features, and labels of k kinds that they tell something of."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows, dim)) * (rng.random((n_rows, dim)) < rng.random((n_rows, 1)))
    labels = (rows @ rng.normal(size=(dim, k))).argmax(axis=1)
    labels[:k] = range(k)
    return rows, labels


def _data(**others):
    return "MulticlassBandit-v0", {"data": text(), "horizon": T, **others}


def _arms(**others):
    settings = {"horizon": T, "noise_std": 0.4, "contexts": "gaussian", "param_norm": 1.5}
    return "LinearBandit-v0", {**settings, **others}


def _clicks(**others):
    return "LogisticBandit-v0", {"horizon": T, "contexts": "ball", "param_norm": 4.0, **others}


def _drifting(**others):
    return "DriftingLinearBandit-v0", _arms(**others)[1]


def _rows(**others):
    return "OnlineRegression-v0", {"horizon": T, **others}


def _news(n_articles=4):
    settings = {"n_articles": n_articles, "lifetime": 20, "features": "article"}
    return "NewsReplay-v0", {"horizon": T, "keep": 0.8, **settings}


dependent = np.array([[1.0, 2, 0, 0], [2, 4, 0, 0], [0, 0, 1, 0], [0.5, 0, 0, 1]])

ENVIRONMENTS = {
    "armed": ("ArmedBandit-v0", {"n_arms": 4, "horizon": T}),
    "armed, gaussian": ("ArmedBandit-v0", {"n_arms": 7, "noise": "gaussian", "horizon": T}),
    "adversary": ("AdversarialBandit-v0", {"n_arms": 3, "horizon": T}),
    "one arm": ("ArmedBandit-v0", {"n_arms": 1, "horizon": T}),
    "two samples": ("ArmedBandit-v0", {"samples": [[-7.0, 5.0], [1.0, 4.0]], "horizon": T}),
    "best arm": ("ArmedBandit-v0", {"n_arms": 4, "objective": "best_arm", "horizon": T}),
    "confident": (
        "ArmedBandit-v0",
        {"means": [0.5, 0.48, 0.45], "objective": "best_arm", "delta": 0.05, "horizon": T},
    ),
    "armed, drifting": (
        "DriftingArmedBandit-v0",
        {"n_arms": 4, "changes": [20, 50], "walk_std": 0.1, "rotting": 0.01, "horizon": T},
    ),
    "synthetic": ("SynSep-v0", {"horizon": T}),
    "synthetic noisy": ("SynNonSep-v0", {"horizon": T, "label_noise": 0.3}),
    "sparse": _data(sparse=True),
    "dense": _data(sparse=False, label_noise=0.4),
    "in order": _data(sparse=True, order="chronological", label_noise=0.2),
    "in order, dense": _data(sparse=False, order="chronological"),
    "every row": _data(sparse=True, order="chronological", horizon=T + 1),
    "fresh": _arms(dim=4, n_arms=5),
    "fresh, many": _arms(dim=25, n_arms=3, noise="uniform"),
    "fresh, sphere": _arms(dim=3, n_arms=8, contexts="sphere", noise="student_t", noise_df=4.0),
    "drifting": _drifting(dim=4, n_arms=5, changes=[20, 50], rate=0.03),
    "fixed, kernel": _arms(dim=5, n_arms=3, fixed_arms=True),
    "fixed, inverse": _arms(dim=3, n_arms=7, fixed_arms=True, noise="rademacher"),
    "fixed, dependent": ("LinearBandit-v0", {"arms": dependent, "horizon": T, "noise_std": 0.3}),
    "per arm": _arms(n_arms=4, dim=3, parameters="per_arm"),
    "logistic, per arm": _clicks(n_arms=4, dim=3, parameters="per_arm"),
    "logistic, fresh": _clicks(n_arms=5, dim=4),
    "logistic, fixed": _clicks(n_arms=7, dim=3, fixed_arms=True),
    "logistic, few": _clicks(n_arms=3, dim=5, fixed_arms=True),
    "one, fresh": _arms(dim=3, n_arms=1),
    "one, fixed": _arms(dim=3, n_arms=1, fixed_arms=True),
    "regression": _rows(dim=3, noise_std=0.5),
    "regression, bound": _rows(dim=9, bound=0.2, noise="uniform", contexts="gaussian"),
    "coins": _rows(dim=2, outcomes="random", outcome_bound=2.0),
    "sphere": ("SphereBandit-v0", {"horizon": T, "dim": 3, "noise_std": 0.7}),
    "ball": ("BallBandit-v0", {"horizon": T, "dim": 11, "radius": 0.3, "noise": "uniform"}),
    "ellipsoid": ("EllipsoidBandit-v0", {"horizon": T, "dim": 4, "condition": 30.0}),
    "lp ball": ("LpBallBandit-v0", {"horizon": T, "dim": 2, "p": 1.3, "noise": "student_t"}),
    "line": ("SphereBandit-v0", {"horizon": T, "dim": 1}),
    "news": _news(),
    "news, one slot": _news(n_articles=1),
}  # fmt: skip


def make(name, n=None):
    env, settings = ENVIRONMENTS[name]
    if n is None:
        return gymnasium.make(env, **settings)
    return gymnasium.make_vec(env, num_envs=n, **settings)


TASKS = {name: make(name, 1).unwrapped.task for name in ENVIRONMENTS}
PLAYED = [
    (agent, name) for name in ENVIRONMENTS for agent in ALL if agent.refusal(TASKS[name]) is None
]
SINGLY = [  # the rounds of one row, if estimates are kept in lanes, and uniform points
    (agent, name)
    for agent, name in PLAYED
    if not copy.deepcopy(agent).reset(TASKS[name], n=1).plays_blocks
]
PAIRS = [
    pytest.param(agent, name, id=f"{type(agent).__name__}-{name}")
    for agent, name in PLAYED
    if (agent, name) not in SINGLY
]
