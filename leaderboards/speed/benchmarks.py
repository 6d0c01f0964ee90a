"""The rows that ``banditgym speed`` measures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from scipy import sparse

import agents
from banditgym.data.simulated_logs import MadeLog


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
    by_hand : bool
        Whether `measure.play_by_hand` plays, and not ``agents.play``; n is 0, and the arms are
        played in turn if ``agent`` is empty.
    log : {"", "written", "evaluated"}
        Whether the play is written to a log; or such a log, of n replicates, is checked and the
        agent, which learns from its first half, is evaluated on the others.
    """

    name: str
    agent: str
    env: str | None
    settings: dict[str, Any] | Callable[[int, Path], dict[str, Any]]
    n: int
    horizon: int
    by_hand: bool = False
    log: str = ""


def _by_hand(name: str, agent: str) -> SpeedRow:
    """An environment with its defaults: K = 10, d = 5, and an observation of its own per round."""
    return SpeedRow(name, agent, "LinearBandit-v0", {}, 0, 20_000, by_hand=True)


def _armed(agent: str, n: int) -> SpeedRow:
    """Ten Bernoulli arms, in blocks."""
    settings = {"n_arms": 10}
    return SpeedRow(f"{agent} K=10 n={n}", agent, "ArmedBandit-v0", settings, n, 2_000_000 // n)


def _linear(agent: str, dim: int, n_arms: int, kind: str, horizon: int) -> SpeedRow:
    """``kind`` is ``fresh`` contexts, ``fixed`` ones, or fresh ones ``solo``: one environment."""
    name = f"{agent} d={dim} K={n_arms} {kind}"
    fixed, n = kind == "fixed", 0 if kind == "solo" else 100
    settings = {"n_arms": n_arms, "dim": dim, "contexts": "gaussian", "fixed_arms": fixed}
    return SpeedRow(name, agent, "LinearBandit-v0", settings, n, horizon)


def _features(agent: str, dim: int, n_arms: int, n: int) -> SpeedRow:
    """Linear rewards; the arms stay where the agent needs that."""
    name, horizon = f"{agent} d={dim} K={n_arms} n={n}", 4_000_000 // (dim * n_arms * n)
    settings = {"n_arms": n_arms, "dim": dim, "fixed_arms": agent == "PhasedElimination"}
    return SpeedRow(name, agent, "LinearBandit-v0", settings, n, horizon)


def _clicks(dim: int, n_arms: int, n: int, horizon: int) -> SpeedRow:
    """The streaming agent of logistic rewards."""
    name = f"AdaOFUECOLog d={dim} K={n_arms} n={n}"
    settings = {"n_arms": n_arms, "dim": dim, "param_norm": 3.0}
    return SpeedRow(name, "AdaOFUECOLog", "LogisticBandit-v0", settings, n, horizon)


def _sphere_contexts(agent: str, dim: int, horizon: int) -> SpeedRow:
    name = f"{agent} d={dim} K=10"
    settings = {"n_arms": 10, "dim": dim, "contexts": "sphere", "fixed_arms": False}
    return SpeedRow(name, agent, "LinearBandit-v0", settings, 100, horizon)


def _kernel(agent: str, horizon: int) -> SpeedRow:
    """Whole runs with 10,000 arms; |f| is near 1."""
    settings = {"n_arms": 10_000, "dim": 2, "function": "rkhs", "param_norm": 1.5}
    return SpeedRow(f"{agent} T={horizon}", agent, "KernelBandit-v0", settings, 1, horizon)


def _box(agent: str) -> SpeedRow:
    """Whole runs on the unit square, where the agent optimises its own rule."""
    settings = {"arms": "box", "function": "rkhs", "param_norm": 1.5}
    return SpeedRow(f"{agent} box T=300", agent, "KernelBandit-v0", settings, 10, 300)


def _regression(agent: str) -> SpeedRow:
    name, settings = f"{agent} d=10", {"dim": 10, "contexts": "gaussian"}
    return SpeedRow(name, agent, "OnlineRegression-v0", settings, 100, 20_000)


def _sphere(agent: str) -> SpeedRow:
    name, settings = f"{agent} d=100", {"dim": 100}
    return SpeedRow(name, agent, "SphereBandit-v0", settings, 100, 40_000)


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


_CLICKS = {"n_arms": 10, "dim": 5, "parameters": "per_arm"}


def _log(n_rows: int, folder: Path) -> dict[str, Any]:
    """A log of one replicate with ten arms and contexts of five numbers."""
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=1, horizon=n_rows, **_CLICKS)
    agents.play(env, agents.UniformRandom(), log=folder / "log.parquet")
    return {"data": folder / "log.parquet"}


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
    _by_hand("step by hand", ""),
    _by_hand("LinUCB by hand", "LinUCB"),
    _regression("OnlineRidge"),
    _regression("Forward"),
    _sphere("PEGE"),
    _sphere("FastPEGE"),
    SpeedRow("FastLinUCB d=1000 K=20", "FastLinUCB", "LinearBandit-v0", _WIDE, 1, 1_000),
    _kernel("GPUCB(radius=0.4)", 200),
    _kernel("GPUCB(radius=0.4)", 1000),
    _kernel("BKB(radius=0.4)", 1000),
    _kernel("BBKB(radius=0.4)", 1000),
    _kernel("GPUCB", 1000),
    _kernel("BKB", 1000),
    _kernel("BBKB", 1000),
    _box("GPUCB"),
    _box("RFFUCB"),
    _box("QFFTS"),
    SpeedRow("Banditron SynSep", "Banditron", "SynSep-v0", {}, 100, 10_000),
    SpeedRow("Banditron stream", "Banditron", "MulticlassBandit-v0", _stories, 0, 60_000),
    SpeedRow("LinUCB news from a file", "LinUCB", "NewsReplay-v0", _news, 1, 30_000),
    SpeedRow(
        "log written K=10 d=5",
        "UniformRandom",
        "LogisticBandit-v0",
        _CLICKS,
        100,
        1_000,
        log="written",
    ),
    SpeedRow("log replayed K=10 d=5", "UniformRandom", "LoggedBandit-v0", _log, 1, 20_000),
    SpeedRow(
        "log evaluated K=10 d=5",
        "DisjointLinUCB",
        "LogisticBandit-v0",
        _CLICKS,
        1,
        20_000,
        log="evaluated",
    ),
    _descent(10_000),
    _descent(100_000),
    *(
        _armed(agent, n)
        for agent in ("UCB1", "TsallisINF", "IMED", "KLUCBSwitch")
        for n in (1, 100)
    ),
    _sphere_contexts("ForwardOFUL", 10, 5_000),
    _sphere_contexts("DiscountedLinUCB", 10, 3_000),
    _sphere_contexts("DiscountedLinUCB", 20, 2_000),
    _sphere_contexts("DiscountedLinUCB", 100, 300),
    *(
        _features(agent, dim, n_arms, n)
        for agent in ("LinMED", "IDS", "PhasedElimination")
        for dim, n_arms in ((10, 10), (20, 100))
        for n in (1, 100)
    ),
    _clicks(10, 10, 1, 200_000),
    _clicks(10, 10, 100, 4_000),
    _clicks(20, 100, 1, 40_000),
    _clicks(20, 100, 100, 800),
)

# A light and a heavy row of each family that has both, where the interface and where arithmetic
# takes the time; the rows that are left are variants of these.
BY_DEFAULT = (
    "IMED K=10 n=100",
    "LinUCB d=10 K=10 fresh",
    "LinUCB d=100 K=10 fresh",
    "AdaOFUECOLog d=10 K=10 n=100",
    "OnlineRidge d=10",
    "GradientDescent T=100000",
    "PEGE d=100",
    "GPUCB(radius=0.4) T=200",
    "BBKB T=1000",
    "Banditron SynSep",
    "Banditron stream",
    "LinUCB news from a file",
    "log written K=10 d=5",
    "log replayed K=10 d=5",
    "log evaluated K=10 d=5",
)
