r"""Simulated logs in the two formats of Yahoo!'s logs, with known click probabilities."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np

from banditgym.compiled import compiled
from banditgym.data.files import opened
from banditgym.data.yahoo import REASONS, Events, LogSummary
from banditgym.data.yahoo_lines import N_DESCRIBED, N_USER
from banditgym.elementary import each_exp, each_log
from banditgym.streams import ENVIRONMENT, Stream, fill_uniform
from banditgym.validation import check_fields, checked, whole

FORMATS = ("R6A", "R6B")

# Purposes of random numbers, beside those of environments.
_MODEL, _ARTICLES, _POOL, _EVENTS = range(16, 20)
_CHUNK = 256  # events made at once
_LEAST_ID = 109_000
_FIRST_TIME = 1_241_160_900
_ORDER = (1, 2, 3, 4, 5, 0)  # in which the six features are written


@dataclass(frozen=True, kw_only=True)
class MadeLog:
    r"""An endless log of uniformly shown articles, each event a pure function of seed and number.

    There are at most c articles at a time. Each is available for about ``lifetime`` events. Its
    place is then empty for a tenth of that time, and another article follows. One place is never
    empty. The article shown is uniform among the available ones, and clicked with probability

    - R6A: :math:`u^\top W a` with the six features u of the user and a of the article: the first is
      1, the other five are >= 0 and sum to 1 (to six digits, as written). :math:`W_{11} = 0.01`,
      :math:`W_{jl} = 0.14\,v_{jl}^3` for j, l > 1 with v uniform on [0, 1], and 0 otherwise: so
      probabilities lie in 0.01 .. 0.15, and clicks are linear in the 36 products;
    - R6B: :math:`1 / (1 + \exp(-b_a - \langle w_a, u\rangle))` with the user's 136 features u: the
      first is 1, and each other is 1 with a probability of its own, uniform on [0, 0.2]. For each
      article :math:`b_a \sim \mathcal{N}(-3.5, 0.5^2)`, and :math:`w_a` is :math:`\mathcal{N}(0,
      1)` in ten features and 0 in the others.

    Parameters
    ----------
    format : {"R6A", "R6B"}
        Whether articles have features.
    seed : int
        Seed of all random numbers.
    n_articles : int
        The largest number of articles at a time, c.
    lifetime : int
        The number of events of a period, in which an article has a place and the place is then
        empty.

    Examples
    --------
    >>> log = MadeLog(format="R6A", n_articles=4)
    >>> events = next(log.events(2))
    >>> log.probabilities(events).shape, events.users.shape
    ((2, 4), (2, 6))
    """

    format: str = "R6A"
    seed: int = checked(partial(whole, least=0), 0)
    n_articles: int = checked(whole, 20)
    lifetime: int = checked(partial(whole, least=10), 2000)

    def __post_init__(self):
        if self.format not in FORMATS:
            raise ValueError(f"format must be R6A or R6B, got {self.format!r}")
        check_fields(self)

    @property
    def described(self) -> bool:
        """Whether articles have features."""
        return self.format == "R6A"

    @property
    def _n_user(self) -> int:
        return N_DESCRIBED if self.described else N_USER

    def events(self, rows: int | None = None) -> Iterator[Events]:
        """The events from the first on in chunks, ``rows`` of them, or without end."""
        for chunk in count():
            start = chunk * _CHUNK
            stop = start + _CHUNK if rows is None else min(rows, start + _CHUNK)
            if stop <= start:
                return
            yield self._made(start, stop)

    def _made(self, start: int, stop: int) -> Events:
        m = stop - start
        draws = np.empty((m, 2 + self._n_user))
        _draw(self._stream(_EVENTS).keys, start, draws)
        users = self._users(draws[:, 2:])
        ids, articles = self._pool(np.arange(start, stop))
        there = (ids >= 0).sum(axis=1)
        shown = (draws[:, 0] * there).astype(np.int64)
        events = Events(
            timestamps=_FIRST_TIME + np.arange(start, stop) // 10,
            users=users,
            ids=ids,
            articles=articles,
            shown=shown,
            clicks=np.zeros(m, np.int64),
        )
        chances = self.probabilities(events)[np.arange(m), shown]
        events.clicks[:] = draws[:, 1] < chances
        return events

    def probabilities(self, events: Events) -> np.ndarray:
        """The probability (m, c) that each article of its events is clicked if shown; 0 for none.

        The events may be read from a file of ``write``.
        """
        if self.described:
            chances = np.empty(events.ids.shape)
            _bilinear(events.users, self._weights(), events.articles, chances)
            return np.where(events.ids >= 0, chances, 0.0)
        chances = np.zeros(events.ids.shape)
        for article in np.unique(events.ids[events.ids >= 0]):
            row, place = np.nonzero(events.ids == article)
            b, w = self._tastes(int(article))
            liked = np.flatnonzero(w)
            liking = (events.users[row[:, None], liked] * w[liked]).sum(axis=1)
            chances[row, place] = 1.0 / (1.0 + each_exp(-b - liking))
        return chances

    def scan(self, rows: int | None = None) -> LogSummary:
        """A summary that holds for all events, with the requested number of events."""
        if rows is None:
            raise ValueError("a simulated log has no end: give a number of rows")
        root = math.sqrt(2.0) * (1 + 1e-5)
        none: dict[str, int] = dict.fromkeys(REASONS, 0)
        return LogSummary(
            n_rows=rows,
            most_articles=self.n_articles,
            user_norm=root if self.described else math.sqrt(N_USER),
            article_norm=root if self.described else 0.0,
            user_limits=(0.0, 1.0),
            article_limits=(0.0, 1.0) if self.described else (0.0, 0.0),
            dropped=none,
        )

    def write(self, path: str | Path, rows: int) -> None:
        """Write the first ``rows`` events to a file, packed if its name ends in .gz or .bz2.

        Reading the file gives these events, to the last bit.
        """
        with opened(Path(path), "wb") as file:
            for events in self.events(whole("rows", rows)):
                lines = [self._line(events, j) for j in range(len(events))]
                file.write("".join(lines).encode())

    def _line(self, events: Events, j: int) -> str:
        ids = [int(article) for article in events.ids[j] if article >= 0]
        shown, head = ids[events.shown[j]], f"{events.timestamps[j]}"
        if self.described:
            pool = "".join(
                f" |{article}{_written(features)}"
                for article, features in zip(ids, events.articles[j], strict=False)
            )
            return f"{head} {shown} {events.clicks[j]} |user{_written(events.users[j])}{pool}\n"
        ones = "".join(f" {feature + 1}" for feature in np.flatnonzero(events.users[j]))
        pool = "".join(f" |id-{article}" for article in ids)
        return f"{head} id-{shown} {events.clicks[j]} |user{ones}{pool}\n"

    def _stream(self, purpose: int, which: int = 0) -> Stream:
        return Stream([self.seed], ENVIRONMENT, purpose, which)

    def _users(self, draws: np.ndarray) -> np.ndarray:
        """Features (m, p) of users from uniforms (m, p)."""
        if self.described:
            return _six(draws)
        often = 0.2 * self._stream(_MODEL).uniform(0, (N_USER,))[0]
        often[0] = 1.0
        return (draws < often).astype(np.float64)

    def _pool(self, rounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ids (m, c) and features (m, c, 6 or 0) of the available articles, then empty places."""
        m, c = len(rounds), self.n_articles
        phases = (self._stream(_POOL).uniform(0, (c,))[0] * self.lifetime).astype(np.int64)
        generation, age = np.divmod(rounds[:, None] + phases, self.lifetime)  # (m, c)
        there = age < self.lifetime - self.lifetime // 10
        there[:, 0] = True
        numbers = np.where(there, generation * c + np.arange(c), -1)
        order = np.argsort(~there, axis=1, kind="stable")
        numbers = np.take_along_axis(numbers, order, axis=1)
        ids = np.where(numbers >= 0, _LEAST_ID + numbers, -1)
        articles = np.zeros((m, c, N_DESCRIBED if self.described else 0))
        if self.described:
            for article in np.unique(numbers[numbers >= 0]):
                draws = self._stream(_ARTICLES, int(article)).uniform(0, (N_DESCRIBED,))
                articles[numbers == article] = _six(draws)[0]
        return ids, articles

    def _weights(self) -> np.ndarray:
        """W (6, 6) of R6A."""
        weights = np.zeros((N_DESCRIBED, N_DESCRIBED))
        weights[0, 0] = 0.01
        draws = self._stream(_MODEL).uniform(0, (25,))[0].reshape(5, 5)
        weights[1:, 1:] = 0.14 * (draws * draws * draws)
        return weights

    def _tastes(self, article: int) -> tuple[float, np.ndarray]:
        """b and w (136,) of an article of R6B."""
        stream = self._stream(_ARTICLES, article - _LEAST_ID)
        normals = stream.normal(0, (11,))[0]
        weights = np.zeros(N_USER)
        weights[np.argsort(stream.uniform(1, (N_USER,))[0], kind="stable")[:10]] = normals[1:]
        return -3.5 + 0.5 * float(normals[0]), weights


