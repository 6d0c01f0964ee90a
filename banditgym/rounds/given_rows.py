"""Rows of given data, in the order in which an episode of a seed shows them."""

import numpy as np

from banditgym.compiled import compiled
from banditgym.streams import fill_uniform

ORDERS = ("shuffled", "chronological")


class GivenRows:
    """Rows with a number each; an episode shows each of them at most once.

    Parameters
    ----------
    rows : ndarray of shape (N, d)
    numbers : ndarray of shape (N,)
    n : int
        Number of replicates.
    horizon : int
        Rounds per episode, at most N.
    shuffled : bool
        Whether each episode of each seed has a uniformly random order; else that of the data.

    Attributes
    ----------
    rows : ndarray of shape (N + 1, d)
        The rows, and one of zeros.
    """

    def __init__(self, rows: np.ndarray, numbers: np.ndarray, n: int, horizon: int, shuffled: bool):
        self._n_rows, self._shuffled = len(rows), shuffled
        # An observation follows the last round too: zeros, if the data has ended.
        self.rows = np.concatenate([rows, np.zeros((1, rows.shape[1]))])
        self._numbers = np.append(numbers, 0.0)
        self._orders = np.tile(np.arange(horizon + 1, dtype=np.int32)[:, None], (1, n))

    def begin(self, keys: np.ndarray) -> None:
        """Begin an episode, given stream keys (n, 2)."""
        if self._shuffled:
            shuffle_rows(keys, self._n_rows, self._orders[: self._n_rows])

    def of_rounds(self, t: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows (m, d, n) and numbers (m, n) of rounds t, t + 1, .."""
        places = self._orders[t : t + rounds]
        rows = np.ascontiguousarray(self.rows[places].transpose(0, 2, 1))
        return rows, self._numbers[places]


@compiled
def shuffle_rows(keys, n_rows, orders):
    """Write the first m rows of an order of each replicate into orders (m, n): Fisher and Yates.

    Place j takes uniform j % 4096 of round j // 4096.
    """
    m, n = orders.shape
    draws = np.empty(4096)
    rows = np.empty(n_rows, np.int32)
    for i in range(n):
        for j in range(n_rows):
            rows[j] = j
        for j in range(m):
            if j % draws.size == 0:
                fill_uniform(keys[i, 0], keys[i, 1], j // draws.size, draws)
            other = j + np.int64(draws[j % draws.size] * (n_rows - j))
            rows[j], rows[other] = rows[other], rows[j]
            orders[j, i] = rows[j]
