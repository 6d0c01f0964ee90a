"""A context that all arms share, as features of the arms.

Arm k has either the features (d,) of the context themselves, or a block of features (K d,): those
of the context at places k d to (k + 1) d - 1, and 0 elsewhere. With blocks a regression on one
parameter (K d,), which has the arms' parameters one after the other, equals a regression for each
arm. The task's ``param_norm`` stays the bound on the norm of each arm's parameter: confidence
bounds on an arm's mean need no more, because no reward of another arm enters its block.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from banditgym.compiled import compiled
from banditgym.rounds.blocks import BLOCK_BYTES, ArmsBlock, ContextBlock

MOST_FEATURES = 2000  # K d of blocks: an agent's matrices of so many features have 32 MB


def too_large(task: Any) -> str | None:
    """Why a task of arms with parameters of their own cannot be played in blocks of features."""
    features = task.n_arms * task.context_dim
    if features <= MOST_FEATURES:
        return None
    return (
        f"its {task.n_arms} arms have {task.context_dim} parameters each, and an agent without a "
        f"model for each arm can be given at most {MOST_FEATURES} features, not {features}"
    )


def in_blocks(task: Any) -> Any:
    """The same task where arms have blocks of features; itself if they have."""
    return type(task)(**vars(task) | {"dim": task.n_arms * task.context_dim})


def features_of(task: Any, context: np.ndarray) -> np.ndarray:
    """The features of the arms, read-only, for contexts (.., d): (.., d, K), or (.., K d, K)."""
    *rounds, dim = context.shape
    if task.dim == dim:
        features = np.repeat(context[..., None], task.n_arms, axis=-1)
    else:
        features = np.zeros((*rounds, task.dim, task.n_arms))
        rows = np.ascontiguousarray(context).reshape(-1, dim)
        _fill_blocks(rows, features.reshape(len(rows), task.dim, task.n_arms))
    features.flags.writeable = False  # kernels are compiled for one mutability
    return features


def blocks_of(task: Any, block: ContextBlock) -> Iterator[ArmsBlock]:
    """The rounds of a block in successive ones, each small, whose arms have features."""
    _, n, n_arms = block.means.shape
    most = max(1, BLOCK_BYTES // (8 * n * task.dim * n_arms))
    for first in range(0, len(block), most):
        part = slice(first, first + most)
        yield ArmsBlock(
            start=block.start + first,
            bernoulli=block.bernoulli,
            noise=block.noise[part],
            means=block.means[part],
            best=block.best[part],
            features=features_of(task, block.context[part]),
        ).sealed()


@compiled
def _fill_blocks(context, features):
    """Write contexts (m, d) into features (m, K d, K) that are 0."""
    dim, n_arms = context.shape[1], features.shape[2]
    for i in range(context.shape[0]):
        for k in range(n_arms):
            for j in range(dim):
                features[i, k * dim + j, k] = context[i, j]
