"""Small environments of each family, for checks of agents that accept the family."""

from typing import Any

import numpy as np

# Rows with entries of both signs, some entries 0, and one row 0.
_DATA = (np.arange(-180.0, 180.0).reshape(60, 6) % 7.0 - 3.0, np.arange(60) ** 2 % 5 % 3)
_DATA[0][17] = 0.0
_ROUGH = {"kind": "matern", "nu": 0.5, "length_scale": 0.3, "variance": 4.0}
_COME_AND_GO = {"kind": "drawn", "mean_life": 4.0, "at_least": 2}
_CONFIDENT = {"objective": "best_arm", "delta": 0.2}
_CLEAR = {"noise": "gaussian", "noise_std": 0.05}  # so that agents finish in few rounds
_SMALL = (_DATA[0][:, :2] / 5.0, np.arange(60) % 2)

ENVIRONMENTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "armed": [
        ("ArmedBandit-v0", {"n_arms": 4}),
        ("ArmedBandit-v0", {"n_arms": 3, "noise": "gaussian", "noise_std": 0.5}),
        ("ArmedBandit-v0", {"n_arms": 1}),
        ("DriftingArmedBandit-v0", {"n_arms": 3, "walk_std": 0.1, "changes": 2}),
        ("ArmedBandit-v0", {"n_arms": 4, "available": _COME_AND_GO}),
        ("ArmedBandit-v0", {"n_arms": 4, "objective": "best_arm"}),
        ("ArmedBandit-v0", {"n_arms": 3, **_CONFIDENT}),
        ("ArmedBandit-v0", {"means": [0.1, 0.9, 0.3], **_CONFIDENT, **_CLEAR}),
    ],
    "adversarial": [("AdversarialBandit-v0", {"n_arms": 3})],
    "linear": [
        ("LinearBandit-v0", {"n_arms": 5, "dim": 3}),
        ("LinearBandit-v0", {"n_arms": 7, "dim": 3, "fixed_arms": True}),
        ("LinearBandit-v0", {"n_arms": 3, "dim": 6, "fixed_arms": True}),
        ("LinearBandit-v0", {"n_arms": 1, "dim": 1}),
        ("DriftingLinearBandit-v0", {"n_arms": 4, "dim": 2, "rate": 0.1}),
        ("LinearBandit-v0", {"n_arms": 4, "dim": 2, "available": _COME_AND_GO}),
        (
            "LinearBandit-v0",
            {"n_arms": 4, "dim": 2, "fixed_arms": True, "available": _COME_AND_GO},
        ),
        ("LinearBandit-v0", {"n_arms": 3, "dim": 2, "parameters": "per_arm"}),
        ("LinearBandit-v0", {"n_arms": 3, "dim": 2, "noise_std": [0.1, 0.6, 0.3]}),
    ],
    "logistic": [
        ("LogisticBandit-v0", {"n_arms": 5, "dim": 3, "param_norm": 3.0}),
        ("LogisticBandit-v0", {"n_arms": 7, "dim": 3, "fixed_arms": True, "param_norm": 5.0}),
        ("LogisticBandit-v0", {"n_arms": 3, "dim": 6, "fixed_arms": True}),
        ("LogisticBandit-v0", {"n_arms": 1, "dim": 1}),
        ("LogisticBandit-v0", {"n_arms": 4, "dim": 2, "available": _COME_AND_GO}),
        ("LogisticBandit-v0", {"n_arms": 3, "dim": 2, "parameters": "per_arm"}),
    ],
    "strongly_convex": [
        ("SphereBandit-v0", {"dim": 3}),
        ("SphereBandit-v0", {"dim": 1, "radius": 2.0, "noise_std": 0.0}),
        ("BallBandit-v0", {"dim": 2, "noise": "rademacher"}),
        ("EllipsoidBandit-v0", {"dim": 3, "condition": 100.0}),
        ("EllipsoidBandit-v0", {"axes": [0.5, 2.0], "orientation": "identity"}),
        ("LpBallBandit-v0", {"dim": 4, "p": 1.3, "param_norm": 2.0}),
    ],
    "kernelized": [
        ("KernelBandit-v0", {"n_arms": 12, "dim": 2}),
        (
            "KernelBandit-v0",
            {"n_arms": 9, "dim": 1, "arms": "grid", "noise_std": 0.0, "covariance": _ROUGH},
        ),
        ("KernelBandit-v0", {"n_arms": 5, "dim": 3, "covariance": {"kind": "linear"}}),
        ("KernelBandit-v0", {"n_arms": 6, "function": "branin", "fixed_arms": False}),
        ("KernelBandit-v0", {"n_arms": 1, "dim": 1}),
        ("KernelBandit-v0", {"n_arms": 4, "available": _COME_AND_GO}),
        ("KernelBandit-v0", {"arms": "box", "function": "branin"}),
        ("KernelBandit-v0", {"arms": "box", "dim": 1, "function": "rkhs", "param_norm": 2.0}),
    ],
    "regression": [
        ("OnlineRegression-v0", {"dim": 3}),
        ("OnlineRegression-v0", {"dim": 1, "contexts": "gaussian", "noise": "rademacher"}),
        ("OnlineRegression-v0", {"dim": 4, "outcomes": "adaptive", "bound": 0.5}),
    ],
    "losses": [
        ("OnlineConvex-v0", {"dim": 3}),
        ("OnlineConvex-v0", {"dim": 1, "losses": "sign", "radius": 2.0}),
        ("OnlineConvex-v0", {"dim": 2, "losses": "switch", "curved_rounds": 5}),
    ],
    "news": [
        ("NewsReplay-v0", {"keep": 1.0, "features": "article"}),
        ("NewsReplay-v0", {"data": "R6B", "n_articles": 7, "n_arms": 9, "lifetime": 50}),
    ],
    "multiclass": [
        ("SynSep-v0", {}),
        ("SynNonSep-v0", {"label_noise": 0.3, "sparse": False}),
        ("SynSep-v0", {"slots": 3, "label_noise": 0.3}),
        ("MulticlassBandit-v0", {"data": _DATA}),
        ("MulticlassBandit-v0", {"data": _DATA, "sparse": True, "order": "chronological"}),
        ("MulticlassBandit-v0", {"data": _SMALL}),
        ("MulticlassBandit-v0", {"data": _DATA, "slots": 2}),
        ("MulticlassBandit-v0", {"data": _DATA, "slots": 1, "sparse": True}),
    ],
}
