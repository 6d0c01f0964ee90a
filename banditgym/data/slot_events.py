r"""Events of a log with their articles in slots, and the features of slots.

With the features u of the user and a of the article, and the k-th unit vector e_k of the K slots,
the features of slot k are

- ``outer`` (R6A): all 36 products, :math:`x_{6j+l} = u_j a_l`;
- ``article`` (R6A): a, 6 numbers;
- ``user``: u, 6 numbers or R6B's 136, the same for every article;
- ``offset`` (R6B): (u, e_k), 136 + K numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from banditgym.compiled import compiled
from banditgym.data.article_slots import place
from banditgym.data.yahoo import Events, LogSummary
from banditgym.data.yahoo_lines import N_DESCRIBED, N_USER

# The default first: for a log with features of articles, R6A, and for one without, R6B.
FEATURES = {True: ("outer", "article", "user"), False: ("offset", "user")}
_OUTER, _ARTICLE, _USER, _OFFSET = range(4)
_KINDS = {"outer": _OUTER, "article": _ARTICLE, "user": _USER, "offset": _OFFSET}


def in_slots(chunks: Iterator[Events], n_arms: int) -> "Iterator[EventsInSlots]":
    """Chunks of a log from its beginning, articles in slots.

    Raises
    ------
    ValueError
        If an event has more than ``n_arms`` articles.
    """
    held = np.full(n_arms, -1)
    for events in chunks:
        slots = np.empty(events.ids.shape, np.int64)
        bad = place(events.ids, held, slots)
        if bad >= 0:
            number = int((events.ids[bad] >= 0).sum())
            raise ValueError(f"data: an event has {number} articles, there are {n_arms} slots")
        yield EventsInSlots(events, slots)


@dataclass(frozen=True, eq=False)
class EventsInSlots:
    """Events with the slot of each article.

    Parameters
    ----------
    events : Events
    slots : int64 ndarray of shape (m, c)
        -1 where there is no article.
    """

    events: Events
    slots: np.ndarray

    def __len__(self) -> int:
        return len(self.events)

    def fill(
        self,
        row: int,
        features: str,
        arms: np.ndarray,
        mask: np.ndarray,
        ids: np.ndarray,
        event: np.ndarray,
    ) -> None:
        """Write the events from ``row`` on as rounds, the same for every replicate.

        Parameters
        ----------
        row : int
        features : str
            The kind of features, as above.
        arms : ndarray of shape (m, n, d, K)
            Receives the features; 0 for empty slots.
        mask : int8 ndarray of shape (m, n, K)
            Receives 1 where a slot has an article, else 0.
        ids : int64 ndarray of shape (m, n, K)
            Receives the ids of articles; -1 for empty slots.
        event : int64 ndarray of shape (m, 2)
            Receives the slot of the article shown, and the click.
        """
        events = self.events
        log = events.users, events.ids, events.articles, events.shown, events.clicks, self.slots
        _fill(_KINDS[features], row, log, arms, mask, ids, event)


def extent(
    features: str, described: bool, n_arms: int, log: LogSummary
) -> tuple[int, float, tuple[float, float]]:
    """Number of features, a bound on their norm, and their least and greatest value."""
    kind = _KINDS[features]
    if kind == _ARTICLE:
        return N_DESCRIBED, log.article_norm, log.article_limits
    if kind == _USER:
        return N_DESCRIBED if described else N_USER, log.user_norm, log.user_limits
    if kind == _OFFSET:
        low, high = log.user_limits
        return N_USER + n_arms, sqrt(log.user_norm * log.user_norm + 1.0), (low, max(high, 1.0))
    corners = [u * a for u in log.user_limits for a in log.article_limits]
    limits = min(corners), max(corners)
    return N_DESCRIBED**2, log.user_norm * log.article_norm, limits


@compiled
def _fill(kind, row, log, arms, mask, ids, event):
    users, log_ids, articles, log_shown, log_clicks, slots = log
    rounds, n, dim, n_slots = arms.shape
    for s in range(rounds):
        taken, x = row + s, arms[s, 0]
        x[:] = 0.0
        for slot in range(n_slots):
            mask[s, 0, slot], ids[s, 0, slot] = 0, -1
        for k in range(log_ids.shape[1]):
            slot = slots[taken, k]
            if slot < 0:
                continue
            mask[s, 0, slot], ids[s, 0, slot] = 1, log_ids[taken, k]
            if kind == _OUTER:
                for j in range(N_DESCRIBED):
                    for feature in range(N_DESCRIBED):
                        x[j * N_DESCRIBED + feature, slot] = (
                            users[taken, j] * articles[taken, k, feature]
                        )
            elif kind == _ARTICLE:
                for feature in range(dim):
                    x[feature, slot] = articles[taken, k, feature]
            else:
                for j in range(users.shape[1]):
                    x[j, slot] = users[taken, j]
                if kind == _OFFSET:
                    x[users.shape[1] + slot, slot] = 1.0
        for i in range(1, n):
            for feature in range(dim):
                for slot in range(n_slots):
                    arms[s, i, feature, slot] = x[feature, slot]
            for slot in range(n_slots):
                mask[s, i, slot], ids[s, i, slot] = mask[s, 0, slot], ids[s, 0, slot]
        event[s, 0] = slots[taken, log_shown[taken]]
        event[s, 1] = log_clicks[taken]
