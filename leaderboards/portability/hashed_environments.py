"""The environments whose first rounds are hashed: every id, and every kind of draw.

An id that has no row is hashed with its defaults.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banditgym.data import rcv1_tokens
from banditgym.data.bundled import BUNDLED
from banditgym.data.simulated_logs import MadeLog
from banditgym.functions.standard_functions import OBJECTIVES
from banditgym.registration import ids


@dataclass(frozen=True)
class HashedEnvironment:
    """An environment and its settings.

    Parameters
    ----------
    env : str
        Its id.
    settings : dict, or callable
        If the environment needs files: a function that writes them to an empty folder and returns
        the settings.
    n : int
        Number of replicates, with seeds 0, 1, ..
    rounds : int
        Rounds of an episode; two episodes are played.
    """

    env: str
    settings: dict[str, Any] | Callable[[Path], dict[str, Any]]
    n: int = 3
    rounds: int = 12


# Feature vectors with entries of both signs, zero entries and a zero vector; all exact in binary.
ROWS = np.arange(-180.0, 180.0).reshape(60, 6) % 7.0 - 3.0
ROWS[17] = 0.0
LABELS = np.arange(60) ** 2 % 5 % 3
_ARMS = np.arange(24.0).reshape(8, 3) % 5.0 / 4.0
_MATRIX = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 0.5]])
_NOISES: dict[str, dict[str, Any]] = {
    "noise_gaussian": {"noise": "gaussian", "noise_std": 0.3},
    "noise_uniform": {"noise": "uniform"},
    "noise_rademacher": {"noise": "rademacher"},
    "noise_student_t": {"noise": "student_t"},
    "noise_student_t_2.5": {"noise": "student_t", "noise_df": 2.5},
    "noise_pareto": {"noise": "pareto"},
}
_CONTEXTS: dict[str, dict[str, Any]] = {
    "sphere": {"contexts": "sphere"},
    "ball": {"contexts": "ball"},
    "cube": {"contexts": "cube"},
    "gaussian": {"contexts": "gaussian"},
    "rows": {"contexts": ROWS},
}


def _reuters(folder: Path) -> dict[str, Any]:
    rcv1_tokens.write_fixture(folder, 60)
    return {"path": folder}


def _log_in_a_file(folder: Path) -> dict[str, Any]:
    MadeLog(n_articles=5, lifetime=12).write(folder / "ydata", 60)
    return {"data": folder / "ydata", "keep": 0.7}


def _rows(**settings: Any) -> dict[str, Any]:
    return {"data": (ROWS, LABELS), **settings}


def _named(env: str, n: int = 3, rounds: int = 12, /, **kinds: Any) -> dict[str, HashedEnvironment]:
    return {
        f"{env}/{name}": HashedEnvironment(env, settings, n, rounds)
        for name, settings in kinds.items()
    }


def _kernel(kind: str, **settings: Any) -> dict[str, Any]:
    covariance = {"kind": kind, **settings}
    return {"n_arms": 40, "covariance": covariance}


_MATERNS = {f"matern_{nu}": _kernel("matern", nu=nu) for nu in (0.5, 1.5, 2.5)}

# Draws that use a logarithm, a power or the like are repeated more often: two implementations may
# differ for only one argument in a thousand.
ENVIRONMENTS: dict[str, HashedEnvironment] = {
    **_named(
        "ArmedBandit-v0",
        default={},
        gaussian={"n_arms": 4, "noise": "gaussian", "noise_std": 0.5},
        given={"means": [0.9, 0.1, 0.4], "shuffled": True},
        normal={"means": {"kind": "normal"}, "noise": "pareto"},
        exponential={"noise": "exponential"},
        clipped={"noise": "clipped_gaussian"},
        samples={"samples": ROWS.T},
    ),
    **_named(
        "AdversarialBandit-v0",
        default={},
        switching={"adversary": "switching", "changes": 3},
        data={"data": (ROWS + 3.0) / 8.0},
    ),
    **_named(
        "DriftingArmedBandit-v0",
        10,
        60,
        default={},
        given={"means": [[0.9, 0.1, 0.4], [0.2, 0.8, 0.4]], "changes": [17], "shuffled": True},
        walking={"walk_std": 0.1, "noise": "gaussian"},
        reflected={"walk_std": 0.4},
        rotting={"rotting": 0.1},
        all={"changes": 3, "walk_std": 0.1, "rotting": [0.0, 0.01, 0.1], "n_arms": 3},
        PB4={"problem": "PB4"},
    ),
    **_named("LinearBandit-v0", default={}, **_CONTEXTS),
    **_named("LinearBandit-v0", 20, 40, **_NOISES),
    **_named(
        "LinearBandit-v0",
        fixed={"n_arms": 7, "dim": 3, "fixed_arms": True, "feature_norm": 1.7},
        wide={"n_arms": 5, "dim": 30, "contexts": "ball"},
        line={"n_arms": 6, "dim": 1},
        given={"arms": _ARMS, "theta": [0.3, -0.7, 0.2]},
    ),
    **_named("LogisticBandit-v0", 20, 40, default={}, **_CONTEXTS),
    **_named(
        "LogisticBandit-v0",
        10,
        40,
        fixed={"n_arms": 7, "dim": 3, "fixed_arms": True, "param_norm": 5.0},
        steep={"n_arms": 5, "dim": 4, "param_norm": 30.0},
        given={"arms": _ARMS, "theta": [0.3, -0.7, 0.2]},
    ),
    **_named(
        "DriftingLinearBandit-v0",
        10,
        60,
        default={},
        drawn={"changes": 3, "noise": "student_t"},
        given={"changes": [5, 17]},
        turning={"rate": 0.3, "dim": 3},
        both={"rate": 0.1, "changes": 2, "dim": 4, "param_norm": 0.7},
    ),
    **_named("SphereBandit-v0", 20, 40, default={}, wide={"dim": 27, "radius": 1.3}, **_NOISES),
    **_named("BallBandit-v0", default={}, wide={"dim": 19}, projected={"project": True}),
    **_named(
        "EllipsoidBandit-v0",
        20,
        30,
        default={},
        long={"dim": 6, "condition": 1e6, "axes_seed": 3},
        axes={"axes": [0.5, 2.0, 1.25], "noise": "student_t"},
        identity={"axes": [0.5, 2.0], "orientation": "identity"},
        matrix={"matrix": _MATRIX},
        projected={"dim": 4, "project": True},
    ),
    **_named(
        "LpBallBandit-v0",
        20,
        30,
        default={},
        p_1_1={"p": 1.1, "dim": 4},
        p_1_3={"p": 1.3, "param_norm": 2.0, "radius": 0.6},
        p_2={"p": 2.0},
        projected={"p": 1.7, "dim": 3, "project": True},
    ),
    **_named(
        "KernelBandit-v0",
        default={},
        rbf=_kernel("rbf", length_scale=0.35, variance=2.0),
        linear=_kernel("linear"),
        **_MATERNS,
    ),
    **_named(
        "KernelBandit-v0",
        grid={"arms": "grid", "n_arms": 49},
        sobol={"arms": "sobol", "n_arms": 50, "dim": 3, "arms_seed": 4},
        given={"arms": _ARMS, "covariance": {"kind": "matern", "nu": 2.5}},
        rkhs={"function": "rkhs", "param_norm": 1.5},
        rkhs_matern={"function": "rkhs", "covariance": {"kind": "matern", "nu": 1.5}},
        rkhs_changing={"function": "rkhs", "fixed_arms": False, "n_arms": 6},
        data={"data": "diabetes", "noise": "student_t"},
        features={"n_arms": 5001},  # too many arms for a factorisation
        features_matern={"n_arms": 5001, "covariance": {"kind": "matern", "nu": 1.5}},
        **{name: {"function": name, "n_arms": 60} for name in OBJECTIVES},
        changing={"function": "branin", "fixed_arms": False, "n_arms": 6},
    ),
    **_named(
        "KernelBandit-v0",
        box={"arms": "box"},
        box_matern={"arms": "box", "dim": 1, "covariance": {"kind": "matern", "nu": 2.5}},
        box_linear={"arms": "box", "dim": 3, "covariance": {"kind": "linear"}},
        box_rkhs={"arms": "box", "function": "rkhs", "covariance": {"kind": "matern", "nu": 1.5}},
        **{f"box_{name}": {"arms": "box", "function": name} for name in OBJECTIVES},
    ),
    **_named("OnlineRegression-v0", default={}, **_CONTEXTS),
    **_named("OnlineRegression-v0", 20, 40, **_NOISES),
    **_named(
        "OnlineRegression-v0",
        11,
        across={"dim": 3},  # one full group of replicates that are computed together
        random={"dim": 4, "outcomes": "random"},
        adaptive={"dim": 4, "outcomes": "adaptive", "bound": 0.5},
    ),
    **_named(
        "OnlineConvex-v0",
        curved={},
        alternating={"losses": "alternating", "dim": 9},
        sign={"losses": "sign", "radius": 2.0},
        random={"losses": "random"},
        switch={"losses": "switch", "curved_rounds": 5},
        decaying={"losses": "decaying", "decay": 0.3, "curvature": 2.0},
        projected={"dim": 10, "project": True},
    ),
    **_named(
        "SynSep-v0", default={}, slots={"slots": 3}, dense={"sparse": False, "label_noise": 0.3}
    ),
    **_named("SynNonSep-v0", default={}, slots={"slots": 2, "label_noise": 0.4}),
    **_named("MulticlassBandit-v0", **{name: {"data": name} for name in BUNDLED}),
    **_named(
        "MulticlassBandit-v0",
        standardized={"data": "wine", "standardize": True},
        rows=_rows(label_noise=0.2),
        chronological=_rows(order="chronological", sparse=True),
        slots=_rows(slots=2),
    ),
    **_named("Reuters4-v0", default=_reuters),
    **_named(
        "NewsReplay-v0",
        3,
        40,
        default={},
        R6B={"data": "R6B"},
        log={"n_articles": 5, "lifetime": 12, "log_seed": 3, "keep": 1.0},
        file=_log_in_a_file,
    ),
}
ENVIRONMENTS |= {
    f"{name}/default": HashedEnvironment(name, {})
    for name in ids()
    if all(row.env != name for row in ENVIRONMENTS.values())
}
