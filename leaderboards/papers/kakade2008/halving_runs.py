"""Halving of kakade2008 on random classes, and on its grids against an adversary."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import GridHalving, Halving
from agents.parts import bounds
from leaderboards.papers.claim import Sample
from leaderboards.papers.simulations import environments, recorded

CLASSES = {
    f"{kind}, k = {n_labels}, |H| = {size}": (kind, n_labels, size)
    for kind in ("linear", "tables")
    for n_labels in (3, 9)
    for size in (16, 256)
}
TABLE = 100  # number of rounds of a table


class Grid(NamedTuple):
    """A grid of Theorem 7: k labels, d features, complexity D."""

    n_labels: int
    dim: int
    complexity: float

    @property
    def rate(self) -> float:
        """k^2 d ln(Dd)."""
        return self.n_labels**2 * self.dim * math.log(self.complexity * self.dim)


# By the variable that is varied; a grid is held for k d up to about 6 alone.
GRIDS = {
    "D": [Grid(2, 2, complexity) for complexity in (2, 8, 32, 128)],
    "d": [Grid(2, dim, 8) for dim in (1, 2, 3)],
    "k": [Grid(n_labels, 2, 8) for n_labels in (2, 3)],
}
POOL = 200  # rows from which the adversary chooses
KINDS = ("mistakes", "bound", "least removed", "right hypothesis left")


def grid_name(grid: Grid) -> str:
    return f"k = {grid.n_labels}, d = {grid.dim}, D = {grid.complexity}"


def random_class(kind: str, n_labels: int, size: int, rounds: int, rng: np.random.Generator):
    """A class of hypotheses (m, k, d), feature vectors (T, d), and one member's labels (T,).

    Linear predictors and feature vectors are Gaussian in 5 dimensions. A table has a random label
    for each of ``TABLE`` rounds: the features of round t are the t-th unit vector.
    """
    if kind == "linear":
        hypotheses, rows = rng.normal(size=(size, n_labels, 5)), rng.normal(size=(rounds, 5))
    else:
        answers = rng.integers(n_labels, size=(size, TABLE))
        rows = np.eye(TABLE)
        hypotheses = np.eye(n_labels)[answers].swapaxes(1, 2)
    right = hypotheses[rng.integers(size)]
    return hypotheses, rows, np.argmax(rows @ right.T, axis=1)


def separable(grid: Grid, rounds: int, rng: np.random.Generator):
    """Rows (T, d) of the unit ball and labels (T,), separable at margin 1 at the complexity.

    W* is Gaussian with rows that add up to 0, scaled to the complexity; it is drawn again where too
    few rows of the ball have the margin, or where a label has less than a tenth of them.
    """
    while True:
        weights = rng.normal(size=(grid.n_labels, grid.dim))
        weights -= weights.mean(axis=0)
        weights *= math.sqrt(grid.complexity / 2) / np.linalg.norm(weights)
        points = rng.uniform(-1, 1, size=(50 * rounds * 2**grid.dim, grid.dim))
        points = points[np.linalg.norm(points, axis=1) <= 1]
        ranked = np.sort(points @ weights.T, axis=1)
        rows = points[ranked[:, -1] - ranked[:, -2] >= 1][:rounds]
        labels = np.argmax(rows @ weights.T, axis=1)
        if 10 * np.bincount(labels, minlength=grid.n_labels).min() >= rounds == len(rows):
            return rows, labels


def labels_of(hypotheses: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Labels (m, T) that hypotheses (m, k, d) give to rows (T, d), the first of equal scores.

    Added up feature by feature, so that equal weights have equal scores.
    """
    labels = np.empty((len(hypotheses), len(rows)), np.int8)
    for t, row in enumerate(rows):
        scores = np.zeros(hypotheses.shape[:2])
        for j, value in enumerate(row):
            scores += value * hypotheses[:, :, j]
        labels[:, t] = np.argmax(scores, axis=1)
    return labels


