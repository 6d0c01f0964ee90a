"""The rows that ``banditgym speed`` measures, with their floors and aims."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

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
    floor, aim : float
        The least acceptable rounds per second, and the target; with ``of``, as shares of that
        agent's rounds per second.
    of : str, optional
        An agent that is measured on the same environment, in turns with this one.
    """

    name: str
    agent: str
    env: str | None
    settings: dict[str, Any] | Callable[[int, Path], dict[str, Any]]
    n: int
    horizon: int
    floor: float
    aim: float
    of: str | None = None


def _linear(
    agent: str, dim: int, n_arms: int, kind: str, horizon: int, floor: float, aim: float
) -> SpeedRow:
    """``kind`` is ``fresh`` contexts, ``fixed`` ones, or fresh ones ``solo``: one environment."""
    name = f"{agent} d={dim} K={n_arms} {kind}"
    fixed, n = kind == "fixed", 0 if kind == "solo" else 100
    settings = {"n_arms": n_arms, "dim": dim, "contexts": "gaussian", "fixed_arms": fixed}
    return SpeedRow(name, agent, "LinearBandit-v0", settings, n, horizon, floor, aim)


def _share(agent: str, dim: int, n_arms: int, horizon: int, floor: float) -> SpeedRow:
    name = f"{agent} d={dim} K={n_arms}"
    settings = {"n_arms": n_arms, "dim": dim, "contexts": "sphere", "fixed_arms": False}
    return SpeedRow(name, agent, "LinearBandit-v0", settings, 100, horizon, floor, 1.0, "OFUL")


def _kernel(agent: str, horizon: int, limit: float, hope: float) -> SpeedRow:
    """Whole runs with 10,000 arms; ``limit`` and ``hope`` are in seconds; |f| is near 1."""
    settings = {"n_arms": 10_000, "dim": 2, "function": "rkhs", "param_norm": 1.5}
    name = f"{agent} T={horizon}"
    return SpeedRow(
        name, agent, "KernelBandit-v0", settings, 1, horizon, horizon / limit, horizon / hope
    )


def _box(agent: str, horizon: int, floor: float, aim: float) -> SpeedRow:
    """Whole runs on the unit square, where the agent optimises its own rule."""
    settings = {"arms": "box", "function": "rkhs", "param_norm": 1.5}
    name = f"{agent} box T={horizon}"
    return SpeedRow(name, agent, "KernelBandit-v0", settings, 10, horizon, floor, aim)


def _regression(agent: str, floor: float, aim: float) -> SpeedRow:
    settings = {"dim": 10, "contexts": "gaussian"}
    return SpeedRow(
        f"{agent} d=10", agent, "OnlineRegression-v0", settings, 100, 20_000, floor, aim
    )


def _descent(horizon: int, floor: float, aim: float) -> SpeedRow:
    """The agent stores and redraws every sample of 8 kB; they soon exceed a processor's cache."""
    agent = "GradientDescentRegression"
    name = f"GradientDescent T={horizon}"
    return SpeedRow(name, agent, None, {"dim": 1000}, 1, horizon, floor, aim)


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
    _linear("LinUCB", 10, 10, "fresh", 10_000, 0.9e6, 1.6e6),
    _linear("LinUCB", 20, 100, "fresh", 1_500, 70e3, 150e3),
    _linear("LinUCB", 100, 10, "fresh", 1_000, 60e3, 95e3),
    _linear("LinUCB", 10, 10, "fixed", 40_000, 5e6, 10e6),
    _linear("LinUCB", 20, 100, "fixed", 10_000, 1e6, 1.7e6),
    _linear("LinUCB", 100, 10, "fixed", 40_000, 5e6, 10e6),
    _linear("LinTS", 10, 10, "fresh", 10_000, 0.8e6, 1.4e6),
    _linear("LinUCB", 10, 10, "solo", 40_000, 60e3, 110e3),
    _regression("OnlineRidge", 4e6, 5.5e6),
    _regression("Forward", 3e6, 4e6),
    SpeedRow("PEGE d=100", "PEGE", "SphereBandit-v0", {"dim": 100}, 100, 40_000, 4e6, 8e6),
    SpeedRow(
        "FastPEGE d=100", "FastPEGE", "SphereBandit-v0", {"dim": 100}, 100, 40_000, 2.5e6, 4.5e6
    ),
    SpeedRow(
        "FastLinUCB d=1000 K=20", "FastLinUCB", "LinearBandit-v0", _WIDE, 1, 1_000, 10, 20, "LinUCB"
    ),
    _kernel("GPUCB(radius=0.4)", 200, 0.1, 0.04),
    _kernel("GPUCB(radius=0.4)", 1000, 0.6, 0.26),
    _kernel("BKB(radius=0.4)", 1000, 8.0, 5.0),
    _kernel("BBKB(radius=0.4)", 1000, 1.0, 0.55),
    _kernel("GPUCB", 1000, 2.0, 2.0),
    _kernel("BKB", 1000, 20.0, 20.0),
    _kernel("BBKB", 1000, 4.0, 4.0),
    _box("GPUCB", 300, 300, 600),
    _box("RFFUCB", 300, 400, 800),
    _box("QFFTS", 300, 300, 600),
    SpeedRow("Banditron SynSep", "Banditron", "SynSep-v0", {}, 100, 10_000, 1.2e6, 2.2e6),
    SpeedRow(
        "Banditron stream", "Banditron", "MulticlassBandit-v0", _stories, 0, 60_000, 500e3, 900e3
    ),
    SpeedRow("LinUCB news from a file", "LinUCB", "NewsReplay-v0", _news, 1, 100_000, 100e3, 150e3),
    _descent(10_000, 150e3, 220e3),
    _descent(100_000, 100e3, 200e3),
    _share("ForwardOFUL", 10, 10, 5_000, 0.7),
    # One factorisation per round: there is no rank-one form.
    _share("DiscountedLinUCB", 10, 10, 3_000, 1 / 3),
    _share("DiscountedLinUCB", 20, 10, 2_000, 1 / 3),
    _share("DiscountedLinUCB", 100, 10, 300, 1 / 6),
)
