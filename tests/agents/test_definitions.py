"""Every agent against its definition, in state and decision, on every kind of task."""

import ast
import dataclasses
import inspect
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
from agents import naming
from agents.parts import batching, decision_rules, detectors, estimators, posteriors
from banditgym.functions.covariances import Linear, Matern

from .comparison import definition_of, follow

_BALL = {"contexts": "ball", "feature_norm": 2.0, "param_norm": 1.5, "noise_std": 0.3}
_CLICKS = {"contexts": "ball", "feature_norm": 1.5, "param_norm": 3.0}
_KERNEL = {"function": "rkhs", "param_norm": 1.5, "noise_std": 0.2}
_VARYING = {"kind": "drawn", "mean_life": 4.0, "at_least": 2}
_SLOTS = {"keep": 1.0, "n_articles": 7, "n_arms": 9, "lifetime": 12}
_RNG = np.random.default_rng(0)
_ROUGH = Matern(nu=0.5, length_scale=0.3, variance=4.0)
_NEAR = _RNG.random((24, 2))
_NEAR[7], _NEAR[9] = _NEAR[2] + 1e-10, _NEAR[4] + 1e-7  # all but the same arms
_DATA = _RNG.standard_normal((200, 6)) * (_RNG.random((200, 6)) < 0.7), _RNG.integers(4, size=200)
_SMALL = _RNG.standard_normal((200, 2)), _RNG.integers(2, size=200)
_CONFIDENT = {"objective": "best_arm", "delta": 0.2}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "bernoulli": ("ArmedBandit-v0", {"n_arms": 4}),
    "gaussian": ("ArmedBandit-v0", {"n_arms": 3, "noise": "gaussian", "noise_std": 0.5}),
    "bernoulli-varying": ("ArmedBandit-v0", {"n_arms": 5, "available": _VARYING}),
    "gaussian-varying": (
        "ArmedBandit-v0",
        {"n_arms": 4, "noise": "gaussian", "noise_std": 0.5, "available": _VARYING},
    ),
    "adversary": ("AdversarialBandit-v0", {"data": _RNG.random((60, 4))}),
    "clipped": ("ArmedBandit-v0", {"n_arms": 4, "noise": "exponential"}),
    "wide-range": ("ArmedBandit-v0", {"samples": _RNG.normal(3.0, 5.0, (4, 30))}),
    "one-arm": ("ArmedBandit-v0", {"n_arms": 1}),
    "best-arm": ("ArmedBandit-v0", {"n_arms": 4, "objective": "best_arm"}),
    "best-arm-gaussian": (
        "ArmedBandit-v0",
        {"n_arms": 5, "noise": "gaussian", "noise_std": 0.5, "objective": "best_arm"},
    ),
    "best-of-one": ("ArmedBandit-v0", {"n_arms": 1, "objective": "best_arm"}),
    "confident": ("ArmedBandit-v0", {"n_arms": 4, **_CONFIDENT}),
    "confident-of-one": ("ArmedBandit-v0", {"n_arms": 1, **_CONFIDENT}),
    "confident-gaussian": (
        "ArmedBandit-v0",
        {"n_arms": 3, "noise": "gaussian", "noise_std": 0.5, **_CONFIDENT},
    ),
    "soon-confident": (
        "ArmedBandit-v0",
        {"means": [0.1, 0.9, 0.3], "noise": "gaussian", "noise_std": 0.1, **_CONFIDENT},
    ),
    "fresh": ("LinearBandit-v0", {"n_arms": 5, "dim": 3, **_BALL}),
    "fixed": ("LinearBandit-v0", {"n_arms": 7, "dim": 3, "fixed_arms": True, **_BALL}),
    "fresh-varying": ("LinearBandit-v0", {"n_arms": 5, "dim": 3, "available": _VARYING, **_BALL}),
    "fixed-varying": (
        "LinearBandit-v0",
        {"n_arms": 7, "dim": 3, "fixed_arms": True, "available": _VARYING, **_BALL},
    ),
    "few-fixed": ("LinearBandit-v0", {"n_arms": 3, "dim": 6, "fixed_arms": True, **_BALL}),
    # Kernels go through features and arms in blocks of four and eight, with and without a rest.
    "wide": ("LinearBandit-v0", {"n_arms": 6, "dim": 26, **_BALL}),
    "wide-fixed": ("LinearBandit-v0", {"n_arms": 31, "dim": 26, "fixed_arms": True, **_BALL}),
    "window": (
        "LinearBandit-v0",
        {"n_arms": 4, "dim": 5, "delay": 2, "window": 4, "update_every": 3, **_BALL},
    ),
    "per-arm": ("LinearBandit-v0", {"n_arms": 3, "dim": 2, "parameters": "per_arm", **_BALL}),
    "per-arm-varying": (
        "LinearBandit-v0",
        {"n_arms": 4, "dim": 2, "parameters": "per_arm", "available": _VARYING, **_BALL},
    ),
    "clicks-per-arm": (
        "LogisticBandit-v0",
        {"n_arms": 3, "dim": 2, "parameters": "per_arm", **_CLICKS},
    ),
    "clicks": ("LogisticBandit-v0", {"n_arms": 5, "dim": 3, **_CLICKS}),
    "clicks-fixed": (
        "LogisticBandit-v0",
        {"n_arms": 7, "dim": 3, "fixed_arms": True, **_CLICKS},
    ),
    "clicks-varying": (
        "LogisticBandit-v0",
        {"n_arms": 5, "dim": 3, "available": _VARYING, **_CLICKS},
    ),
    "news": ("NewsReplay-v0", {"features": "article", **_SLOTS}),
    "arms": ("KernelBandit-v0", {"n_arms": 12, "dim": 2, **_KERNEL}),
    "arms-varying": ("KernelBandit-v0", {"n_arms": 9, "dim": 2, "available": _VARYING, **_KERNEL}),
    "changing-varying": (
        "KernelBandit-v0",
        {"n_arms": 6, "function": "branin", "fixed_arms": False, "available": _VARYING},
    ),
    "matern": (
        "KernelBandit-v0",
        {"n_arms": 30, "dim": 1, "arms": "grid", "covariance": _ROUGH, **_KERNEL},
    ),
    "linear": (
        "KernelBandit-v0",
        {"n_arms": 5, "dim": 3, "covariance": Linear(variance=2.0), **_KERNEL},
    ),
    "changing": (
        "KernelBandit-v0",
        {"n_arms": 6, "function": "branin", "fixed_arms": False, "noise_std": 0.2},
    ),
    "box": ("KernelBandit-v0", {"arms": "box", "function": "branin", "noise_std": 0.2}),
    "coinciding": ("KernelBandit-v0", {"arms": _NEAR, **_KERNEL}),
    "sphere": ("SphereBandit-v0", {"dim": 3, "radius": 2.0, "noise_std": 0.3}),
    "ball": ("BallBandit-v0", {"dim": 2, "noise": "rademacher"}),
    "ellipsoid": ("EllipsoidBandit-v0", {"dim": 3, "condition": 100.0}),
    "upright": ("EllipsoidBandit-v0", {"axes": [0.5, 3.0], "orientation": "identity"}),
    "line": ("SphereBandit-v0", {"dim": 1, "radius": 2.0, "noise_std": 0.3}),
    "lp-ball": ("LpBallBandit-v0", {"dim": 4, "p": 1.3, "param_norm": 2.0}),
    "rows": ("OnlineRegression-v0", {"dim": 3, "contexts": "gaussian", "noise_std": 0.3}),
    "bounded": ("OnlineRegression-v0", {"dim": 4, "outcomes": "adaptive", "bound": 0.5}),
    "losses": ("OnlineConvex-v0", {"dim": 3}),
    "signs": ("OnlineConvex-v0", {"dim": 1, "losses": "sign", "radius": 2.0}),
    "switch": ("OnlineConvex-v0", {"dim": 2, "losses": "switch", "curved_rounds": 5}),
    "labels": ("MulticlassBandit-v0", {"data": _DATA}),
    "sparse": ("MulticlassBandit-v0", {"data": _DATA, "sparse": True}),
    "small": ("MulticlassBandit-v0", {"data": _SMALL}),
    "slots": ("MulticlassBandit-v0", {"data": _DATA, "slots": 2}),
    "all-ranked": ("MulticlassBandit-v0", {"data": _DATA, "slots": 4}),
}
# Hyperparameters, off their defaults, of which one set after another plays a kind of task.
_RADIUS = {"ridge": 0.7, "delta": 0.03}
_GIVEN = {**_RADIUS, "noise_std": 0.15, "param_norm": 0.4}
_GP = {"delta": 0.03, "ridge": 0.3}
_STEPS = [
    estimators.GradientDescent(step=30.0, ridge=0.7), estimators.SVRG(learning_rate=0.3, ridge=0.7),
    estimators.PolyakAveraging(step=0.4, ridge=0.7), estimators.SAG(learning_rate=0.3, ridge=0.7),
]  # fmt: skip
_ALARMED = {"delta": 0.95}  # of alarms, most are false ones
_OFTEN = detectors.GLR(delta=0.95, test_every=2, split_every=2, splits=4)
_PHI = {"alpha": 0.8, "phi_steps": 3, "phi_step": 0.2, "phi_decay": 25.0}
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "UCB1": [{}, {"scale": "theory"}, {"scale": 0.7, "noise_std": 0.2}],
    "KLUCB": [{"c": 1.3}, {"c": 0.5, "noise_std": 0.3}, {}],
    "GaussianThompson": [{}, {"noise_std": 0.2}],
    "BayesUCB": [{}, {"noise_std": 0.2}],
    "Softmax": [{"temperature": 0.3}],
    "GradientBandit": [{"step": 0.4}, {"step": 0.7, "baseline": False}],
    "IMED": [{}, {"noise_std": 0.2}],
    "MOSS": [
        {"horizon": 500},
        {"alpha": 0.3, "noise_std": 0.2},
        {"alpha": 1.6, "anytime": True},
        {"alpha": 0.2, "anytime": True, "noise_std": 0.3},
    ],
    "KLUCBPlusPlus": [{"horizon": 5000}, {"noise_std": 0.2}],
    "KLUCBSwitch": [{"horizon": 10**6}, {}],
    "UCBV": [{"zeta": 0.7, "c": 0.1}, {}],
    "EpsilonNGreedy": [{"c": 0.2, "gap": 0.5}, {"c": 0.3, "gap": 1.0}],
    "UCB2": [{"alpha": 0.3}, {"alpha": 0.9, "noise_std": 0.13}],
    "DiscountedUCB": [{"xi": 0.7}, {"discount": 0.9, "xi": 0.2, "noise_std": 0.3}],
    "SlidingWindowUCB": [{"xi": 0.7}, {"window": 9, "xi": 0.2, "noise_std": 0.3}],
    "GLRklUCB": [
        {},
        {**_ALARMED, "exploration": 0.3, "test_every": 2, "split_every": 2, "splits": 3},
        {**_ALARMED, "restart": "global", "exploration": 1.7, "test_every": 1, "split_every": 1},
        {**_ALARMED, "restart": "global", "delta": 0.3, "test_every": 3},
    ],
    "LUCB": [{}, {"noise_std": 0.3}],
    "TTUCB": [{"beta": 0.3}, {"beta": 0.7, "c": 1.7, "noise_std": 0.3}],
    "TopTwoThompson": [{"beta": 0.3}, {"beta": 0.7, "noise_std": 0.3}],
    "TrackAndStop": [{}, {"noise_std": 0.3}],
    "EXP3": [{}, {"scale": 1.7}],
    "EXP3IX": [{}, {"scale": 1.7}],
    "TsallisINF": [
        {"scale": 0.7},
        {"estimator": "importance_weighted"},
        {},
        {"estimator": "importance_weighted", "scale": 0.3},
    ],
    "Greedy": [{"ridge": 0.7}],
    "EpsilonGreedy": [
        {"epsilon": 0.3, "ridge": 0.7},
        {"epsilon": 0.2, "step": 0.3},
        {"epsilon": 0.2, "step": 0.4, "start": 1.3},
        {"epsilon": 0.3, "start": 0.2},
    ],
    "InverseGapWeighting": [{"gamma_scale": 3.0, "gamma_exponent": 0.4, "ridge": 0.7}],
    "LinUCB": [{"alpha": 0.37, "ridge": 0.7}],
    "LinIMED": [
        {"variant": 1, **_RADIUS},
        {"variant": 3, "index_cap": 0.7, **_GIVEN},
        {"ridge": 0.7, "radius": 0.4},
    ],
    "IDS": [
        {**_RADIUS, "gaps": "value", "deterministic": True},
        {**_GIVEN, "information": "directed"},
        {**_RADIUS, "gaps": "value", "information": "directed"},
        {**_GIVEN, "information": "directed", "deterministic": True},
        {"ridge": 0.7, "radius": 0.4},
    ],
    "LinMED": [
        _RADIUS,
        {**_GIVEN, "design_share": 0.5, "best_share": 0.1},
        {"ridge": 0.7, "radius": 0.4, "best_share": 0.9},
    ],
    "DisjointLinUCB": [{"alpha": 0.37, "ridge": 0.7}],
    "HybridLinUCB": [{"alpha": 0.37, "ridge": 0.7}],
    "DisjointLinTS": [{"scale": 0.4, "ridge": 0.7}, {"ridge": 0.7}],
    "LinTS": [
        {"scale": "theory", **_RADIUS},
        {"scale": 0.4, "ridge": 0.7},
        {**_RADIUS, "noise_std": 0.11},
    ],
    "OFUL": [_RADIUS, {**_GIVEN, "radius": "closed"}, {"ridge": 0.7, "radius": 0.4}],
    "RarelySwitchingOFUL": [
        {"growth": 0.2, **_RADIUS},
        {"growth": 0.7, **_GIVEN},
        {"growth": 0.3, "ridge": 0.7, "radius": 0.4},
    ],
    "PhasedElimination": [
        {"scale": 3.0, "delta": 0.3, "noise_std": 0.15},
        {"scale": 2.0},
        {"scale": 2.5, "delta": 0.03, "noise_std": 0.11},
    ],
    "ForwardOFUL": [_RADIUS, {**_GIVEN, "radius": "tight"}, {"ridge": 0.7, "radius": 0.4}],
    "DelayedLinUCB": [
        {"alpha": 0.3, **_RADIUS},
        {"window": 9, "alpha": 0.1, **_GIVEN},
        {"window": 0, "alpha": 0.7, **_RADIUS},
    ],
    "DiscountedLinUCB": [{"discount": 0.9, **_RADIUS}, {"discount": 0.95, **_GIVEN}],
    "ForwardDiscountedLinUCB": [{"discount": 0.9, **_RADIUS}, {"discount": 0.95, **_GIVEN}],
    "SlidingWindowLinUCB": [{"window": 9, **_RADIUS}, {"window": 14, **_GIVEN}],
    "CBRAP": [{"size": 2, "alpha": 0.37, "ridge": 0.7}, {"size": 5, "alpha": 0.3}],
    "SOFUL": [{"size": 2, **_RADIUS}, {"size": 3, **_GIVEN}, {"size": 9, "radius": 0.4}],
    "FastLinUCB": [{"estimator": part, **_PHI} for part in _STEPS],
    "AdaOFUECOLog": [
        {"ridge": 0.7, "delta": 0.03},
        {"ridge": 2.5, "delta": 0.03, "param_norm": 1.3, "radius": "lee"},
        {"ridge": 0.3, "radius": 0.2, "param_norm": 0.8},
    ],
    "GLMUCB": [
        {"ridge": 0.7, "delta": 0.03},
        {"ridge": 0.3, "radius": 0.3, "refit_every": 4},
        {"ridge": 2.5, "param_norm": 1.3, "refit_every": 3},
    ],
    "OFUGLBe": [
        {"delta": 0.03},
        {"param_norm": 1.3, "radius": 0.3},
        {"param_norm": 6.0, "refit_every": 4},
    ],
    "LaplaceThompson": [{"ridge": 0.7, "scale": 0.6}],
    "GPUCB": [
        {"ridge": 0.3},
        {"radius": "released", **_GP},
        {"radius": "theory", "noise_std": 0.1, "param_norm": 0.4},
        {"radius": 0.8},
    ],
    "KernelUCB": [{"alpha": 0.6, "ridge": 0.3}],
    "GPTS": [{"ridge": 0.3}, {"scale": "theory", **_GP}, {"scale": 0.7}],
    "BKB": [
        {"qbar": 1.7, "ridge": 0.3},
        {"qbar": 1.7, "radius": "released", **_GP},
        {"qbar": 1.7, "radius": "theory", "accuracy": 0.3, **_GP},
    ],
    "BBKB": [
        {"qbar": 3.0, "threshold": 3.5, "radius": "released", **_GP},
        {"qbar": 3.0, "threshold": 3.5, "ridge": 0.3},
    ],
    "SoRUCB": [{"size": 5, "radius": "released", **_GP}, {"size": 4, "ridge": 0.3}],
    "DTCUCB": [{"size": 5, "radius": "released", **_GP}, {"size": 4, "radius": 0.6}],
    "RFFUCB": [{"size": 12, "radius": "released", **_GP}, {"size": 10, "ridge": 0.3}],
    "QFFTS": [{"nodes": 3, "ridge": 0.3}, {"nodes": 3, "scale": 0.6}],
    "GPBandit": [
        {"rule": decision_rules.UCB(radius="theory", delta=0.03), "ridge": 0.3},
        {
            "posterior": posteriors.Nystrom(qbar=3.0),
            "batching": batching.VarianceBatches(),
            "rule": decision_rules.UCB(uniform_first=True),
        },
    ],
    "Restarting": [
        {"agent": agents.KLUCB(c=0.5), "detector": _OFTEN, "exploration": 0.3},
        {"agent": agents.UCB1(noise_std=0.3), "detector": detectors.PageHinkley(threshold=1.1)},
        {"agent": agents.LinUCB(alpha=0.37), "detector": _OFTEN, "exploration": 0.2},
        {"agent": agents.LinUCB(), "detector": detectors.CUSUM(threshold=0.4, samples=6)},
        {"agent": agents.OFUL(), "detector": detectors.PageHinkley(threshold=0.3, drift=0.05)},
    ],
    "Pending": [
        {"agent": agents.UCB1(noise_std=0.3), "value": 0.3},
        {"agent": agents.KLUCB(c=0.5), "patience": 9},
        {"agent": agents.LinUCB(alpha=0.37, ridge=0.7)},
        {"agent": agents.LinUCB(alpha=0.9, ridge=0.7), "patience": 9},
        {"agent": agents.GPUCB(ridge=0.3, delta=0.03)},
        {"agent": agents.GPUCB(ridge=0.3, radius=0.8), "patience": 9},
    ],
    "OnlineRidge": [{"ridge": 0.7}],
    "Forward": [{"ridge": 0.7}],
    "DiscountedRidge": [{"discount": 0.9, "ridge": 0.7}],
    "SlidingWindowRidge": [{"window": 9, "ridge": 0.7}, {"window": 1, "ridge": 0.7}],
    "GradientDescentRegression": [{"step": 30.0, "ridge": 0.4}, {"rho": 0.9}],
    "PolyakRegression": [{"step": 0.6, "exponent": 0.65, "ridge": 0.2}],
    "SVRGRegression": [{"learning_rate": 0.3, "ridge": 0.4}],
    "SAGRegression": [{"learning_rate": 0.3, "ridge": 0.4}],
    "FollowTheRegularizedLeader": [{"ridge": 0.7}],
    "OnlineGradientDescent": [{}, {"gradient_norm": 3.0}],
    "Banditron": [{"gamma": 0.3}],
    "MarginBanditron": [{"gamma": 0.3, "margin": 0.7}],
    "MultiplicativeBanditron": [{"gamma": 0.3, "learning_rate": 0.2}, {"gamma": 0.3}],
    "RankingBanditron": [{"gamma": 0.3}],
    "EpsilonGreedyLogistic": [{"epsilon": 0.3, "learning_rate": 0.6}, {"epsilon": 0.3}],
    "SquareCB": [{"gamma_scale": 3.0, "gamma_exponent": 0.4, "learning_rate": 0.6}],
    "Confidit": [{"alpha": 0.6, "ridge": 2.0}],
    "SOBA": [{"gamma": 0.3, "ridge": 2.0}],
    "Halving": [{"hypotheses": _RNG.standard_normal((40, 2, 2)).tolist()}],
    "GridHalving": [{"complexity": 4.0}],
    "ProjectedHalving": [{"complexity": 1.0, "dim": 1}],
    "FastPEGE": [{"rho": 0.8}, {}],
    "BallOFUL": [_RADIUS, _GIVEN, {"radius": 0.4, "ridge": 0.7}],
    "BallTS": [_RADIUS, {"scale": "theory", **_RADIUS}, {"scale": 0.4}],
    "ExploreThenCommit": [{}, {"cycles": 3}],
}
_FOLDER = "agents/definitions/"
_MAY_IMPORT = (
    "numpy", "itertools", "dataclasses", "inspect", "tests.agents.definitions",
    "banditgym.rounds.kinds",
)  # fmt: skip
DEFINED = (*agents.AGENTS, *agents.ON_REQUEST)


