"""What the tests of multiclass agents share: random rows, and small environments."""

from typing import Any

import numpy as np
import pytest

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


@pytest.fixture
def small_env(monkeypatch):
    """``check_agent`` on two features and two labels, where every class can be held."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    env = ("MulticlassBandit-v0", {"data": data, "sparse": True})
    monkeypatch.setattr("agents.check.contract.ENVIRONMENTS", {"multiclass": [env]})
