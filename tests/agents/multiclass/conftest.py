"""What the tests of multiclass agents share: random rows, and a replay beside the definition."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from banditgym.streams import AGENT, Stream
from banditgym.tasks import MulticlassTask


def _task(n_labels: int = 4, dim: int = 7, **others: Any) -> MulticlassTask:
    given = {"horizon": 1000, "width": dim} | others
    return MulticlassTask(n_labels=n_labels, dim=dim, **given)


@pytest.fixture
def task():
    return _task


def _pairs(rng: np.random.Generator, n: int, dim: int, sparse: bool) -> tuple[Any, np.ndarray]:
    """Rows as agents get them, indices and values (n, w), and the same rows (n, d)."""
    rows = rng.normal(size=(n, dim))
    indices = np.tile(np.arange(dim, dtype=np.int32), (n, 1))
    values = rows.copy()
    if sparse:  # pairs in any order, none at all, zeros within and as padding
        rows *= rng.random((n, dim)) < rng.choice([0.0, 0.3, 0.9], size=(n, 1), p=[0.1, 0.3, 0.6])
        indices, values = np.zeros((n, dim + 2), np.int32), np.zeros((n, dim + 2))
        for i in range(n):
            there = rng.permutation(np.flatnonzero((rows[i] != 0) | (rng.random(dim) < 0.1)))
            indices[i, : there.size], values[i, : there.size] = there, rows[i, there]
    for array in (indices, values):
        array.flags.writeable = False
    return (indices, values), rows


@pytest.fixture
def pairs():
    return _pairs


def _replay(
    agent: Any, *, start: Callable, choose: Callable, learn: Callable, state: Callable,
    n_labels: int = 5, dim: int = 7, sparse: bool = False, rounds: int = 120, n: int = 3,
    label: bool = False,
) -> None:  # fmt: skip
    """Learn from logged labels, and compare state and decision with a plain reference.

    ``start()`` makes one replicate's state, ``choose(state, x, u)`` is its label for a row x (d,)
    and the decision's uniform u, ``learn(state, x, played, outcome)`` changes it,
    ``state(agent, i)`` and ``state(reference)`` are arrays to compare. True labels are linear in
    the row, so that mistakes become rare; half of the labels that are logged are the agent's own
    and half uniform; one round in five is not observed.
    """
    rng = np.random.default_rng(5)
    seeds = [3, 1, 4, 1, 5][:n]
    agent.reset(
        _task(n_labels, dim, sparse=sparse, width=dim + 2 if sparse else dim), n=n, seed=seeds
    )
    truth = rng.normal(size=(n_labels, dim))
    references = [start() for _ in range(n)]
    seen = np.zeros(n, np.int64)
    for t in range(rounds):
        contexts, rows = _pairs(rng, n, dim, sparse)
        own = agent._choose(contexts)
        agent.decisions += 1
        assert own.dtype == np.int64
        u = Stream(seeds, AGENT, 0, 0).uniform(t)
        assert own.tolist() == [choose(references[i], rows[i], u[i]) for i in range(n)]
        played = np.where(rng.random(n) < 0.5, own, rng.integers(n_labels, size=n))
        true = (rows @ truth.T).argmax(axis=1)
        outcome = true if label else (played == true).astype(float)
        observed = rng.random(n) < 0.8
        hidden = 10**6 if label else np.nan  # what is not observed must not be looked at
        agent._learn(contexts, played, np.where(observed, outcome, hidden), observed)
        for i in np.flatnonzero(observed):
            learn(references[i], rows[i], played[i], outcome[i])
        seen += observed
        for i in range(n):
            # Sums of products of up to 120 rounds in another order: some 1e-13 of their size.
            for got, expected in zip(state(agent, i), references[i]["state"], strict=True):
                np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11 * _size(expected))
    assert seen.min() > rounds / 2


def _size(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=1.0))


@pytest.fixture
def replay():
    return _replay


@pytest.fixture
def small_env(monkeypatch):
    """``check_agent`` on two features and two labels, where every class can be held."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    env = ("MulticlassBandit-v0", {"data": data, "sparse": True})
    monkeypatch.setattr("agents.check.contract.ENVIRONMENTS", {"multiclass": [env]})
