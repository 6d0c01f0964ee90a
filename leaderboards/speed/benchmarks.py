"""The rows that ``banditgym speed`` measures, and the ratios that they are judged by."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from banditgym.data.simulated_logs import MadeLog

FUSED, NUMPY, PLAIN = "fused loop", "numpy loop", "plain environment"


class Target(NamedTuple):
    """The speed that divides a row's rounds per second, and the required ratios.

    All are measured in one run, because rounds per second hold only on one machine.

    Attributes
    ----------
    of : str
        ``FUSED`` or ``NUMPY``, the loops of ``tools.speed.fused`` and ``.plain``; ``PLAIN``,
        the environment of ``tools.speed.by_hand``, played in the same loop; or an agent,
        which plays the same environment.
    floor, aim : float
        The least acceptable ratio, and the one to reach.
    """

    of: str
    floor: float
    aim: float


@dataclass(frozen=True)
class SpeedRow:
    """An environment and an agent whose rounds per second are measured.

    Parameters
    ----------
    name : str
        What the table calls it.
    agent : str
        The agent, as ``agents.resolve`` takes it.
    env : str or None
        Id of the environment. None for a regression agent that is measured alone, because the
        environment would take most of the time: in a step it predicts one row of ``dim`` features
        and learns its outcome, by ``play_block`` on prepared blocks.
    settings : dict or callable
        Its settings; if they are large, a function of the horizon and of an empty folder that makes
        them, which is not timed.
    n : int
        Number of replicates in lockstep; 0 means one environment of ``gymnasium.make`` with its
        default wrappers and a solo agent.
    horizon : int
        Rounds played, after a short warm-up.
    target : Target, optional
        None if there is nothing to compare with.
    by_hand : bool
        Whether ``play_by_hand`` of ``tools.speed.by_hand`` plays, and not ``agents.play``;
        n is 0, and the arms are played in turn if ``agent`` is empty.
    """

    name: str
    agent: str
    env: str | None
    settings: dict[str, Any] | Callable[[int, Path], dict[str, Any]]
    n: int
    horizon: int
    target: Target | None = None
    by_hand: bool = False


def _by_hand(name: str, agent: str, floor: float, aim: float) -> SpeedRow:
    """An environment with its defaults: K = 10, d = 5, and an observation of its own per round."""
    target = Target(PLAIN, floor, aim)
    return SpeedRow(name, agent, "LinearBandit-v0", {}, 0, 20_000, target, by_hand=True)


_SPECIALIST = Target(FUSED, 0.7, 0.9)


def _linear(agent: str, dim: int, n_arms: int, kind: str, horizon: int) -> SpeedRow:
    """``kind`` is ``fresh`` contexts, ``fixed`` ones, or fresh ones ``solo``: one environment."""
    name = f"{agent} d={dim} K={n_arms} {kind}"
    fixed, n = kind == "fixed", 0 if kind == "solo" else 100
    settings = {"n_arms": n_arms, "dim": dim, "contexts": "gaussian", "fixed_arms": fixed}
    return SpeedRow(name, agent, "LinearBandit-v0", settings, n, horizon, _SPECIALIST)


def _share(agent: str, dim: int, n_arms: int, horizon: int, floor: float) -> SpeedRow:
    name = f"{agent} d={dim} K={n_arms}"
    settings = {"n_arms": n_arms, "dim": dim, "contexts": "sphere", "fixed_arms": False}
    target = Target("OFUL", floor, 1.0)
    return SpeedRow(name, agent, "LinearBandit-v0", settings, 100, horizon, target)


def _kernel(agent: str, horizon: int, floor: float, aim: float) -> SpeedRow:
    """Whole runs with 10,000 arms; |f| is near 1."""
    settings = {"n_arms": 10_000, "dim": 2, "function": "rkhs", "param_norm": 1.5}
    target = Target(NUMPY, floor, aim)
    return SpeedRow(f"{agent} T={horizon}", agent, "KernelBandit-v0", settings, 1, horizon, target)


def _box(agent: str, horizon: int, target: Target | None = None) -> SpeedRow:
    """Whole runs on the unit square, where the agent optimises its own rule."""
    settings = {"arms": "box", "function": "rkhs", "param_norm": 1.5}
    name = f"{agent} box T={horizon}"
    return SpeedRow(name, agent, "KernelBandit-v0", settings, 10, horizon, target)


def _regression(agent: str) -> SpeedRow:
    name, settings = f"{agent} d=10", {"dim": 10, "contexts": "gaussian"}
    return SpeedRow(name, agent, "OnlineRegression-v0", settings, 100, 20_000, _SPECIALIST)


def _sphere(agent: str) -> SpeedRow:
    name, settings = f"{agent} d=100", {"dim": 100}
    return SpeedRow(name, agent, "SphereBandit-v0", settings, 100, 40_000, _SPECIALIST)


def _descent(horizon: int) -> SpeedRow:
    """The agent stores and redraws every sample of 8 kB; they soon exceed a processor's cache."""
    name = f"GradientDescent T={horizon}"
    return SpeedRow(name, "GradientDescentRegression", None, {"dim": 1000}, 1, horizon)