def hardest(answers: np.ndarray, labels: np.ndarray, n_labels: int) -> list[int]:
    """An order of rows by an adversary that makes halving err as often as it can, greedily.

    It shows, of the rows on which the plurality of the active hypotheses errs, one on which the
    fewest of them vote for it. ``answers`` (m, T) are theirs, ``labels`` (T,) the true ones.
    """
    shown: list[int] = []
    while len(answers):
        votes = np.stack([(answers == r).sum(axis=0) for r in range(n_labels)])
        plurality = votes.argmax(axis=0)
        wrong = np.flatnonzero(plurality != labels)
        if not len(wrong):
            break
        shown.append(int(wrong[np.argmin(votes.max(axis=0)[wrong])]))
        answers = answers[answers[:, shown[-1]] != plurality[shown[-1]]]
    return shown


def halving(seeds: Sequence[int], rounds: int) -> Sample:
    """Measures (n, 4), in the order of ``KINDS``, of halving over every class."""
    measures = {name: np.empty((len(seeds), len(KINDS))) for name in CLASSES}
    for i, seed in enumerate(seeds):
        # Each seed has its own class of hypotheses, so it needs its own environment.
        for place, (name, (kind, n_labels, size)) in enumerate(CLASSES.items()):
            rng = np.random.default_rng([seed, place])
            hypotheses, rows, labels = random_class(kind, n_labels, size, rounds, rng)
            agent = Halving(hypotheses=hypotheses.tolist())
            measures[name][i] = _measures(agent, rows, labels, n_labels, seed)
    return Sample(np.array([rounds]), measures)


def grid_halving(seeds: Sequence[int], pool: int) -> Sample:
    """Measures (n, 4), in the order of ``KINDS``, of halving over every grid.

    The rows are those of the adversary, and then the whole pool in its own order.
    """
    grids = dict.fromkeys(grid for each in GRIDS.values() for grid in each)
    measures = {grid_name(grid): np.empty((len(seeds), len(KINDS))) for grid in grids}
    for place, grid in enumerate(grids):
        agent = GridHalving(complexity=grid.complexity)
        for i, seed in enumerate(seeds):
            rows, labels = separable(grid, pool, np.random.default_rng([seed, place]))
            answers = labels_of(_hypotheses(agent, rows, labels, grid), rows)
            order = [*hardest(answers, labels, grid.n_labels), *range(pool)]
            found = _measures(agent, rows[order], labels[order], grid.n_labels, seed)
            measures[grid_name(grid)][i] = found
    return Sample(np.array([pool]), measures)


def _environment(rows, labels, n_labels: int, seed: int) -> Any:
    settings = {"data": (rows, labels), "n_labels": n_labels, "order": "chronological"}
    return environments("MulticlassBandit-v0", [seed], **settings)


def _hypotheses(agent: GridHalving, rows, labels, grid: Grid) -> np.ndarray:
    agent.reset(_environment(rows, labels, grid.n_labels, 0).unwrapped.task, n=1)
    return agent.members.weights.T.reshape(-1, grid.n_labels, grid.dim)


def _notes(agent, contexts, actions, outcome) -> dict[str, np.ndarray]:
    return {"active": agent.members.active.sum(axis=1), "wrong": outcome == 0}


def _measures(agent, rows, labels, n_labels: int, seed: int) -> tuple[float, ...]:
    """A seed's value for each of ``KINDS``.

    "Least removed" is the smallest share of the active hypotheses that a mistake removed, times k.
    If the active set grows it was empty and was reset, so the right hypothesis had been removed.
    """
    envs = _environment(rows, labels, n_labels, seed)
    trace, kept = recorded(agent, _notes, envs, [seed])
    mistakes = float(trace.measures["regret"][0, -1])
    size = agent.members.active.shape[1]
    active = np.append(kept["active"][0], agent.members.active.sum()).astype(np.float64)
    wrong, left = kept["wrong"][0], active[1:] / active[:-1]
    least = n_labels * float((1 - left[wrong]).min()) if wrong.any() else float("nan")
    bound = bounds.halving_mistakes(n_labels=n_labels, hypotheses=size)
    return mistakes, bound, least, float((left > 1).any())
