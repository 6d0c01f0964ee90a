"""Logs for tests: the same rows in every form in which a log can be given."""

import contextlib
import json
import re

import numpy as np
import pandas
import pytest

K, D = 3, 2


@contextlib.contextmanager
def refused(message):
    """A ValueError in one line that has the message."""
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        yield
    assert "\n" not in str(caught.value)


def rows(n=7, seed=0, arms=False):
    """Columns by their names, as arrays."""
    rng = np.random.default_rng(seed)
    actions = rng.integers(0, K, n)
    propensities = rng.dirichlet(np.ones(K), n) * 0.9 + 0.1 / K
    return {
        "seed": np.arange(n) % 2 + 5,
        "replicate": np.arange(n) % 2,
        "episode": np.zeros(n, int),
        "round": np.arange(n) // 2 + 1,
        "context": rng.normal(size=(n, K, D) if arms else (n, D)),
        "action": actions,
        "propensity": propensities[np.arange(n), actions],
        "propensities": propensities,
        "reward": rng.normal(size=n),
        "mean": rng.normal(size=(n, K)),
    }


def as_frame(columns):
    return pandas.DataFrame({name: list(array) for name, array in columns.items()})


def as_arrow(columns, metadata=None, fixed=True):
    import pyarrow

    def array(values):
        if values.ndim == 1:
            return pyarrow.array(values)
        inner, width = array(values.reshape(-1, *values.shape[2:])), values.shape[1]
        if fixed:
            return pyarrow.FixedSizeListArray.from_arrays(inner, width)
        offsets = np.arange(len(values) + 1, dtype=np.int32) * width
        return pyarrow.ListArray.from_arrays(offsets, inner)

    table = pyarrow.table({name: array(np.asarray(one)) for name, one in columns.items()})
    return (
        table
        if metadata is None
        else table.replace_schema_metadata({b"banditgym": json.dumps(metadata).encode()})
    )


def as_csv(path, columns):
    """A csv file with a column for each number; returns what names them."""
    flat, names = {}, {}
    for name, array in columns.items():
        if array.ndim == 1:
            flat[name] = array
            continue
        names[name] = _spread(name, array, flat)
    pandas.DataFrame(flat).to_csv(path, index=False)
    return names


def _spread(name, array, flat):
    if array.ndim == 1:
        flat[name] = array
        return name
    return [_spread(f"{name}{i}", array[:, i], flat) for i in range(array.shape[1])]