def _cases():
    """Every agent on every kind of task that it plays, with one of its settings."""
    envs = {kind: gymnasium.make(name, **given) for kind, (name, given) in KINDS.items()}
    tasks = {kind: env.unwrapped.task for kind, env in envs.items()}
    for name in DEFINED:
        every = [getattr(agents, name)(**given) for given in SETTINGS.get(name, [{}])]
        played = [kind for kind, task in tasks.items() if not all(a.refusal(task) for a in every)]
        for place, kind in enumerate(played):
            able = [agent for agent in every if agent.refusal(tasks[kind]) is None]
            for agent in able if len(played) < len(every) else [able[place % len(able)]]:
                yield name, kind, agent


_CASES = list(_cases())


@pytest.mark.parametrize(
    ("agent", "kind"), [case[:0:-1] for case in _CASES], ids=[f"{c[0]}-{c[1]}" for c in _CASES]
)
def test_state_and_decision_are_those_of_the_definition(agent, kind):
    follow(agent, *KINDS[kind])


@pytest.mark.parametrize("name", DEFINED, ids="{}-defaults".format)
def test_a_definition_states_the_defaults_of_its_agent(name):
    """But for parts, and for the evaluations of a search, which is no part of the algorithm."""
    parameters = inspect.signature(definition_of(name)).parameters.values()
    stated = {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}
    fields = dataclasses.fields(getattr(agents, name))
    plain = {one.name: one.default for one in fields if naming.is_plain(one.default)}
    assert {key: plain.get(key, inspect.Parameter.empty) for key in stated} == stated
    if not any(one.kind is one.VAR_KEYWORD for one in parameters):
        assert plain.keys() <= {"evaluations", *stated}


def test_every_agent_names_its_definition_and_no_other_file_is_there():
    named = set()
    for name in DEFINED:
        kind, definition = getattr(agents, name), definition_of(name)
        path = f"tests/{kind.__module__.replace('.', '/').replace('agents/', _FOLDER, 1)}.py"
        assert f"``{path}``" in kind.__doc__
        assert callable(definition)
        assert name in SETTINGS or not dataclasses.fields(kind)
        named.add(path)
    found = (Path(__file__).parent / "definitions").rglob("*.py")
    assert {f"tests/{path.relative_to(Path(__file__).parents[1])}" for path in found} == named
    for name in agents.LIBRARY_AGENTS:
        assert "so no definition is beside it" in getattr(agents, name).__doc__


def test_a_definition_computes_by_itself():
    """It imports numpy, other definitions, and of ours the words of the task alone."""
    for path in (Path(__file__).parent / "definitions").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in getattr(node, "names", [])]
            modules = names if isinstance(node, ast.Import) else [getattr(node, "module", None)]
            for module in filter(None, modules):
                assert module.startswith(_MAY_IMPORT), f"{path} imports {module}"