def _six(draws: np.ndarray) -> np.ndarray:
    """Features (m, 6) from uniforms (m, 6): 1, and five that sum to 1, rounded to six digits."""
    features = np.ones(draws.shape)
    shares = each_log(1.0 - draws[:, 1:])
    shares *= shares
    shares *= shares  # the fourth power makes one or two of them dominate
    features[:, 1:] = np.round(shares / shares.sum(axis=1, keepdims=True), 6)
    return features


def _written(features: np.ndarray) -> str:
    return "".join(f" {j + 1}:{features[j]:.6f}" for j in _ORDER)


@compiled
def _bilinear(users, weights, articles, out):
    """Write u^T W a into out (m, c) for users (m, p), W (p, q) and articles (m, c, q)."""
    n_user, n_article = weights.shape
    weight = np.empty(n_article)
    for s in range(out.shape[0]):
        for j in range(n_article):
            weight[j] = 0.0
            for i in range(n_user):
                weight[j] += users[s, i] * weights[i, j]
        for k in range(out.shape[1]):
            total = 0.0
            for j in range(n_article):
                total += weight[j] * articles[s, k, j]
            out[s, k] = total


@compiled
def _draw(keys, start, draws):
    """Fill draws (m, p) with the uniforms of rounds start, start + 1, .."""
    for s in range(draws.shape[0]):
        fill_uniform(keys[0, 0], keys[0, 1], start + s, draws[s])
