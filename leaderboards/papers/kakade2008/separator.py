"""A separator W* of kakade2008's documents, its complexity and its hinge loss."""

from collections.abc import Sequence

import numpy as np

from leaderboards.papers.kakade2008.error_rates import ENVIRONMENTS, LABELS
from leaderboards.papers.simulations import environments

WORDS, KEYWORDS = 400, 120
OFF, COMMON = 5, 20  # keywords turned off and common words turned on, in each document
READ = 2000  # number of documents from which the topics are read


def keywords(seeds: Sequence[int]) -> np.ndarray:
    """The nine sets of keywords of each seed, bool (n, 9, 120), read from its documents."""
    envs = environments("SynSep-v0", seeds, horizon=READ)
    shown, _ = envs.reset(seed=list(seeds))
    has = np.zeros((len(seeds), LABELS, WORDS), bool)
    for _ in range(READ):
        rows, places = np.nonzero(shown["values"])
        words = shown["indices"][rows, places]
        shown, _, _, _, info = envs.step(np.zeros(len(seeds), np.int64))
        has[rows, info["label"][rows], words] = True
    return has[..., :KEYWORDS]


def separator(topics: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""W* with margin 1 on every document of the topics, and its complexity for rows of norm 1.

    A document's score for topic r is :math:`v_r^\top x - |v_r| / 2` minus the mean of all nine
    topics; the weights of the 20 common words, which every document has, represent the constant.
    The gap between two scores is half the difference of two Hamming distances. The distance to the
    document's own topic is 5. The distance to another topic is at least that between the topics
    minus 5, with equality if no word that is off belongs to the other topic. For topics at a
    distance of 11 or more, equality occurs in at least one of the two directions.

    Parameters
    ----------
    topics : bool ndarray of shape (n, 9, 120)

    Returns
    -------
    weights : ndarray of shape (n, 9, 400)
    complexity : ndarray of shape (n,)
        :math:`D = 2 \lVert W^* \rVert_F^2 X^2`, X the norm of the longest document.
    """
    has, sizes = topics.astype(np.float64), topics.sum(axis=-1)
    weights = np.zeros((len(topics), LABELS, WORDS))
    weights[..., :KEYWORDS] = has
    weights[..., KEYWORDS:] = -sizes[..., None] / (2 * COMMON)
    weights -= weights.mean(axis=1, keepdims=True)
    apart = np.abs(topics[:, :, None].astype(int) - topics[:, None]).sum(axis=-1)
    gap = (apart - 2 * OFF) / 2
    gap[:, range(LABELS), range(LABELS)] = np.inf
    weights /= gap.min(axis=(1, 2))[:, None, None]
    longest = sizes.max(axis=1) - OFF + COMMON
    return weights, 2 * np.square(weights).sum(axis=(1, 2)) * longest


def hinge_loss(weights: np.ndarray, shown: dict, labels: np.ndarray) -> np.ndarray:
    """Hinge loss (n,) of weights (n, k, d) on rows of pairs with labels (n,)."""
    each = np.arange(len(labels))
    picked = weights[each[:, None], :, shown["indices"]]  # (n, w, k)
    scores = np.einsum("nw,nwk->nk", shown["values"], picked)
    true = scores[each, labels]
    scores[each, labels] = -np.inf
    return np.maximum(0.0, 1 - true + scores.max(axis=1))


def cumulative_loss(
    name: str, seeds: Sequence[int], weights: np.ndarray, rounds: np.ndarray
) -> np.ndarray:
    """Hinge loss (n, c) of weights (n, k, d) up to each of the rounds, which ascend."""
    horizon, total = int(rounds[-1]), np.zeros(len(seeds))
    envs = environments(ENVIRONMENTS[name], seeds, horizon=horizon)
    shown, _ = envs.reset(seed=list(seeds))
    kept, anything = [], np.zeros(len(seeds), np.int64)
    for t in range(1, horizon + 1):
        following, _, _, _, info = envs.step(anything)
        total += hinge_loss(weights, shown, info["label"])
        shown = following
        if t == rounds[len(kept)]:
            kept.append(total.copy())
    return np.stack(kept, axis=1)