def _stories(n_rows: int, folder: Path) -> dict[str, Any]:
    """Rows of 75 of 346,810 words in four classes, with word frequency 1 / rank."""
    rng, dim = np.random.default_rng(0), 346_810
    words = (float(dim) ** rng.random((n_rows, 75))).astype(np.int64) - 1
    labels = words[:, 0] % 4
    words[:, 1] = labels + 4 * (words[:, 1] // 4 % 50)  # marks the class
    starts = 75 * np.arange(n_rows + 1)
    rows = sparse.csr_array((np.ones(words.size), words.ravel(), starts), shape=(n_rows, dim))
    rows.sum_duplicates()
    return {"data": (rows, labels), "order": "chronological"}


def _news(n_lines: int, folder: Path) -> dict[str, Any]:
    """A file of lines in the format of R6A, with 20 articles each; every line is replayed."""
    file = folder / "ydata-made"
    MadeLog().write(file, n_lines)
    return {"data": file, "keep": 1.0}


_WIDE = {"n_arms": 20, "dim": 1000, "contexts": "sphere"}

ROWS = (
    _linear("LinUCB", 10, 10, "fresh", 10_000),
    _linear("LinUCB", 20, 100, "fresh", 1_500),
    _linear("LinUCB", 100, 10, "fresh", 500),
    _linear("LinUCB", 10, 10, "fixed", 40_000),
    _linear("LinUCB", 20, 100, "fixed", 10_000),
    _linear("LinUCB", 100, 10, "fixed", 40_000),
    _linear("LinTS", 10, 10, "fresh", 10_000),
    _linear("LinUCB", 10, 10, "solo", 40_000),
    _by_hand("step by hand", "", 2.5, 4.0),
    _by_hand("LinUCB by hand", "LinUCB", 1.4, 1.9),
    _regression("OnlineRidge"),
    _regression("Forward"),
    _sphere("PEGE"),
    _sphere("FastPEGE"),
    SpeedRow(
        "FastLinUCB d=1000 K=20",
        "FastLinUCB",
        "LinearBandit-v0",
        _WIDE,
        1,
        1_000,
        Target("LinUCB", 10, 20),
    ),
    _kernel("GPUCB(radius=0.4)", 200, 15, 36),
    _kernel("GPUCB(radius=0.4)", 1000, 12, 28),
    _kernel("BKB(radius=0.4)", 1000, 0.9, 1.5),
    _kernel("BBKB(radius=0.4)", 1000, 7, 13),
    _kernel("GPUCB", 1000, 3.6, 3.6),
    _kernel("BKB", 1000, 0.36, 0.36),
    _kernel("BBKB", 1000, 1.8, 1.8),
    _box("GPUCB", 300),
    _box("RFFUCB", 300, Target("GPUCB", 1.0, 4 / 3)),
    _box("QFFTS", 300, Target("GPUCB", 0.7, 1.0)),
    SpeedRow("Banditron SynSep", "Banditron", "SynSep-v0", {}, 100, 10_000, _SPECIALIST),
    SpeedRow("Banditron stream", "Banditron", "MulticlassBandit-v0", _stories, 0, 60_000),
    SpeedRow("LinUCB news from a file", "LinUCB", "NewsReplay-v0", _news, 1, 30_000),
    _descent(10_000),
    _descent(100_000),
    _share("ForwardOFUL", 10, 10, 5_000, 0.7),
    # One factorisation per round: there is no rank-one form.
    _share("DiscountedLinUCB", 10, 10, 3_000, 1 / 3),
    _share("DiscountedLinUCB", 20, 10, 2_000, 1 / 3),
    _share("DiscountedLinUCB", 100, 10, 300, 1 / 6),
)

# A light and a heavy row of each family that has both, where the interface and where arithmetic
# takes the time; the rows that are left are variants of these.
BY_DEFAULT = (
    "LinUCB d=10 K=10 fresh",
    "LinUCB d=100 K=10 fresh",
    "OnlineRidge d=10",
    "GradientDescent T=100000",
    "PEGE d=100",
    "GPUCB(radius=0.4) T=200",
    "BBKB T=1000",
    "Banditron SynSep",
    "Banditron stream",
    "LinUCB news from a file",
)
