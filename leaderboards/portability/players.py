"""The scenes whose traces are hashed: every agent plays in every family that it accepts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboards.portability.hashed_environments import LABELS, ROWS

_SMALL = (ROWS[:, :2] / 4.0, np.arange(60) % 2)


@dataclass(frozen=True)
class Scene:
    """An environment on which agents are followed.

    Parameters
    ----------
    env : str
        Its id.
    n : int
        Number of replicates, with seeds 0, 1, ..; 0 means one environment of ``gymnasium.make``, in
        which agents that can play many rounds at once do so.
    """

    env: str
    settings: dict[str, Any]
    rounds: int = 100
    n: int = 2


_MATERN = {"kind": "matern", "nu": 1.5, "length_scale": 0.4}
_FRESH = {"n_arms": 6, "dim": 5, "contexts": "gaussian"}

SCENES: dict[str, Scene] = {
    "armed": Scene("ArmedBandit-v0", {"n_arms": 4}, 200),
    "armed-gaussian": Scene(
        "ArmedBandit-v0", {"n_arms": 5, "noise": "gaussian", "noise_std": 0.5}, 200
    ),
    "adversarial": Scene("AdversarialBandit-v0", {"n_arms": 4}, 200),
    "linear-fresh": Scene("LinearBandit-v0", _FRESH, 150, n=3),
    "linear-fixed": Scene("LinearBandit-v0", {"n_arms": 9, "dim": 4, "fixed_arms": True}),
    # Fewer arms than features: agents with fixed arms then store another form of their state.
    "linear-few": Scene("LinearBandit-v0", {"n_arms": 4, "dim": 7, "fixed_arms": True}),
    "linear-wide": Scene("LinearBandit-v0", {"n_arms": 5, "dim": 26}, 60),
    "linear-drift": Scene(
        "DriftingLinearBandit-v0", {"n_arms": 4, "dim": 3, "rate": 0.05, "noise": "student_t"}
    ),
    "linear-block": Scene("LinearBandit-v0", _FRESH, 150, n=0),
    "linear-block-fixed": Scene("LinearBandit-v0", {**_FRESH, "fixed_arms": True}, 150, n=0),
    "logistic-fresh": Scene("LogisticBandit-v0", {"n_arms": 5, "dim": 3, "param_norm": 4.0}, 150),
    "logistic-block": Scene(
        "LogisticBandit-v0", {"n_arms": 5, "dim": 4, "fixed_arms": True, "param_norm": 3.0}, n=0
    ),
    "sphere": Scene("SphereBandit-v0", {"dim": 4}),
    "sphere-wide": Scene("SphereBandit-v0", {"dim": 21}, 150),
    "ball": Scene("BallBandit-v0", {"dim": 3, "noise": "rademacher"}),
    "ellipsoid": Scene("EllipsoidBandit-v0", {"dim": 3, "condition": 100.0}),
    "lp-ball": Scene("LpBallBandit-v0", {"dim": 4, "p": 1.3, "param_norm": 2.0}),
    "kernel": Scene("KernelBandit-v0", {"n_arms": 60}, 60),
    "kernel-rough": Scene(
        "KernelBandit-v0", {"n_arms": 49, "arms": "grid", "covariance": _MATERN}, 60
    ),
    # The function is given, so that any difference here comes from the agents.
    "kernel-data": Scene(
        "KernelBandit-v0", {"data": (ROWS, np.arange(60.0) ** 2 % 11), "covariance": _MATERN}, 60
    ),
    "kernel-linear": Scene(
        "KernelBandit-v0", {"n_arms": 8, "dim": 3, "covariance": {"kind": "linear"}}, 60
    ),
    "kernel-changing": Scene(
        "KernelBandit-v0", {"n_arms": 6, "function": "branin", "fixed_arms": False}, 50
    ),
    "kernel-box": Scene("KernelBandit-v0", {"arms": "box", "function": "branin"}, 40),
    "kernel-box-drawn": Scene("KernelBandit-v0", {"arms": "box", "dim": 1}, 40),
    "regression": Scene("OnlineRegression-v0", {"dim": 5}, 150, n=3),
    "regression-adaptive": Scene(
        "OnlineRegression-v0", {"dim": 4, "outcomes": "adaptive", "bound": 0.5}
    ),
    "regression-block": Scene("OnlineRegression-v0", {"dim": 6, "contexts": "gaussian"}, 150, n=0),
    "losses-curved": Scene("OnlineConvex-v0", {"dim": 4}),
    "losses-sign": Scene("OnlineConvex-v0", {"dim": 3, "losses": "sign", "radius": 2.0}),
    "losses-switch": Scene("OnlineConvex-v0", {"dim": 9, "losses": "switch", "curved_rounds": 30}),
    "losses-decaying": Scene("OnlineConvex-v0", {"dim": 3, "losses": "decaying", "decay": 0.3}),
    "text": Scene("SynSep-v0", {}),
    "text-slots": Scene("SynNonSep-v0", {"slots": 3, "label_noise": 0.2}),
    "text-block": Scene("SynSep-v0", {}, n=0),
    "rows": Scene("MulticlassBandit-v0", {"data": "iris", "standardize": True}, 150),
    "rows-tiny": Scene("MulticlassBandit-v0", {"data": _SMALL}, 60),
    "rows-block": Scene("MulticlassBandit-v0", {"data": (ROWS, LABELS), "sparse": True}, 60, n=0),
    "news": Scene("NewsReplay-v0", {"keep": 1.0}),
    "news-articles": Scene(
        "NewsReplay-v0", {"features": "article", "n_articles": 5, "lifetime": 20}
    ),
    "news-users": Scene("NewsReplay-v0", {"data": "R6B", "n_arms": 22}, 60),
    "news-block": Scene("NewsReplay-v0", {"keep": 1.0, "features": "article"}, n=0),
}

# Besides every agent with its defaults: hyperparameters that run other code.
VARIANTS: dict[str, list[str]] = {
    "armed": [
        "KLUCB(c=3.0)",
        "UCB1(noise_std=0.3)",
        "UCB1Tuned()",
        "UCB2(alpha=0.1)",
        "EpsilonNGreedy()",
    ],
    "armed-gaussian": ["KLUCB(c=3.0, noise_std=0.8)"],
    "linear-fresh": [
        "LinUCB(alpha=0.3, ridge=2.5)",
        "LinTS(scale=0.2)",
        "EpsilonGreedy(epsilon=0.5)",
        "OFUL(radius=0.4)",
        "ForwardOFUL(ridge=0.1)",
        "DiscountedLinUCB(discount=0.9, radius=0.5)",
        "DiscountedLinUCB(discount=1.0, radius=0.5)",
        "ForwardDiscountedLinUCB(discount=0.9, radius=0.5)",
        "SlidingWindowLinUCB(window=12, radius=0.5)",
        "CBRAP(size=2)",
        "SOFUL(size=3, radius=0.5)",
        "FastLinUCB(estimator=GradientDescent(step=100.0, ridge=0.1), alpha=1.0)",
        "SOFUL(size=2, radius=0.3)",
        "FastLinUCB(estimator=PolyakAveraging(ridge=1.0))",
        "FastLinUCB(estimator=SVRG())",
        "FastLinUCB(estimator=SAG())",
    ],
    "linear-fixed": [
        "LinUCB(ridge=0.01)",
        "OFUL(radius='closed')",
        "SlidingWindowLinUCB(window=12)",
    ],
    "linear-few": ["LinTS(scale=0.2)", "SOFUL(size=2)"],
    "linear-drift": ["SlidingWindowLinUCB(window=20)", "DiscountedLinUCB(discount=0.95)"],
    "linear-wide": [
        "ForwardOFUL(radius='tight')",
        "SOFUL(size=5)",
        "SlidingWindowLinUCB(window=15)",
    ],
    "sphere": ["FastPEGE(rho=0.7)", "BallTS(scale=0.3)", "BallOFUL(radius=0.5)"],
    "ellipsoid": ["ExploreThenCommit(cycles=3)", "BallOFUL(ridge=0.1)"],
    "kernel": [
        "GPUCB(radius='theory')",
        "GPUCB(radius=0.4)",
        "KernelUCB(alpha=0.3)",
        "GPTS(scale='theory')",
        "GPTS(scale=0.5)",
        "BKB(radius=0.4, qbar=1.0)",
        "BKB(radius='theory')",
        "BBKB(radius=0.4, threshold=1.2)",
        "SoRUCB(size=6)",
        "DTCUCB(size=6)",
        "RFFUCB(size=20)",
        "QFFTS(nodes=4)",
        "agents:GPBandit(posterior=Nystrom(qbar=3.0), batching=VarianceBatches(threshold=1.5))",
    ],
    "kernel-rough": ["GPUCB(ridge=1e-4)", "GPUCB(covariance={'kind': 'matern', 'nu': 0.5})"],
    "regression": [
        "Forward(ridge=0.1)",
        "DiscountedRidge(discount=0.9)",
        "SlidingWindowRidge(window=10)",
        "GradientDescentRegression(step=3.0, ridge=0.1)",
        "PolyakRegression(exponent=0.6, ridge=0.1)",
        "SVRGRegression(ridge=0.1)",
        "SAGRegression(ridge=0.1)",
    ],
    "losses-curved": [
        "FollowTheRegularizedLeader(ridge=0.2)",
        "OnlineGradientDescent(gradient_norm=2.0)",
    ],
    "text": [
        "Banditron(gamma=0.3)",
        "MultiplicativeBanditron(learning_rate=0.05)",
        "SquareCB(gamma_scale=2.0)",
        "Confidit(alpha=0.2)",
    ],
    "rows-tiny": ["GridHalving(complexity=1.0)"],
}
